"""Whether the persons of a release have all of their rows in common with others, as ``linked_k`` requires.

The written file holds no key of a person, so that it is counted while the release is made: each released row with the
key of its record, in the source. What is released of a row that no record is behind cannot be judged so.
"""

from __future__ import annotations

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.errors import RequirementNotMet
from anonduck.privacy import audited_tables, relations
from anonduck.privacy.requirement import CriterionResult, ask
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import Recoder
from anonduck.release.row_recoder import RowRecoder
from anonduck.source.engine import EngineSource
from anonduck.source.source import Source
from anonduck.statements.relations import view_of

LINKED_K = "linked_k"
ROWS = "linked_rows"


def refuse_unjudged(plan: ReleasePlan[Recoder], source: Source) -> None:
    """Raise RequirementNotMet where ``linked_k`` is required and nothing shows it."""
    if plan.requirement.linked_k is None:
        return
    why = None
    if not isinstance(plan.recoding, RowRecoder):
        why = "its rows are not those of single records"
    elif isinstance(source.engine, EngineSource):
        why = f"its records are in {source.engine.engine.title}, and none is fetched from there"
    if why is not None:
        raise RequirementNotMet(
            f"the release of {plan.recoding.text} cannot show linked_k >= {plan.requirement.linked_k:,}: {why}; "
            "nothing was written. Release by a rule or by classes, from a source that DuckDB reads, or do not "
            "require linked_k"
        )


def judge_linked(
    database: Database, plan: ReleasePlan[Recoder], config: Config, *, some: bool
) -> tuple[CriterionResult, ...]:
    """What a settled release reaches of ``linked_k``; nothing where it is not required."""
    if plan.requirement.linked_k is None:
        return ()
    assert isinstance(plan.recoding, RowRecoder)  # any other is refused before
    assert config.entity is not None
    attributes = [column.name for column in plan.columns if column.distinguishes]
    rows = plan.recoding.rows_of(database, config.entity.column, some=some)
    database.run(view_of(rows, ROWS))
    try:
        database.run(audited_tables.audited_persons(attributes, config.entity.column, relation=ROWS))
        found = relations.count_linked(database, len(attributes))
    finally:
        relations.forget(database, [relations.PERSONS])
        database.drop_view(ROWS)
    (asked,) = ask({LINKED_K: plan.requirement.linked_k})
    return (CriterionResult(asked, {LINKED_K: found["linked_k"] or 0}),)
