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
    read_paths,
)
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.rules.rule import LevelVector, RuleSpace
from anonduck.search.budgets import limit_work
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.lattice_search import search_lattice
from anonduck.search.searched_records import StoredRecords
from anonduck.source.engine import SourceEngine
from anonduck.source.source import Roles
from anonduck.statements.builder_privacy import sensitive_names
from anonduck.taxonomy.catalog import Taxonomy


class SourceLevels:
    """The level vectors of an open source, whose coded frequency set is made here, in the source's database.

    Args:
        engine: the source.
        roles: the quasi-identifiers, and the class.
        taxonomies: those of the quasi-identifiers, in any order.
        config: time limit and budget of a search.
        requirement: what must be met, and how many records may be left out for it.
        refuse: whether values that a taxonomy does not know are an error; else they are the root.
        reporter: receives announcements of progress, and of a search that stopped early.

    Raises TaxonomyError for such values.
    """

    def __init__(
        self,
        engine: SourceEngine,
        roles: Roles,
        taxonomies: Mapping[str, Taxonomy],
        config: Config,
        requirement: Requirement,
        *,
        refuse: bool = True,
        show_values: bool = False,
        reporter: Reporter = Reporter(),
    ) -> None:
        self.database = engine.database
        self.config = config
        self.reporter = reporter
        self.taxonomies = {name: taxonomies[name] for name in roles.quasi_identifiers}
        self._code(engine, roles, requirement, refuse=refuse, show_values=show_values)
        roots = {name: taxonomy.root for name, taxonomy in self.taxonomies.items()}
        self.space = RuleSpace.keeping(roots, requirement.keep)
        totals = measure_totals(self.database)
        self.judge = RuleJudge(self.database, self.space, requirement, totals)
        self.records = StoredRecords(self.database, self.taxonomies, totals.records)

    def _code(
        self, engine: SourceEngine, roles: Roles, requirement: Requirement, *, refuse: bool, show_values: bool
    ) -> None:
        """Scan the source into its coded frequency set, with the sensitive columns that requirements read."""
        columns = [*roles.quasi_identifiers, roles.class_]
        if requirement.sensitive:
            make_sensitive_set(engine, columns, requirement.sensitive)
        else:
            engine.frequency_set(columns)
        for taxonomy in self.taxonomies.values():
            make_lookup(self.database, taxonomy)
            check_mapped(self.database, taxonomy, show_values=show_values, refuse=refuse)
        make_coded(self.database, roles, self.taxonomies, self.config.seed, folds=False)
        if requirement.sensitive:
            names = dict(zip(requirement.sensitive, sensitive_names(len(requirement.sensitive)), strict=True))
            make_coded_sensitive(self.database, roles, self.taxonomies, names)

    @property
    def highest(self) -> LevelVector:
        """The highest level that each column may have."""
        return self.space.coarsest

    @cached_property
    def distinct(self) -> list[list[int]]:
        """By column, how many distinct values it has at each level, NULL one of them."""
        return [self._counts(name, taxonomy.root) for name, taxonomy in self.taxonomies.items()]

    def _counts(self, name: str, root: int) -> list[int]:
        paths, held = read_paths(self.database, name, root)
        nulls = int(held.sum()) < self.judge.records
        return [len(set(path[1:][held > 0].tolist())) + nulls for path in paths] + [1]

    def meets(self, vector: LevelVector) -> bool:
        """Whether a rule of these levels meets what is required."""
        return self.judge.verdict(vector).met

    def cheapest(self, measure: str) -> LevelVector | None:
        """Of the vectors that meet it, the one for which a measure is least, or the best within the time limit."""
        limits = SearchLimits(self.config.time_limit)
        limits = limit_work(limits, self.database, self.config, len(self.taxonomies))
        config = self.config.model_copy(update={"lattice_frontier": False})
        found = search_lattice(self.records, config, self.judge, clock=limits, goal=measure)
        if not found.optimum.proven:
            self.reporter.announce(
                f"the search stopped early: {found.assessed:,} of {found.nodes:,} level vectors were evaluated, and "
                "the rule is not proven to be the best. `time_limit` and `budget` in the config give it more time"
            )
        return found.optimum.vector
