"""Prints the means of docs/probabilistic.md: beside the paper's averages, and the excess over the control group by k.

Reads the tables that ``benchmarks/probabilistic.py`` printed, with and without ``--linkage``, from files such as the
page itself. A fall is relative to the rate on raw data; a mean is over the data sets and all k.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parent))

from probabilistic import COLUMNS, DATA_SETS, LINKED_COLUMNS, SETS, print_line

PAPER = {"part": ("0.12", "40 %", "49 %", "25 %"), "full": ("0.23", "38 %", "51 %", "22 %")}
"""F1 lost; how far distance linkage, probabilistic linkage and the forest fall (sections 5.2 and 5.3)."""
ATTACKS = ("nearest", "linkage", "forest")


def main() -> None:
    """Print two tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    rows = [row for file in options.files for row in read(file)]
    head = [f"{what}, {one}" for what in ("F1 lost", *(f"{each} falls by" for each in ATTACKS)) for one in SETS]
    print_line(["", *head])
    print_line(["---"] * 9)
    print_line(["the paper, six data sets", *(PAPER[one][number] for number in range(4) for one in SETS)])
    lost = [f"{fmean(row['F1 lost'] for row in rows if row['set'] == one and 'F1 lost' in row):.3f}" for one in SETS]
    falls = [f"{fmean(fall(rows, name, one)):.0%}".replace("%", " %") for name in ATTACKS for one in SETS]
    print_line([f"here, {len({row['data'] for row in rows if row['set'] == 'part'})} data sets", *lost, *falls])
    print()
    print_line(["k", *(f"{name}, {one}" for name in ATTACKS for one in SETS)])
    print_line(["---"] * 7)
    for k in sorted({row["k"] for row in rows}):
        here = [row for row in rows if row["k"] == k]
        print_line([int(k), *(f"{fmean(excess(here, name, one)):+.3f}" for name in ATTACKS for one in SETS)])


def read(file: Path) -> Iterator[dict[str, float | str]]:
    """The rows of the two kinds of table, by the names of their columns."""
    names: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "data":
            names = named(cells)
        elif names and len(cells) == len(names) and cells[0] in DATA_SETS:
            numbers = {name: number(cell) for name, cell in zip(names[2:], cells[2:], strict=True)}
            yield {"data": cells[0], "set": cells[1].split()[0], **numbers}


def named(cells: list[str]) -> list[str]:
    """The names of a table's columns, each control named by the attack before it; none for tables of other kinds."""
    if cells not in (list(COLUMNS), list(COLUMNS[:-1]), list(LINKED_COLUMNS)):
        return []
    return [f"{cells[place - 1]} control" if cell == "control" else cell for place, cell in enumerate(cells)]


def number(cell: str) -> float:
    """A number, or a share in percent."""
    return float(cell[:-1]) / 100 if cell.endswith("%") else float(cell)


def fall(rows: list[dict[str, float | str]], name: str, one: str) -> list[float]:
    """By row, the relative fall of an attack's rate."""
    return [1 - row[name] / row[f"{name} raw"] for row in _of(rows, name, one)]


def excess(rows: list[dict[str, float | str]], name: str, one: str) -> list[float]:
    """By row, the excess of an attack over the control group."""
    return [row[name] - row[f"{name} control"] for row in _of(rows, name, one)]


def _of(rows: list[dict[str, float | str]], name: str, one: str) -> list[Mapping[str, float]]:
    return [row for row in rows if row["set"] == one and name in row]


if __name__ == "__main__":
    main()
