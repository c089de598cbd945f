"""The number guard on made invoices, and which of preset and option wins."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import neardup
from neardup.config import PRESETS, Config

ITEMS = [
    "paper",
    "pens",
    "ink",
    "folders",
    "staples",
    "chairs",
    "lamps",
    "cables",
    "screens",
    "boards",
]


def invoice(seed: int, words: int = 40) -> list[str]:
    """An invoice of so many words, four of them amounts."""
    random.seed(seed)
    head = [
        "invoice",
        "for",
        "the",
        "goods",
        "delivered",
        "to",
        "your",
        "office",
        "in",
        "march",
        "payable",
        "within",
        "thirty",
        "days",
    ]
    line = [f"{random.choice(ITEMS)}{i}" for i in range(words - len(head) - 4)]
    return [*head, *line, "1200", "80.50", "17", "44"]


def changed(words: list[str], *changes: tuple[str, str]) -> str:
    return " ".join(dict(changes).get(word, word) for word in words)


ORIGINAL = invoice(1)
TWO_AMOUNTS = changed(ORIGINAL, ("1200", "1300"), ("44", "45"))


def test_invoices_with_other_amounts_are_other_documents_at_095() -> None:
    for seed in range(20):
        words = invoice(seed)
        other = changed(words, ("1200", "1250"), ("17", "71"))
        assert neardup.dedup([" ".join(words), other], threshold=0.95).keep.all()


@pytest.mark.parametrize("seed", range(10))
def test_the_guard_refuses_pairs_whose_numbers_differ_on_both_sides(seed: int) -> None:
    words = invoice(seed)
    texts = [" ".join(words), changed(words, ("80.50", "80.75")), " ".join([*words, "thanks"])]
    texts.append(" ".join(words).replace(" 44", ""))  # a number less is no other statement
    assert neardup.dedup(texts, threshold=0.6).keep.tolist() == [True, False, False, False]
    r = neardup.dedup(texts, threshold=0.6, guard="numbers")
    assert r.keep.tolist() == [True, True, False, False]
    assert r.summary["guarded_pairs"] >= 1
    assert r.summary["removed_numbers_differ"] == 0


def test_what_the_guard_would_refuse_is_counted_without_it() -> None:
    texts = [" ".join(ORIGINAL), TWO_AMOUNTS, " ".join([*ORIGINAL, "thanks"])]
    s = neardup.dedup(texts, threshold=0.6).summary
    assert s["removed_numbers_differ"] == 1
    assert s["guarded_pairs"] == 0
    s = neardup.dedup(texts, threshold=0.6, cluster="components").summary
    assert s["removed_numbers_differ"] == 1


def test_equal_texts_need_no_guard() -> None:
    r = neardup.dedup([" ".join(ORIGINAL), " ".join(ORIGINAL).upper()], guard="numbers")
    assert r.keep.tolist() == [True, False]


def test_full_width_digits_are_the_same_numbers() -> None:
    wide = " ".join([*ORIGINAL, "gladly"]).translate({ord("0") + i: 0xFF10 + i for i in range(10)})
    assert neardup.dedup([" ".join(ORIGINAL), wide], guard="numbers").keep.tolist() == [True, False]


@pytest.mark.parametrize(("limit", "refused"), [(41, False), (42, True), (None, True)])
def test_max_words_counts_both_texts(limit: int | None, refused: bool) -> None:
    """The guard is for texts of fewer words than that: both must have fewer."""
    guard = "numbers" if limit is None else f"numbers:{limit}"
    texts = [" ".join(ORIGINAL), changed(ORIGINAL, ("1200", "1300"))]
    assert len(ORIGINAL) == 40  # and 80.50 is two words
    r = neardup.dedup(texts, threshold=0.6, guard=guard)
    assert r.summary["guarded_pairs"] == refused
    longer = [texts[0], texts[1] + " thanks"]
    assert neardup.dedup(longer, threshold=0.6, guard="numbers:42").summary["guarded_pairs"] == 0


def test_the_guard_holds_in_components_and_with_estimates() -> None:
    texts = [" ".join(ORIGINAL), changed(ORIGINAL, ("17", "18"))]
    for more in ({"cluster": "components"}, {"verify": "sketch"}, {"verify": "none"}):
        options: dict[str, Any] = {"threshold": 0.6, "recall": 0.999, **more}
        assert neardup.dedup(texts, **options).keep.tolist() == [True, False], more
        assert neardup.dedup(texts, guard="numbers", **options).keep.all(), more


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_what_it_says_and_nothing_else(name: str) -> None:
    config, default = Config.from_options({"preset": name}), Config()
    changed = {
        field
        for field in ("shingle", "threshold", "guard", "normalize", "recall", "size", "keep")
        if getattr(config, field) != getattr(default, field)
    }
    assert changed <= set(PRESETS[name])
    for field, value in PRESETS[name].items():
        assert str(getattr(config, field)) == str(value)


def test_explicit_options_win_over_the_preset() -> None:
    config = Config.from_options({"preset": "short", "threshold": 0.5})
    assert (config.threshold, str(config.shingle), str(config.guard)) == (
        0.5,
        "char:3",
        "numbers:100",
    )
    assert Config.from_options({"preset": "short", "guard": "none"}).guard is None
    assert str(Config.from_options({"guard": "numbers:7", "preset": "short"}).guard) == "numbers:7"
    assert Config.from_options({"preset": "strict", "threshold": 0.8}).threshold == 0.8


def test_presets_on_texts() -> None:
    one, other = (
        "the parcel came on monday and all was well",
        "the parcell came on monday and all was well",
    )
    assert neardup.dedup([one, other]).keep.all()
    assert neardup.dedup([one, other], preset="short").keep.tolist() == [True, False]
    bills = [
        "your bill of 120 euros is due on monday morning",
        "your bill of 125 euros is due on monday morning",
    ]
    assert neardup.dedup(bills, preset="short").keep.all()
    assert neardup.dedup(bills, preset="short", guard="none").keep.tolist() == [True, False]


def test_command_line_over_file_over_preset(tmp_path: Path, neardup_cli: Any) -> None:
    (tmp_path / "a.txt").write_text("a text\n")
    (tmp_path / "o.toml").write_text('preset = "short"\nthreshold = 0.7\n')

    def threshold_and_spec(*args: object) -> tuple[float, str]:
        done = neardup_cli(tmp_path / "a.txt", "--dry-run", "--json", "--quiet", *args)
        assert done.exit_code == 0, done.stderr
        summary = json.loads(done.stdout)
        return summary["threshold"], re.search(r"(?:word|char):\d", summary["text_spec"])[0]

    file = ("--config", tmp_path / "o.toml")
    assert threshold_and_spec("--preset", "short") == (0.85, "char:3")
    assert threshold_and_spec(*file) == (0.7, "char:3")
    assert threshold_and_spec(*file, "--threshold", "0.6") == (0.6, "char:3")
    assert threshold_and_spec(*file, "--preset", "strict") == (0.7, "word:3")


@pytest.mark.parametrize(
    "digits", ["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "๐๑๒๓๔๕๖๗๘๙", "０１２３４５６７８９"]
)
def test_digits_of_every_script_are_numbers(digits: str) -> None:
    """And numbers in words or Han numerals are none, as the pages say."""
    one, other = digits[1:5], digits[2:6]
    text = "the price of the house by the old river is {} today and not a coin less than that"
    for numbers, kept in (((one, other), 2), (("three", "four"), 1), (("三", "四"), 1)):
        texts = [text.format(number) for number in numbers]
        r = neardup.dedup(texts, threshold=0.4, guard="numbers")
        assert (r.summary["kept"], r.summary["guarded_pairs"]) == (kept, kept - 1)
