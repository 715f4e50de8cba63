"""The plan of a release: which columns it holds, at which level, and what must be met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anonduck.column_types import TEXT
from anonduck.config import Config
from anonduck.errors import RuleError
from anonduck.requiring import Demand
from anonduck.rule_scores import Scores
from anonduck.source import Roles, Source
from anonduck.statements.builder_frequency import value_column
from anonduck.statements.builder_release import Released
from anonduck.taxonomy.catalog import Taxonomy

GROUPED = "release_rows"


@dataclass(frozen=True)
class Plan:
    """What a release holds: the rule, the released columns in the order of the source, and what must be met.

    ``scores`` is what models made of the rule when it was found, for the receipt.
    """

    rule_id: str | None
    levels: Mapping[str, int]
    columns: tuple[Released, ...]
    demand: Demand
    configured: Mapping[str, Any]
    scores: Scores = field(default_factory=Scores)

    @property
    def attributes(self) -> list[str]:
        """The released quasi-identifiers, and what counts as one, as the grouped release names them."""
        return [value_column(column.name) for column in self.columns if column.distinguishes]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns that requirements read, as the grouped release names them."""
        return [value_column(name) for name in self.demand.sensitive]


def plan_release(
    levels: Mapping[str, int],
    *,
    rule_id: str | None,
    source: Source,
    roles: Roles,
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    demand: Demand,
    root_labels: Mapping[str, str] | None = None,
    keep_roots: bool = False,
    unmapped: str = "refuse",
) -> Plan:
    """Which columns a rule releases: named attributes, the class, and the columns that are kept as they are.

    ``keep_roots`` keeps the other attributes as their root label. Raises RuleError for a rule without attributes.
    """
    if not levels:
        raise RuleError("the rule names no attribute under its root; a release needs at least one")
    columns = []
    labels = root_labels or {}
    for column in source.columns:
        name = column.name
        text = column.type == TEXT
        if name in levels:
            taxonomy = taxonomies[name]
            columns.append(
                Released(
                    name=name,
                    level=levels[name],
                    root=taxonomy.root,
                    root_label=labels.get(name, "*"),
                    floating=column.floating and levels[name] == 0,
                    text=text,
                    looked_up=levels[name] > 0 or taxonomy.kind != "intervals",
                    unmapped=unmapped == "root",
                )
            )
        elif name in (roles.class_, *roles.kept):
            counted = name == roles.class_ and demand.with_class
            columns.append(Released(name=name, level=None, floating=column.floating, counted=counted))
        elif keep_roots and name in roles.quasi_identifiers:
            columns.append(Released(name, taxonomies[name].root, taxonomies[name].root, labels.get(name, "*")))
    configured = {**config.requirement.asked, "suppression": config.requirement.suppression}
    return Plan(rule_id, dict(levels), tuple(columns), demand, configured)
