"""A row by the protocol of the paper: all records are anonymized, models are cross-validated on what is released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anonduck.comparison.cost import RowClock, measured_cost
from anonduck.comparison.model_scores import cross_validated
from anonduck.comparison.question import Contestant
from anonduck.comparison.reading import ReadRelease, described, reader_of, risks_of
from anonduck.comparison.releasing import release_contestant
from anonduck.database.connection import Database
from anonduck.measures.measures import ORIGINAL
from anonduck.measures.released_cells import released_contingency
from anonduck.release.released_utility import no_models

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace


def released_row(
    workspace: Workspace, contestant: Contestant, k: int, clock: RowClock, found: StoredDiscovery | None
) -> dict[str, Any]:
    """What the release of a contestant at ``k`` reaches; models are the config's."""
    config = workspace.config
    told: dict[str, Any] = {}

    def use(read: ReadRelease, _: Database) -> None:
        records, cells = read.records, read.records.cells
        row: dict[str, Any] = {**read.measured, "risks": risks_of(read.audited), "models": {}, "untrained": []}
        reason = no_models(cells)
        if reason is None and config.models:
            folds = records.folds(config.seed, workspace.reporter)
            table = released_contingency(cells, records.columns, folds, originals=config.test_on == ORIGINAL)
            with measured_cost() as cost:
                row["models"], row["untrained"] = cross_validated(table, config.models, config.seed, clock.over)
            row["models_cpu_seconds"] = cost.cpu_seconds
        told.update(row, models_reason=reason)

    with measured_cost() as cost:
        made = release_contestant(workspace, contestant, k, reader_of(config, workspace.roles, use), found)
    spent = told.pop("models_cpu_seconds", 0.0)
    return {
        **described(made),
        **told,
        "seconds": cost.seconds,
        "cpu_seconds": round(cost.cpu_seconds - spent, 3),
        "models_cpu_seconds": spent,
        "memory_mb": cost.memory_mb,
    }
