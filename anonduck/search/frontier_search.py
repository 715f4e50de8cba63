"""The frontiers of k with accuracy, balanced accuracy, information gain and what rules are selected by, searched at
once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from anonduck.config.config import Config
from anonduck.config.without_class import BY_DETAIL
from anonduck.database.progress import Reporter
from anonduck.measures.judge import VectorJudge
from anonduck.rules.measure_names import GENERALIZED
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector, Rule
from anonduck.search.assessors import TREE, LevelAssessor
from anonduck.search.lattice.costs import DEFAULT_GOAL, GOALS, Goal, make_goal
from anonduck.search.lattice.falling_search import FallingSearch, GoalOutcome
from anonduck.search.lattice.frontiers import Frontier, FrontierSearch, SearchGoal
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice.optimum import find_optimum
from anonduck.search.score_goals import SCORES, ScoreGoal, wanted_score
from anonduck.search.searched_records import SearchedRecords, kept_contingency

if TYPE_CHECKING:
    from anonduck.models.contingency import Contingency
    from anonduck.models.scores import Score

UNDER_FLOOR = GoalOutcome(False, True, 0)
STAGE = "searching all rules"
NEAREST = 20  # vectors that miss what is required are compared by how little they miss


def goals_of(config: Config, picked_by: Collection[str] | None = None) -> list[SearchGoal]:
    """What a config's rules are compared by: both scores of the first model and of the one that ``select`` names, the
    information gain, or without a class the loss, and the measure that ``select`` names, of those that can be searched
    for.

    Where all measures that rules are ``picked_by`` are among these, other scores of models are left out: they need
    training, and the best rule by a measure is on its own frontier.
    """
    models = config.models[:1] if config.test_on == GENERALIZED else []
    wanted = wanted_score(config)
    named = [wanted.model] if wanted is not None and wanted.model not in models else []
    scores = [SearchGoal(score, model) for model in models for score in SCORES]
    scores += [SearchGoal(f"{score}.{model}", model) for model in named for score in SCORES]
    first = DEFAULT_GOAL if config.class_ is not None else BY_DETAIL
    others = [first, *([config.select] if config.select in GOALS else [])]
    goals = [*scores, *(SearchGoal(name) for name in dict.fromkeys(others))]
    if picked_by is None:
        return goals
    named_after = {goal.name: goal for goal in goals} | {f"{goal.name}.{goal.model}": goal for goal in scores}
    if not named_after.keys() >= set(picked_by):
        return goals
    asked = [named_after[name] for name in picked_by]
    return [goal for goal in goals if goal.model is None or goal in asked]


def leading_goal(config: Config) -> str:
    """The goal that ``select`` names, whatever it is written as; else the first one."""
    wanted = wanted_score(config)
    names = [goal.name for goal in goals_of(config)]
    if wanted is not None:
        plain = wanted.model == config.models[0]
        return wanted.score if plain else f"{wanted.score}.{wanted.model}"
    return config.select if config.select in names else names[0]


@dataclass(frozen=True)
class FoundFrontiers:
    """The frontiers by goal, and how they were found.

    ``complete``: every vector that meets what is required was seen; ``proven``: nothing can be added to any frontier;
    ``optimal`` is the goal that rules are selected by, where no vector is better than the best found by it, else None.
    ``scores`` are those of the vectors that models were trained for.
    """

    frontiers: Mapping[str, Frontier]
    nodes: int
    evaluated: int
    trained: int
    complete: bool
    scores: Mapping[LevelVector, Mapping[str, Score]]
    optimal: str | None

    @property
    def proven(self) -> bool:
        """Whether nothing can be added to any frontier."""
        return not any(one.left for one in self.frontiers.values())

    @property
    def proven_from(self) -> int:
        """The k from which up nothing can be added to any frontier; 1 where that is so for every k."""
        return max((one.proven_from for one in self.frontiers.values()), default=1)

    def as_json(self) -> dict[str, Any]:
        """The summary that ``discover --json`` prints; ``proven`` are the measures whose frontier is, at every k."""
        return {
            "measures": list(self.frontiers),
            "proven": [name for name, one in self.frontiers.items() if not one.left],
            "complete": self.complete,
            "optimal": self.optimal,
            "nodes": self.nodes,
            "evaluated": self.evaluated,
            "trained": self.trained,
        }


class FrontierFinder:
    """The search of all frontiers, in steps that take the limits which they are given.

    Args:
        records: what is searched, with folds where models are measured.
        config: measures, weights, models.
        judge: what is required, and what vectors come to.
        limits: when to stop, and what counts the work.
        reporter: receives announcements of progress.
        picked_by: the measures that rules are picked by afterwards, where that is all they are for.
    """

    def __init__(
        self,
        records: SearchedRecords,
        config: Config,
        judge: VectorJudge,
        limits: SearchLimits,
        reporter: Reporter = Reporter(),
        picked_by: Collection[str] | None = None,
    ) -> None:
        self.records = records
        self.config = config
        self.judge = judge
        self.work = limits.work
        self.limits = limits
        self.reporter = reporter
        self.goals = goals_of(config, picked_by)
        self.scores: dict[LevelVector, dict[str, Score]] = {}
        assess = self._assessor()

        def seen(vector: LevelVector) -> GoalOutcome:
            if judge.space.is_under_floor(vector):
                return UNDER_FLOOR
            self._count()
            return assess(vector)

        space = judge.space
        self.falling = FallingSearch(space.coarsest, seen, with_roots=bool(space.caps), finest=space.finest)
        self.search = FrontierSearch(self.falling, self.goals, self._train, self._tighter, self._prove)
        self._of_trees = assess.of_trees
        self._additive, self._nested = assess.additive, assess.nested

    def nearest(self) -> list[LevelVector]:
        """The seen vectors of the largest k; some of many."""
        known = self.falling.known
        largest = max((seen.reach for seen in known.values()), default=0)
        return sorted(vector for vector, seen in known.items() if seen.reach == largest)[:NEAREST]

    def _count(self) -> None:
        self.work.evaluate()
        self._progress()

    def _progress(self) -> None:
        most, left = self.limits.budget, self.limits.units_left
        if most is not None and left is not None:
            self.reporter.progress(STAGE, int(most - left), int(most))

    def found(self) -> FoundFrontiers:
        """What was found so far."""
        frontiers = self.search.frontiers()
        self.reporter.progress(STAGE, 1, 1)  # however much of its bound the search took
        known = self.falling.known
        by_name, leading = {one.goal.name: one for one in frontiers}, leading_goal(self.config)
        return FoundFrontiers(
            by_name,
            self.falling.nodes,
            sum(seen is not UNDER_FLOOR for seen in known.values()),
            len(self.scores),
            self.falling.complete,
            self.scores,
            leading if self.search.optimal is not None or not by_name[leading].left else None,
        )

    def _assessor(self) -> LevelAssessor:
        judge, requirement = self.judge, self.judge.requirement
        attributes = self.records.attributes(self._cell_goal())
        if any(goal.model for goal in self.goals):
            table, classes = self.records.folded
        else:
            table, classes = judge.table, None
        k, weights = self.config.requirement.k, self.config.weights
        goals: list[Goal | ScoreGoal] = [
            ScoreGoal(goal.name, goal.name.startswith("balanced"), classes)
            if goal.model and classes is not None
            else make_goal(goal.name, list(attributes), list(attributes.values()), k=k, weights=weights)
            for goal in self.goals
        ]
        models = [one.model for one in self.goals]
        return LevelAssessor(table, goals, requirement, judge.classes, classes, models, self.work.spend)

    def _cell_goal(self) -> str:
        return self.config.select if self.config.select in GOALS else DEFAULT_GOAL

    def _table(self, vector: LevelVector) -> Contingency:
        """What models are trained on, the records that the vector leaves out apart."""
        levels = self.judge.space.named(vector)
        suppressed = self.judge.verdict(vector).measures.suppressed
        return kept_contingency(self.records, self.judge, levels, suppressed)

    def _prove(self, limits: SearchLimits) -> int | None:
        """The number of the goal that rules are selected by, where costs of levels prove its best vector."""
        number = [goal.name for goal in self.goals].index(leading_goal(self.config))
        additive = self._additive(number)
        if additive is None:
            return None
        proven = find_optimum(self.falling, number, additive, limits.over, nested=self._nested)
        return number if proven else None

    def _tighter(self, vector: LevelVector, model: str) -> Mapping[str, float]:
        """What a vector promises of the goals of a model, where more is known of it than of any model."""
        found = self._of_trees(vector) if model == TREE else None
        if found is None:
            return {}
        self.work.evaluate()
        return {goal.name: cost for goal, cost in zip(self.goals, found, strict=True) if goal.model == model}

    def _train(self, vector: LevelVector, model: str) -> Mapping[str, float]:
        """The costs of the goals of a model, trained for a vector."""
        from anonduck.models.known_scores import KNOWN

        table = self._table(vector)
        self.work.train([model], len(table.codes))
        self._progress()
        found = KNOWN.scores(table, [model], self.config.seed).by_model
        self.scores.setdefault(vector, {}).update(found)
        named = [goal.name for goal in self.goals if goal.model == model]
        return {name: -round(float(getattr(found[model], name.partition(".")[0])), DIGITS) for name in named}


def with_proofs(rules: Sequence[Rule], found: FoundFrontiers) -> list[Rule]:
    """The rules with whether, by all measures, no rule of at least their k is better than the best found."""
    frontiers = found.frontiers.values()
    return [replace(rule, proven=all(one.proven_at(rule.measures.k) for one in frontiers)) for rule in rules]
