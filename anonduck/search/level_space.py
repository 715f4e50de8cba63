"""The lattice of a source as methods that find a rule ask about it: judged, counted and searched on coded records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.frequency.frequency_set import (
    check_mapped,
    make_coded,
    make_coded_sensitive,
    make_lookup,
    make_sensitive_set,
)
from anonduck.measures.attributes import CountedColumn
from anonduck.measures.judge import RuleJudge, VectorJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.privacy.audited_tables import sensitive_names
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.search.assessors import LevelAssessor
from anonduck.search.budgets import budget_of, frequency_rows
from anonduck.search.lattice.costs import HEIGHT, make_goal
from anonduck.search.lattice.falling_search import FallingSearch, GoalOutcome
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice.optimum import best_seen, find_optimum
from anonduck.search.searched_records import SearchedRecords, StoredRecords
from anonduck.source.engine import SourceEngine
from anonduck.source.source import Roles
from anonduck.taxonomy.catalog import Taxonomy


class CodedLevels:
    """The level vectors of counted records, as methods ask about them (see LevelSpace).

    Args:
        records: what is searched.
        judge: what is required, and what vectors come to.
        rows: how many combinations of values and class there are.
        config: time limit and budget of a search.
        reporter: hears of a search that stopped early.
    """

    def __init__(
        self, records: SearchedRecords, judge: VectorJudge, rows: int, config: Config, reporter: Reporter = Reporter()
    ) -> None:
        self.records = records
        self.judge = judge
        self.rows = rows
        self.config = config
        self.reporter = reporter

    @property
    def space(self) -> RuleSpace:
        """The columns with their levels."""
        return self.judge.space

    @property
    def highest(self) -> LevelVector:
        """The highest level that each column may have."""
        return self.space.coarsest

    @cached_property
    def distinct(self) -> list[list[int]]:
        """By column, how many distinct values it has at each level, NULL one of them."""
        return [_counts(one) for one in self.records.columns]

    def meets(self, vector: LevelVector) -> bool:
        """Whether a rule of these levels meets what is required."""
        return self.judge.verdict(vector).met

    def cheapest(self, measure: str) -> LevelVector | None:
        """Of the vectors that meet it, the one for which a measure is least, or the best within the time limit."""
        budget = budget_of(self.config, self.rows, len(self.records.columns))
        limits = SearchLimits(self.config.time_limit, budget)
        assess = self._assessor(measure)

        def seen(vector: LevelVector) -> GoalOutcome:
            limits.work.evaluate()
            return assess(vector)

        search = FallingSearch(self.highest, seen, with_roots=bool(self.space.caps), finest=self.space.finest)
        additive = assess.additive(0)
        if additive is None:
            proven = search.run(limits.over)
        else:
            proven = find_optimum(search, 0, additive, limits.over, nested=assess.nested)
        if not proven:
            self.reporter.announce(
                f"the search stopped early: {len(search.known):,} of {search.nodes:,} level vectors were evaluated, "
                "and the rule is not proven to be the best. `time_limit` and `budget` in the config give it more time"
            )
        return best_seen(search, 0)

    def _assessor(self, measure: str) -> LevelAssessor:
        k, weights = self.config.requirement.k, self.config.weights
        attributes = self.records.attributes("loss" if measure == HEIGHT else measure)
        goal = make_goal(measure, list(attributes), list(attributes.values()), k=k, weights=weights)
        table = self.judge.table if goal.needs_class else self.records.table(with_class=False)
        return LevelAssessor(table, [goal], self.judge.requirement, self.judge.classes)


def _counts(column: CountedColumn) -> list[int]:
    held = column.held[1:] > 0
    return [len(set(path[1:][held].tolist())) + bool(column.held[0]) for path in column.paths] + [1]


def source_levels(
    engine: SourceEngine,
    roles: Roles,
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    requirement: Requirement,
    *,
    refuse: bool = True,
    show_values: bool = False,
    reporter: Reporter = Reporter(),
) -> CodedLevels:
    """The level vectors of an open source, whose coded frequency set is made in its database.

    Args:
        engine: the source.
        roles: the quasi-identifiers, and the class.
        taxonomies: those of the quasi-identifiers, in any order.
        config: time limit and budget of a search.
        requirement: what must be met, and how many records may be left out for it.
        refuse: whether values that a taxonomy does not know are an error; else they are the root.
        show_values: whether the error lists them.
        reporter: receives announcements of progress, and of a search that stopped early.

    Raises TaxonomyError for such values.
    """
    database, columns = engine.database, [*roles.quasi_identifiers, roles.class_]
    if requirement.sensitive:
        make_sensitive_set(engine, columns, requirement.sensitive)
    else:
        engine.frequency_set(columns)
    ordered = {name: taxonomies[name] for name in roles.quasi_identifiers}
    for taxonomy in ordered.values():
        make_lookup(database, taxonomy)
    check_mapped(database, ordered, show_values=show_values, refuse=None if refuse else ())
    make_coded(database, roles, ordered, config.seed, folds=False)
    if requirement.sensitive:
        names = dict(zip(requirement.sensitive, sensitive_names(len(requirement.sensitive)), strict=True))
        make_coded_sensitive(database, roles, ordered, names)
    space = RuleSpace.keeping({name: taxonomy.root for name, taxonomy in ordered.items()}, requirement.keep)
    totals = measure_totals(database)
    judge = RuleJudge(database, space, requirement, totals)
    records = StoredRecords(database, ordered, totals.records)
    return CodedLevels(records, judge, frequency_rows(database), config, reporter)
