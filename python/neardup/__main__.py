"""The command `neardup`, also `python -m neardup`; interrupted while it loads it says one line."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from neardup.cli import main as run

        run(prog_name="neardup")
    except KeyboardInterrupt:  # while the command line itself was loading
        print("neardup: interrupted", file=sys.stderr)
        sys.exit(130)
    except SystemExit as end:
        if end.code == 130:
            import signal

            signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more changes nothing any more
        raise


if __name__ == "__main__":
    main()
