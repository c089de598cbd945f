"""What a run tells whoever watches it; the command line draws it, the Python API stays silent."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A watcher of one run. Calls come from one thread, in the order the work is done."""

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins; `total` is the bytes of text it will go through, where that is known."""

    def advance(self, size: int, documents: int = 0) -> None:
        """`size` more bytes of text and `documents` more documents of this stage are done."""

    def warn(self, message: str) -> None:
        """Something a person should know although the run goes on."""


class Silent:
    """A watcher that shows nothing."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Show nothing."""

    def advance(self, size: int, documents: int = 0) -> None:
        """Show nothing."""

    def warn(self, message: str) -> None:
        """Hand the message to Python's warnings."""
        import warnings

        warnings.warn(message, stacklevel=3)
