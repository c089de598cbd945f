"""The one schema behind the Python keywords, the command line and TOML files.

Every option is one field of `Config`: its default, kind, help and where it applies. The command
line is generated from `OPTIONS`; a new option is one more field here, and nothing else.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neardup import _native
from neardup import textkinds as t
from neardup import values as v
from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError, UsageError
from neardup.measures import OF_TWO
from neardup.option import Option, field
from neardup.tokenizer import Tokenizer

PRESETS: dict[str, dict[str, Any]] = {
    "thorough": {"shingle": "word:3", "threshold": 0.7},
    "strict": {"shingle": "word:3", "threshold": 0.9},
    "short": {"shingle": "char:3", "threshold": 0.85, "guard": "numbers:100"},
    "short-han": {"shingle": "word:2", "threshold": 0.8},
}
"""Named settings for kinds of text; an option given explicitly wins over them."""

SKETCH_DEFAULTS: dict[str, dict[str, Any]] = {"simhash": {"size": 64}}
"""Defaults that a sketch has for itself."""
HAMMING = 3
"""Bits in which fingerprints may differ unless told otherwise: of 64, after Manku et al. 2007."""

GROUPS = (
    *("Text", "Similarity", "Answer", "Labels", "Asking", "Comparing", "Input", "Output"),
    *("Machine", "Experiments"),
)

THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
"""Where `tune` looks unless told otherwise."""
SHINGLES = ("word:2", "word:5", "char:5")
"""Other shingles that `tune` compares unless told otherwise."""


def _formats() -> tuple[str, ...]:
    """Names of the formats; their modules are loaded only where a format is spoken of."""
    from neardup.io.registry import FORMATS

    return tuple(FORMATS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A complete and valid set of options; make one with `Config.from_options`.

    Examples
    --------
    >>> config = Config.from_options({"preset": "strict", "shingle": "char:5"})
    >>> config.threshold, str(config.shingle)
    (0.9, 'char:5')
    >>> Config.from_options({"threshold": 1.5})
    Traceback (most recent call last):
    ...
    neardup.errors.NeardupValueError: threshold: 1.5 is not allowed; use a number above 0, up to 1
    """

    preset: str | None = field(
        None,
        v.Choice(tuple(PRESETS)),
        "Text",
        "Settings for a kind of text: thorough (training corpora), strict (forms, catalogues, "
        "statutes), short (short texts with typos), short-han (short Chinese texts). "
        "Options given explicitly win.",
    )
    normalize: tuple[str, ...] = field(
        ("nfkc", "casefold", "collapse-space"),
        v.Normalize(),
        "Text",
        "Steps applied to a text before it is cut, in the order given, of "
        f"{' '.join(v.NORMALIZE_STEPS)}; or none.",
    )
    shingle: v.Shingle = field(
        v.Shingle("word", 3),
        v.ShingleKind(),
        "Text",
        f"What is compared: runs of N units, {', '.join(_native.UNITS)}. "
        "A Han, Kana, Thai, Lao, Khmer or Myanmar character is a word of its own.",
    )
    hash: str = field(
        "xxh3",
        t.Hash(),
        "Text",
        "Hash of a token; murmur3 is murmur3_128, fnv1a is fnv1a_64. siphash is keyed, against "
        "texts written to collide.",
    )
    hash_key_file: str | t.Key | None = field(
        None,
        t.KeyFile(),
        "Text",
        "The secret key of --hash siphash: a file of 16 bytes; in Python also the bytes. It is "
        "written nowhere.",
    )
    stopwords: str | None = field(
        None,
        t.Language(_native.STOPWORDS),
        "Text",
        "Leave out the stop words of a language, by its code; for word:N and whitespace:N.",
    )
    stem: str | None = field(
        None,
        t.Language(_native.STEMS),
        "Text",
        "Compare stems of words, by the Snowball stemmer of a language; for word:N and "
        "whitespace:N.",
    )
    fraction: float | None = field(
        None,
        t.Share(),
        "Text",
        "Keep this share of all shingles (FracMinHash), for very long documents; similarities are "
        "then those of the samples.",
    )
    tokenizer: Tokenizer | None = field(
        None,
        t.TokenizerKind(),
        "Text",
        "Cut texts into tokens by a function, a list of texts at a time; word:N is N of them.",
        typed=False,
        toml=False,
    )
    tokenizer_name: str | None = field(
        None,
        v.Text("NAME", "text without white space, ; and =", r"[^\s;=]+"),
        "Text",
        "What the tokenizer is called in the identity of what it made.",
        typed=False,
        toml=False,
    )
    threshold: float = field(
        0.8,
        v.Real(0.0, 1.0, "a number above 0, up to 1"),
        "Similarity",
        "Jaccard similarity from which two texts are duplicates.",
        short="-t",
    )
    recall: float = field(
        0.95,
        v.Real(0.0, 1.0, "a number above 0 and below 1", open_high=True),
        "Similarity",
        "Share of the pairs at the threshold that must become candidates; "
        "bands and rows are chosen for it.",
    )
    size: int = field(
        128,
        v.Integer(1, 65536, "a whole number from 1 to 65536"),
        "Similarity",
        "Slots of a signature; of simhash its bits, 64 (if not given) or 128.",
    )
    bands: int | None = field(
        None,
        v.Integer(1, 65536, "a whole number from 1 to 65536"),
        "Similarity",
        "Bands of a signature, with --rows, instead of --recall: more bands = looser.",
    )
    rows: int | None = field(
        None,
        v.Integer(1, 65536, "a whole number from 1 to 65536"),
        "Similarity",
        "Rows of a band, with --bands, instead of --recall: more rows = stricter.",
    )
    seed: int = field(
        42,
        v.Integer(0, 2**64 - 1, "a whole number from 0 to 2^64 - 1"),
        "Similarity",
        "Seed of the sketch; for tune, of what is drawn.",
    )
    sketch: str = field(
        "fast",
        v.Choice(_native.SKETCHES),
        "Similarity",
        "Sketch: fast is Fast Similarity Sketching, best for nearly all; minhash is the classic by "
        "32-bit affine functions, minhash61 by a universal family; superminhash varies least on "
        "small sets; oph is one-permutation hashing, densified; cminhash shifts one permutation; "
        "icws and dart weigh each shingle by how often it is there (candidates alone: exact "
        "verification compares sets); simhash compares by --hamming, without bands. "
        "docs/sketches.md compares them.",
    )
    hamming: int | None = field(
        None,
        v.Integer(0, 128, "a whole number from 0 to 128"),
        "Similarity",
        "With --sketch simhash: texts whose fingerprints differ in at most so many bits are "
        f"candidates ({HAMMING} if not given).",
    )
    verify: str = field(
        "exact",
        v.Verify(),
        "Similarity",
        "How a candidate pair is checked: exact Jaccard, the sketch's estimate, or not at all "
        "(nothing is guaranteed then). levenshtein:0.9 and the like: exact Jaccard must reach "
        "--threshold, and then the measure, of the normalised texts, this number; the similarity "
        "told is still the Jaccard.",
    )
    bucket_cap: int = field(
        2000,
        v.Integer(1, 2**31 - 1, "a whole number from 1"),
        "Similarity",
        "Largest bucket compared in full; of a larger one each member meets its 64 first.",
    )
    exact_join: bool = field(
        False,
        v.Flag(),
        "Similarity",
        "Find every pair at the threshold, without bands: recall 1. Holds the shingle sets of all "
        "texts in memory; for up to a million texts, at thresholds from .5.",
    )
    guard: v.Guard | None = field(
        None,
        v.GuardKind(),
        "Similarity",
        "Refuse a pair if each text has a number, written in digits, that the other lacks; "
        "with MAXWORDS only for texts of fewer words. none turns a preset's guard off.",
    )
    exact_only: bool = field(
        False,
        v.Flag(),
        "Answer",
        "Remove only texts that are equal after --normalize; nothing is sketched.",
    )
    cluster: str = field(
        "star",
        v.Choice(("star", "components")),
        "Answer",
        "star: each removed text is similar to its kept partner. "
        "components: one text stays of each chain of similar ones.",
    )
    keep: v.Keep = field(
        v.Keep("first"),
        v.KeepKind(),
        "Answer",
        "Which text of a cluster stays: first last longest shortest, max:FIELD, min:FIELD, or "
        "priority:SRC1,SRC2 (a source path, or a prefix that ends in /).",
    )
    against: tuple[str, ...] = field(
        (),
        v.Paths(),
        "Answer",
        "Also remove what is similar to a text in PATH, which itself is never written. "
        "May be repeated.",
    )
    distinct_shingles: bool = field(
        False,
        v.Flag(),
        "Answer",
        "Count the distinct shingles of all rows and of the kept ones, by HyperLogLog: "
        "distinct_shingles in the summary. Reads every text once more.",
    )
    annotate: bool = field(
        False, v.Flag(), "Answer", "Keep every row and add what was found to it as fields."
    )
    annotate_prefix: str = field(
        "neardup_",
        v.Text("PREFIX", "letters, digits and _, not starting with a digit", r"[^\W\d]\w*"),
        "Answer",
        "How the names of the added fields begin.",
    )
    labels: str | None = field(
        None,
        v.Path("FILE"),
        "Labels",
        "What is true: pairs of ids, or ids with their labels, tabs or (.csv) commas between.",
        commands=("evaluate", "tune"),
    )
    label: str | None = field(
        None,
        v.Text("FIELD", "a field name"),
        "Labels",
        "Field of the input that holds the label.",
        commands=("evaluate", "tune"),
    )
    thresholds: tuple[float, ...] = field(
        (),
        v.Several(v.Real(0.0, 1.0, "a number above 0, up to 1"), "T"),
        "Labels",
        "Look at each of these thresholds. evaluate: only at --threshold unless given; tune: from "
        ".5 to .95 in steps of .05.",
        commands=("evaluate", "tune"),
    )
    shingles: tuple[v.Shingle, ...] = field(
        (),
        v.Several(v.ShingleKind(), "UNIT:N"),
        "Labels",
        "Look at each of these shingles. evaluate: only at --shingle unless given; tune: beside "
        f"--shingle at {', '.join(SHINGLES)}.",
        commands=("evaluate", "tune"),
    )
    run: str | None = field(
        None,
        v.Path("OUT"),
        "Labels",
        "Evaluate this finished run of neardup dedup on INPUT, instead of running.",
        commands=("evaluate",),
    )
    save: str | None = field(
        None,
        v.Path("FILE"),
        "Labels",
        "Write the result here too: .csv or .tsv for the table, .json for everything.",
        short="-o",
        commands=("evaluate", "tune"),
    )
    ask: bool = field(
        False,
        v.Flag(),
        "Asking",
        "Without labels: show pairs, and ask of each whether the texts are the same.",
        python=False,
        commands=("tune",),
    )
    answers: str = field(
        "neardup-answers.tsv",
        v.Path("FILE"),
        "Asking",
        "Where answers are written as they are given; asking goes on from those there.",
        python=False,
        commands=("tune",),
    )
    per_band: int = field(
        40,
        v.Integer(1, 100_000, "a whole number from 1 to 100000"),
        "Asking",
        "Pairs to ask for in each band of similarity.",
        python=False,
        commands=("tune",),
    )
    measure: tuple[str, ...] = field(
        (),
        v.Several(v.Choice(OF_TWO), "MEASURE"),
        "Comparing",
        "Only these measures; all that need no corpus unless given.",
        python=False,
        commands=("compare",),
    )
    file: bool = field(
        False,
        v.Flag(),
        "Comparing",
        "A and B are files, - standard input, whatever they look like; --text: they are texts.",
        python=False,
        commands=("compare",),
    )
    text: tuple[str, ...] = field(
        ("text",),
        v.Names(),
        "Input",
        "Field that holds the text; a dotted path reaches nested fields, several are joined by a "
        "newline.",
    )
    id: str | None = field(
        None, v.Text("FIELD", "a field name"), "Input", "Field carried along as the row's id."
    )
    format: str | None = field(
        None,
        v.Choice(_formats),
        "Input",
        "Format of standard input and of files with an unknown suffix (jsonl if not given).",
        python=False,
    )
    encoding: str = field("utf-8", v.Encoding(), "Input", "Encoding of text formats.")
    whole_file: bool = field(False, v.Flag(), "Input", "Each .txt file is one document.")
    on_error: str = field(
        "fail",
        v.Choice(("fail", "skip")),
        "Input",
        "A bad row stops the run, or is set aside and counted.",
    )
    out: str | None = field(
        None,
        v.Path("OUT"),
        "Output",
        "Folder for everything, or one file for the kept rows; - is standard output. bench: a "
        "folder, or a .json file.",
        short="-o",
    )
    removed: str | None = field(
        None, v.Path("FILE"), "Output", "Also write the table of removed rows here.", python=False
    )
    pairs: str | None = field(
        None, v.Path("FILE"), "Output", "Also write the table of verified pairs here.", python=False
    )
    rejected: str | None = field(
        None,
        v.Path("FILE"),
        "Output",
        "Write rows set aside by --on-error skip here; needed where OUT is a file.",
        python=False,
    )
    resume: bool = field(
        False,
        v.Flag(),
        "Output",
        "Go on after the last finished pass of a run into OUT that was stopped; inputs and options "
        "must be the same.",
    )
    overwrite: bool = field(False, v.Flag(), "Output", "Replace OUT if it is there.")
    dry_run: bool = field(False, v.Flag(), "Output", "Write nothing but the summary.")
    engine: str = field("auto", v.Choice(("auto", "memory")), "Machine", "Where the work is done.")
    memory: int | None = field(
        None,
        v.Bytes(),
        "Machine",
        "Memory for the shingle sets compared at a time, such as 4GiB (128MiB if not given); "
        "what is kept of each document comes on top.",
    )
    threads: int = field(
        0,
        v.Integer(0, 4096, "a whole number from 0 (all cores) to 4096"),
        "Machine",
        "Threads; 0 is one for every core.",
    )
    config: str | None = field(
        None,
        v.Path("FILE.toml"),
        "Machine",
        "Options from a file; those given on the command line win.",
        python=False,
        toml=False,
    )
    quiet: bool = field(
        False,
        v.Flag(),
        "Machine",
        "No progress and no summary; errors only.",
        python=False,
        short="-q",
    )
    json: bool = field(
        False, v.Flag(), "Machine", "Print the summary as JSON on standard output.", python=False
    )
    quick: bool = field(
        False,
        v.Flag(),
        "Experiments",
        "Fewer draws and documents: seconds instead of a minute.",
        python=False,
        toml=False,
        commands=("bench",),
    )

    def __post_init__(self) -> None:
        for option in OPTIONS:
            object.__setattr__(self, option.name, option.read(getattr(self, option.name)))
        if (self.bands is None) != (self.rows is None):
            raise NeardupValueError(
                f"bands and rows go together: got bands={self.bands}, rows={self.rows}; "
                "give both, or neither and a recall"
            )
        if self.bands is not None and self.rows is not None and self.bands * self.rows > self.size:
            raise NeardupValueError(
                f"bands={self.bands} of rows={self.rows} need {self.bands * self.rows} slots, "
                f"and size={self.size} has fewer; raise size or lower bands or rows"
            )

        if self.sketch == "simhash" or self.hamming is not None:
            self._check_hamming()
        if self.exact_join:
            self._check_exact_join()

    def _check_hamming(self) -> None:
        """Refuse what fingerprints and their distance would have to ignore."""
        if self.sketch != "simhash":
            raise NeardupValueError(
                f"hamming={self.hamming} compares SimHash fingerprints, got sketch={self.sketch}; "
                "give sketch=simhash too, or leave hamming out"
            )
        if self.size not in (64, 128):
            raise NeardupValueError(
                f"the size of a simhash is its number of bits, 64 or 128, got size={self.size}; "
                "give one of them, or leave it out"
            )
        if self.bands is not None:
            raise NeardupValueError(
                f"simhash uses no bands, got bands={self.bands}, rows={self.rows}; "
                "leave them out, and give hamming"
            )
        if self.hamming is not None and self.hamming > self.size:
            raise NeardupValueError(
                f"hamming={self.hamming} is more than the {self.size} bits of a fingerprint; "
                f"use a whole number from 0 to {self.size}"
            )

    @property
    def distance(self) -> int | None:
        """Bits in which the fingerprints of candidates may differ; None where bands find them."""
        if self.sketch != "simhash" or self.exact_join or self.exact_only:
            return None
        return HAMMING if self.hamming is None else self.hamming

    def _check_exact_join(self) -> None:
        """Refuse what an exact join would have to ignore or undo."""
        if self.bands is not None:
            raise NeardupValueError(
                f"exact_join uses no bands, got bands={self.bands}, rows={self.rows}; "
                "leave them out, or exact_join"
            )
        if self.verify in v.ESTIMATES:
            raise NeardupValueError(
                f"exact_join finds pairs by their exact similarity, got verify={self.verify}; "
                "leave it at exact"
            )
        if self.hamming is not None:
            raise NeardupValueError(
                f"exact_join compares no fingerprints, got hamming={self.hamming}; "
                "leave it out, or exact_join"
            )
        if self.exact_only:
            raise NeardupValueError(
                "exact_only looks for equal texts only, exact_join for all similar ones; "
                "give one of them"
            )

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> Config:
        """Explicit options over the preset they name, over the defaults.

        Parameters
        ----------
        options : mapping of str to object
            Values as typed by a user or in their final type. Dashes in names may be underscores.

        Raises
        ------
        NeardupValueError, NeardupTypeError
            An option is unknown, or a value is not allowed; the message says what is.
        """
        given: dict[str, Any] = {_known(name): value for name, value in options.items()}
        preset = _BY_NAME["preset"].read(given.get("preset"))
        own = SKETCH_DEFAULTS.get(str(given.get("sketch")), {})
        return cls(**(own | PRESETS.get(preset, {}) | given))

    @property
    def second_stage(self) -> tuple[str, float] | None:
        """The measure that pairs must pass after exact Jaccard, and the number to reach."""
        measure, colon, least = self.verify.partition(":")
        return (measure, float(least)) if colon else None

    @property
    def text_spec(self) -> str:
        """How a text becomes a shingle set, in one line: part of a signature's identity."""
        from neardup.spec import text_spec

        parts = text_spec(self).identity.split(";")
        return " ".join(part for part in parts if not part.startswith("unicode="))


def load_toml(path: str, command: str = "dedup") -> dict[str, object]:
    """The options of a TOML file: top-level keys named as on the command line.

    Options of other commands are refused; each command ignores none of its own.

    Raises
    ------
    UsageError
        The file cannot be read or is not TOML, or a key is no option that a file may set.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot read the options: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from None
    options: dict[str, object] = {}
    for key, value in table.items():
        try:
            option = _BY_NAME[_known(key)]
            if not option.toml:
                raise NeardupValueError(f"{key}: can be given on the command line only")
            _refuse_foreign(option, command)
            options[option.name] = option.read(value)
        except NeardupError as error:
            raise UsageError(f"{path}: {error}") from None
    return options


def refuse(name: str, value: object, command: str) -> None:
    """Raise for an option that is unknown, not allowed a value, or of other commands."""
    Config.from_options({name: value})  # an unknown name: the nearest is offered
    _refuse_foreign(_BY_NAME[_known(name)], command)


def _refuse_foreign(option: Option, command: str) -> None:
    if option.commands and command not in option.commands:
        others = " and ".join(option.commands)
        raise NeardupTypeError(f"{option.name}: is an option of {others}, not of {command}")


def _known(name: str) -> str:
    """The name of an option, or an error that offers the nearest."""
    plain = name.replace("-", "_")
    if plain in _BY_NAME:
        return plain
    near = difflib.get_close_matches(plain, _BY_NAME, n=1)
    hint = f"did you mean {near[0]}?" if near else f"options are {', '.join(_BY_NAME)}"
    raise NeardupTypeError(f"unknown option {name!r}; {hint}")


OPTIONS: tuple[Option, ...] = tuple(
    Option(each.name, default=each.default, **each.metadata)
    for each in dataclasses.fields(Config)
    if each.metadata
)
"""Every option of every command, in the order of the help."""

RUN_OPTIONS = tuple(option for option in OPTIONS if not option.commands)
"""The options of `dedup`, of which commands and functions like it have a part."""

_BY_NAME = {option.name: option for option in OPTIONS}
