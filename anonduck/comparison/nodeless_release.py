"""A release whose records have no nodes in common, evaluated as others are, with a table of its own for models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.config.ways import BOUND_TEXT, RANGES
from anonduck.database.connection import Database
from anonduck.evaluation.evaluation import Evaluation, Tables
from anonduck.release.by_recoding import release_method
from anonduck.release.plan import ReleasePlan, ReleaseSettings
from anonduck.release.recoder import Recoder

if TYPE_CHECKING:
    import numpy as np

    from anonduck.comparison.question import Contestant
    from anonduck.database.progress import Reporter
    from anonduck.evaluation.cells import Cells
    from anonduck.models.contingency import Contingency
    from anonduck.workspace import Workspace


@dataclass(frozen=True, eq=False)
class NodelessRelease:
    """What such a release comes to, and how its tables are read; ``table`` is that of a training part and of the fold
    that was taken out. See anonduck.evaluation.evaluation.Recoded."""

    measured: Evaluation
    words: str
    tables: Callable[[Reporter], Tables]
    unscored: str | None = None
    table: Contingency | None = None
    levels: Mapping[str, int] | None = None

    def part_table(self, cells: Cells, fold: np.ndarray) -> Contingency:
        """The table, which was made while the release was there."""
        assert self.table is not None
        return self.table


def dry_run(
    workspace: Workspace, contestant: Contestant, k: int, read: Callable[[Database, Recoder, bool], None]
) -> tuple[Evaluation, str]:
    """The size of the release of a method at ``k``, and its words; nothing is written.

    ``read`` gets its recoding while its tables are there, and whether some records are left out.
    """

    def reader(database: Database, plan: ReleasePlan[Recoder], suppressed: int) -> None:
        read(database, plan.recoding, suppressed > 0)

    settings = ReleaseSettings(dry_run=True, reader=reader, show=RANGES, bounds=BOUND_TEXT, judges_choice=False)
    made = release_method(workspace, contestant.name, None, settings, k=k, options=contestant.settings)
    size = Evaluation(made.k, made.classes, made.rows, made.suppressed, None, {}, {})
    return size, str(made.receipt["method"]["words"])
