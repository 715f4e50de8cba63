"""What the config asks of a settled release, for its owner: the workload, and who is left out by subgroup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.evaluation.subgroups import NOT_COUNTED, values_line
from anonduck.evaluation.workload import (
    ASKED,
    COUNTED,
    NOT_ASKED,
    answers,
    forget_answers,
    original_answers,
)
from anonduck.release.node_recoder import NodeRecoder
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import RELEASE_SET, NodelessRecoder, Recoder
from anonduck.release.rule_recoder import RuleRecoder
from anonduck.release.spread import shown_labels_of, spread_release
from anonduck.source.queries import Workload
from anonduck.source.source import Source
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import value_column


def answer_workload(
    database: Database, plan: ReleasePlan[Recoder], source: Source, workload: Workload, *, some: bool
) -> dict[str, Any]:
    """``workload`` of a settled release: by query the mean, median and worst error, and what they come to together.

    With ``some``, records were left out. Raises ConfigError for a query that fails on the values.
    """
    if isinstance(plan.recoding, NodelessRecoder):
        return {"file": workload.file, "reason": NOT_ASKED, "queries": []}
    names, records = workload.columns, source.engine.count()
    shown = shown_labels_of(database, plan)
    read = [name for name in shown if name in names] or list(shown)[:1]
    made = [ASKED, COUNTED]
    try:
        originals = original_answers(database, source, workload)
        made += spread_release(database, plan, source, {name: shown[name] for name in read}, some=some)
        return answers(database, workload, originals, shown, records)
    finally:
        forget_answers(database, made)


def count_subgroups(
    database: Database, plan: ReleasePlan[Recoder], columns: Sequence[str], k: int
) -> list[dict[str, Any]]:
    """``subgroups`` of a settled release: a line for each of the ``columns`` (see ``values_line``)."""
    recoding = plan.recoding
    if not isinstance(recoding, (RuleRecoder, NodeRecoder)):
        return [{"column": name, "reason": NOT_COUNTED, "values": [], "others": None} for name in columns]
    found = []
    for name in columns:
        column = {"raw_value": value_column(name)}
        before, after = (
            dict(database.rows(statement("release/subgroups.sql", column=column, table={"counted": one})))
            for one in (RELEASE_SET, recoding.staying)
        )
        found.append(values_line(name, before, after, k))
    return found
