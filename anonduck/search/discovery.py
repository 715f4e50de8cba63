"""The decision-support framework (Caruccio et al. 2022): rules are found by a strategy, then measured and compared.

Every strategy has the same set-up (baseline, judge, limits) and the same end (utility, models, proofs, frontier).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.config.persons import PersonCounts
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.frequency.patterns import PairJoin
from anonduck.measures.judge import RuleJudge, VectorJudge
from anonduck.measures.measures import ClassTotals, measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.measures.rule_utility import utility_of
from anonduck.rules.frontier import marked
from anonduck.rules.measure_names import GENERALIZED, default_objectives
from anonduck.rules.rule import Rule, RuleSpace, literal
from anonduck.search.budgets import budget_of, frequency_rows
from anonduck.search.explanation import explain_no_rule, nearest_miss
from anonduck.search.frontier_search import with_proofs
from anonduck.search.lattice.limits import TIME, SearchLimits
from anonduck.search.searched_records import SearchedRecords, StoredRecords
from anonduck.search.strategies import STRATEGIES, FoundRules, SearchSetting
from anonduck.search.training import baseline_scores, train_rules
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.words import counted, html_table, summary_line

BASELINE_SHARE = 0.25  # of the time that is left, when the baseline is stopped


@dataclass(frozen=True, repr=False)
class Discovery:
    """Everything that ``discover`` found, as it is stored in the decision database.

    ``proven``: no rule that meets what is required is better, at any k, than the best of these in the measures that
    were searched for; from ``proven_from_k`` up that holds in any case, None where it holds for no k. ``budget`` says
    what could be done and what was, ``cut`` what ended the search before its end, if anything did.
    ``floor`` is the level of each column under which values were not distinguished and no rule was looked for.
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
    nearest: str = ""
    search: str = "rfd"
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
            {"rule": rule.id, "k": f"{rule.measures.k:,}"}
            | ({"gain (bits)": f"{rule.measures.information_gain:.4f}"} if rule.has_class else {})
            | {f"{name} accuracy": "" if score is None else f"{score:.4f}" for name, score in rule.accuracy.items()}
            | {"levels": literal(rule.levels)}
            for rule in kept
        ]
        return html_table(repr(self), rows)

    @property
    def has_class(self) -> bool:
        """Whether there is a class."""
        return self.baseline["class"]["majority_share"] is not None

    @property
    def out_of_time(self) -> bool:
        """Whether the time was up before a rule was found."""
        return not self.rules and self.cut is not None and self.cut["by"] == TIME

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
            "exact": None if self.exact is None else dict(self.exact),
            "proven": self.proven,
            "proven_from_k": self.proven_from_k,
            "budget": None if self.budget is None else dict(self.budget),
            "cut": None if self.cut is None else dict(self.cut),
            "pairs": None if self.pair_join is None else asdict(self.pair_join),
            "coverages": list(self.coverages),
            "incomplete": any(item["incomplete"] for item in self.coverages)
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
    *,
    requirement: Requirement,
    limits: SearchLimits | None = None,
    reporter: Reporter = Reporter(),
) -> Discovery:
    """From ``coded_frequency_set`` to measured rules with their frontier, by the strategy that ``config.search`` names.

    Args:
        database: holds ``coded_frequency_set`` (see anonduck.frequency.frequency_set) and the lookup tables.
        config: search, bounds, measures, models, sample and seed.
        taxonomies: one for each quasi-identifier, in the order of the source.
        requirement: what the rules must meet.
        limits: when to stop; by default the config's time limit, from now on.
        reporter: receives announcements of samples, bounds and progress.
    """
    if config.models:
        from anonduck.models.cross_validation import check_models

        check_models(config.models)
    roots = {name: one.root for name, one in taxonomies.items()}
    space = RuleSpace.keeping(roots, requirement.keep, read_floor(database))
    judge = RuleJudge(database, space, requirement, measure_totals(database))
    records = StoredRecords(database, taxonomies, judge.records)
    limits = limits or SearchLimits(config.time_limit)
    limits.begin("training the baseline")
    first = limits.with_budget(None).until(BASELINE_SHARE)
    baseline = baseline_scores(judge, taxonomies, config.models, reporter, lambda: first.left == 0)
    limits = limits.with_budget(budget_of(config, frequency_rows(database), len(taxonomies)))
    setting = SearchSetting(config, records, judge, limits, reporter)
    found = STRATEGIES[config.search](setting)
    rules = measured_rules(setting, found)
    if config.class_ is None:
        baseline = {**baseline, "class": {"majority_share": None, "entropy": None}}
    searched = found.searched
    discovery = Discovery(
        rules=rules,
        coverages=tuple(item.summary() for item in searched.mined),
        pair_join=found.pair_join,
        totals=judge.totals,
        baseline=baseline,
        models=tuple(config.models),
        min_k=requirement.k,
        test_on=config.test_on,
        rfds=tuple(line for item in searched.mined for line in item.rfd_lines(space)),
        explanation="" if rules else explain_no_rule(searched, judge),
        requirement=requirement.as_json(),
        search=config.search,
        nearest="" if rules else nearest_miss(searched.nearest, judge),
        exact=None if found.frontiers is None else found.frontiers.as_json(),
        proven=found.proven,
        proven_from_k=found.proven_from_k,
        budget={"limit": limits.budget, "time_limit": config.time_limit, **limits.work.as_json()},
        cut=None if found.exhausted else limits.work.cut,
    )
    judge.forget()
    return discovery


def numbered_rules(found: FoundRules, judge: VectorJudge, *, has_class: bool = True) -> list[Rule]:
    """One rule for each vector that was found, numbered in their order; ``has_class``: whether there is a class."""
    ids = {vector: f"R{number}" for number, vector in enumerate(found.origins, start=1)}
    return [
        Rule(
            id=ids[vector],
            levels=judge.space.named(vector),
            origins=found.origins[vector],
            parents=tuple(ids[parent] for parent in found.parents.get(vector, ()) if parent in ids),
            measures=judge.verdict(vector).measures,
            has_class=has_class,
        )
        for vector in ids
    ]


def searched_rules(
    records: SearchedRecords,
    judge: VectorJudge,
    config: Config,
    limits: SearchLimits,
    reporter: Reporter = Reporter(),
    picked_by: Collection[str] | None = None,
) -> tuple[Rule, ...]:
    """The rules of counted records, found as ``config.search`` names and measured; see SearchSetting."""
    setting = SearchSetting(config, records, judge, limits, reporter, picked_by)
    return measured_rules(setting, STRATEGIES[config.search](setting))


def measured_rules(setting: SearchSetting, found: FoundRules) -> tuple[Rule, ...]:
    """The rules that a strategy found, numbered, with their utility, the scores of models, what is proven, and marks
    on those of the frontier."""
    config, judge, limits = setting.config, setting.judge, setting.limits
    limits.begin("measuring rules and training models")
    rules = _with_utility(numbered_rules(found, judge, has_class=config.class_ is not None), setting)
    rules = train_rules(rules, judge, setting.records, config, setting.reporter, found.scores, limits.over_time)
    if found.frontiers is not None:
        rules = with_proofs(rules, found.frontiers)
    return marked(rules, default_objectives(config.models, has_class=config.class_ is not None), config.models)


def _with_utility(rules: Sequence[Rule], setting: SearchSetting) -> list[Rule]:
    """The rules with the utility measures that the config asks for; once the time is up, the other rules have none,
    which is announced."""
    config, reporter = setting.config, setting.reporter
    if not config.measures:
        return list(rules)
    measure = utility_of(setting.records.columns, config, setting.judge)
    measured: list[Rule] = []
    for number, rule in enumerate(rules, start=1):
        if setting.limits.over_time():
            reporter.announce(
                f"the time was up before the utility of {len(rules) - len(measured):,} of {len(rules):,} rules was "
                "measured. `--time-limit SECONDS` changes the bound"
            )
            return [*measured, *rules[len(measured) :]]
        measured.append(replace(rule, utility=measure(rule.levels, rule.measures.suppressed, config.measures)))
        reporter.progress("measuring utility", number, len(rules))
    return measured
