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

Both models are tuned on what they learn from: the tree is pruned by inner validation, and boosting has the one of SIZES
that serves a held-out fifth of its records best. An untuned model would flatter every release.

`ai-privacy-toolkit` among `--others` is the package of IBM (`pip install --no-deps ai-privacy-toolkit`), the same
quasi-identifiers, and the expected class of our teacher in the place of its model; it shows typical values of its own.

With `--scale` it prints how long the algorithm and its teacher take on so many made-up cells of 20 columns.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import resource
import sys
import tempfile
import time
import types
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from offer import FILES, MADE
from real_data.folder import data as data_folder

from anonduck import Project
from anonduck.config.reading import with_changes
from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import RANGES, SWAPPED, TYPICAL, WAYS
from anonduck.errors import AnonduckError, ConfigError
from anonduck.evaluation.cells import Cells
from anonduck.evaluation.evaluation import TESTED, TRAINED, RecodedCells, _class_codes_in, _codes_in
from anonduck.evaluation.finding import coded_records, recode_by_method, taught
from anonduck.evaluation.holdout import HeldOutParts, protocol_for
from anonduck.evaluation.settled import settle
from anonduck.evaluation.shown import show_classes
from anonduck.evaluation.source_cells import SourceCells
from anonduck.evaluation.typical import NONE, TypicalColumn, typical_values
from anonduck.init.init import initialize
from anonduck.measures.released_cells import CellColumn, ReleasedCells
from anonduck.measures.requirement import requirement_of
from anonduck.methods.coded_records import ClassCells, CodedRecords, placed_column
from anonduck.methods.guided import guided
from anonduck.methods.permutation import permuted
from anonduck.methods.registry import named_method
from anonduck.models.contingency import Contingency
from anonduck.models.estimators import MODELS as LEARNERS
from anonduck.models.estimators import Boosting
from anonduck.models.scores import score
from anonduck.rules.noise import corrected_error
from anonduck.workspace import Workspace

MODELS = ("boosting", "tree")
SIZES = ((50, 4, 0.1), (100, 8, 0.1), (200, 16, 0.1))
"""Trees of boosting, leaves of each at most, and learning rate."""
TOOLKIT = "ai-privacy-toolkit"
MORE = {"adult-8": ("arx/adult.csv", -1)}
"""Adult as ARX has it, with eight quasi-identifiers."""
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
    parser.add_argument("--data-set", nargs="*", choices=[*FILES, *MADE, *MORE], default=[*FILES, *MADE])
    parser.add_argument("--k", type=int, nargs="*", default=[5, 25, 100])
    parser.add_argument("--detail", type=float, nargs="*", default=[0.0, 0.03, 0.1, 0.3, 1.0])
    parser.add_argument("--set", default="", help="further settings of guided, such as numbers=intervals")
    parser.add_argument("--others", nargs="*", default=list(OTHERS))
    parser.add_argument("--show", choices=WAYS, nargs="*", default=[RANGES], help="what models learn from")
    parser.add_argument("--draws", type=int, default=1, help="how often people are held out anew")
    parser.add_argument("--records", type=int, default=6_000, help="records of a sample")
    parser.add_argument("--scale", type=int, nargs="*", help="time made-up cells instead")
    options = parser.parse_args()
    LEARNERS["boosting"] = replace(LEARNERS["boosting"], make=lambda features, _: Tuned(features.ordered.shape[1]))
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
            f"detail {np.mean([row[4] for row in rows[text].values()]):.2f}  "
            f"one class {np.mean([row[7] for row in rows[text].values()]):.2f}"
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


class Tuned(Boosting):
    """Gradient boosting of the size that serves a drawn fifth of its records best, by their log loss."""

    def fit(self, features: np.ndarray, classes: np.ndarray, sample_weight: np.ndarray) -> Boosting:
        """Choose the size, and learn from all records."""
        random = np.random.default_rng(self.random_state)
        held = random.binomial(sample_weight.astype(np.int64), 0.2)
        rest, own = sample_weight - held, {}
        for size in SIZES if held.any() and len(np.unique(classes[rest > 0])) == len(np.unique(classes)) else ():
            learned = Boosting(self.ordered, self.random_state, size)
            learned.fit(features[rest > 0], classes[rest > 0], rest[rest > 0])
            chance = learned.predict_proba(features[held > 0])
            at = np.searchsorted(learned.classes_, classes[held > 0])
            own[size] = -(held[held > 0] * np.log(chance[np.arange(len(at)), at].clip(1e-12))).sum()
        self.size = min(own, key=own.__getitem__, default=None)
        return super().fit(features, classes, sample_weight)


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


class ToolkitCells(ValueCells):
    """Classes of ai-privacy-toolkit, of which models learn the representatives; ``represented`` (columns, records) has
    these by leaf code, with the class of each record in ``learned_classes``."""

    represented: np.ndarray
    learned_classes: np.ndarray

    def learned(self, places: Sequence[int]) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """A row for each record of the part."""
        records = np.ones(len(self.learned_classes), dtype=np.int64)
        return [self.represented[place] for place in places], self.learned_classes, records


def toolkit() -> tuple[type, type]:
    """The anonymizer of ai-privacy-toolkit and its data set.

    Its package imports PyTorch and an attack library, of which the anonymizer uses nothing: empty modules stand in.
    """
    if "apt" not in sys.modules:
        spec = importlib.util.find_spec("apt")
        if spec is None or spec.submodule_search_locations is None:
            raise SystemExit(f"{TOOLKIT} is not installed: pip install --no-deps {TOOLKIT}")
        bare = types.ModuleType("apt")
        bare.__path__ = list(spec.submodule_search_locations)
        sys.modules["apt"] = bare
        if importlib.util.find_spec("torch") is None:
            sys.modules |= {name: _Empty(name) for name in ("torch", "torch.utils", "torch.utils.data")}
    from apt.anonymization import Anonymize
    from apt.utils.datasets import ArrayDataset

    return Anonymize, ArrayDataset


class _Empty(types.ModuleType):
    """A module of which every name is a class of nothing."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def recode_by_toolkit(workspace: Workspace, cells: Cells, k: int) -> RecodedCells:
    """The classes of ai-privacy-toolkit: the leaves of a tree that learns what our teacher expects of each record."""
    anonymize, data_set = toolkit()
    columns = [column.placed for column in cells.columns]
    data = coded_records(cells, columns, with_class=True)
    taught_data, why = taught(data, workspace.config.seed)
    if why is not None:
        raise ConfigError(why)
    rows = np.repeat(np.arange(len(data.records)), data.records)
    parts, slices = [], []
    for codes, column in zip(data.codes, cells.columns, strict=True):
        first = sum(part.shape[1] for part in parts)
        one = codes[rows][:, None].astype(float)
        if not column.counted.taxonomy.ordered:
            one = (one == np.unique(codes)[None, :]).astype(float)
            slices.append(list(range(first, first + one.shape[1])))
        parts.append(one)
    made = anonymize(k, list(range(sum(part.shape[1] for part in parts))), quasi_identifer_slices=slices)
    features = np.column_stack(parts)
    shown = made.anonymize(data_set(features, np.argmax(taught_data.expected, axis=1)[rows]))
    of_row = np.unique(made._anonymizer.apply(features), return_inverse=True)[1]
    of_combination = np.zeros(len(data.records), dtype=np.int64)
    of_combination[rows] = of_row
    wanted = requirement_of(with_requirement(workspace.config, {"k": k}), workspace.folder)
    settled = settle(cells, show_classes(cells, of_combination), wanted, TOOLKIT)
    found = ToolkitCells(settled, workspace.config, None, TOOLKIT)
    begin, codes_shown = 0, []
    for part, codes, column in zip(parts, data.codes, cells.columns, strict=True):
        own = shown[:, begin : begin + part.shape[1]]
        begin += part.shape[1]
        ordered = column.counted.taxonomy.ordered
        codes_shown.append(own[:, 0].astype(np.int64) if ordered else np.unique(codes)[own.argmax(axis=1)])
    _, combination = cells.combinations
    of_cell = np.repeat(np.arange(len(cells.records)), cells.records)
    order = np.argsort(combination[of_cell], kind="stable")  # records of a combination show the same
    classes = np.empty(len(rows), dtype=np.int64)
    classes[:] = cells.classes[of_cell][order]
    object.__setattr__(found, "represented", np.array(codes_shown))
    object.__setattr__(found, "learned_classes", classes)
    return found


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
        file, place = (FILES | MORE)[name]
        frame = pd.read_csv(data_folder() / file, sep=None, engine="python", dtype=str)
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
    """The people that a seed holds out."""
    protocol = protocol_for(source.own.total, workspace.config.holdout)
    assert protocol is not None
    return HeldOutParts(source.own, protocol, workspace.config.seed, lambda: False)


def cells_of(
    workspace: Workspace, source: SourceCells, held: HeldOutParts, k: int, methods: list[str], ways: Sequence[str]
) -> Iterator[tuple[str, Row]]:
    """What models reach on raw data, and on what each method shows at a k, by its name and way."""
    raw = [score(of_parts) for of_parts in held.baseline(MODELS).values()]
    numbers = [number for one in raw for number in (one.accuracy, one.roc_auc or 0.0)]
    yield RAW, (*numbers, 1.0, len(source.own.columns), 0.0, 0.0)
    for text in methods:
        name, settings = (text, {}) if text == TOOLKIT else named_method(text)
        for way in [TYPICAL] if text == TOOLKIT else ways:

            def recode(cells: Cells, at: int) -> RecodedCells:
                if text == TOOLKIT:  # noqa: B023
                    return recode_by_toolkit(workspace, cells, at)
                found = recode_by_method(workspace, cells, name, settings, at)  # noqa: B023 - called in this round
                if way == RANGES:  # noqa: B023
                    return found
                return LEARNED[way](found.settled, found.config, found.levels, found.words)  # noqa: B023

            try:
                began = time.process_time()
                found = recode(source.cells(k), k)
                spent = time.process_time() - began
                expected = held.tested(held.recoded(recode, k), MODELS).expected
            except AnonduckError as error:
                print(f"  {text:40} nothing: {str(error)[:80]}")
                break
            numbers = [number for one in expected.values() for number in (one.accuracy, one.roc_auc or 0.0)]
            kept = 1 - found.measured.measures["ncp"]
            yield f"{text}, {way}", (*numbers, kept, len(found.settled.kept), spent, one_valued(found))


def one_valued(found: RecodedCells) -> float:
    """The share of the records in equivalence classes of one value of the class."""
    part = found.settled.released.released
    equal = np.unique(np.column_stack([part.equivalence, part.classes]), axis=0)[:, 0]
    alone = np.flatnonzero(np.bincount(equal) == 1)
    return float(part.records[np.isin(part.equivalence, alone)].sum() / part.records.sum())


def line(method: str, row: Row) -> str:
    """A method in a line."""
    boosted, boosted_auc, tree, tree_auc, kept, columns, spent, pure = row
    return (
        f"  {method:40} boosting {boosted:.3f} / {boosted_auc:.3f}  tree {tree:.3f} / {tree_auc:.3f}  AUC "
        f"{(boosted_auc + tree_auc) / 2:.4f}  detail {kept:.2f}  columns {columns:.1f}  "
        f"one class {pure:.2f}  {spent:.1f} s"
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
