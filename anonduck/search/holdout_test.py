"""The bench on which a repeated search is tested: models learn from the searched records and guess the held ones.

The database is one apart, with the frequency sets that anonduck.search.holdout makes there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.config import Config
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import CODED, baseline_contingency, contingency
from anonduck.measures.requirement import Requirement
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import never, predict_folds
from anonduck.models.scores import FoldResult
from anonduck.rules.rule import Rule, RuleSpace
from anonduck.search.discovery import Discovery
from anonduck.search.holdout import HELD, WHOLE
from anonduck.search.training import kept_rows
from anonduck.statements import statement

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.taxonomy.catalog import Taxonomy


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
