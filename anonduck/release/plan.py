"""The plan of a release: what it is made by, and what must be met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from anonduck.config.config import Config
from anonduck.measures.criteria import Criteria
from anonduck.release.recoding import Ground, Recoding
from anonduck.release.rule_recoding import RuleRecoding, rule_recoding
from anonduck.search.rule_scores import RuleScores
from anonduck.source.source import Roles, Source
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.taxonomy.catalog import Taxonomy

By_co = TypeVar("By_co", bound=Recoding, covariant=True)


@dataclass(frozen=True)
class ReleasePlan(Generic[By_co]):
    """What a release is made by, what must be met, and what the config requires.

    ``scores`` is what models made of the rule when it was found, for the receipt.
    """

    recoding: By_co
    demand: Criteria
    configured: Mapping[str, Any]
    scores: RuleScores = field(default_factory=RuleScores)

    @property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The released columns, in the order of the source."""
        return self.recoding.columns

    @property
    def attributes(self) -> list[str]:
        """The released quasi-identifiers, and what counts as one, as the grouped release names them."""
        return [value_column(column.name) for column in self.columns if column.distinguishes]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns that requirements read, as the grouped release names them."""
        return [value_column(name) for name in self.demand.sensitive]


def plan_of(recoding: Recoding, config: Config, demand: Criteria) -> ReleasePlan[Recoding]:
    """The plan of a release by a recoding."""
    return ReleasePlan(recoding, demand, _configured(config))


def plan_release(
    levels: Mapping[str, int],
    *,
    rule_id: str | None,
    source: Source,
    roles: Roles,
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    demand: Criteria,
    root_labels: Mapping[str, str] | None = None,
    keep_roots: bool = False,
    unmapped: str = "refuse",
) -> ReleasePlan[RuleRecoding]:
    """The plan of a release by a rule; raises RuleError for one without attributes.

    ``keep_roots`` keeps the attributes that the rule does not name as their root label.
    """
    ground = Ground(source, roles, taxonomies, demand, root_labels or {}, keep_roots, unmapped)
    return ReleasePlan(rule_recoding(ground, rule_id=rule_id, levels=levels), demand, _configured(config))


def _configured(config: Config) -> dict[str, Any]:
    return {**config.requirement.asked, "suppression": config.requirement.suppression}
