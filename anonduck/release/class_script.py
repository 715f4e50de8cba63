"""The release of a method that recodes by classes as a SQL script: what each combination shows, and one join."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.methods.registry import method_named
from anonduck.release.class_recoding import ClassRecoding
from anonduck.release.found_classes import anonymize
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoding import Recoding
from anonduck.release.script_text import check_dialect, script_file
from anonduck.statements.pipeline import builder_class_script, builder_methods
from anonduck.statements.pipeline.builder_class_script import CombinationLookup
from anonduck.statements.pipeline.builder_classes import ClassColumn
from anonduck.version import __version__
from anonduck.workspace import Workspace


def class_script(
    workspace: Workspace,
    name: str,
    *,
    dialect: str = "duckdb",
    table: str | None = None,
    unmapped: str | None = None,
    requirement: Mapping[str, Any] | None = None,
) -> str:
    """The release of a method as a standalone SQL script in a dialect, with the options that the config gives it.

    Raises ConfigError for a method that does not recode by classes, and where records would have to be left out.
    """
    check_dialect(dialect)
    if method_named(name).recoding != "classes":
        raise ConfigError(f"{name} does not recode by classes, and only such a method has a script. Name another one")
    found: list[str] = []

    def read(database: Database, plan: ReleasePlan[Recoding], suppressed: int) -> None:
        if suppressed:
            raise ConfigError(
                f"a script cannot leave out the {suppressed:,} records of classes that fail {plan.demand.text}. Write "
                "the release with `project.anonymize(METHOD, FILE)`, or set `suppression: 0`"
            )
        assert isinstance(plan.recoding, ClassRecoding)
        found.append(_script(workspace, database, name, plan.recoding, dialect=dialect, table=table))

    anonymize(workspace, name, None, dry_run=True, requirement=requirement, unmapped=unmapped, reading=read)
    return found[0]


def _script(
    workspace: Workspace, database: Database, name: str, recoding: ClassRecoding, *, dialect: str, table: str | None
) -> str:
    source, names = recoding.ground.source, tuple(recoding.ground.roles.quasi_identifiers)
    shown = tuple(column for column in recoding.columns if isinstance(column, ClassColumn))
    database.run(builder_methods.assigned_combinations(names))
    rows = database.rows(builder_class_script.combinations(names, shown))
    lookup = CombinationLookup(names, tuple(source.column(one).type for one in names), shown, rows)
    unknown = "stop the script" if dialect == "duckdb" else "are left out"
    lines = [
        f"anonduck {__version__}: the release of {name} in {dialect}",
        f"Records whose quasi-identifiers are together in no record that it was made of {unknown}.",
        "The lookup table holds values of the source: keep this script as safe as the source.",
    ]

    def statements(relation: str) -> list[str]:
        return builder_class_script.class_script(recoding.columns, lookup, relation, dialect=dialect)

    return script_file(source, lines, statements, timezone=workspace.config.timezone, dialect=dialect, table=table)
