"""The decision-support framework in order: patterns, RFDs, rules, measures, joins, frontier (Caruccio et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anonduck.config import Config
from anonduck.database import Database
from anonduck.frontier import frontier
from anonduck.joining import Falling, Joined, Threshold, join_rules
from anonduck.measures import (
    CODED,
    GENERALIZED,
    Totals,
    measure_rule,
    measure_totals,
)
from anonduck.patterns import Covered, PairJoin, class_differing_patterns, cover, join_pairs
from anonduck.privacy import ask
from anonduck.reporting import Reporter
from anonduck.requiring import Demand, RuleJudge, Verdict
from anonduck.rfds import Discovered, discover_rfds
from anonduck.rules import POOL, Levels, Measures, Rule, Space, literal
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.training import baseline_scores, train_rules
from anonduck.utility import UtilityMeasurer

DEFAULT_OBJECTIVES = ("k", "accuracy")
WITHOUT_MODELS = ("k", "information_gain")


@dataclass(frozen=True)
class Mined:
    """What one coverage gave: its patterns, its RFDs with their measures, and the rules at or above the minimal k.

    Where a requirement can be regained by finer rules, those that miss it are among these too.
    """

    covered: Covered
    rfds: Discovered
    measures: Mapping[Levels, Measures]
    extracted: tuple[Levels, ...]
    joined: Joined

    def rfd_lines(self, space: Space) -> list[dict[str, Any]]:
        """Each RFD with its k and how far it holds on all pairs."""
        lines = []
        for vector in self.rfds.vectors:
            levels, m = space.named(vector), self.measures[vector]
            line = {"coverage": self.covered.coverage, "levels": levels, "literal": literal(levels), "k": m.k}
            lines.append({**line, "violating_pairs": m.violating_pairs, "violating_share": m.violating_share})
        return lines

    def summary(self) -> dict[str, Any]:
        """The counts, as ``discover --json`` prints them."""
        return {
            "coverage": self.covered.coverage,
            "last_count": self.covered.threshold,
            "patterns": self.covered.patterns,
            "class_differing": self.covered.class_differing,
            "minimal_class_differing": self.rfds.minimal_patterns,
            "rfds": len(self.rfds.vectors),
            "rfds_complete": self.rfds.complete,
            "rfds_at_min_k_complete": self.rfds.admissible_complete,
            "rfds_at_min_k": len(self.extracted),
            "joined_per_round": list(self.joined.per_round),
            "joins_complete": self.joined.complete,
            "candidates_left": self.joined.left,
            "rules": len(self.extracted) + len(self.joined.parents),
            "incomplete": not (self.rfds.complete and self.joined.complete),
        }


@dataclass(frozen=True)
class Discovery:
    """Everything that ``discover`` found, as it is stored in the decision database."""

    rules: tuple[Rule, ...]
    coverages: tuple[dict[str, Any], ...]
    pair_join: PairJoin | None
    totals: Totals
    baseline: Mapping[str, Mapping[str, Any]]
    models: tuple[str, ...]
    min_k: int
    test_on: str = GENERALIZED
    rfds: tuple[dict[str, Any], ...] = ()
    explanation: str = ""
    requirement: Mapping[str, Any] = field(default_factory=dict)
    nearest: str = ""
    search: str = "rfd"
    lattice: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """The summary that ``discover --json`` prints, beside the rules."""
        return {
            "rows": self.totals.records,
            "min_k": self.min_k,
            "requirement": dict(self.requirement),
            "models": list(self.models),
            "test_on": self.test_on,
            "baseline": {name: dict(values) for name, values in self.baseline.items()},
            "search": self.search,
            "lattice": None if self.lattice is None else dict(self.lattice),
            "pairs": None if self.pair_join is None else asdict(self.pair_join),
            "coverages": list(self.coverages),
            "incomplete": any(item["incomplete"] for item in self.coverages)
            or (self.lattice is not None and not self.lattice["optimal"]),
            "explanation": self.explanation,
            "nearest": self.nearest,
        }


class RuleMeasurer:
    """Measures each level vector once, whichever coverage asks for it."""

    def __init__(self, database: Database, space: Space, totals: Totals) -> None:
        self.database = database
        self.space = space
        self.totals = totals
        self.known: dict[Levels, Measures] = {}

    def __call__(self, vector: Levels) -> Measures:
        """k, classes, information gain and violations of the rule."""
        if vector not in self.known:
            self.known[vector] = measure_rule(self.database, self.space.named(vector), self.totals)
        return self.known[vector]


def discover_rules(
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    quasi_identifiers: Sequence[str],
    *,
    min_k: int,
    demand: Demand | None = None,
    reporter: Reporter = Reporter(),
) -> Discovery:
    """From ``coded_frequency_set`` to measured rules with their frontier.

    Args:
        database: holds ``coded_frequency_set`` (see anonduck.frequency).
        config: coverages, bounds, models, sample and seed.
        taxonomies: one for each quasi-identifier.
        quasi_identifiers: the attributes of the rules, in the order of the source.
        min_k: rules under it are not kept.
        demand: what the rules must meet, with ``min_k`` for its k; by default that alone.
        reporter: is told of samples, bounds and progress.
    """
    from anonduck.models import check_models

    check_models(config.models)
    space = Space(tuple(quasi_identifiers), tuple(taxonomies[name].root for name in quasi_identifiers))
    roots = dict(zip(space.attributes, space.roots, strict=True))
    totals = measure_totals(database)
    joined_pairs = join_pairs(
        database,
        roots,
        config,
        announce=reporter.announce,
        progress=lambda done, total: reporter.progress("joining pairs", done, total),
    )
    measure = RuleMeasurer(database, space, totals)
    judge = RuleJudge(database, space, measure, demand or Demand(ask({"k": min_k})), totals.records)
    reaches = Threshold(lambda v: measure(v).k, min_k) if judge.demand.plain else Falling(judge.holds)
    mined = mine_coverages(
        database, config, space, joined_pairs, measure, min_k=min_k, reaches=reaches, reporter=reporter
    )
    pooled = _pooled(mined, space, reaches, config, reporter)
    rules = number_rules(mined, pooled, space, lambda v: judge.verdict(v).measures, lambda v: judge.verdict(v).met)
    rules = with_utility(
        database, rules, {name: taxonomies[name] for name in space.attributes}, config, reporter, judge=judge
    )
    rules = train_rules(database, rules, taxonomies, config, reporter, lambda rule: kept_rows(rule, judge))
    judge.forget()
    baseline = baseline_scores(database, roots, taxonomies, config.models, totals, reporter)
    return Discovery(
        rules=mark_frontier(rules, config.models),
        coverages=tuple(item.summary() for item in mined),
        pair_join=joined_pairs,
        totals=totals,
        baseline=baseline,
        models=tuple(config.models),
        min_k=min_k,
        test_on=config.test_on,
        rfds=tuple(line for item in mined for line in item.rfd_lines(space)),
        explanation="" if rules else explain_no_rule(mined, min_k, judge, space),
        requirement=judge.demand.as_json(),
        nearest="" if rules else nearest_miss(mined, judge, space),
    )


def mine_coverages(
    database: Database,
    config: Config,
    space: Space,
    joined_pairs: PairJoin,
    measure: RuleMeasurer,
    *,
    min_k: int,
    reaches: Falling | None = None,
    reporter: Reporter,
) -> list[Mined]:
    """For each coverage: its most frequent patterns, their RFDs, the rules that reach ``min_k``, and their joins.

    ``reaches`` is what the rules must have beside or in place of that k, and no finer rule regains.
    """
    needed = reaches or Threshold(lambda vector: measure(vector).k, min_k)
    return [
        _mine(database, config, space, joined_pairs, measure, needed, min_k, coverage, reporter)
        for coverage in config.coverage
    ]


def _mine(
    database: Database,
    config: Config,
    space: Space,
    joined_pairs: PairJoin,
    measure: RuleMeasurer,
    reaches: Falling,
    min_k: int,
    coverage: float,
    reporter: Reporter,
) -> Mined:
    covered = cover(database, joined_pairs, coverage, config.coverage_over)
    roots = dict(zip(space.attributes, space.roots, strict=True))
    patterns = class_differing_patterns(database, roots, covered.threshold)
    rfds = discover_rfds(patterns, space.roots, config.max_rfds, reaches)
    if not rfds.complete:
        reached = "all that reach" if rfds.admissible_complete else f"{config.max_rfds:,} that reach"
        reporter.announce(
            f"coverage {coverage:g}: more than {config.max_rfds:,} RFDs ({rfds.minimal_patterns:,} minimal "
            f"class-differing patterns); {reached} k = {min_k} were searched apart. This coverage is "
            "incomplete; `--max-rfds N` moves the bound"
        )
    measures = {}
    for number, vector in enumerate(rfds.vectors, start=1):
        measures[vector] = measure(vector)
        reporter.progress(f"measuring RFDs at {coverage:g}", number, len(rfds.vectors))
    extracted = tuple(vector for vector in rfds.vectors if reaches.holds(vector))
    joined = join_rules(extracted, space.roots, reaches, config.max_rules)
    _announce_bound(joined, f"coverage {coverage:g}", config, reporter)
    return Mined(covered, rfds, measures, extracted, joined)


def _pooled(mined: Sequence[Mined], space: Space, reaches: Falling, config: Config, reporter: Reporter) -> Joined:
    if not config.pool:
        return Joined()
    extracted = list(dict.fromkeys(vector for item in mined for vector in item.extracted))
    joined = join_rules(extracted, space.roots, reaches, config.max_rules)
    _announce_bound(joined, "the pooled coverages", config, reporter)
    return joined


def _announce_bound(joined: Joined, whose: str, config: Config, reporter: Reporter) -> None:
    if not joined.complete:
        reporter.announce(
            f"{whose}: joining reached {config.max_rules:,} rules with {joined.left:,} candidates left in its round; "
            "it is incomplete. `--max-rules N` moves the bound, a larger --min-k gives fewer rules"
        )


def number_rules(
    mined: Sequence[Mined],
    pooled: Joined,
    space: Space,
    measure: Callable[[Levels], Measures],
    meets: Callable[[Levels], bool] = lambda _: True,
) -> list[Rule]:
    """One rule per distinct vector, numbered by coverage, extracted before joined, largest k first among extracted.

    A vector that does not meet what is required is no rule, though rules may be joined from it: parents are named where
    they are rules.
    """
    origins: dict[Levels, dict[str, str]] = {}
    parents: dict[Levels, tuple[Levels, ...]] = {}
    for item in mined:
        key = f"{item.covered.coverage:g}"
        for vector in sorted(item.extracted, key=lambda v: (-measure(v).k, v)):
            origins.setdefault(vector, {})[key] = "extracted"
        for vector, pair in item.joined.parents.items():
            origins.setdefault(vector, {})[key] = "joined"
            parents.setdefault(vector, pair)
    for vector, pair in pooled.parents.items():
        if vector not in origins:
            origins[vector] = {POOL: "joined"}
            parents[vector] = pair
    ids = {vector: f"R{number}" for number, vector in enumerate(filter(meets, origins), start=1)}
    return [
        Rule(
            id=ids[vector],
            levels=space.named(vector),
            origins=where,
            parents=tuple(ids[parent] for parent in parents.get(vector, ()) if parent in ids),
            measures=measure(vector),
        )
        for vector, where in origins.items()
        if vector in ids
    ]


def with_utility(
    database: Database,
    rules: Sequence[Rule],
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    reporter: Reporter,
    judge: RuleJudge | None = None,
) -> list[Rule]:
    """The rules with the utility measures that the config asks for."""

    def measurer(rows: str, suppressed: int) -> UtilityMeasurer:
        k, weights = config.requirement.k, config.weights
        return UtilityMeasurer(database, taxonomies, k=k, weights=weights, cells=rows, suppressed=suppressed)

    whole = measurer(CODED, 0)
    measured = []
    for number, rule in enumerate(rules, start=1):
        suppressed = rule.measures.suppressed
        measure = measurer(kept_rows(rule, judge), suppressed) if suppressed else whole
        measured.append(replace(rule, utility=measure(rule.levels, config.measures)))
        reporter.progress("measuring utility", number, len(rules))
    return measured


def kept_rows(rule: Rule, judge: RuleJudge | None) -> str:
    """The table of the records that stay under a rule."""
    return CODED if judge is None else judge.kept(judge.space.vector(rule.levels), rule.measures.suppressed)


def mark_frontier(rules: Sequence[Rule], models: Sequence[str]) -> tuple[Rule, ...]:
    """The rules with ``on_frontier`` and ``equal_to`` set for the default objectives."""
    kept = frontier(rules, default_objectives(models), models)
    return tuple(replace(r, on_frontier=r.id in kept, equal_to=kept.get(r.id, ())) for r in rules)


def default_objectives(models: Sequence[str]) -> tuple[str, str]:
    """k and the first model's accuracy, or the information gain where no model is measured."""
    return DEFAULT_OBJECTIVES if models else WITHOUT_MODELS


def explain_no_rule(mined: Sequence[Mined], min_k: int, judge: RuleJudge, space: Space) -> str:
    """Why there is no rule, and what to try next."""
    if not any(item.covered.class_differing for item in mined):
        return (
            "no rule: none of the most frequent distance patterns differs in class. "
            "Try a larger --coverage, or `coverage_over: class_differing` for a rare class"
        )
    if not any(item.rfds.vectors for item in mined):
        return (
            "no rule: records that are equal in all quasi-identifiers differ in class, and that pattern is among the "
            "most frequent, so no generalization separates it. Try a smaller --coverage, or quasi-identifiers "
            "that tell more"
        )
    if not judge.demand.plain:
        return (
            f"no rule meets {judge.demand.text}: the nearest RFD, {nearest_miss(mined, judge, space)}. "
            "Try a smaller --coverage (coarser rules), a weaker requirement, more suppression, or coarser taxonomies"
        )
    best = max(m.k for item in mined for m in item.measures.values())
    return (
        f"no rule: the RFDs reach k = {best} at most, under the required {min_k}. "
        "Try a smaller --coverage (coarser rules), a smaller --min-k, or coarser taxonomies"
    )


def nearest_miss(mined: Sequence[Mined], judge: RuleJudge, space: Space) -> str:
    """The RFD or joined vector that misses least, and what it reaches; empty if there is none."""
    vectors = {vector for item in mined for vector in (*item.rfds.vectors, *item.joined.parents)}
    if not vectors:
        return ""

    def near(vector: Levels) -> tuple[Any, ...]:
        verdict: Verdict = judge.verdict(vector)
        measures = verdict.measures
        return (*verdict.nearness, -measures.suppressed, measures.k, tuple(-level for level in vector))

    best = max(vectors, key=near)
    return f"{literal(space.named(best))}, reaches {', '.join(judge.verdict(best).unmet)}"
