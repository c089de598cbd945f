"""The native text spec of a configuration: how a text becomes a set of shingles."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from neardup import _native
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.textkinds import key_bytes

if TYPE_CHECKING:
    from neardup.config import Config

OPTIONS = (
    "normalize",
    "shingle",
    "hash",
    "hash_key_file",
    "stopwords",
    "stem",
    "fraction",
    "tokenizer",
    "tokenizer_name",
)
"""The options that make a text spec."""

NATIVE = tuple(name for name in OPTIONS if not name.startswith("tokenizer"))
"""Those that need no function of the caller's."""

SHORT_HASHES = ("xxh32", "murmur3_32", "fnv1a_32")
"""Hashes of 32 bits: among 77,000 distinct tokens two share one, as likely as not."""

SHORT_HASH = (
    "hash {} has 32 bits: of a million distinct tokens some 116 pairs share a hash, and count as "
    "one token each; use xxh3 unless another program reads the hashes"
)


def text_spec(config: Config) -> _native.TextSpec:
    """The spec of a configuration.

    Raises
    ------
    NeardupValueError
        Options that do not go together, such as stems of characters, or a key of another length.
    NeardupError
        The key file cannot be read.
    """
    tokenizer = config.tokenizer
    if tokenizer is None and config.tokenizer_name is not None:
        raise NeardupValueError("tokenizer_name: there is no tokenizer; give one, or leave it out")
    return _native.TextSpec(
        ",".join(config.normalize) or "none",
        str(config.shingle),
        config.hash,
        key=None if config.hash_key_file is None else key_bytes(config.hash_key_file),
        stopwords=config.stopwords,
        stem=config.stem,
        fraction=config.fraction,
        tokenizer=None if tokenizer is None else tokenizer.named(config.tokenizer_name),
    )


def warning(config: Config) -> str | None:
    """What a person should know about the spec, if anything."""
    return SHORT_HASH.format(config.hash) if config.hash in SHORT_HASHES else None


def of_text(
    options: Mapping[str, Any], function: str, known: Collection[str] = OPTIONS
) -> Mapping[str, Any]:
    """The keywords of a function that takes the options of a text spec, none other among them.

    Raises
    ------
    NeardupTypeError
        A keyword is no such option.
    """
    for name in options:
        if name not in known:
            raise NeardupTypeError(
                f"{function} has no option {name!r}; of texts there are {', '.join(known)}"
            )
    return options
