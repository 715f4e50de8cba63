"""Records that are held out of a search, and the models that are tested on them.

They are drawn on the counted records, which are exchangeable within a cell, so that no record is looked at again. What
is left is searched in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.database.progress import no_message
from anonduck.evaluation.cell_records import PartRecords
from anonduck.evaluation.evaluation import TESTED, TRAINED, FoldTests, RecodedCells, tested_by, tested_records
from anonduck.frequency.frequency_set import FOLDS, MODEL_CELLS, most_cells, sampled_if_many
from anonduck.measures.counted_cells import CountedCells
from anonduck.measures.judge import VectorJudge
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import TrainingStoppedError
from anonduck.models.folds import draw_folds
from anonduck.models.sampling import sample_records
from anonduck.models.scores import FoldResult, Predictions, counted_right
from anonduck.rules.rule import Rule
from anonduck.search.expected import ExpectedScore, expected_of
from anonduck.search.searched_records import StoredRecords, kept_contingency

if TYPE_CHECKING:
    from anonduck.evaluation.cells import Cells

ENOUGH = 2_500  # held-out records: their accuracy has a standard error of one point at most
TURNS = 5
LEARNT = 60_000
"""Records that a model learns from, at most: a score needs an error, not all records. From 20,000 of Adult's 39,000 or
of 160,000 made-up customers, boosting reaches up to 0.5 points less, more than an error."""
PIECES = FOLDS
"""Random pieces of a part that is held out alone: a choice is made by some of them and scored on the others, and what
they differ by is the error of the difference between two candidates."""
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
    share = Fraction(holdout).limit_denominator(20) or Fraction(1, 20)
    if records * share < ENOUGH:
        return HoldoutProtocol(TURNS, tuple((part,) for part in range(TURNS)))
    return HoldoutProtocol(share.denominator, (tuple(range(share.numerator)),))


# -- records, in two parts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The records of a source in two parts: those that are ``searched``, and those that models are tested on, ``held``:
    all in the first fold, or where no other part is held out in ``PIECES`` of them. ``share`` of the records are
    searched."""

    searched: PartRecords
    held: PartRecords
    share: Fraction


def held_records(cells: CountedCells, protocol: HoldoutProtocol, turn: tuple[int, ...], seed: int) -> np.ndarray:
    """The records of each row that a turn holds out, (rows,): those of its blocks, or of parts that are drawn.

    Parts are drawn from all records alike, not by class. Where each part has the class shares of all records, a model
    that learns which class is the more frequent one is tested on records that have it as often by construction: on a
    class that is a coin, it would be right about more than half.
    """
    if cells.blocks is None:
        alike = np.zeros(len(cells.records), dtype=np.int64)
        parts = draw_folds(cells.records, alike, folds=protocol.parts, seed=seed + DRAWING)
    else:
        parts = cells.blocks
    held: np.ndarray = parts[:, list(turn)].sum(axis=1)
    return held


def drawn_pieces(tested: np.ndarray, protocol: HoldoutProtocol, seed: int) -> np.ndarray:
    """The tested records of each combination of leaves and class, (combinations,), in each piece, (combinations,
    PIECES): all in the first, or in random ones where no other part is held out."""
    if len(protocol.turns) == 1:
        alike = np.zeros(len(tested), dtype=np.int64)
        return draw_folds(tested, alike, folds=PIECES, seed=[seed, DRAWING])
    return np.column_stack([tested, *[np.zeros_like(tested)] * (PIECES - 1)])


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
    left_out = held_records(cells, protocol, turn, seed)
    sampled = np.count_nonzero(left_out) > MODEL_CELLS
    tested = sample_records(left_out, MODEL_CELLS, seed=seed) if sampled else left_out
    searched, held = cells.without(left_out), cells.without(cells.records - tested)
    if cells.blocks is None:
        folds = searched.sampled_folds(seed, no_message)
    else:
        earlier = cells.blocks[cells.records > left_out]
        folds = np.where(np.arange(FOLDS) < turn[0], earlier, 0)
    first, cell = cells.by_class
    by_cell = np.bincount(cell, weights=tested, minlength=len(first)).astype(np.int64)
    pieces = drawn_pieces(by_cell, protocol, seed)
    return HeldOut(
        PartRecords(stored.database, stored.columns, searched, folds),
        PartRecords(stored.database, stored.columns, held, pieces[by_cell > 0]),
        Fraction(searched.total, cells.total),
    )


# -- models that learn from the searched records and guess the held ones -----------------------------------------------


@dataclass(frozen=True)
class SelectionGoal:
    """What is picked from each repeated search: the best by ``objective`` among the rules of at least ``k``, or the one
    with the largest k that is ``within`` so much, or an error, of it."""

    objective: str
    k: int
    within: float | str | None = None


@dataclass(frozen=True)
class HoldoutTurn:
    """What one repeated search came to: by target and model the scores tested, also of the ungeneralized data.

    ``found`` are the targets that a rule was found for.
    """

    tested: Mapping[SelectionGoal, Mapping[str, FoldResult]]
    baseline: Mapping[str, FoldResult]
    found: frozenset[SelectionGoal]


def scored_turn(
    records: HeldOut,
    judge: VectorJudge,
    seed: int,
    test_on: str,
    models: Mapping[SelectionGoal, Sequence[str]],
    every: np.ndarray,
    picked: Mapping[SelectionGoal, Rule | None],
    over: Callable[[], bool],
) -> HoldoutTurn:
    """Train models on the searched records, as each picked rule shows them, and test them on the held ones.

    Each goal has its ``models``, and the ungeneralized data those of all. Held records are generalized too, or
    ``test_on`` says that they are taken as they came. Where no rule was found, the majority class is guessed. ``every``
    (classes,) are the class codes of the source. Raises TrainingStoppedError once it is ``over``.
    """
    tables: dict[str, tuple[Contingency, Contingency]] = {}
    known: dict[tuple[str, str], FoldResult] = {}

    def table_of(searched: Contingency, held: Contingency) -> tuple[Contingency, Contingency]:
        return joined(_learnt(searched, seed), held), held

    def tested(table: Contingency, held: Contingency, model: str) -> FoldResult:
        return in_pieces(tested_by(table, model, every, seed, over), held, every)

    def tested_rule(rule: Rule, model: str) -> FoldResult:
        if rule.id not in tables:
            vector, left = judge.space.vector(rule.levels), rule.measures.suppressed
            kept = kept_contingency(records.searched, judge, rule.levels, left, test_on=test_on)
            tables[rule.id] = table_of(kept, records.held.contingency(vector, test_on=test_on))
        if (rule.id, model) not in known:
            known[rule.id, model] = tested(*tables[rule.id], model)
        return known[rule.id, model]

    finest = (0,) * len(judge.space.roots)
    raw = records.searched.contingency(finest), records.held.contingency(finest)
    guessed, ungeneralized = _guess(*raw, every), table_of(*raw)
    return HoldoutTurn(
        tested={
            goal: {model: guessed if rule is None else tested_rule(rule, model) for model in models[goal]}
            for goal, rule in picked.items()
        },
        baseline={model: tested(*ungeneralized, model) for model in dict.fromkeys(chain(*models.values()))},
        found=frozenset(goal for goal, rule in picked.items() if rule is not None),
    )


def _learnt(searched: Contingency, seed: int) -> Contingency:
    """The searched records that models learn from: an unbiased sample of LEARNT where there are more."""
    if int(searched.folds.sum()) <= LEARNT:
        return searched
    return with_folds(searched, sample_records(searched.folds.ravel(), LEARNT, seed=seed).reshape(searched.folds.shape))


def _guess(searched: Contingency, held: Contingency, every: np.ndarray) -> FoldResult:
    """The majority class of the searched records, guessed of the held ones."""
    table = joined(searched, held)
    known, last = everyone(table), table.folds.shape[1] - 1
    tested = np.flatnonzero(table.folds[:, last])
    guesses = np.full(len(tested), np.searchsorted(every, known.classes[known.guesses[last]]))
    alike = Predictions(guesses, np.zeros((len(tested), len(every))))
    truth = np.searchsorted(every, table.classes[tested])
    found = counted_right(alike, truth, table.folds[tested, last], len(every))
    return in_pieces(replace(found, guess=int(guesses[0]), predictions=alike), held, every)


def in_pieces(found: FoldResult, held: Contingency, every: np.ndarray) -> FoldResult:
    """What was tested on held records with what each piece of them comes to, where there are several; the pieces are
    the folds of ``held``."""
    filled = np.flatnonzero(held.folds.sum(axis=0))
    if len(filled) < 2:
        return replace(found, predictions=None)
    rows = np.flatnonzero(held.folds.any(axis=1))
    return found.in_pieces(np.searchsorted(every, held.classes[rows]), held.folds[np.ix_(rows, filled)])


def joined(searched: Contingency, held: Contingency) -> Contingency:
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


# -- recodings of any kind, tested on the held records -----------------------------------------------------------------

OF_ONE_PERSON = (
    "; persons have several records, and models learn from those of the people that they are tested on, so that "
    "figures are rather too good"
)
"""What a protocol says beside, as parts are drawn of records."""
PROTOCOL = "{}: the records of {} are recoded by themselves, and models are tested on the others as they came"


@dataclass(frozen=True, eq=False)
class TestedParts:
    """What models reach on held parts.

    Attributes:
        expected: by model, what it is expected to reach.
        records: (combinations of leaves and class,), the records that were tested.
        right: by model, (combinations,), those of them that it is right about.
        ranked: by model and held part, what it made of the part; nothing of a model that does not rank.
    """

    expected: Mapping[str, ExpectedScore]
    records: np.ndarray
    right: Mapping[str, np.ndarray]
    ranked: Mapping[str, Sequence[RankedPart]]


@dataclass(frozen=True, eq=False)
class RankedPart:
    """What a model made of a held part.

    Attributes:
        rows: (tested combinations,), their places among all combinations of leaves and class.
        truth: (tested combinations,), the places of their classes.
        records: (tested combinations,), their tested records.
        rankings: (tested combinations, classes), the scores of each class.
    """

    rows: np.ndarray
    truth: np.ndarray
    records: np.ndarray
    rankings: np.ndarray


@dataclass(frozen=True, eq=False)
class RecodedParts:
    """What models are tested on: training parts that were recoded by themselves, each with the records it was without.

    Attributes:
        tables: by part, what models learn from and are tested on.
        drawn: by part, (combinations,), the records that are tested.
    """

    tables: Sequence[Contingency]
    drawn: Sequence[np.ndarray]


@dataclass(eq=False)
class HeldOutParts:
    """The held parts of cells.

    Attributes:
        cells: all records.
        protocol: how records are held out.
        seed: draws the parts and the samples that models learn from.
        over: whether the time is up; TrainingStoppedError is raised then.
        persons: whether persons may have several records.
    """

    cells: Cells
    protocol: HoldoutProtocol
    seed: int
    over: Callable[[], bool]
    persons: bool = False
    _held: list[np.ndarray] = field(default_factory=list)
    _training: list[Cells] = field(default_factory=list)
    _baseline: dict[str, list[FoldResult]] = field(default_factory=dict)

    def recoded(self, recode: Callable[[Cells, int], RecodedCells], k: int) -> RecodedParts:
        """The parts as a way to recode shows them.

        ``recode`` recodes the cells of a part at a k, which is ``k`` by the share of the records that the part has, so
        that classes are as coarse. Raises what it raises.
        """
        tables, drawn = [], []
        for held, part in zip(self.parts, self.training, strict=True):
            shown = recode(part, max(1, ceil(k * part.total / self.cells.total)))
            drawn.append(tested_records(self.cells, held, len(shown.settled.kept), self.seed))
            tables.append(_learnable(shown.part_table(self.cells, held), self.seed))
        return RecodedParts(tables, drawn)

    def tested(self, recoded: RecodedParts, models: Sequence[str]) -> TestedParts:
        """What models that learn from recoded parts are expected to reach, and which records they are right about."""
        tested, drawn = self._tested(models, recoded.tables), recoded.drawn
        right = {model: np.zeros(len(drawn[0])) for model in tested}
        for model, found in tested.items():
            for records, of_part in zip(drawn, found, strict=True):
                right[model][np.flatnonzero(records)] += of_part.right
        ranked = {model: self._ranked(found, drawn) for model, found in tested.items()}
        if len(self.parts) == 1:
            tested = {model: [self._in_pieces(one, drawn[0]) for one in found] for model, found in tested.items()}
        turns = len(self.parts)
        share = "one part" if turns == 1 else f"{turns} parts in turn"
        words = PROTOCOL.format("holdout" if turns == 1 else "nested cross-validation", f"all but {share}")
        words += OF_ONE_PERSON if self.persons else ""
        baseline = self.baseline(models)
        expected = {
            model: expected_of(found, baseline[model], protocol=words, found=turns, share=self.protocol.share)
            for model, found in tested.items()
        }
        return TestedParts(expected, np.sum(drawn, axis=0), right, ranked)

    def _in_pieces(self, found: FoldResult, tested: np.ndarray) -> FoldResult:
        """What was tested with what each random piece of the tested records, (combinations,), comes to."""
        rows = np.flatnonzero(tested)
        return found.in_pieces(self._truth[rows], drawn_pieces(tested, self.protocol, self.seed)[rows])

    def _ranked(self, found: Sequence[FoldResult], drawn: Sequence[np.ndarray]) -> list[RankedPart]:
        """What a model made of each part, of which these records, (combinations,), were tested."""
        parts = []
        for one, tested in zip(found, drawn, strict=True):
            if one.predictions is not None and one.predictions.rankings is not None:
                rows = np.flatnonzero(tested)
                parts.append(RankedPart(rows, self._truth[rows], tested[rows], one.predictions.rankings))
        return parts

    @cached_property
    def _truth(self) -> np.ndarray:
        """The place of the class of each combination among all classes, (combinations,)."""
        first, _ = self.cells.by_class
        truth: np.ndarray = np.searchsorted(np.unique(self.cells.classes), self.cells.classes[first])
        return truth

    @property
    def parts(self) -> list[np.ndarray]:
        """The held records of each row, (rows,), by part."""
        if not self._held:
            turns = self.protocol.turns
            self._held = [held_records(self.cells, self.protocol, turn, self.seed) for turn in turns]
        return self._held

    @property
    def training(self) -> list[Cells]:
        """The records that each part leaves, which are recoded by themselves."""
        if not self._training:
            self._training = [self.cells.without(held) for held in self.parts]
        return self._training

    def baseline(self, models: Sequence[str]) -> Mapping[str, list[FoldResult]]:
        """By model, what it reaches on each held part where it learns from the other records as they came."""
        new = [model for model in models if model not in self._baseline]
        if new:
            tables = (_learnable(self._original(held), self.seed) for held in self.parts)
            for model, found in self._tested(new, tables).items():
                self._baseline[model] = [replace(one, predictions=None) for one in found]
        return {model: self._baseline[model] for model in models}

    def _tested(self, models: Sequence[str], tables: Iterable[Contingency]) -> dict[str, list[FoldResult]]:
        """By model, what it reaches on the fold TESTED of each table."""
        tests = FoldTests(models, np.unique(self.cells.classes), self.seed, self.over)
        for table in tables:
            tests.add([table])
            if tests.untrained:
                raise TrainingStoppedError
        return tests.tested

    def _original(self, held: np.ndarray) -> Contingency:
        """The table of the records as they came, the held-out ones in the fold TESTED."""
        cells, places = self.cells, range(len(self.cells.columns))
        first, cell = cells.by_class
        records = np.bincount(cell, weights=cells.records - held, minlength=len(first)).astype(np.int64)
        tested = np.bincount(cell, weights=held, minlength=len(first)).astype(np.int64)
        folds = np.zeros((len(first), 2), dtype=np.int64)
        most = most_cells(len(cells.columns))
        folds[:, TRAINED] = sampled_if_many(records, records, most, self.seed, no_message)
        folds[:, TESTED] = sampled_if_many(tested, tested, most, self.seed, no_message)
        kept = np.flatnonzero(folds.any(axis=1))
        leaves = np.column_stack([one[first][kept] for one in cells.leaves])
        return cells.original_table(places, leaves, cells.classes[first][kept], folds[kept])


def _learnable(table: Contingency, seed: int) -> Contingency:
    """The table with an unbiased sample of LEARNT records in the fold TRAINED, where there are more."""
    trained = table.folds[:, TRAINED]
    if int(trained.sum()) <= LEARNT:
        return table
    folds = table.folds.copy()
    folds[:, TRAINED] = sample_records(trained, LEARNT, seed=seed)
    return with_folds(table, folds)


def with_folds(table: Contingency, folds: np.ndarray) -> Contingency:
    """The table with other records by fold, (cells, folds); cells that have none are left out."""
    held = np.flatnonzero(folds.any(axis=1))
    return replace(
        table,
        codes=table.codes[held],
        classes=table.classes[held],
        folds=folds[held],
        values=None if table.values is None else table.values[held],
        nodes=None if table.nodes is None else table.nodes[held],
    )
