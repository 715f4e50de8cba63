"""A release of 20 million records against bare DuckDB, and its bytes with 1, 2 and 4 threads.

It is compared with a COPY of the same columns of the source, and with a COPY of the released rows with ORDER BY ALL.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
from pathlib import Path

import measuring
import synthetic

RULE = "age=2,region=0,education=1,income=3"


def main() -> None:
    """Compare whole processes: with generalized columns and the class only, and with columns that ride along."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=synthetic.ROWS)
    parser.add_argument("--times", type=int, default=3, help="counted runs of each comparison")
    parser.add_argument("--no-bytes", action="store_true", help="leave out the runs with 1, 2 and 4 threads")
    parser.add_argument("--bare", metavar="QUERY", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        copy(options.bare)
        return
    for riding, bound in ((False, 2.0), (True, 6.0)):
        compare(options.rows, riding, bound, options.times)
        if not options.no_bytes:
            same_bytes(options.rows, riding)


def compare(rows: int, riding: bool, bound: float, times: int) -> None:
    """Release and bare COPY by turns, each a whole process; taxonomies exist beforehand."""
    name = "release-riding" if riding else "release"
    config = synthetic.config(name, rows, riding=riding)
    first = measuring.process(release(config, "released.parquet"))  # builds the taxonomies
    columns = [part.partition("=")[0] for part in RULE.split(",")] + [synthetic.CLASS]
    columns += [synthetic.SENSITIVE, synthetic.INSENSITIVE] if riding else []
    names = ", ".join(f'"{name}"' for name in columns)
    queries = {
        "bare COPY": f"SELECT {names} FROM '{synthetic.export(rows)}'",
        "COPY with ORDER BY ALL": f"SELECT * FROM '{config.parent / 'released.parquet'}' ORDER BY ALL",
    }
    done: dict[str, list[measuring.Finished]] = {what: [] for what in ("release", *queries)}
    for _ in range(times):
        for what, found in done.items():
            command = release(config, "released.parquet") if what == "release" else bare(queries[what])
            found.append(measuring.process(command))
            peak = found[-1].peak / measuring.GIGABYTE
            print(f"{name}, {what}: {found[-1].seconds:.1f} s, processor {found[-1].processor:.1f} s, {peak:.2f} GB")
    what = "with two columns that ride along" if riding else "of generalized columns and the class"
    for against, most in zip(queries, (bound, 1.5), strict=True):
        for unit in ("seconds", "processor"):
            each = zip(done["release"], done[against], strict=True)
            ratio = statistics.median(getattr(one, unit) / getattr(other, unit) for one, other in each)
            measuring.report(f"release {what} / {against}, {unit}", ratio, "x", most)
    peaks = [first, *done["release"]]
    measuring.report_memory(f"release {what}", max(peaks, key=lambda finished: finished.peak), 1)


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


def bare(query: str) -> list[str]:
    """The command that copies what a query finds."""
    return [measuring.sys.executable, __file__, "--bare", query]


def copy(query: str) -> None:
    """The bare COPY of what a query finds."""
    import duckdb

    duckdb.execute(f"COPY ({query}) TO '{synthetic.folder() / 'bare.parquet'}' (FORMAT parquet)")


if __name__ == "__main__":
    main()
