"""What somebody learns of one value who knows all other values of a table, and how its release was made.

Of each attacked record he looks for one value at a time. Three of him are told apart, each knowing what the one before
knows, and each naming the most frequent of the values that are left to him:

- he reads the label of the person's class in the column (``label``);
- he knows the others of the class, and that labels are the smallest over them (``smallest``; downcoding, Cohen 2022);
- he knows the method, its options and its seed, and runs it on the table with each value in turn: what releases
  another file is ruled out (``rerun``). That is all that minimality, or a combinatorial refinement of what the method
  would else have done (Chhillar et al., arXiv 2509.03350), can rule out, as it is the method itself that is asked.

Only labels over two values or more are attacked. ``surely`` is the share of these attacks that leave one value alone. A
line has a method at a k. Taxonomies are as `init` proposes them, and known.

    ANONDUCK_DATA=... python benchmarks/all_but_one.py --data-set adult cmc --k 5 --method mondrian guided sequential
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from guided import opened
from offer import FILES, MADE

from anonduck.attacks.rates import Rate
from anonduck.database.progress import Reporter
from anonduck.evaluation.finding import coded_records, found_classes
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.roll_up import distinct
from anonduck.measures.requirement import requirement_of
from anonduck.methods.coded_records import ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import RaisedClasses
from anonduck.methods.registry import method_named, named_method
from anonduck.workspace import Workspace

Recode = Callable[[CodedRecords], np.ndarray]
"""The class of each combination, as a method finds it."""
STAGES = ("label", "smallest", "rerun")


@dataclass(frozen=True, eq=False)
class Table:
    """Records with a leaf code in each column, each (records,), and a code of the class."""

    columns: tuple[PlacedColumn, ...]
    codes: tuple[np.ndarray, ...]
    classes: np.ndarray

    def with_value(self, record: int, place: int, code: int) -> Table:
        """The same table with another value in a column of a record."""
        changed = self.codes[place].copy()
        changed[record] = code
        return Table(self.columns, (*self.codes[:place], changed, *self.codes[place + 1 :]), self.classes)

    def released(self, recode: Recode) -> tuple[Counter[Hashable], np.ndarray, list[np.ndarray]]:
        """The rows of its release with their records; the class of each record; by column the nodes of each record."""
        first, combination = distinct(self.codes)
        cells, of_cell = distinct([combination, self.classes])
        held = np.bincount(of_cell, minlength=len(cells)).astype(np.int64)
        data = CodedRecords(
            self.columns,
            tuple(codes[first] for codes in self.codes),
            np.bincount(combination, minlength=len(first)).astype(np.int64),
            ClassCells(combination[cells], self.classes[cells], held),
        )
        assigned = recode(data)[combination]
        shown = [label_of(column, codes, assigned) for column, codes in zip(self.columns, self.codes, strict=True)]
        return Counter(zip(*(one.tolist() for one in [*shown, self.classes]), strict=True)), assigned, shown


def label_of(column: PlacedColumn, codes: np.ndarray, assigned: np.ndarray) -> np.ndarray:
    """A number for what the class of each record shows in a column."""
    places = column.place[codes]
    least, most = np.full(int(assigned.max()) + 1, places.max()), np.zeros(int(assigned.max()) + 1, dtype=np.int64)
    np.minimum.at(least, assigned, places)
    np.maximum.at(most, assigned, places)
    shown: np.ndarray = column.nodes_between(least, most)[assigned]
    return shown


@dataclass
class Found:
    """What attacks came to: how many there were, the values left to each attacker, right guesses, values left alone."""

    tried: int = 0
    left: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    surely: Counter[str] = field(default_factory=Counter)

    def rate(self, stage: str) -> Rate:
        """How often the guess of an attacker was right."""
        return Rate(self.right[stage], self.tried)


def attack(table: Table, recode: Recode, records: Sequence[int]) -> Found:
    """Look for each value of some records that its label hides."""
    released, assigned, shown = table.released(recode)
    found = Found()
    for record in records:
        for place, column in enumerate(table.columns):
            label = shown[place][record]
            values = np.flatnonzero(_under(column, table.codes[place], assigned, record, label))
            if len(values) < 2:
                continue
            counts = np.bincount(np.delete(table.codes[place], record), minlength=len(column.place))
            left = values
            found.tried += 1
            for stage in STAGES:
                if stage == "smallest":
                    left = left[[_smallest(table, assigned, record, place, code, label) for code in left]]
                if stage == "rerun":
                    left = left[
                        [table.with_value(record, place, code).released(recode)[0] == released for code in left]
                    ]
                found.left[stage] += len(left)
                found.surely[stage] += len(left) == 1
                most = left[counts[left] == counts[left].max()]
                found.right[stage] += float(np.isin(table.codes[place][record], most)) / len(most)
    return found


def _under(column: PlacedColumn, codes: np.ndarray, assigned: np.ndarray, record: int, label: int) -> np.ndarray:
    """(leaf codes,), whether each value may stand under the label of a record's class; NULL only where it occurs."""
    places = column.place[codes[assigned == assigned[record]]]
    least, most = np.full(len(column.place), places.min()), np.full(len(column.place), places.max())
    beside = column.nodes_between(np.minimum(least, column.place), np.maximum(most, column.place))
    within: np.ndarray = beside == label
    within[0] &= bool((codes == 0).any())
    return within


def _smallest(table: Table, assigned: np.ndarray, record: int, place: int, code: int, label: int) -> bool:
    """Whether the others of a record's class have this label together with a value."""
    others = np.flatnonzero(assigned == assigned[record])
    codes = np.r_[table.codes[place][others[others != record]], code]
    return bool(label_of(table.columns[place], codes, np.zeros(len(codes), dtype=np.int64))[0] == label)


def main() -> None:
    """Print a line for each table, k and method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=[*FILES, *MADE], default=["adult", "cmc"])
    parser.add_argument("--k", type=int, nargs="*", default=[5])
    parser.add_argument("--method", nargs="*", default=["mondrian", "guided", "sequential"])
    parser.add_argument("--records", type=int, default=400, help="records of a sample")
    parser.add_argument("--people", type=int, default=30, help="how many of them are attacked")
    options = parser.parse_args()
    print("| table | k | method | attacked values | values left | right in % | surely in % |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.data_set:
        with opened(name, options.records) as workspace:
            table = table_of(workspace)
            records = np.random.default_rng(0).permutation(len(table.classes))[: options.people]
            for k in options.k:
                for method in options.method:
                    began = time.process_time()
                    found = attack(table, recoder(workspace, method, k), records.tolist())
                    print(line(name, k, method, found), f"<!-- {time.process_time() - began:.0f} s -->", flush=True)


def line(name: str, k: int, method: str, found: Found) -> str:
    """A line of the table: each of the three attackers in each cell."""

    def cells() -> Iterator[str]:
        yield " / ".join(f"{found.left[stage] / max(found.tried, 1):.1f}" for stage in STAGES)
        rates = [found.rate(stage) for stage in STAGES]
        low, high = rates[-1].interval
        yield " / ".join(f"{100 * one.share:.0f}" for one in rates) + f" ({100 * low:.0f} to {100 * high:.0f})"
        yield " / ".join(f"{100 * found.surely[stage] / max(found.tried, 1):.0f}" for stage in STAGES)

    return f"| {name} | {k} | `{method}` | {found.tried} | " + " | ".join(cells()) + " |"


def table_of(workspace: Workspace) -> Table:
    """The records of a source, one by one."""
    with contextlib.ExitStack() as stack:
        cells = SourceCells(workspace, stack).own
        data = coded_records(cells, [column.placed for column in cells.columns], with_class=True)
    assert data.cells is not None
    rows = np.repeat(np.arange(len(data.cells.records)), data.cells.records)
    combination = data.cells.combinations[rows]
    return Table(data.columns, tuple(codes[combination] for codes in data.codes), data.cells.classes[rows])


def recoder(workspace: Workspace, text: str, k: int) -> Recode:
    """A method with settings at a k, as it recodes a source."""
    name, settings = named_method(text)
    method, config = method_named(name), workspace.config
    options = method.resolve_options(config.method_options.get(name, {}), settings)
    requirement = requirement_of(config, workspace.folder, k=k)
    reporter = Reporter()

    def recode(data: CodedRecords) -> np.ndarray:
        found = found_classes(method, options, data, requirement, None, config.seed, reporter).found
        return found.classes if isinstance(found, RaisedClasses) else found

    return recode


if __name__ == "__main__":
    main()
