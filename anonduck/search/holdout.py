"""Records that are held out of a search, and the models that are tested on them.

They are drawn on the frequency set, whose records are exchangeable within a cell, so that no record is looked at again.
The frequency sets of the held and of the other records are made in a database apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.config import Config
from anonduck.frequency.frequency_set import FOLDS, MODEL_CELLS, fold_cells
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import CODED, baseline_contingency, contingency
from anonduck.measures.requirement import Requirement
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import never, predict_folds
from anonduck.models.folds import draw_folds
from anonduck.models.sampling import sample_records
from anonduck.models.scores import FoldResult
from anonduck.rules.rule import Rule, RuleSpace
from anonduck.search.discovery import Discovery
from anonduck.search.training import kept_rows
from anonduck.statements import builder_database, builder_privacy, statement
from anonduck.statements.pipeline import builder_table
from anonduck.statements.pipeline.builder_frequency import CLASS, CODED_SENSITIVE, code_column

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.taxonomy.catalog import Taxonomy

HELD = "held_set"
WHOLE = "whole_set"
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


def hold_out(
    database: Database,
    home: str,
    taxonomies: Mapping[str, Taxonomy],
    protocol: HoldoutProtocol,
    turn: tuple[int, ...],
    *,
    sensitive: int,
    seed: int,
) -> tuple[int, int]:
    """Make the frequency sets of the searched records and, as ``HELD``, of the held ones, in a database apart.

    Args:
        database: whose current database is a new one; ``home`` is that of the frequency set and the taxonomies.
        home: its name.
        taxonomies: one for each quasi-identifier.
        protocol: how records are held out.
        turn: the parts that are held now.
        sensitive: how many sensitive columns the requirements read.
        seed: by which the parts are drawn.

    Returns:
        How many records there are, and how many of them are searched.
    """
    called = builder_privacy.sensitive_names(sensitive)
    _copy(database, home, CODED_SENSITIVE if sensitive else CODED)
    leaves = [code_column(name, 0) for name in taxonomies]
    codes = [code_column(name, level) for name, one in taxonomies.items() for level in range(one.root)]
    ordered = {"ordered": [*leaves, CLASS, *called]}
    database.run(statement("search/expected_numbered.sql", columns=ordered, table={"whole": WHOLE}))
    records, left_out = _left_out(database, protocol, turn, seed)
    _register(database, left_out, seed)
    database.run(statement("search/held_out.sql", columns={"codes": codes}))
    if sensitive:
        database.run(statement("search/expected_searched_sensitive.sql", columns={"codes": codes, "sensitive": called}))
    if protocol.split_by is None:
        database.run(statement("search/expected_searched.sql", columns={"codes": codes}))
        fold_cells(database, list(taxonomies), seed)
    else:
        blocks = statement("search/expected_searched_blocks.sql", columns={"leaves": leaves, "codes": codes})
        database.run(blocks, {"kept": turn[0]})
    return records, records - int(left_out.sum())


def _left_out(
    database: Database, protocol: HoldoutProtocol, turn: tuple[int, ...], seed: int
) -> tuple[int, np.ndarray]:
    """How many records there are, and how many of each row are held out: by chance, or the last in a column's order."""
    if protocol.split_by is None:
        counts = database.arrays(statement("search/expected_counts.sql"))
        drawn = draw_folds(counts["records"], counts["class_code"], folds=protocol.parts, seed=seed + DRAWING)
    else:
        counts = database.arrays(statement("search/expected_held_blocks.sql"))
        drawn = np.column_stack([counts[f"fold_{number}"] for number in range(FOLDS)]).astype(np.int64)
    return int(counts["records"].sum()), drawn[:, list(turn)].sum(axis=1)


def _copy(database: Database, home: str, whole: str) -> None:
    tables = database.rows(statement("search/expected_tables.sql"), {"catalog": home})
    for schema in sorted({schema for schema, _ in tables}):
        database.run(builder_database.schema(schema))
    for schema, name in tables:
        database.run(builder_table.copied_table(home, schema, name))
    database.run(builder_table.copied_table(home, "main", whole, target=WHOLE))


def _register(database: Database, left_out: np.ndarray, seed: int) -> None:
    """Tell the database which records of each row are held out; of very many combinations, a sample is tested."""
    import pandas as pd

    sampled = np.count_nonzero(left_out) > MODEL_CELLS
    tested = sample_records(left_out, MODEL_CELLS, seed=seed) if sampled else left_out
    frame = pd.DataFrame({"#row": np.arange(len(left_out)), "held": left_out, "tested": tested})
    database.register("held_counts", frame)
    database.run(statement("search/expected_divided_set.sql"))
    database.unregister("held_counts")


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
    """Trains on the searched records and tests on the held ones, in the database apart; models are not trained any more
    once it is ``over``, which raises TrainingStoppedError."""

    def __init__(
        self,
        database: Database,
        config: Config,
        taxonomies: Mapping[str, Taxonomy],
        found: Discovery,
        requirement: Requirement,
        over: Callable[[], bool] = never,
    ) -> None:
        self.over = over
        self.database = database
        self.config = config
        self.taxonomies = taxonomies
        space = RuleSpace(tuple(taxonomies), tuple(one.root for one in taxonomies.values()))
        self.judge = RuleJudge(database, space, requirement, found.totals)
        self.class_codes = 1 + int(database.value(statement("search/expected_class_codes.sql", table={"whole": WHOLE})))
        self._known: dict[str, dict[str, FoldResult]] = {}

    def turn(self, picked: Mapping[SelectionGoal, Rule | None]) -> HoldoutTurn:
        """What each picked rule comes to; where none was found, the majority class is guessed."""
        roots = {name: one.root for name, one in self.taxonomies.items()}
        raw = _joined(
            *(baseline_contingency(self.database, roots, self.taxonomies, rows=rows) for rows in (CODED, HELD))
        )
        guessed = self._guess(raw)
        return HoldoutTurn(
            tested={
                target: dict.fromkeys(self.config.models, guessed) if rule is None else self._tested(rule)
                for target, rule in picked.items()
            },
            baseline={model: self._test(raw, model) for model in self.config.models},
            found=frozenset(target for target, rule in picked.items() if rule is not None),
        )

    def _tested(self, rule: Rule) -> dict[str, FoldResult]:
        if rule.id not in self._known:
            table = _joined(*(self._table(rule, rows) for rows in (kept_rows(rule, self.judge), HELD)))
            self._known[rule.id] = {model: self._test(table, model) for model in self.config.models}
        return self._known[rule.id]

    def _table(self, rule: Rule, rows: str) -> Contingency:
        return contingency(self.database, rule.levels, self.taxonomies, test_on=self.config.test_on, rows=rows)

    def _test(self, table: Contingency, model: str) -> FoldResult:
        last = table.folds.shape[1] - 1
        tested = predict_folds(table, model, only=[last], seed=self.config.seed, over=self.over)[last]
        return self._by_code(tested, everyone(table).classes)

    def _guess(self, table: Contingency) -> FoldResult:
        """The majority class of the searched records, guessed of the held ones."""
        known, last = everyone(table), table.folds.shape[1] - 1
        confusion = np.zeros((len(known.classes),) * 2, dtype=np.int64)
        confusion[:, known.guesses[last]] = known.folds[:, last]
        chance = 0.5 if np.count_nonzero(known.folds[:, last]) > 1 else None
        guessed = FoldResult(confusion, confusion, np.zeros(0, dtype=np.int64), chance, "")
        return self._by_code(guessed, known.classes)

    def _by_code(self, tested: FoldResult, labels: np.ndarray) -> FoldResult:
        """The same with a row and column for every class code, so that turns that miss a class add up."""
        confusion = np.zeros((self.class_codes, self.class_codes), dtype=np.int64)
        confusion[np.ix_(labels, labels)] = tested.confusion
        return replace(tested, confusion=confusion)


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
