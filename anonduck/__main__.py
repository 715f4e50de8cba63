"""``anonduck`` and ``python -m anonduck``."""

import gc
import sys

STOPPED = 130
ALLOCATIONS = 100_000  # between two collections of garbage: the trees of queries are many small objects that stay


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends quietly as well."""
    gc.set_threshold(ALLOCATIONS)
    try:
        from anonduck.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
