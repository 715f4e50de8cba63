"""The decision-support framework in order: patterns, RFDs, rules, measures, joins, frontier (Caruccio et al. 2022)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.config.entity import PersonCounts
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.frequency.patterns import PairJoin, join_pairs
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import GENERALIZED, ClassTotals, measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import selected_utility, utility_of
from anonduck.privacy.requirement import ask
from anonduck.rules.frontier import marked
from anonduck.rules.rule import AUTO, COMBINED, POOL, REFINED, TOLERANT, LevelVector, Measures, Rule, RuleSpace, literal
from anonduck.search.added_rules import AddedRules, widen
from anonduck.search.budgets import limit_work
from anonduck.search.explanation import explain_no_rule, nearest_miss
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.mining import CoverageResult, mine_coverages, pool_coverages
from anonduck.search.quick_measures import QuickMeasurer
from anonduck.search.rfd.joining import JoinResult, MinimalK, MonotoneProperty
from anonduck.search.training import baseline_within, train_rules
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.words import counted, html_table, summary_line

DEFAULT_OBJECTIVES = ("k", "accuracy")
WITHOUT_MODELS = ("k", "information_gain")
MEASURED_AFTER = 0.15  # of the limits, kept for the measures and models of the rules that were found


@dataclass(frozen=True, repr=False)
class Discovery:
    """Everything that ``discover`` found, as it is stored in the decision database.

    ``proven``: no rule that meets what is required is better, at any k, than the best of these in the measures that
    were searched for; from ``proven_from_k`` up that holds in any case, None where it holds for no k. ``budget`` says
    what could be done and what was, ``cut`` what ended the search before its end, if anything did.
    ``floor`` is the level of each column under which values were not told apart and no rule was looked for.
    ``entity`` says what k is in persons, where it stands for those.
    """

    rules: tuple[Rule, ...]
    coverages: tuple[dict[str, Any], ...]
    pair_join: PairJoin | None
    totals: ClassTotals
    baseline: Mapping[str, Mapping[str, Any]]
    models: tuple[str, ...]
    min_k: int
    test_on: str = GENERALIZED
    rfds: tuple[dict[str, Any], ...] = ()
    explanation: str = ""
    requirement: Mapping[str, Any] = field(default_factory=dict)
    k_counts: tuple[str, ...] = ()
    nearest: str = ""
    search: str = "rfd"
    combined: Mapping[str, Any] | None = None
    lattice: Mapping[str, Any] | None = None
    exact: Mapping[str, Any] | None = None
    proven: bool = False
    proven_from_k: int | None = None
    budget: Mapping[str, Any] | None = None
    cut: Mapping[str, Any] | None = None
    suppression_curve: tuple[Mapping[str, Any], ...] = ()
    offer: str = ""
    floor: Mapping[str, int] = field(default_factory=dict)
    entity: PersonCounts | None = None

    def __repr__(self) -> str:
        """How many rules there are, and whether better ones can be."""
        sizes = sorted(rule.measures.k for rule in self.rules if rule.on_frontier)
        reach = " to ".join(dict.fromkeys(f"{k:,}" for k in (*sizes[:1], *sizes[-1:])))
        proven = "proven" if self.proven else ""
        rules = counted(len(self.rules), "rule", "rules")
        return summary_line(
            "Discovery", [rules, f"{len(sizes):,} on the frontier", reach and f"k {reach}", proven, self.explanation]
        )

    def _repr_html_(self) -> str:
        """The rules of the frontier, by falling k."""
        kept = sorted((rule for rule in self.rules if rule.on_frontier), key=lambda rule: -rule.measures.k)
        rows = [
            {"rule": rule.id, "k": f"{rule.measures.k:,}", "gain (bits)": f"{rule.measures.information_gain:.4f}"}
            | {f"{name} accuracy": "" if score is None else f"{score:.4f}" for name, score in rule.accuracy.items()}
            | {"levels": literal(rule.levels)}
            for rule in kept
        ]
        return html_table(repr(self), rows)

    def as_json(self) -> dict[str, Any]:
        """The summary that ``discover --json`` prints, beside the rules."""
        return {
            "rows": self.totals.records,
            "min_k": self.min_k,
            "requirement": dict(self.requirement),
            "k_counts": list(self.k_counts),
            "models": list(self.models),
            "test_on": self.test_on,
            "baseline": {name: dict(values) for name, values in self.baseline.items()},
            "search": self.search,
            "combined": None if self.combined is None else dict(self.combined),
            "lattice": None if self.lattice is None else dict(self.lattice),
            "exact": None if self.exact is None else dict(self.exact),
            "proven": self.proven,
            "proven_from_k": self.proven_from_k,
            "budget": None if self.budget is None else dict(self.budget),
            "cut": None if self.cut is None else dict(self.cut),
            "pairs": None if self.pair_join is None else asdict(self.pair_join),
            "coverages": list(self.coverages),
            "incomplete": any(item["incomplete"] for item in self.coverages)
            or any(not part["complete"] for part in (self.combined or {}).values())
            or (self.lattice is not None and not self.lattice["optimal"])
            or (self.exact is not None and not self.proven),
            "explanation": self.explanation,
            "nearest": self.nearest,
            "offer": self.offer,
            "suppression_curve": list(self.suppression_curve),
            "floor": dict(self.floor),
            **({} if self.entity is None else {"entity": self.entity.as_json()}),
        }


def discover_rules(
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    quasi_identifiers: Sequence[str],
    *,
    min_k: int | None = None,
    requirement: Requirement | None = None,
    limits: SearchLimits | None = None,
    reporter: Reporter = Reporter(),
) -> Discovery:
    """From ``coded_frequency_set`` to measured rules with their frontier.

    Args:
        database: holds ``coded_frequency_set`` (see anonduck.frequency.frequency_set).
        config: coverages, bounds, models, sample and seed.
        taxonomies: one for each quasi-identifier.
        quasi_identifiers: the attributes of the rules, in the order of the source.
        min_k: rules under it are not kept; where it is given alone, it is all that they must meet.
        requirement: what the rules must meet.
        limits: when to stop; by default the config's time limit, from now on.
        reporter: is told of samples, bounds and progress.
    """
    from anonduck.models.cross_validation import check_models

    check_models(config.models)
    asked = requirement or Requirement(ask({"k": min_k or 1}), with_class="class" in config.k_counts, keep=config.keep)
    roots = {name: taxonomies[name].root for name in quasi_identifiers}
    space = RuleSpace.keeping(roots, asked.keep, read_floor(database))
    chosen = {name: taxonomies[name] for name in space.attributes}
    totals = measure_totals(database)
    limits = limits or SearchLimits(config.time_limit)
    baseline = baseline_within(limits, database, roots, taxonomies, config.models, totals, reporter)
    limits = limit_work(limits, database, config, len(quasi_identifiers))
    rest = limits.but(MEASURED_AFTER)
    limits.begin("mining RFDs and refining rules")
    joined_pairs = joined(database, roots, config, reporter, rest)
    min_k = asked.k
    judge = RuleJudge(database, space, asked, totals)
    mined, pooled = mine(database, config, joined_pairs, judge, min_k, reporter, rest)
    widened = widen_rules(database, config, chosen, judge, mined, pooled, totals, reporter, rest)
    limits.begin("measuring rules and training models")
    rules = number_rules(mined, pooled, judge, widened)
    rules = with_utility(database, rules, chosen, config, reporter, judge, limits.over_time)
    rules = train_rules(
        database, rules, taxonomies, config, reporter, lambda rule: kept_rows(rule, judge), over=limits.over_time
    )
    judge.forget()
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
        explanation="" if rules else explain_no_rule(mined, min_k, judge, widened),
        requirement=judge.requirement.as_json(),
        k_counts=tuple(config.k_counts),
        search=config.search,
        combined=None if widened is None else widened.summary,
        nearest="" if rules else nearest_miss(mined, judge, widened),
        budget=budget_used(limits, config),
        cut=limits.work.cut,
    )


def joined(
    database: Database,
    roots: Mapping[str, int],
    config: Config,
    reporter: Reporter,
    limits: SearchLimits,
    most_pairs: int | None = None,
) -> PairJoin:
    """The histogram of distance patterns, of ``most_pairs`` at most, as far as the time goes."""
    return join_pairs(
        database,
        roots,
        config,
        announce=reporter.announce,
        progress=lambda done, total: reporter.progress("joining pairs", done, total),
        over=limits.over_time,
        most_pairs=most_pairs,
    )


def budget_used(limits: SearchLimits, config: Config) -> dict[str, Any]:
    """What could be done and what was, as ``discover --json`` prints it."""
    return {"limit": limits.budget, "time_limit": config.time_limit, **limits.work.as_json()}


def mine(
    database: Database,
    config: Config,
    joined_pairs: PairJoin,
    judge: RuleJudge,
    min_k: int,
    reporter: Reporter,
    limits: SearchLimits,
) -> tuple[list[CoverageResult], JoinResult]:
    """What the coverages give, and what they give together."""
    seen: set[LevelVector] = set()

    def counted(vector: LevelVector) -> Measures:
        if vector not in seen:
            seen.add(vector)
            limits.work.evaluate()
        return judge.whole(vector)

    def holds(vector: LevelVector) -> bool:
        counted(vector)
        return judge.holds(vector)

    reaches = MinimalK(lambda v: counted(v).k, min_k) if judge.requirement.plain else MonotoneProperty(holds)
    given = (database, config, judge.space, joined_pairs, judge.whole)
    mined = mine_coverages(*given, min_k=min_k, reaches=reaches, reporter=reporter, limits=limits)
    return mined, pool_coverages(mined, judge.space, reaches, config, reporter, limits)


def widen_rules(
    database: Database,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    judge: RuleJudge,
    mined: Sequence[CoverageResult],
    pooled: JoinResult,
    totals: ClassTotals,
    reporter: Reporter,
    limits: SearchLimits,
) -> AddedRules | None:
    """What a combined search adds to the rules of RFDs; None of another search."""
    if config.search not in (COMBINED, AUTO):
        return None
    begun = [judge.space.vector(rule.levels) for rule in number_rules(mined, pooled, judge)]
    prober = QuickMeasurer(database, taxonomies, judge, config, selected_utility(database, taxonomies, config, judge))
    return widen(begun, prober, config, differing_pairs=totals.differing_pairs, limits=limits, reporter=reporter)


def number_rules(
    mined: Sequence[CoverageResult], pooled: JoinResult, judge: RuleJudge, widened: AddedRules | None = None
) -> list[Rule]:
    """One rule per distinct vector, numbered by coverage, extracted before joined, largest k first among extracted;
    those of a combined search come last.

    A vector that does not meet what is required is no rule, though rules may be joined from it: parents are named where
    they are rules.
    """
    added = widened or AddedRules()
    origins, parents = rfd_origins(mined, pooled, lambda vector: judge.verdict(vector).measures.k)
    origins.update({vector: {TOLERANT: TOLERANT} for vector in added.tolerances})
    origins.update({vector: {REFINED: REFINED} for vector in added.parents})
    parents.update({vector: () if above is None else (above,) for vector, above in added.parents.items()})
    met = [vector for vector in origins if judge.verdict(vector).met]
    ids = {vector: f"R{number}" for number, vector in enumerate(met, start=1)}
    return [
        Rule(
            id=ids[vector],
            levels=judge.space.named(vector),
            origins=origins[vector],
            parents=tuple(ids[parent] for parent in parents.get(vector, ()) if parent in ids),
            measures=judge.verdict(vector).measures,
            tolerance=added.tolerances.get(vector),
        )
        for vector in met
    ]


def rfd_origins(
    mined: Sequence[CoverageResult], pooled: JoinResult, k_of: Callable[[LevelVector], int]
) -> tuple[dict[LevelVector, dict[str, str]], dict[LevelVector, tuple[LevelVector, ...]]]:
    """Where each vector comes from, by coverage, and the two that it was first joined from; in the order of numbers."""
    origins: dict[LevelVector, dict[str, str]] = {}
    parents: dict[LevelVector, tuple[LevelVector, ...]] = {}
    for item in mined:
        key = f"{item.covered.coverage:g}"
        for vector in sorted(item.extracted, key=lambda v: (-k_of(v), v)):
            origins.setdefault(vector, {})[key] = "extracted"
        for vector, pair in item.joined.parents.items():
            origins.setdefault(vector, {})[key] = "joined"
            parents.setdefault(vector, pair)
    for vector, pair in pooled.parents.items():
        if vector not in origins:
            origins[vector] = {POOL: "joined"}
            parents[vector] = pair
    return origins, parents


def with_utility(
    database: Database,
    rules: Sequence[Rule],
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    reporter: Reporter,
    judge: RuleJudge,
    over: Callable[[], bool] = lambda: False,
) -> list[Rule]:
    """The rules with the utility measures that the config asks for; once it is ``over``, those that are left have
    none, which is announced."""

    measure = utility_of(database, taxonomies, config, judge)
    measured: list[Rule] = []
    for number, rule in enumerate(rules, start=1):
        if config.measures and over():
            reporter.announce(
                f"the time was up before the utility of {len(rules) - len(measured):,} of {len(rules):,} rules was "
                "measured. `time_limit=SECONDS` changes the bound"
            )
            return [*measured, *rules[len(measured) :]]
        measured.append(replace(rule, utility=measure(rule.levels, rule.measures.suppressed, config.measures)))
        reporter.progress("measuring utility", number, len(rules))
    return measured


def kept_rows(rule: Rule, judge: RuleJudge) -> str:
    """The table of the records that stay under a rule."""
    return judge.kept(judge.space.vector(rule.levels), rule.measures.suppressed)


def mark_frontier(rules: Sequence[Rule], models: Sequence[str]) -> tuple[Rule, ...]:
    """The rules with ``on_frontier``, ``equal_to`` and ``tied_with`` set for the default objectives."""
    return marked(rules, default_objectives(models), models)


def default_objectives(models: Sequence[str]) -> tuple[str, str]:
    """k and the first model's accuracy, or the information gain where no model is measured."""
    return DEFAULT_OBJECTIVES if models else WITHOUT_MODELS
