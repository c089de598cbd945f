"""Ways to damage bytes, for hypothesis to draw and to shrink."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

Damage = Callable[[bytes], bytes]

_SCALE = 10_000
_OPERATIONS = ("cut", "flip", "drop", "put", "repeat", "zero")


def _apply(data: bytes, operation: str, place: int, length: int, extra: bytes) -> bytes:
    at = len(data) * place // _SCALE
    end = min(len(data), at + length)
    if operation == "cut":
        return data[:at]
    if operation == "flip":
        return data[:at] + bytes([data[at] ^ (1 << length % 8)]) + data[at + 1 :] if data else data
    middle = {
        "drop": b"",
        "put": extra + data[at:end],
        "repeat": data[at:end] * 2,
        "zero": bytes(end - at),
    }[operation]
    return data[:at] + middle + data[end:]


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """One to three changes: an end cut off, a bit flipped, bytes dropped, put in, repeated, zeroed."""
    change = st.tuples(
        st.sampled_from(_OPERATIONS),
        st.integers(0, _SCALE - 1),
        st.integers(0, 60),
        st.binary(min_size=1, max_size=6) | st.sampled_from([b"\n", b'"', b"\xff", b"{", b"\r"]),
    )
    changes = draw(st.lists(change, min_size=1, max_size=3))

    def damage(data: bytes) -> bytes:
        for each in changes:
            data = _apply(data, *each)
        return data

    return damage


#: Files of some other kind under the name of the right one.
FOREIGN = {
    "empty": b"",
    "one byte": b"\0",
    "zeros": bytes(5000),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    "a page": b"<!DOCTYPE html><html><body>404 not found</body></html>\n" * 20,
    "an archive": b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(range(256)) * 4,
    "words in UTF-16": "text\nfür zwei Bytes\n".encode("utf-16"),
}
