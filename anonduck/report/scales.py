"""What a number of a measure is a share of, so that nobody has to guess whether it is large."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from anonduck.measures.rule_utility import utility_of
from anonduck.report.objectives import GAIN
from anonduck.report.utility_tables import OF_ONE
from anonduck.rules.measure_names import UTILITY
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import config_of, judge_of
from anonduck.workspace import Workspace


def with_scales(
    workspace: Workspace, stored: StoredDiscovery, measures: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The measures with ``share``, whether they are shares, and ``most``, what others can reach at most.

    That is what a utility measure is of a rule that hides every column; information gain can be the entropy of the
    class at most. None where a measure has no such bound.
    """
    measures = list(measures)
    sums = [one["key"] for one in measures if one["key"] in UTILITY and one["key"] not in OF_ONE]
    hidden = hiding_everything(workspace, stored, sums) if sums else {}
    most = {**hidden, GAIN: stored.summary["baseline"]["class"].get("entropy")}
    return [
        {
            **one,
            "share": one["share"] or one["key"].partition(".")[0] in OF_ONE,
            "most": most.get(one["key"]) or None,
        }
        for one in measures
    ]


def hiding_everything(workspace: Workspace, stored: StoredDiscovery, names: Iterable[str]) -> dict[str, float]:
    """Utility measures of a rule that leaves out every quasi-identifier, on the records that rules were found on."""
    judge = judge_of(workspace, stored)
    taxonomies = {name: workspace.taxonomies[name] for name in judge.space.attributes}
    return utility_of(workspace.database, taxonomies, config_of(workspace, stored), judge)({}, 0, list(names))
