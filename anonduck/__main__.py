"""``anonduck`` and ``python -m anonduck``."""

import sys

STOPPED = 130


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends quietly as well."""
    try:
        from anonduck.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
