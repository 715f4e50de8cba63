"""What the kept columns of a release show of single records: for its receipt, and held against what is required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import ReleaseJudgedUnder, RequirementNotMet
from anonduck.init.profile import rare_records
from anonduck.measures.requirement import requirement_of
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.kept_columns import KEPT_RARE, LEAST, KeptColumns, ways_out, worst_column
from anonduck.release.plan import ReleasePlan
from anonduck.release.receipt import is_weaker
from anonduck.release.recoder import NodelessRecoder, Recoder
from anonduck.source.engine import EngineSource, show_rows
from anonduck.source.source import Roles, Source
from anonduck.workspace import Workspace


def kept_as_they_are(plan: ReleasePlan[Recoder], found: KeptColumns) -> KeptColumns:
    """The figures of the columns that show values of the source.

    Where values changed places, a record that is like no other need not be one person's, and is not counted.
    """
    names = {column.name for column in plan.columns if column.typed and not column.generalized}
    rare = {name: records for name, records in found.rare.items() if name in names}
    if rare and not isinstance(plan.recoding, NodelessRecoder):
        return replace(found, rare=rare)
    swapped = plan.recoding.rare_kept if isinstance(plan.recoding, NodelessRecoder) else {}
    return replace(found, rare={**rare, **swapped}, unique=None, one_person=None)


@contextmanager
def unwritten_rows(database: Database, plan: ReleasePlan[Recoder], source: Source, *, some: bool) -> Iterator[None]:
    """Show the rows of a release that is not written, in any order, as the view `release`."""
    rows = plan.recoding.rows(database, some=some)
    show_rows(source.engine.database, rows.unordered or rows.ordered)
    try:
        yield
    finally:
        database.drop_view("release")


def unwritten_kept(
    database: Database, plan: ReleasePlan[Recoder], source: Source, roles: Roles, *, some: bool
) -> KeptColumns | None:
    """The figures of a release that is not written; None where its records stay in an engine.

    With ``some``, classes that fail were removed.
    """
    if roles.kept and isinstance(source.engine, EngineSource):
        return None
    with unwritten_rows(database, plan, source, some=some):
        kept = [column.name for column in plan.columns if not column.distinguishes]
        others = [column.name for column in plan.columns if column.distinguishes]
        sizes = DuckDBFile(database).kept(kept, others, None)
    return kept_as_they_are(plan, sizes.figures(plan.requirement.rare_under, at_most=plan.requirement.most))


def with_kept(plan: ReleasePlan[Recoder], draft: Mapping[str, Any], found: KeptColumns | None) -> dict[str, Any]:
    """What a receipt says of kept columns: figures, and lines of what is required; None stands for what is not known.

    The records that may be of one person alone stand with the entity, as the file alone does not show them.
    """
    unknown: dict[str, Any] = {"kept": None, "rare_under": plan.requirement.rare_under, "unique_with_kept": None}
    figures = unknown if found is None else found.as_json()
    lines = _lines(plan, found)
    entity = draft.get("entity")
    if entity is not None and found is not None and found.one_person is not None:
        figures["entity"] = {**entity, "unique_with_kept": found.one_person}
    return {**figures, "requirements": [*draft["requirements"], *lines]}


def _lines(plan: ReleasePlan[Recoder], found: KeptColumns | None) -> list[dict[str, Any]]:
    column = {"attribute": worst_column(found.rare)} if found is not None and found.rare else {}
    return [
        {
            "name": one.model.name,
            "configured": plan.configured.get(one.model.name),
            "required": one.required,
            "reached": None if found is None else found.most,
            "met": found is not None and one.met_by({KEPT_RARE: found.most}),
            "lowered": is_weaker(one, plan.configured.get(one.model.name)),
            "at_most": True,
            **column,
        }
        for one in plan.requirement.of_file
    ]


def refuse_rare(plan: ReleasePlan[Recoder], lines: Sequence[Mapping[str, Any]], under: int) -> None:
    """Raise RequirementNotMet if more records than required hold a rare value of a kept column.

    It is ReleaseJudgedUnder where records may be left out: another rule leaves out others.
    """
    for line in lines:
        if line["name"] == KEPT_RARE and not line["met"]:
            reached, required = line["reached"], line["required"]
            words = _rare_words(f"the release of {plan.recoding.text}", line["attribute"], reached, required, under)
            if plan.requirement.suppression:
                raise ReleaseJudgedUnder(words, f"{KEPT_RARE} = {reached}, required at most {required}")
            raise RequirementNotMet(words)


def refuse_rare_source(workspace: Workspace) -> None:
    """Raise RequirementNotMet before a search if no release by a rule can meet ``kept_rare``.

    Rules keep these columns as they are, and each record that is left out takes one rare record away at most. Each
    column is scanned once. Of a source that an engine holds, nothing is fetched, and the release is judged alone.
    """
    requirement, source = requirement_of(workspace.config, workspace.folder), workspace.source
    required = next((one.required for one in requirement.of_file if one.model.name == KEPT_RARE), None)
    if required is None or isinstance(source.engine, EngineSource):
        return
    under, roles = max(requirement.rare_under, LEAST), workspace.roles
    kept = [*roles.kept, *([roles.class_] if roles.has_class else [])]
    rare = rare_records(source.engine, kept, k=under, entity=None)
    column = worst_column(rare) if rare else ""
    excess = rare.get(column, 0) - required
    if excess > 0 and not requirement.allows(excess, source.engine.count()):
        may = f"the source, of which a share of {requirement.suppression:.4g} at most may be left out,"
        whose = may if requirement.suppression else "every release by a rule"
        raise RequirementNotMet(_rare_words(whose, column, rare[column], required, under))


def _rare_words(whose: str, column: str, reached: int, required: int, under: int) -> str:
    return (
        f"{whose} reaches kept_rare = {reached} (column {column!r}), over the required {required}: so many records "
        f"hold a value that fewer than {under:,} records hold; nothing was written. {ways_out(column, reached)}"
    )
