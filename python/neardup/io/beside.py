"""Work in a thread beside the caller: read ahead, and write behind, through a bounded queue."""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

__all__ = ["WriteBehind", "read_ahead"]

T = TypeVar("T")


class _Channel(Generic[T]):
    """A bounded queue of two ends, either of which may hang up."""

    def __init__(self, depth: int) -> None:
        self._items: deque[T] = deque()
        self._depth = depth
        self._changed = threading.Condition()
        self._ended = False
        self._hung_up = False
        self.error: BaseException | None = None

    def put(self, item: T) -> bool:
        """Wait for room; False once the taker has hung up."""
        with self._changed:
            self._changed.wait_for(lambda: self._hung_up or len(self._items) < self._depth)
            if self._hung_up:
                return False
            self._items.append(item)
            self._changed.notify_all()
            return True

    def end(self, error: BaseException | None = None) -> None:
        """Nothing more will be put."""
        with self._changed:
            self._ended = True
            self.error = self.error or error
            self._changed.notify_all()

    def hang_up(self, error: BaseException | None = None) -> None:
        """Nothing more will be taken."""
        with self._changed:
            self._hung_up = True
            self.error = self.error or error
            self._items.clear()
            self._changed.notify_all()

    def __iter__(self) -> Iterator[T]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._hung_up or self._ended or self._items)
                if not self._items:
                    return
                item = self._items.popleft()
                self._changed.notify_all()
            yield item


_live: set[tuple[_Channel[Any], threading.Thread]] = set()
"""Threads at work. An error keeps the generators it passed through, and so their threads, alive."""


def _end_all() -> None:
    """End every thread before the interpreter tears one out of the middle of Arrow."""
    for channel, thread in list(_live):
        channel.hang_up()
        thread.join()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_live.clear)  # a child has no thread but its own


def read_ahead(make: Callable[[], Iterator[T]], depth: int = 2) -> Iterator[T]:
    """Run an iterator in a thread, ``depth`` items ahead.

    An error of the iterator is raised here, after the items before it. When this generator is
    closed, by an error or an interrupt of the caller, the iterator is closed too and its thread
    has ended.
    """
    channel: _Channel[T] = _Channel(depth)

    def work() -> None:
        error: BaseException | None = None
        items: Iterator[T] = iter(())
        try:
            items = make()
            for item in items:
                if not channel.put(item):
                    break
        except BaseException as caught:
            error = caught
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
            channel.end(error)

    thread = threading.Thread(target=work, name="neardup-read", daemon=True)
    thread.start()
    mine = (channel, thread)
    _live.add(mine)
    try:
        yield from channel
        if channel.error is not None:
            raise channel.error
    finally:
        channel.hang_up()
        thread.join()
        _live.discard(mine)


class WriteBehind(Generic[T]):
    """Run a function on each item in a thread, in order, at most ``depth`` items behind.

    An error of the function is raised by the next `put`, or by `close`. There is no thread for one
    item alone: of ten thousand small files each would wait for its own.
    """

    def __init__(self, work: Callable[[T], object], depth: int = 2) -> None:
        self._channel: _Channel[T] = _Channel(depth)
        self._work = work
        self._first: list[T] = []
        self._mine: tuple[_Channel[Any], threading.Thread] | None = None

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="neardup-write", daemon=True)
        thread.start()
        self._mine = (self._channel, thread)
        _live.add(self._mine)

    def _run(self) -> None:
        try:
            for item in self._channel:
                self._work(item)
        except BaseException as caught:
            self._channel.hang_up(caught)

    def put(self, item: T) -> None:
        """Hand over an item."""
        if self._mine is None and not self._first:
            self._first.append(item)
            return
        if self._mine is None:
            self._start()
            self._channel.put(self._first.pop())
        if not self._channel.put(item):
            self._raise()

    def close(self) -> None:
        """Wait until everything is done."""
        if self._first:
            self._work(self._first.pop())
        self._channel.end()
        self._join()
        self._raise()

    def abandon(self) -> None:
        """Drop what waits, and wait for the item in work."""
        self._first.clear()
        self._channel.hang_up()
        self._join()

    def _join(self) -> None:
        if self._mine is not None:
            self._mine[1].join()
            _live.discard(self._mine)

    def _raise(self) -> None:
        if self._channel.error is not None:
            raise self._channel.error
