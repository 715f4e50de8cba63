"""The utility of rules that a config asks for, of the records that stay under what is required."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import CODED
from anonduck.measures.utility import UtilityMeasurer
from anonduck.rules.frontier import better_first
from anonduck.rules.rule import LevelVector
from anonduck.taxonomy.catalog import Taxonomy

Utility = Callable[[Mapping[str, int], int, Sequence[str]], dict[str, float]]


def utility_of(database: Database, taxonomies: Mapping[str, Taxonomy], config: Config, judge: RuleJudge) -> Utility:
    """A function that measures utility by name, of a rule's levels and the number of records that it leaves out."""

    def measurer(rows: str, suppressed: int) -> UtilityMeasurer:
        k, weights = config.requirement.k, config.weights
        return UtilityMeasurer(database, taxonomies, k=k, weights=weights, cells=rows, suppressed=suppressed)

    whole = measurer(CODED, 0)

    def measure(levels: Mapping[str, int], suppressed: int, names: Sequence[str]) -> dict[str, float]:
        if not suppressed:
            return whole(levels, names)
        return measurer(judge.kept(judge.space.vector(levels), suppressed), suppressed)(levels, names)

    return measure


def selected_utility(
    database: Database, taxonomies: Mapping[str, Taxonomy], config: Config, judge: RuleJudge
) -> Callable[[LevelVector, int], float]:
    """The utility that the config selects by, larger is better, of a vector and the records that it leaves out."""
    measure = utility_of(database, taxonomies, config, judge)

    def value(vector: LevelVector, suppressed: int) -> float:
        name = config.select
        return better_first(name, measure(judge.space.named(vector), suppressed, [name])[name])

    return value
