"""The schema: what each option accepts, what it refuses, and in which words."""

import dataclasses
import itertools
from pathlib import Path

import pytest

from neardup.config import OPTIONS, PRESETS, Config, load_toml
from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError, UsageError
from neardup.values import Guard, Keep, Shingle

BY_NAME = {option.name: option for option in OPTIONS}


def test_defaults_are_those_of_the_documentation():
    config = Config()
    assert config.normalize == ("nfkc", "casefold", "collapse-space")
    assert str(config.shingle) == "word:3"
    assert (config.threshold, config.recall, config.size, config.seed) == (0.8, 0.95, 128, 42)
    assert (config.verify, config.cluster, str(config.keep)) == ("exact", "star", "first")
    assert config.bucket_cap == 2000
    assert config.text == ("text",)
    assert Config.from_options({}) == config


def test_every_field_is_an_option_with_words_of_its_own():
    assert [field.name for field in dataclasses.fields(Config)] == [o.name for o in OPTIONS]
    for option in OPTIONS:
        assert option.help.endswith("."), option.name
        assert option.kind.allowed, option.name
    helps = [option.help for option in OPTIONS]
    assert len(set(helps)) == len(helps)


def test_every_default_survives_a_second_reading():
    config = Config()
    for option in OPTIONS:
        value = getattr(config, option.name)
        assert option.read(value) == value
        if option.shown_default:
            assert option.read(option.shown_default) == value


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("normalize", "none", ()),
        ("normalize", "nfc, lower", ("nfc", "lower")),
        ("normalize", [], ()),
        ("normalize", ["nfkc"], ("nfkc",)),
        ("shingle", "char:5", Shingle("char", 5)),
        ("shingle", Shingle("line", 1), Shingle("line", 1)),
        ("threshold", "0.99", 0.99),
        ("threshold", 1, 1.0),
        ("size", "65536", 65536),
        ("seed", 2**64 - 1, 2**64 - 1),
        ("keep", "max:stars", Keep("max", field="stars")),
        ("keep", "min:a.b", Keep("min", field="a.b")),
        ("keep", "priority:a.jsonl,crawl/", Keep("priority", sources=("a.jsonl", "crawl/"))),
        ("guard", "numbers", Guard()),
        ("guard", "numbers:100", Guard(100)),
        ("guard", "none", None),
        ("text", "title,body.main", ("title", "body.main")),
        ("text", ["a,b"], ("a,b",)),
        ("memory", "4GiB", 4 * 2**30),
        ("memory", "1.5 gb", 1_500_000_000),
        ("memory", 1000, 1000),
        ("encoding", "GB18030", "gb18030"),
        ("against", Path("old.jsonl"), ("old.jsonl",)),
        ("against", ["a", Path("b")], ("a", "b")),
        ("annotate_prefix", "dup_", "dup_"),
    ],
)
def test_values_are_read(name, typed, value):
    assert getattr(Config.from_options({name: typed}), name) == value


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        *itertools.product(["threshold"], [0, -0.1, 1.0001, float("nan"), "x", "inf"]),
        *itertools.product(["recall"], [0, 1, 1.0, float("nan")]),
        *itertools.product(["size"], [0, 65537, "1.5", ""]),
        *itertools.product(["seed"], [-1, 2**64]),
        *itertools.product(["normalize"], ["", "nfkd", "nfc,,lower", "none,nfc"]),
        *itertools.product(
            ["shingle"], ["word", "word:", "word:0", "word:-1", "chunk:255", "word:1001", "word:³"]
        ),
        *itertools.product(["keep"], ["", "best", "first:", "max", "max:", "priority:", "min:"]),
        *itertools.product(["guard"], ["", "numbers:", "numbers:0", "dates", "numbers:x"]),
        *itertools.product(["memory"], ["", "4 parsecs", "0", "-1", "1e9999"]),
        *itertools.product(["encoding"], ["utf-9", "", "hex", "a\0b"]),
        *itertools.product(["text"], ["", "a,,b", []]),
        *itertools.product(["annotate_prefix"], ["", "1x", "a-b"]),
        ("verify", "maybe"),
        ("cluster", "STAR"),
        ("threads", -1),
        ("bucket_cap", 0),
        ("out", ""),
        ("format", "xml"),
        ("preset", "loose"),
    ],
)
def test_values_are_refused_by_name_value_and_remedy(name, typed):
    with pytest.raises(NeardupValueError) as caught:
        Config.from_options({name: typed})
    message = str(caught.value)
    assert message.startswith(f"{name}: {typed!r} is not allowed; use ")
    assert BY_NAME[name].kind.allowed in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", True),
        ("threshold", None),
        ("size", 1.0),
        ("size", True),
        ("keep", 3),
        ("text", 7),
        ("text", [1]),
        ("overwrite", "yes"),
        ("out", 3),
        ("out", b"x"),
        ("shingle", 3),
        ("memory", 1.5),
    ],
)
def test_wrong_types_are_type_errors(name, value):
    with pytest.raises(NeardupTypeError, match=rf"^{name}: .* is not allowed; use "):
        Config.from_options({name: value})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_sets_and_explicit_options_win(preset):
    config = Config.from_options({"preset": preset})
    for name, value in PRESETS[preset].items():
        assert getattr(config, name) == BY_NAME[name].read(value)
    assert Config.from_options({"preset": preset, "threshold": 0.5}).threshold == 0.5
    assert Config.from_options({"preset": preset, "guard": "none"}).guard is None


def test_short_texts_get_the_number_guard():
    config = Config.from_options({"preset": "short"})
    assert (str(config.shingle), config.threshold) == ("char:3", 0.85)
    assert config.guard == Guard(100)


def test_bands_and_rows_go_together_and_fit():
    assert Config.from_options({"bands": 16, "rows": 8}).bands == 16
    with pytest.raises(NeardupValueError, match="go together: got bands=16, rows=None"):
        Config.from_options({"bands": 16})
    with pytest.raises(NeardupValueError, match="need 129 slots, and size=128"):
        Config.from_options({"bands": 43, "rows": 3})


def test_an_unknown_option_offers_the_nearest():
    with pytest.raises(NeardupTypeError, match="'treshold'; did you mean threshold"):
        Config.from_options({"treshold": 0.8})
    assert Config.from_options({"bucket-cap": 10}).bucket_cap == 10


def test_a_config_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().threshold = 0.5


def test_toml(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('threshold = 0.9\ntext = ["title", "body"]\nbucket-cap = 5\noverwrite = true\n')
    config = Config.from_options(load_toml(str(file)))
    assert (config.threshold, config.text) == (0.9, ("title", "body"))
    assert (config.bucket_cap, config.overwrite) == (5, True)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("threshold = 2", "threshold: 2 is not allowed"),
        ("threshold = ", "not a TOML file"),
        ("tresh = 1", "unknown option 'tresh'"),
        ('config = "other.toml"', "command line only"),
        ("[dedup]\nthreshold = 0.9", "unknown option 'dedup'"),
    ],
)
def test_a_bad_toml_file_is_named(tmp_path, content, complaint):
    file = tmp_path / "run.toml"
    file.write_text(content)
    with pytest.raises(UsageError) as caught:
        load_toml(str(file))
    assert str(caught.value).startswith(f"{file}: ")
    assert complaint in str(caught.value)


def test_a_missing_or_binary_toml_file_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nope\.toml: cannot read the options"):
        load_toml(str(tmp_path / "nope.toml"))
    file = tmp_path / "binary.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not a TOML file"):
        load_toml(str(file))


def test_errors_share_one_base():
    for kind in (NeardupValueError, NeardupTypeError, UsageError):
        assert issubclass(kind, NeardupError)
    assert issubclass(NeardupValueError, ValueError)
    assert issubclass(NeardupTypeError, TypeError)
