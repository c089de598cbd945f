"""The command `neardup`, also `python -m neardup`; Ctrl-C has an answer while it loads."""

from neardup import interrupt


def main() -> None:
    """Run the command line."""
    interrupt.loading()
    from neardup.cli import main as run

    try:
        run(prog_name="neardup")
    finally:
        interrupt.settled()


if __name__ == "__main__":
    main()
