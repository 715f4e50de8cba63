"""Records that are held out of a search, and the models that are tested on them.

They are drawn on the counted records, which are exchangeable within a cell, so that no record is looked at again. What
is left is searched in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.config import Config
from anonduck.evaluation.cell_records import CellRecords
from anonduck.evaluation.cells import CountedCells, SensitiveColumn
from anonduck.evaluation.evaluation import by_class
from anonduck.frequency.frequency_set import FOLDS, MODEL_CELLS
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.measures.attributes import CountedColumn
from anonduck.measures.judge import VectorJudge
from anonduck.measures.judge_tables import (
    VALUE_CODES,
    read_sensitive_values,
)
from anonduck.measures.measures import CODED
from anonduck.measures.requirement import Requirement
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import never, predict_folds
from anonduck.models.folds import draw_folds
from anonduck.models.sampling import sample_records
from anonduck.models.scores import FoldResult
from anonduck.privacy import relations
from anonduck.rules.rule import Rule
from anonduck.search.searched_records import StoredRecords, fold_table, kept_contingency
from anonduck.statements import statement
from anonduck.statements.builder_privacy import sensitive_names
from anonduck.statements.pipeline import builder_table
from anonduck.statements.pipeline.builder_frequency import CLASS, CODED_SENSITIVE, code_column

if TYPE_CHECKING:
    from anonduck.database.connection import Database

ENOUGH = 1_000  # held-out records: an accuracy of them has a standard error of 1.6 points at most
TURNS = 5
DRAWING = 2_000_003  # added to the config's seed, so that the held-out records are drawn apart from all folds


@dataclass(frozen=True)
class HoldoutProtocol:
    """How records are held out: of ``parts`` equal random parts, those of each of ``turns`` in turn.

    With ``split_by`` the parts are the blocks of that column's order, which are the folds too; the last are held out.
    """

    parts: int
    turns: tuple[tuple[int, ...], ...]
    split_by: str | None = None

    @property
    def share(self) -> float:
        """The share of the records that each turn holds out."""
        return len(self.turns[0]) / self.parts

    @property
    def announcement(self) -> str:
        """What is about to happen, for a person who waits."""
        times = "" if len(self.turns) == 1 else f" {len(self.turns)} times, each time"
        return f"repeating the search{times} without {self.share:.0%} of the records, to test its picks on them"

    def words(self, done: int) -> str:
        """The protocol as a person reads it, after so many turns."""
        if self.split_by is not None:
            return (
                f"holdout in the order of {self.split_by}: rules searched, selected and trained on the first "
                f"{1 - self.share:.0%} of the records, tested on the last {self.share:.0%}"
            )
        if len(self.turns) == 1:
            return (
                f"holdout: rules searched, selected and trained on {1 - self.share:.0%} of the records, tested on the "
                f"other {self.share:.0%}"
            )
        cut = "" if done == len(self.turns) else f"; {done} of {len(self.turns)} parts were tested in the time limit"
        return (
            f"nested cross-validation: rules searched, selected and trained without one part of the records in "
            f"{len(self.turns)} and tested on it, each part in turn{cut}"
        )


def protocol_for(records: int, holdout: float, split_by: str | None = None) -> HoldoutProtocol | None:
    """One held-out share (as a fraction of twentieths or simpler) where that is records enough, else five in turn.

    With ``split_by``, the last of the ten blocks that come nearest to the share. None where nothing is to be held out.

    >>> protocol_for(48_842, 0.2)
    HoldoutProtocol(parts=5, turns=((0,),), split_by=None)
    >>> protocol_for(1_000, 0.2).turns
    ((0,), (1,), (2,), (3,), (4,))
    """
    if not holdout or records < TURNS:
        return None
    if split_by is not None:
        first = FOLDS - max(1, round(FOLDS * holdout))
        return HoldoutProtocol(FOLDS, (tuple(range(first, FOLDS)),), split_by)
    if records * holdout < ENOUGH:
        return HoldoutProtocol(TURNS, tuple((part,) for part in range(TURNS)))
    share = Fraction(holdout).limit_denominator(20) or Fraction(1, 20)
    return HoldoutProtocol(share.denominator, (tuple(range(share.numerator)),))


# -- records, in two parts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The records of a source in two parts: those that are ``searched``, and those that models are tested on, ``held``,
    all of which are in the first fold. ``share`` of the records are searched."""

    searched: PartRecords
    held: PartRecords
    share: Fraction


class PartRecords(CellRecords):
    """A part of the counted records of a decision database.

    Args:
        database: holds the coded frequency set of all records.
        columns: the quasi-identifiers of all records.
        cells: the records of the part.
        folds: (combinations of leaves and class, FOLDS), the records of each in each fold.
        counts: (cells of the frequency set,), how many records of each cell are in the part.
    """

    def __init__(
        self,
        database: Database,
        columns: Sequence[CountedColumn],
        cells: CountedCells,
        folds: np.ndarray,
        counts: np.ndarray,
    ) -> None:
        super().__init__(columns, cells)
        self.database = database
        self._folds = folds
        self._counts = counts

    @cached_property
    def folded(self) -> tuple[FrequencyTable, int]:
        """See SearchedRecords."""
        first, group = self.cells.by_class
        others = self.held(group, len(first)) - self._folds.sum(axis=1)
        leaves = tuple(one[first] for one in self.cells.leaves)
        return fold_table(self.columns, leaves, self.cells.classes[first], np.column_stack([self._folds, others]))

    @contextmanager
    def for_pairs(self) -> Iterator[tuple[Database, np.ndarray | None]]:
        """See SearchedRecords; what is written of the pairs is forgotten."""
        with self.database.apart() as home:
            self.database.run(builder_table.view_of((home, "main", CODED)))
            yield self.database, self._counts


def read_stored_cells(
    database: Database, names: Sequence[str], requirement: Requirement, *, blocks: bool
) -> CountedCells:
    """The counted records of a decision database, with the sensitive values that are required to differ, or with their
    records by block."""
    leaves = [code_column(name, 0) for name in names]
    called = sensitive_names(len(requirement.sensitive))
    if called:
        ordered = {"leaves": leaves, "ordered": [*leaves, CLASS, *called]}
        rows = database.arrays(statement("evaluation/stored_cells.sql", columns=ordered))
    else:
        query = "search/lattice_fold_leaves.sql" if blocks else "measures/class_leaves.sql"
        rows = database.arrays(statement(query, columns={"leaves": leaves}))
    sensitive = {}
    for column, name in zip(requirement.sensitive, called, strict=True):
        try:
            values = read_sensitive_values(database, requirement, column, stored=name, table=CODED_SENSITIVE)
            ordered = {"ordered": [*leaves, CLASS, *called]}
            query_of_values = statement("evaluation/stored_values.sql", columns=ordered, column={"sensitive": name})
            codes = database.arrays(query_of_values)["value_code"].astype(np.int64)
        finally:
            relations.forget(database, [VALUE_CODES])
        sensitive[column] = SensitiveColumn(codes, values)
    by_block = [rows[f"fold_{number}"] for number in range(FOLDS)] if blocks else None
    return CountedCells(
        leaves=tuple(rows[leaf].astype(np.int64) for leaf in leaves),
        classes=rows["class_code"].astype(np.int64),
        sensitive=sensitive,
        records=rows["records"].astype(np.int64),
        blocks=None if by_block is None else np.column_stack(by_block).astype(np.int64),
    )


def hold_out(
    stored: StoredRecords, cells: CountedCells, protocol: HoldoutProtocol, turn: tuple[int, ...], seed: int
) -> HeldOut:
    """The records of a source without the parts of a turn, and these parts.

    Args:
        stored: the decision database with the taxonomies of the quasi-identifiers.
        cells: the records, as ``read_stored_cells`` gives them.
        protocol: how records are held out.
        turn: the parts that are held now.
        seed: by which the parts are drawn, and the folds of the others.
    """
    if cells.blocks is None:
        drawn = draw_folds(cells.records, cells.classes, folds=protocol.parts, seed=seed + DRAWING)
    else:
        drawn = cells.blocks
    left_out = drawn[:, list(turn)].sum(axis=1)
    sampled = np.count_nonzero(left_out) > MODEL_CELLS
    tested = sample_records(left_out, MODEL_CELLS, seed=seed) if sampled else left_out
    searched, held = cells.without(left_out), cells.without(cells.records - tested)
    if cells.blocks is None:
        folds = searched.sampled_folds(seed, lambda _: None)
    else:
        earlier = cells.blocks[cells.records > left_out]
        folds = np.where(np.arange(FOLDS) < turn[0], earlier, 0)
    in_first = np.zeros((len(held.by_class[0]), FOLDS), dtype=np.int64)
    in_first[:, 0] = np.bincount(held.by_class[1], weights=held.records)
    first, cell = cells.by_class
    counts = np.bincount(cell, weights=cells.records - left_out, minlength=len(first)).astype(np.int64)
    return HeldOut(
        PartRecords(stored.database, stored.columns, searched, folds, counts),
        PartRecords(stored.database, stored.columns, held, in_first, counts),
        Fraction(searched.total, cells.total),
    )


# -- models that learn from the searched records and guess the held ones -----------------------------------------------


@dataclass(frozen=True)
class SelectionGoal:
    """What is picked from each repeated search: the best by ``objective`` among the rules of at least ``k``, or the one
    with the largest k that is ``within`` an error of it."""

    objective: str
    k: int
    within: str | None = None


@dataclass(frozen=True)
class HoldoutTurn:
    """What one repeated search came to: by target and model the scores tested, also of the ungeneralized data.

    ``found`` are the targets that a rule was found for.
    """

    tested: Mapping[SelectionGoal, Mapping[str, FoldResult]]
    baseline: Mapping[str, FoldResult]
    found: frozenset[SelectionGoal]


class HoldoutTest:
    """Trains ``models`` on the searched records and tests them on the held ones; they are not trained any more once it
    is ``over``, which raises TrainingStoppedError."""

    def __init__(
        self,
        records: HeldOut,
        judge: VectorJudge,
        config: Config,
        models: Sequence[str],
        class_codes: int,
        over: Callable[[], bool] = never,
    ) -> None:
        self.records = records
        self.judge = judge
        self.config = config
        self.models = models
        self.every = np.arange(class_codes)
        self.over = over
        self._known: dict[str, dict[str, FoldResult]] = {}

    def turn(self, picked: Mapping[SelectionGoal, Rule | None]) -> HoldoutTurn:
        """What each picked rule comes to; where none was found, the majority class is guessed."""
        finest = (0,) * len(self.judge.space.roots)
        raw = _joined(self.records.searched.contingency(finest), self.records.held.contingency(finest))
        guessed = self._guess(raw)
        return HoldoutTurn(
            tested={
                target: dict.fromkeys(self.models, guessed) if rule is None else self._tested(rule)
                for target, rule in picked.items()
            },
            baseline={model: self._test(raw, model) for model in self.models},
            found=frozenset(target for target, rule in picked.items() if rule is not None),
        )

    def _tested(self, rule: Rule) -> dict[str, FoldResult]:
        if rule.id not in self._known:
            test_on, vector = self.config.test_on, self.judge.space.vector(rule.levels)
            suppressed = rule.measures.suppressed
            kept = kept_contingency(self.records.searched, self.judge, rule.levels, suppressed, test_on=test_on)
            table = _joined(kept, self.records.held.contingency(vector, test_on=test_on))
            self._known[rule.id] = {model: self._test(table, model) for model in self.models}
        return self._known[rule.id]

    def _test(self, table: Contingency, model: str) -> FoldResult:
        last = table.folds.shape[1] - 1
        tested = predict_folds(table, model, only=[last], seed=self.config.seed, over=self.over)[last]
        return by_class(tested, everyone(table).classes, self.every)

    def _guess(self, table: Contingency) -> FoldResult:
        """The majority class of the searched records, guessed of the held ones."""
        known, last = everyone(table), table.folds.shape[1] - 1
        confusion = np.zeros((len(known.classes),) * 2, dtype=np.int64)
        confusion[:, known.guesses[last]] = known.folds[:, last]
        chance = 0.5 if np.count_nonzero(known.folds[:, last]) > 1 else None
        guessed = FoldResult(confusion, confusion, np.zeros(0, dtype=np.int64), chance, "")
        return by_class(guessed, known.classes, self.every)


def _joined(searched: Contingency, held: Contingency) -> Contingency:
    """Both contingency tables as one, the held records in a last fold of their own.

    Searched records that the rule leaves out teach nothing and are not tested, so they are not in it.
    """
    train = np.hstack([searched.folds, np.zeros((len(searched.folds), 1), dtype=np.int64)])
    test = np.zeros((len(held.folds), train.shape[1]), dtype=np.int64)
    test[:, -1] = held.folds.sum(axis=1)

    def both(name: str) -> Any:
        first, second = getattr(searched, name), getattr(held, name)
        return None if first is None else np.concatenate([first, second])

    return replace(
        searched,
        codes=both("codes"),
        sizes=tuple(map(max, searched.sizes, held.sizes)),
        classes=both("classes"),
        folds=np.concatenate([train, test]),
        values=both("values"),
        nodes=both("nodes"),
        left_out=None,
    )
