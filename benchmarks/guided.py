"""What `guided` comes to at several weights of detail, beside Mondrian and sequential, on people who are not released.

A sample of each table is proposed by `init` as a user meets it. A fifth of its records is held out; the others are
anonymized by themselves, and gradient boosting and a tree that learn from them are tested on the held-out ones as they
came. A line has accuracy / AUC of both, the detail kept (1 - NCP), the columns under their root, and CPU seconds of one
recoding. The last lines are means over tables and k. With `--show typical` models learn typical values, not ranges.

    ANONDUCK_DATA=... python benchmarks/guided.py --data-set adult customers --k 5 25 --detail 0.1 0.3

With `--scale` it prints how long the algorithm and its teacher take on so many made-up cells of 20 columns.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from offer import FILES, MADE

from anonduck import Project
from anonduck.config.config import RANGES, WAYS
from anonduck.config.reading import with_changes
from anonduck.errors import AnonduckError
from anonduck.evaluation.cells import Cells
from anonduck.evaluation.evaluation import TESTED, TRAINED, RecodedCells, _class_codes_in, _codes_in
from anonduck.evaluation.finding import recode_by_method, taught
from anonduck.evaluation.holdout import HeldOutParts, protocol_for
from anonduck.evaluation.source_cells import SourceCells
from anonduck.evaluation.typical import NONE, TypicalColumn, typical_values
from anonduck.init.init import initialize
from anonduck.measures.released_cells import CellColumn, ReleasedCells
from anonduck.methods.coded_records import ClassCells, CodedRecords, placed_column
from anonduck.methods.guided import guided
from anonduck.methods.registry import named_method
from anonduck.models.contingency import Contingency
from anonduck.workspace import Workspace

MODELS = ("boosting", "tree")
OTHERS = ("mondrian", "mondrian:splits=entropy", "sequential")
Row = tuple[float, ...]


def main() -> None:
    """Print a line for each table, k and method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=[*FILES, *MADE], default=[*FILES, *MADE])
    parser.add_argument("--k", type=int, nargs="*", default=[5, 25, 100])
    parser.add_argument("--detail", type=float, nargs="*", default=[0.0, 0.03, 0.1, 0.3, 1.0])
    parser.add_argument("--set", default="", help="further settings of guided, such as numbers=intervals")
    parser.add_argument("--others", nargs="*", default=list(OTHERS))
    parser.add_argument("--show", choices=WAYS, default=RANGES, help="what models learn from")
    parser.add_argument("--records", type=int, default=6_000, help="records of a sample")
    parser.add_argument("--scale", type=int, nargs="*", help="time made-up cells instead")
    options = parser.parse_args()
    if options.scale:
        for cells in options.scale:
            print_scale(cells)
        return
    more = f",{options.set}" if options.set else ""
    methods = [*(f"guided:detail={detail:g}{more}" for detail in options.detail), *options.others]
    means: dict[str, list[Row]] = defaultdict(list)
    for name in options.data_set:
        with opened(name, options.records) as workspace, contextlib.ExitStack() as stack:
            source = SourceCells(workspace, stack)
            for k in options.k:
                print(f"\n{name}, k = {k}: {source.own.total:,} records", flush=True)
                print_cell(workspace, source, k, methods, means, options.show)
    print(f"\nmeans over {len(options.data_set)} tables and k = {', '.join(map(str, options.k))}")
    for method, rows in means.items():
        print(line(method, tuple(np.mean(rows, axis=0).tolist())))


class TypicalCells(RecodedCells):
    """Recoded cells of which models learn typical values.

    Where no value of a class may be shown, one of an ordered column is the middle of its finest group, and NULL any
    other: the labels that a release shows there are not values.
    """

    def part_table(self, cells: Cells, fold: np.ndarray) -> Contingency:
        """The table of what a training part shows and of the records that were taken out, as they came."""
        found, k = self.settled, int(self.settled.classes.sizes.min())
        part, places = (
            found.released.released,
            [place for place, column in enumerate(cells.columns) if column.name in found.kept],
        )
        _, classes = np.unique(part.equivalence, return_inverse=True)
        shown = [
            _codes_in(found, cells, place)[_typical_leaves(found.shown.columns[place].cell, part, place, classes, k)]
            for place in places
        ]
        first, cell = cells.by_class
        held = np.bincount(cell, weights=fold, minlength=len(first)).astype(np.int64)
        test = np.flatnonzero(held)
        folds = np.zeros((len(classes) + len(test), 2), dtype=np.int64)
        folds[: len(classes), TRAINED], folds[len(classes) :, TESTED] = part.records, held[test]
        own = np.column_stack([cells.leaves[place][first][test] for place in places])
        of_class = np.r_[_class_codes_in(found, cells)[part.classes], cells.classes[first][test]]
        return cells.original_table(places, np.vstack([np.column_stack(shown), own]), of_class, folds)


def _typical_leaves(column: CellColumn, part: ReleasedCells, place: int, classes: np.ndarray, k: int) -> np.ndarray:
    """The leaf code that each row of a part shows in a column."""
    leaves, paths = part.leaves[place], column.by_loss.paths
    held = np.bincount(leaves, weights=part.records, minlength=len(paths[0]))
    known = TypicalColumn(column.ordered, held >= k, np.ones(len(held), dtype=bool), column.numbers)
    found = typical_values(known, classes, leaves, part.records)
    codes, wanted = np.where(found.codes == NONE, 0, found.codes), (found.codes == NONE) & (found.medians != NONE)
    for at in np.flatnonzero(wanted):
        group = np.flatnonzero(paths[min(1, len(paths) - 1)] == paths[min(1, len(paths) - 1)][found.medians[at]])
        middle = (column.numbers[group[0]] + column.numbers[group[-1]]) / 2
        codes[at] = group[np.abs(column.numbers[group] - middle).argmin()]
    return codes[classes]


@contextlib.contextmanager
def opened(name: str, records: int) -> Iterator[Workspace]:
    """A project on a sample of a table, as `init` proposes it."""
    if name in MADE:
        frame = MADE[name]()
        class_ = str(frame.columns[-1])
    else:
        file, place = FILES[name]
        frame = pd.read_csv(Path(os.environ["ANONDUCK_DATA"]) / file, sep=None, engine="python", dtype=str)
        class_ = str(frame.columns[place])
    with tempfile.TemporaryDirectory() as folder:
        source, path = Path(folder) / f"{name}.csv", Path(folder) / "anonduck.yml"
        frame.sample(min(records, len(frame)), random_state=0).to_csv(source, index=False)
        initialize(path, str(source), class_, here=Path(folder))
        with Project(path) as project:
            workspace = project.workspace.counting_records()
            measures = {"measures": list(dict.fromkeys([*workspace.config.measures, "ncp"]))}
            yield workspace.with_config(with_changes(workspace.config, measures))


def print_cell(
    workspace: Workspace, source: SourceCells, k: int, methods: list[str], means: dict[str, list[Row]], show: str
) -> None:
    """Print a line for each method at a k."""
    own = source.own
    protocol = protocol_for(own.total, workspace.config.holdout)
    assert protocol is not None
    held = HeldOutParts(own, protocol, MODELS, workspace.config.seed, lambda: False)
    for text in methods:
        name, settings = named_method(text)

        def recode(cells: Cells, at: int) -> RecodedCells:
            found = recode_by_method(workspace, cells, name, settings, at)  # noqa: B023 - called within this round
            return found if show == RANGES else TypicalCells(found.settled, found.config, found.levels, found.words)

        try:
            began = time.process_time()
            found = recode(source.cells(k), k)
            spent = time.process_time() - began
            expected = held.expected(recode, k)
        except AnonduckError as error:
            print(f"  {text:32} nothing: {str(error)[:80]}")
            continue
        numbers = [number for one in expected.values() for number in (one.accuracy, one.roc_auc or 0.0)]
        row = (*numbers, 1 - found.measured.measures["ncp"], len(found.settled.kept), spent)
        means[text].append(row)
        print(line(text, row), flush=True)


def line(method: str, row: Row) -> str:
    """A method in a line."""
    boosted, boosted_auc, tree, tree_auc, kept, columns, spent = row
    return (
        f"  {method:32} boosting {boosted:.3f} / {boosted_auc:.3f}  tree {tree:.3f} / {tree_auc:.3f}  AUC "
        f"{(boosted_auc + tree_auc) / 2:.4f}  detail {kept:.2f}  columns {columns:.1f}  {spent:.1f} s"
    )


def print_scale(count: int) -> None:
    """Print the CPU seconds of the teacher and of the cuts on made-up cells of 20 columns, and the largest memory."""
    random = np.random.default_rng(0)
    kinds = [(int(size), at % 2 == 0) for at, size in enumerate(np.geomspace(2, 100, 20))]
    columns = tuple(made_column(size, ordered=ordered) for size, ordered in kinds)
    codes = [random.integers(1, size + 1, count) for size, _ in kinds]
    first = np.unique(np.column_stack(codes), axis=0)
    odds = sum((first[:, at] / kinds[at][0] - 0.5) for at in (3, 8, 15, 19))
    classes = (random.random(len(first)) < 1 / (1 + np.exp(-2 * odds))).astype(np.int64)
    records = np.ones(len(first), dtype=np.int64)
    cells = ClassCells(np.arange(len(first)), classes, records)
    data = CodedRecords(columns, tuple(first.T), records, cells)
    began = time.process_time()
    data, _ = taught(data, 0)
    learned = time.process_time()
    found = guided(data, 10)
    ended = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{len(first):,} cells: teacher {learned - began:.1f} s, cuts {ended - learned:.1f} s, "
        f"{found.max() + 1:,} classes, {memory:,} MB",
        flush=True,
    )


def made_column(size: int, *, ordered: bool) -> object:
    """A column of so many values in groups of four."""
    values = np.arange(size + 1)
    groups = np.r_[0, (values[1:] - 1) // 4 + 1]
    leaves = [np.ones(size + 1, dtype=np.int64), np.bincount(groups)]
    return placed_column([values, groups], leaves, size, ordered=ordered)


if __name__ == "__main__":
    main()
