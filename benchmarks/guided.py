"""What `guided` comes to at several weights of detail, beside Mondrian and sequential, on people who are not released.

A sample of each table is proposed by `init` as a user meets it. A fifth of its records is held out; the others are
anonymized by themselves, and gradient boosting and a tree that learn from them are tested on the held-out ones as they
came. A line has accuracy / AUC of both, the detail kept (1 - NCP), the columns under their root, and CPU seconds of one
recoding. With `--show typical` models learn typical values, not ranges; with `--show swapped` values that are permuted
within the classes, rare ones as they are, as with `kept_rare`. All of it is done in each of `--draws`, which hold out
other people and train with other seeds.

The last lines are means over the tables, by k: how far each method is from the same models on raw data and from the
best method, in points, with standard errors over the draws, and whether the goals for guided are met.

    ANONDUCK_DATA=... python benchmarks/guided.py --data-set adult customers --k 5 25 --detail 0.1 0.3 --draws 3

With `--scale` it prints how long the algorithm and its teacher take on so many made-up cells of 20 columns.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import tempfile
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from offer import FILES, MADE

from anonduck import Project
from anonduck.config.config import RANGES, SWAPPED, TYPICAL, WAYS
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
from anonduck.methods.permutation import permuted
from anonduck.methods.registry import named_method
from anonduck.models.contingency import Contingency
from anonduck.models.scores import score
from anonduck.rules.noise import corrected_error
from anonduck.workspace import Workspace

MODELS = ("boosting", "tree")
OTHERS = ("mondrian", "mondrian:splits=entropy", "sequential")
RAW = "raw data"
GOALS = {(5, TYPICAL): (0.5, 1.5), (25, TYPICAL): (2.0, 4.0), (25, SWAPPED): (1.5, 3.0)}
"""By k and way, how many points of accuracy and of AUC guided may be under raw data."""
Row = tuple[float, ...]
Rows = dict[str, dict[tuple[str, int], Row]]
"""By method, then by table and draw."""


def main() -> None:
    """Print a line for each table, k and method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=[*FILES, *MADE], default=[*FILES, *MADE])
    parser.add_argument("--k", type=int, nargs="*", default=[5, 25, 100])
    parser.add_argument("--detail", type=float, nargs="*", default=[0.0, 0.03, 0.1, 0.3, 1.0])
    parser.add_argument("--set", default="", help="further settings of guided, such as numbers=intervals")
    parser.add_argument("--others", nargs="*", default=list(OTHERS))
    parser.add_argument("--show", choices=WAYS, nargs="*", default=[RANGES], help="what models learn from")
    parser.add_argument("--draws", type=int, default=1, help="how often people are held out anew")
    parser.add_argument("--records", type=int, default=6_000, help="records of a sample")
    parser.add_argument("--scale", type=int, nargs="*", help="time made-up cells instead")
    options = parser.parse_args()
    if options.scale:
        for cells in options.scale:
            print_scale(cells)
        return
    more = f",{options.set}" if options.set else ""
    methods = [*(f"guided:detail={detail:g}{more}" for detail in options.detail), *options.others]
    found: dict[int, Rows] = {k: defaultdict(dict) for k in options.k}
    share = 0.0
    for name in options.data_set:
        with opened(name, options.records) as workspace, contextlib.ExitStack() as stack:
            source = SourceCells(workspace, stack)
            for draw in range(options.draws):
                seeded = workspace.with_config(with_changes(workspace.config, {"seed": workspace.config.seed + draw}))
                held = held_parts(seeded, source)
                share = held.protocol.share
                for k in options.k:
                    print(f"\n{name}, k = {k}, draw {draw + 1}: {source.own.total:,} records", flush=True)
                    for text, row in cells_of(seeded, source, held, k, methods, options.show):
                        found[k][text][name, draw] = row
                        print(line(text, row), flush=True)
    for k, rows in found.items():
        print(f"\nmeans over {len(options.data_set)} tables, k = {k}, {options.draws} draws")
        print_means(rows, k, share)


def print_means(rows: Mapping[str, Mapping[tuple[str, int], Row]], k: int, share: float) -> None:
    """Print for each method that recoded every table its mean, how far it is from others, and the goals of a k."""
    every = rows[RAW].keys()
    draws = sorted({draw for _, draw in every})
    complete = {text: of for text, of in rows.items() if of.keys() == every}
    for text in rows.keys() - complete.keys():
        print(f"  {text:40} left out: it recoded {len(rows[text])} of {len(every)}")

    def by_draw(text: str) -> np.ndarray:
        """(draws, 2), accuracy and AUC in points, means over tables and models."""
        of_draw = [np.mean([row for (_, at), row in rows[text].items() if at == draw], axis=0) for draw in draws]
        return np.array([(100 * (one[0] + one[2]) / 2, 100 * (one[1] + one[3]) / 2) for one in of_draw])

    reached = {text: by_draw(text) for text in complete}
    best = max((text for text in reached if text != RAW), key=lambda text: reached[text][:, 1].mean(), default=RAW)
    for text, of in reached.items():
        print(
            f"  {text:40} accuracy {of[:, 0].mean():.2f}  AUC {of[:, 1].mean():.2f}  "
            f"under raw {apart(reached[RAW] - of, share)}  under the best {apart(reached[best] - of, share)}  "
            f"detail {np.mean([row[4] for row in rows[text].values()]):.2f}"
        )
    for text, of in reached.items():
        goal = GOALS.get((k, text.rpartition(", ")[2]))
        if text.startswith("guided") and goal is not None:
            missed = np.mean(reached[RAW] - of, axis=0) - goal
            words = (f"missed by {by:.2f}" if by > 0 else "met" for by in missed)
            print(f"  goal, {text}: within {goal[0]} and {goal[1]} points of raw data: {' / '.join(words)}")


def apart(differences: np.ndarray, share: float) -> str:
    """The means of differences by draw, (draws, 2), with their errors; of one draw there is no error."""

    def one(of: Sequence[float]) -> str:
        error = f" ± {corrected_error(of, share / (1 - share)):.2f}" if len(of) > 1 else ""
        return f"{np.mean(of):.2f}{error}"

    return " / ".join(one(column.tolist()) for column in differences.T)


class ValueCells(RecodedCells, ABC):
    """Recoded cells of which models learn values of the source."""

    @abstractmethod
    def learned(self, places: Sequence[int]) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """The leaf code of each row by column, the class of the rows and their records."""

    def part_table(self, cells: Cells, fold: np.ndarray) -> Contingency:
        """The table of what a training part shows and of the records that were taken out, as they came."""
        found = self.settled
        places = [place for place, column in enumerate(cells.columns) if column.name in found.kept]
        leaves, classes, records = self.learned(places)
        shown = [_codes_in(found, cells, place)[one] for place, one in zip(places, leaves, strict=True)]
        first, cell = cells.by_class
        held = np.bincount(cell, weights=fold, minlength=len(first)).astype(np.int64)
        test = np.flatnonzero(held)
        folds = np.zeros((len(classes) + len(test), 2), dtype=np.int64)
        folds[: len(classes), TRAINED], folds[len(classes) :, TESTED] = records, held[test]
        own = np.column_stack([cells.leaves[place][first][test] for place in places])
        of_class = np.r_[_class_codes_in(found, cells)[classes], cells.classes[first][test]]
        return cells.original_table(places, np.vstack([np.column_stack(shown), own]), of_class, folds)


class TypicalCells(ValueCells):
    """Recoded cells of which models learn typical values.

    Where no value of a class may be shown, one of an ordered column is the middle of its finest group, and NULL any
    other: the labels that a release shows there are not values.
    """

    def learned(self, places: Sequence[int]) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """A row for each row of the part."""
        found, k = self.settled, int(self.settled.classes.sizes.min())
        part = found.released.released
        _, classes = np.unique(part.equivalence, return_inverse=True)
        cells = [found.shown.columns[place].cell for place in places]
        leaves = [_typical_leaves(cell, part, place, classes, k) for place, cell in zip(places, cells, strict=True)]
        return leaves, part.classes, part.records


class SwappedCells(ValueCells):
    """Recoded cells of which models learn swapped values: each column permuted by itself within the classes."""

    def learned(self, places: Sequence[int]) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """A row for each record of the part."""
        part = self.settled.released.released
        rows = np.repeat(np.arange(len(part.records)), part.records)
        _, classes = np.unique(part.equivalence[rows], return_inverse=True)
        values = [part.leaves[place][rows] for place in places]
        swapped = permuted(classes, values, np.random.default_rng(self.config.seed + 1))
        leaves = [one[sources] for one, sources in zip(values, swapped.sources, strict=True)]
        return leaves, part.classes[rows], np.ones(len(rows), dtype=np.int64)


LEARNED = {TYPICAL: TypicalCells, SWAPPED: SwappedCells}


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


def held_parts(workspace: Workspace, source: SourceCells) -> HeldOutParts:
    """The people that a seed holds out, and the models that are tested on them."""
    protocol = protocol_for(source.own.total, workspace.config.holdout)
    assert protocol is not None
    return HeldOutParts(source.own, protocol, MODELS, workspace.config.seed, lambda: False)


def cells_of(
    workspace: Workspace, source: SourceCells, held: HeldOutParts, k: int, methods: list[str], ways: Sequence[str]
) -> Iterator[tuple[str, Row]]:
    """What models reach on raw data, and on what each method shows at a k, by its name and way."""
    raw = [score(held.baseline[model]) for model in MODELS]
    numbers = [number for one in raw for number in (one.accuracy, one.roc_auc or 0.0)]
    yield RAW, (*numbers, 1.0, len(source.own.columns), 0.0)
    for text in methods:
        name, settings = named_method(text)
        for way in ways:

            def recode(cells: Cells, at: int) -> RecodedCells:
                found = recode_by_method(workspace, cells, name, settings, at)  # noqa: B023 - called in this round
                if way == RANGES:  # noqa: B023
                    return found
                return LEARNED[way](found.settled, found.config, found.levels, found.words)  # noqa: B023

            try:
                began = time.process_time()
                found = recode(source.cells(k), k)
                spent = time.process_time() - began
                expected = held.expected(recode, k)
            except AnonduckError as error:
                print(f"  {text:40} nothing: {str(error)[:80]}")
                break
            numbers = [number for one in expected.values() for number in (one.accuracy, one.roc_auc or 0.0)]
            yield f"{text}, {way}", (*numbers, 1 - found.measured.measures["ncp"], len(found.settled.kept), spent)


def line(method: str, row: Row) -> str:
    """A method in a line."""
    boosted, boosted_auc, tree, tree_auc, kept, columns, spent = row
    return (
        f"  {method:40} boosting {boosted:.3f} / {boosted_auc:.3f}  tree {tree:.3f} / {tree_auc:.3f}  AUC "
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
