"""A release of 20 million records against a bare DuckDB COPY of the same columns; its bytes with 1, 2 and 4 threads."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import measuring
import synthetic

RULE = "age=2,region=0,education=1,income=3"


def main() -> None:
    """Compare whole processes: with generalized columns and the class only, and with columns that ride along."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=synthetic.ROWS)
    parser.add_argument("--times", type=int, default=3, help="counted runs of each comparison")
    parser.add_argument("--bare", metavar="COLUMNS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        copy(options.rows, options.bare.split(","))
        return
    for riding, bound in ((False, 2.0), (True, 6.0)):
        compare(options.rows, riding, bound, options.times)
        same_bytes(options.rows, riding)


def compare(rows: int, riding: bool, bound: float, times: int) -> None:
    """Release and bare COPY by turns, each a whole process; taxonomies exist beforehand."""
    name = "release-riding" if riding else "release"
    config = synthetic.config(name, rows, riding=riding)
    released = measuring.process(release(config, "released.parquet"))  # builds the taxonomies
    columns = [part.partition("=")[0] for part in RULE.split(",")] + [synthetic.CLASS]
    columns += [synthetic.SENSITIVE, synthetic.INSENSITIVE] if riding else []
    bare_command = [measuring.sys.executable, __file__, "--rows", str(rows), "--bare", ",".join(columns)]
    ratios, peaks = [], [released]
    for _ in range(times):
        released = measuring.process(release(config, "released.parquet"))
        bare = measuring.process(bare_command)
        for what, done in (("release", released), ("bare COPY", bare)):
            peak = done.peak / measuring.GIGABYTE
            print(f"{name}, {what}: {done.seconds:.1f} s, processor {done.processor:.1f} s, {peak:.2f} GB")
        ratios.append(released.seconds / bare.seconds)
        peaks.append(released)
    what = "with two columns that ride along" if riding else "of generalized columns and the class"
    measuring.report(f"release {what} / bare COPY", sorted(ratios)[len(ratios) // 2], "x", bound)
    measuring.report_memory(f"release {what}", max(peaks, key=lambda finished: finished.peak))


def same_bytes(rows: int, riding: bool) -> None:
    """The release's SHA-256 with 1, 2 and 4 threads."""
    digests = set()
    for threads in (1, 2, 4):
        config = synthetic.config(f"release-{threads}", rows, riding=riding, threads=threads)
        measuring.process(release(config, "released.parquet"))
        with (config.parent / "released.parquet").open("rb") as file:
            digests.add(hashlib.file_digest(file, "sha256").hexdigest())
    measuring.report("distinct files with 1, 2 and 4 threads", len(digests), "", 1)


def release(config: Path, file: str) -> list[str]:
    """The command that releases the rule."""
    return measuring.anonduck("release", RULE, "-p", str(config), "-o", str(config.parent / file), "--overwrite")


def copy(rows: int, columns: list[str]) -> None:
    """The bare COPY of some columns of the export."""
    import duckdb

    names = ", ".join(f'"{name}"' for name in columns)
    target = synthetic.folder() / "bare.parquet"
    duckdb.execute(f"COPY (SELECT {names} FROM '{synthetic.export(rows)}') TO '{target}' (FORMAT parquet)")


if __name__ == "__main__":
    main()
