"""Every measure of one release of 20 million records and 8 quasi-identifiers, as one process: time and peak memory.

With ``--raw``, of eight columns of the export as they are, where most records are a class of their own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import measuring
import synthetic

RULE = ",".join(f"{name}={0 if name == 'sex' else 1}" for name in synthetic.QUASI_IDENTIFIERS)


def main() -> None:
    """Release by a rule that keeps all quasi-identifiers, then audit the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=synthetic.ROWS)
    parser.add_argument("--raw", action="store_true", help="audit eight columns of the export itself")
    options = parser.parse_args()
    if options.raw:
        finished = measuring.process(measuring.anonduck("audit", str(raw(options.rows)), "--measures", "all"))
        print(finished.output, end="")
        measuring.report("audit of raw records, every measure, processor", finished.processor, " s", 20)
        measuring.report_memory("audit of raw records, every measure", finished, 2)
        return
    config = synthetic.config("audit", options.rows, riding=True)
    target = config.parent / "released.parquet"
    measuring.process(
        measuring.anonduck("release", RULE, "-p", str(config), "-o", str(target), "--overwrite", "--require", "k=1")
    )
    finished = measuring.process(command(target, illnesses(config.parent)))
    print(finished.output, end="")
    measuring.report("audit, every measure", finished.seconds, " s", 60)
    print(f"processor {finished.processor:.1f} s")
    measuring.report_memory("audit, every measure", finished, 6)


def command(released: Path, taxonomy: Path) -> list[str]:
    """The command that measures all there is of a file with one sensitive column and its taxonomy."""
    roles = ["--sensitive", synthetic.SENSITIVE, "--insensitive", synthetic.INSENSITIVE, "--class", synthetic.CLASS]
    more = ["--taxonomy", f"{synthetic.SENSITIVE}={taxonomy}", "--sampling-fraction", "0.1", "--measures", "all"]
    return measuring.anonduck("audit", str(released), *roles, *more)


def raw(rows: int) -> Path:
    """A file of the export's columns but sex, marital status, and those that ride along; with the sensitive one."""
    path = synthetic.folder() / f"raw-{rows}.parquet"
    if not path.exists():
        names = [name for name in synthetic.QUASI_IDENTIFIERS if name not in ("sex", "marital")]
        columns = ", ".join([*names, synthetic.CLASS, synthetic.SENSITIVE])
        source = synthetic.export(rows)
        query = f"COPY (SELECT {columns} FROM '{source}') TO '{path}' (FORMAT parquet)"
        measuring.process([measuring.sys.executable, "-c", f"import duckdb; duckdb.execute({query!r})"])
    return path


def illnesses(folder: Path) -> Path:
    """A taxonomy of the sensitive column: groups of ten, groups of a hundred, all."""
    path = folder / "illnesses.csv"
    lines = [f"D{number},T{number // 10},H{number // 100},*" for number in range(997)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
