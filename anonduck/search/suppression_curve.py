"""What a little suppression buys: for a few shares of the records, the best rules found that leave out so many.

Looked for on the frequency set in memory from the rules that were found, by information gain and by the share of
records that the majorities of the equivalence classes predict, both over all records. What is stored of a rule is
measured as of every other one, by the judge, for the same requirement with more suppression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.numpy_measures import by_row, information_gain, majority_share
from anonduck.measures.requirement import Requirement
from anonduck.measures.shortfall import Shortfall, blocked_by
from anonduck.privacy.requirement import ask
from anonduck.rules.levels import one_level_coarser
from anonduck.rules.rule import LevelVector, Rule, RuleSpace, literal
from anonduck.search.budgets import frequency_rows
from anonduck.search.discovery import Discovery
from anonduck.search.lattice.suppressed_search import Climb, SuppressedVector, unbeaten
from anonduck.search.level_judge import allowed
from anonduck.search.searched_records import StoredRecords, kept_contingency
from anonduck.search.training import model_scores
from anonduck.taxonomy.catalog import Taxonomy

SHARES = (0.001, 0.01, 0.05)
"""The shares of the records that are tried, beside the one that the config allows."""

MOST_RULES = 3
"""Rules that are kept for each share."""

MOST_ROWS = 1 << 20
"""Up to so many rows of the frequency set, there is a curve: more would take more memory than it is worth."""

MEASURES = 2
WORK, LOOKS, MOST_WORK = 6_000_000, 40, 20_000_000
"""Rows that are rolled up for each share and measure: so many, or on large tables for so many looks at all rows."""
LEAST_WORK = 4_000
"""What a look counts at least."""

TRAINED_CLASSES = 4_000
"""Equivalence classes of the rules that the first model is trained for, each rule counted with RULE_CLASSES more."""
RULE_CLASSES = 200
DEARER = 25
"""How much dearer than the tree every other model is."""

SCORES = {"accuracy": "accuracy", "accuracy_error": "standard_error", "balanced_accuracy": "balanced_accuracy"}
"""The scores of a rule, as it stores them and as they are measured."""

SETTLED = 20
"""Vectors that are judged for a rule, where more than k is required."""


def with_suppression_curve(
    discovery: Discovery,
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    *,
    requirement: Requirement,
    over: Callable[[], bool] = lambda: False,
    reporter: Reporter = Reporter(),
) -> Discovery:
    """The discovery with what suppression would buy, and where it found no rule with the share that would give one.

    Args:
        discovery: what was found as it is required.
        database: holds what the discovery was made from.
        config: the models, the seed; ``requirement`` is what it requires.
        taxonomies: one for each quasi-identifier, in the order of the source.
        requirement: what rules must meet.
        over: whether the time is up; what was not found by then is left out.
        reporter: receives what was left out.
    """
    shares = [share for share in SHARES if share > requirement.suppression]
    rows = frequency_rows(database)
    if not shares or rows > MOST_ROWS:
        if shares:
            reporter.announce(f"what suppression would buy was not looked for: {rows:,} combinations of values")
        return discovery
    if over():
        reporter.announce("what suppression would buy was not looked for: the time was up")
        return discovery
    curve = _Curve(database, config, taxonomies, replace(requirement, suppression=shares[-1]), over)
    rules = [curve.space.vector(rule.levels) for rule in discovery.rules]
    found = curve.search(rules, shares, curve.allowed(requirement.suppression))
    points = tuple({"suppression": share, "rules": rules} for share, rules in curve.lines(found))
    why = "" if discovery.rules else offered(points, requirement, curve.judge.records, curve.nearest())
    curve.judge.forget()
    return replace(
        discovery,
        suppression_curve=points,
        offer=why,
        explanation="; ".join(part for part in (discovery.explanation, why) if part),
    )


def offered(
    points: Sequence[Mapping[str, Any]], requirement: Requirement, records: int, nearest: tuple[str, Shortfall] | None
) -> str:
    """What to allow where there is no rule: the smallest share that gives one, or how far away the nearest is."""
    rules = next((point["rules"] for point in points if point["rules"]), None)
    if rules is not None:
        first = rules[0]
        blocked = blocked_by(requirement, first["suppressed"], records)
        return f"suppression would give {first['literal']} with k = {first['k']:,}: {blocked.text}"
    if nearest is None or not requirement.only_k:
        return ""
    rule, shortfall = nearest
    if shortfall.failing == shortfall.records:
        return f"even {rule}, which leaves out the fewest records, would leave out all"
    return f"{rule} leaves out the fewest: {shortfall.text}" if shortfall.failing else ""


def gain_by_suppression(discovery: Discovery) -> str | None:
    """The rule of the smallest share that is better than all that were found, and what blocks it; None without any.

    Better is a larger accuracy of the first model by more than its standard error, or without models a larger
    information gain.
    """
    model = discovery.models[0] if discovery.models else None
    reached = [_merit(rule.as_json(), model) for rule in discovery.rules]
    best = max((value for value in reached if value is not None), default=None)
    for point in discovery.suppression_curve:
        for line in sorted(point["rules"], key=lambda one: -(_merit(one, model) or 0.0)):
            value = _merit(line, model)
            needed = line["accuracy_standard_error"].get(model, 0.0)
            if best is None or value is None or value <= best + needed:
                continue
            what = "information gain" if model is None else f"{model} accuracy"
            asked = ask({name: one for name, one in discovery.requirement.items() if name != "suppression"})
            blocked = blocked_by(Requirement(asked), line["suppressed"], discovery.totals.records)
            return f"{line['literal']} would reach {what} {value:.4f} (best found: {best:.4f}); {blocked.text}"
    return None


def _merit(line: Mapping[str, Any], model: str | None) -> float | None:
    """What a rule is compared by, as a line of JSON has it."""
    found = line["information_gain"] if model is None else line["accuracy"].get(model)
    return None if found is None else float(found)


@dataclass(eq=False)
class _SuppressedVectors:
    """Looks at level vectors on the frequency set in memory, each once, counted as work."""

    table: FrequencyTable
    requirement: Requirement
    known: dict[LevelVector, SuppressedVector] = field(default_factory=dict)
    work: int = 0

    def __call__(self, vector: LevelVector) -> SuppressedVector:
        if vector not in self.known:
            self.work += max(LEAST_WORK, self.table.rows_read(vector))
            self.known[vector] = self._seen(vector)
        return self.known[vector]

    def _seen(self, vector: LevelVector) -> SuppressedVector:
        rolled = self.table.at(vector)
        sizes = rolled.sizes
        failing = sizes < self.requirement.k
        left_out = int(sizes[failing].sum())
        if failing.all() or not self.requirement.allows(left_out, self.table.records):
            return SuppressedVector(left_out)
        gone = by_row(rolled, failing) if left_out else None
        measures = (information_gain(rolled, gone), majority_share(rolled, gone))
        return SuppressedVector(left_out, measures, int(sizes[~failing].min()))


class _Curve:
    """The search, the judge and the models of one curve; ``requirement`` allows its largest share."""

    def __init__(
        self,
        database: Database,
        config: Config,
        taxonomies: Mapping[str, Taxonomy],
        requirement: Requirement,
        over: Callable[[], bool],
    ) -> None:
        self.config = config
        self.over = over
        roots = {name: one.root for name, one in taxonomies.items()}
        self.space = RuleSpace.keeping(roots, requirement.keep, read_floor(database))
        totals = measure_totals(database)
        self.records = StoredRecords(database, taxonomies, totals.records)
        table = self.records.table(with_class=True)
        self.judge = RuleJudge(database, self.space, requirement, totals, table=table)
        self.look = _SuppressedVectors(table, requirement)

    def search(self, rules: Sequence[LevelVector], shares: Sequence[float], before: int) -> dict[float, list[Rule]]:
        """For each share the best rules that leave out more records than smaller ones allow, the first ``before``."""
        starts = list(rules)
        found: dict[float, list[Rule]] = {}
        for share in shares:
            allowed = self.allowed(share)
            for measure in range(MEASURES):
                best = self._climb(allowed, measure).best(starts)
                starts += [] if best is None else [best]
            leading = self._leading(before, allowed)
            found[share] = [self._rule(vector) for vector in self._settled(leading, before, allowed)]
            before = allowed
        return found

    def _climb(self, allowed: int, measure: int) -> Climb:
        end = self.look.work + self._work
        return Climb(
            self.space.coarsest,
            self.look,
            measure,
            allowed,
            lambda: self.look.work >= end or self.over(),
            self.space.finest,
        )

    @property
    def _work(self) -> int:
        rows = len(self.look.table.leaves.records)
        return min(MOST_WORK, max(WORK, LOOKS * rows))

    def allowed(self, share: float) -> int:
        """The records that a share allows to leave out."""
        return allowed(replace(self.judge.requirement, suppression=share), self.judge.records)

    def _leading(self, before: int, allowed: int) -> list[LevelVector]:
        """Vectors that leave out more than ``before`` and that no other one that leaves out as few beats."""
        standing = [v for v, seen in self.look.known.items() if seen.measures and seen.failing <= allowed]
        telling = [vector for vector in standing if vector != self.space.roots and self.look(vector).measures[0] > 0]
        return [vector for vector in unbeaten(telling, self.look) if self.look(vector).failing > before][:MOST_RULES]

    def _settled(self, vectors: Iterable[LevelVector], before: int, allowed: int) -> Iterator[LevelVector]:
        """The vectors that meet what is required; in place of one that does not, a coarser one that does."""
        seen: set[LevelVector] = set()
        for vector in vectors:
            found = self._met_above(vector, allowed)
            if found is not None and found not in seen and self.judge.verdict(found).measures.suppressed > before:
                seen.add(found)
                yield found

    def _met_above(self, vector: LevelVector, allowed: int) -> LevelVector | None:
        for _ in range(SETTLED):
            verdict = self.judge.verdict(vector)
            if verdict.met and verdict.measures.suppressed <= allowed:
                return vector
            above = [one for one in one_level_coarser(vector, self.space.coarsest) if one != self.space.roots]
            fitting = [one for one in above if self.look(one).measures]
            if not fitting:
                return None
            vector = max(fitting, key=lambda one: (self.look(one).measures, one))
        return None

    def _rule(self, vector: LevelVector) -> Rule:
        measures = self.judge.verdict(vector).measures
        return Rule(id="", levels=self.space.named(vector), origins={}, parents=(), measures=measures)

    def nearest(self) -> tuple[str, Shortfall] | None:
        """Of what was looked at, the rule with the fewest records in classes that fail, and what is in its way."""
        known = {vector: seen for vector, seen in self.look.known.items() if vector != self.space.roots}
        if not known:
            return None
        best = min(known, key=lambda vector: (known[vector].failing, vector))
        return literal(self.space.named(best)), blocked_by(
            self.judge.requirement, known[best].failing, self.judge.records
        )

    def lines(self, found: Mapping[float, Sequence[Rule]]) -> Iterator[tuple[float, list[dict[str, Any]]]]:
        """The rules of each share as they are stored, the first model trained for as many as its bound allows."""
        left = TRAINED_CLASSES
        for share, rules in found.items():
            trained = []
            for rule in rules:
                left -= self._cost(rule)
                trained.append(self._trained(rule) if self.config.models and left >= 0 and not self.over() else rule)
            yield share, [_line(rule) for rule in sorted(trained, key=_first_best)]

    def _cost(self, rule: Rule) -> int:
        dearer = 1 if self.config.models[:1] == ["tree"] else DEARER
        return dearer * (RULE_CLASSES + rule.measures.classes)

    def _trained(self, rule: Rule) -> Rule:
        suppressed, test_on = rule.measures.suppressed, self.config.test_on
        table = kept_contingency(self.records, self.judge, rule.levels, suppressed, test_on=test_on)
        scores = model_scores(table, self.config.models[:1], seed=self.config.seed)
        trained: dict[str, Any] = {
            stored: {model: score[name] for model, score in scores.items()} for stored, name in SCORES.items()
        }
        return replace(rule, **trained)


def _first_best(rule: Rule) -> tuple[float, float, str]:
    """Before others: the more accurate, unmeasured ones last; then the larger gain."""
    return -next(iter(rule.accuracy.values()), -1.0), -rule.measures.information_gain, literal(rule.levels)


def _line(rule: Rule) -> dict[str, Any]:
    names = (
        "levels",
        "literal",
        "k",
        "classes",
        "suppressed",
        "privacy",
        "information_gain",
        "accuracy",
        "accuracy_standard_error",
        "balanced_accuracy",
    )
    document = rule.as_json()
    return {name: document[name] for name in names}
