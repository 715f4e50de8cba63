"""Whole commands: `anonduck --help`, `release` of a literal rule on ARX's Adult (30,162 records), `anonduck demo`."""

from __future__ import annotations

import argparse
import shutil
import statistics
from pathlib import Path

import adult
import measuring
import synthetic

ARX_COLUMNS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
RULE = "age=2,sex=0,education=1,workclass=1"


def main() -> None:
    """Time each command as a process, several times; medians are reported."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="counted runs of each command after one more")
    parser.add_argument("--demo", action="store_true", help="time the demo too")
    options = parser.parse_args()
    measuring.report("anonduck --help", median(measuring.anonduck("--help"), options.times), " s", 0.5)
    for imported in (False, True):
        release(imported, options.times)
    if options.demo:
        folder = synthetic.folder() / "demo"
        finished = measuring.process(measuring.anonduck("demo", str(folder), "--overwrite"))
        measuring.report("anonduck demo", finished.seconds, " s", 60)
        measuring.report_memory("anonduck demo", finished)


def release(imported: bool, times: int) -> None:
    """A release into a fresh folder each time: taxonomies built on the fly, or imported from ARX's hierarchies."""
    config = arx(imported)
    target = str(config.parent / "out.csv")
    command = measuring.anonduck("release", RULE, "-p", str(config), "-o", target, "--overwrite", "--require", "k=1")
    fresh = statistics.median(once(config, command) for _ in range(times + 1))
    again = median(command, times)
    what = "ARX's hierarchies" if imported else "taxonomies built on the fly"
    measuring.report(f"release of a literal rule, {what}", fresh, " s", 1.5)
    measuring.report(f"release of a literal rule, {what} kept from before", again, " s", 1.5)


def once(config: Path, command: list[str]) -> float:
    """The seconds of one run without an earlier decision database."""
    (config.parent / "anonduck.duckdb").unlink(missing_ok=True)
    return measuring.process(command).seconds


def median(command: list[str], times: int) -> float:
    """The median seconds of a command after one uncounted run."""
    measuring.process(command)
    return statistics.median(measuring.process(command).seconds for _ in range(times))


def arx(imported: bool) -> Path:
    """A folder with ARX's Adult and a config for it."""
    home = synthetic.folder() / ("arx-imported" if imported else "arx-built")
    home.mkdir(exist_ok=True)
    shutil.copy(adult.data() / "arx" / "adult.csv", home / "adult.csv")
    columns = ", ".join(ARX_COLUMNS)
    lines = ["source: adult.csv", "class: salary-class", "csv: {delim: ';'}", f"quasi_identifiers: [{columns}]"]
    if imported:
        lines.append("taxonomies:")
        for column in ARX_COLUMNS:
            name = f"adult_hierarchy_{column}.csv"
            shutil.copy(adult.data() / "arx" / name, home / name)
            lines.append(f"  {column}: {{file: {name}, sep: ';', header: false}}")
    path = home / "anonduck.yml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
