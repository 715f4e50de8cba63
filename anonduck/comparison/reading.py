"""Reads a release that meets its requirement, before it is written: its cells, its audit, its measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonduck.auditing.audit import audit
from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.release.recoding import Recoding
from anonduck.release.release import Release, rows_statement
from anonduck.release.released_utility import ReleasedRecords, forget_released, read_released, released_measures
from anonduck.rules.rule import literal
from anonduck.statements.pipeline import builder_comparison

if TYPE_CHECKING:
    from anonduck.auditing.report import AuditReport
    from anonduck.release.plan import ReleasePlan
    from anonduck.source.source import Roles


@dataclass(frozen=True, eq=False)
class ReadRelease:
    """A release as it was read: its cells, what its audit found, and what is measured of its cells."""

    records: ReleasedRecords
    audited: AuditReport
    measured: Mapping[str, Any]


Reader = Callable[[ReadRelease, Database], None]


def reader_of(config: Config, roles: Roles, use: Reader) -> Callable[[Database, ReleasePlan[Recoding], int], None]:
    """What ``release_by`` is given to read a release by; ``use`` gets what was read while its tables are there."""

    def read(database: Database, plan: ReleasePlan[Recoding], suppressed: int) -> None:
        measured = plan.recoding.measured
        assert measured is not None  # methods and rules are measured by their cells here
        audited = _audited(database, plan, roles, some=suppressed > 0)
        try:
            records = read_released(database, measured, config.split_by if config.models else None)
            use(ReadRelease(records, audited, released_measures(records, config)), database)
        finally:
            forget_released(database)

    return read


def _audited(database: Database, plan: ReleasePlan[Recoding], roles: Roles, *, some: bool) -> AuditReport:
    """The audit of the rows that would be written, as one of their file finds them."""
    rows = rows_statement(database, plan, some=some)
    table = database.arrow(builder_comparison.release_rows(rows))
    return audit(
        table,
        [column.name for column in plan.columns if column.distinguishes],
        sensitive=roles.sensitive,
        insensitive=roles.insensitive,
        class_=None if plan.requirement.with_class else roles.class_,
        taxonomies=plan.requirement.files,
        allow_absent=True,
        tracer=database.tracer,
    )


def risks_of(audited: AuditReport) -> dict[str, Any]:
    """What an audit reached beside k, by name."""
    return {name: one["reached"] for name, one in audited.as_json()["measures"].items() if name != "k"}


def described(release: Release) -> dict[str, Any]:
    """What a row tells of a release: its size, and its recoding in words."""
    rule, method = release.receipt["rule"], release.receipt["method"]
    return {
        "k": release.k,
        "classes": release.classes,
        "records": release.rows,
        "suppressed": release.suppressed,
        "rule": None if rule is None else literal(rule["levels"]),
        "words": method.get("words"),
    }
