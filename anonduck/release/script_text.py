"""`anonduck sql`: a release as a script that needs nothing of anonduck."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.release.labels import LabelChanges
from anonduck.release.plan import ReleasePlan
from anonduck.release.rule_recoding import RuleRecoding
from anonduck.rules.rule import literal
from anonduck.source.source import Source
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_script
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.builder_script import ScriptLookup
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.version import __version__

TRANSLATED = "This text was translated from DuckDB's dialect and has not run: compare its rows with a release."


def write_script(
    database: Database,
    plan: ReleasePlan[RuleRecoding],
    source: Source,
    taxonomies: Mapping[str, Taxonomy],
    *,
    dialect: str,
    table: str | None,
    renamed: LabelChanges,
) -> str:
    """Lookup tables as CREATE TABLE and INSERT, then one SELECT; raises ConfigError for a dialect that is not known.

    ``renamed`` are the labels that a release shows in the place of a taxonomy's, by column. In DuckDB, a value that a
    taxonomy does not know stops the script; in other dialects it becomes the root label.
    """
    check_dialect(dialect)

    def statements(relation: str) -> list[str]:
        return _statements(database, plan, source, taxonomies, relation, dialect, renamed)

    lines = _header(plan, dialect, refuse=_refuses(plan))
    return script_file(source, lines, statements, timezone=database.timezone, dialect=dialect, table=table)


def check_dialect(dialect: str) -> None:
    """Raise ConfigError for a dialect that is not known."""
    if dialect not in builder_script.dialects():
        raise ConfigError(f"the dialect {dialect!r} is not known; choose among {', '.join(builder_script.dialects())}")


def script_file(
    source: Source,
    lines: Sequence[str],
    statements: Callable[[str], list[str]],
    *,
    timezone: str,
    dialect: str,
    table: str | None,
) -> str:
    """A script that begins with the lines and what a session needs; ``statements`` are those that read a relation."""
    relation = table or (source.relation_sql if dialect == "duckdb" and source.relation_sql else "source")
    opening = [source.opening_sql] if source.opening_sql and relation == source.relation_sql else []
    zone = builder_script.session_zone(timezone, dialect)
    needed = [
        *([] if zone else [f"Run it in a session whose time zone is {timezone}; no statement here sets it."]),
        *([] if dialect == "duckdb" else [TRANSLATED]),
    ]
    header = ["-- " + " ".join(line.splitlines()) for line in [*lines, *needed]]
    texts = [*([zone] if zone else []), *opening, *statements(relation)]
    return "\n".join([*header, *(f"{text};" for text in texts)]) + "\n"


def write_query(
    database: Database, plan: ReleasePlan[RuleRecoding], source: Source, taxonomies: Mapping[str, Taxonomy]
) -> str:
    """The SELECT of a release alone, over a relation called ``source``.

    It names its lookup tables, and holds no value of the source.
    """
    return f"{_statements(database, plan, source, taxonomies, 'source', 'duckdb', {})[-1]};"


def _statements(
    database: Database,
    plan: ReleasePlan[RuleRecoding],
    source: Source,
    taxonomies: Mapping[str, Taxonomy],
    relation: str,
    dialect: str,
    renamed: LabelChanges,
) -> list[str]:
    lookups = [
        _lookup(database, column, taxonomies[column.name], source, number, renamed.get(column.name, {}))
        for number, column in enumerate(c for c in plan.recoding.columns if c.looked_up)
    ]
    least = plan.demand.k if plan.demand.suppression else 1
    return builder_script.script(
        plan.recoding.columns, lookups, relation, dialect=dialect, refuse_unknown=_refuses(plan), least=least
    )


def _refuses(plan: ReleasePlan[RuleRecoding]) -> bool:
    """Whether a value that a taxonomy does not know stops the release."""
    return not any(column.unmapped for column in plan.recoding.columns)


def _header(plan: ReleasePlan[RuleRecoding], dialect: str, *, refuse: bool) -> list[str]:
    unknown = "stop the script" if refuse and dialect == "duckdb" else "become the root label"
    return [
        f"anonduck {__version__}: the rule {literal(plan.recoding.levels)} in {dialect}",
        f"Values that a taxonomy does not know {unknown}.",
        *([f"Classes of fewer than {plan.demand.k} records are left out."] if plan.demand.suppression else []),
        "The lookup tables hold values of the source: keep this script as safe as the source.",
    ]


def _lookup(
    database: Database,
    column: RuleColumn,
    taxonomy: Taxonomy,
    source: Source,
    number: int,
    renamed: Mapping[str, str],
) -> ScriptLookup:
    level = column.level or 0
    label = {"label": f"level_{level}" if level else "value"}
    interval = taxonomy.kind == "intervals"
    held_in = "bounds" if interval else "taxonomy"
    tables: dict[str, str | tuple[str, str]] = {held_in: (held_in, taxonomy.column)}
    name = "release/script_bounds.sql" if interval else "release/script_values.sql"
    rows = [tuple(row) for row in database.rows(statement(name, column=label, table=tables))]
    if interval:
        rows = _with_upper_bounds([(lower, renamed.get(label, label)) for lower, label in rows])
    return ScriptLookup(
        column.name, f"anonduck_lookup_{number}", source.column(column.name).type, interval, tuple(rows)
    )


def _with_upper_bounds(rows: list[tuple[str, ...]]) -> list[tuple[str | None, ...]]:
    uppers = [row[0] for row in rows[1:]] + [None]
    return [(lower, upper, label) for (lower, label), upper in zip(rows, uppers, strict=True)]
