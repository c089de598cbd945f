"""Ctrl-C in each stretch of the command's life: while it loads, at work, and when all is written."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from neardup.interrupt import Work, loading, settled
from neardup.progress import Silent


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    """Ctrl-C; the handler has run when this returns."""
    signal.raise_signal(signal.SIGINT)


def test_while_it_loads_it_is_one_line() -> None:
    code = (
        "import signal; from neardup import interrupt; interrupt.loading()\n"
        "signal.raise_signal(signal.SIGINT)"
    )
    # A process of its own, in which the signal is not ignored as in one put into the background.
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "neardup: interrupted\n")


def test_the_exit_status_is_ours_wherever_it_struck() -> None:
    """Python remembers an interrupt that left a string of code, and ends by that signal."""
    code = (
        "from neardup import interrupt; interrupt.loading()\n"
        "try:\n"
        "    with interrupt.Work(): exec('import signal; signal.raise_signal(signal.SIGINT)')\n"
        "except KeyboardInterrupt: pass\n"
        "interrupt.settled(); raise SystemExit(130)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_handler_of_the_caller_is_left_alone() -> None:
    for mine in (signal.SIG_IGN, lambda *_: None):
        signal.signal(signal.SIGINT, mine)
        loading()
        settled()
        assert signal.getsignal(signal.SIGINT) == mine
        with Work() as work:
            work.check()
        assert signal.getsignal(signal.SIGINT) == mine


def test_a_command_in_the_background_works_on() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Work() as work:
        press()
        work.finish()


def test_at_work_it_is_an_exception_and_a_second_one_waits() -> None:
    stopped = 0
    with Work():
        for _ in range(2):
            try:
                press()
            except KeyboardInterrupt:
                stopped += 1
    assert stopped == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("report", ["stage", "advance", "warn", "finish"])
def test_one_that_was_swallowed_comes_again_with_the_next_report(report: str) -> None:
    with Work() as work:
        watcher = work.over(Silent())
        watcher.stage("read")
        watcher.advance(1)
        with contextlib.suppress(KeyboardInterrupt):  # as a destructor or a callback may do
            press()
        arguments = {"stage": ("write",), "advance": (1,), "warn": ("words",), "finish": ()}
        with pytest.raises(KeyboardInterrupt):
            getattr(work if report == "finish" else watcher, report)(*arguments[report])


def test_one_that_a_destructor_swallowed_is_not_printed() -> None:
    code = (
        "import signal\n"
        "from neardup import interrupt\n"
        "class Thing:\n"
        "    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "class Other:\n"
        "    def __del__(self): raise ValueError('mine')\n"
        "interrupt.loading()\n"
        "try:\n"
        "    with interrupt.Work() as work:\n"
        "        Thing(), Other()\n"
        "        work.check()\n"
        "except KeyboardInterrupt: raise SystemExit(130)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 130
    assert "ValueError: mine" in done.stderr
    assert "KeyboardInterrupt" not in done.stderr


def test_when_all_is_written_nothing_happens() -> None:
    loading()
    with Work() as work:
        work.finish()
        press()
    press()
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_nothing_slow_is_loaded_before_ctrl_c_has_an_answer() -> None:
    code = "import sys; before = set(sys.modules); import neardup.__main__; print(*set(sys.modules) - before)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.split()) <= {
        "__future__",
        "neardup",
        "neardup.__main__",
        "neardup.interrupt",
    }
