"""`anonduck sql`: a release as a text of SQL that needs nothing of anonduck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.measures.requirement import Requirement
from anonduck.release.plan import ReleasePlan
from anonduck.release.row_recoder import LabelChanges
from anonduck.release.rule_recoder import RuleRecoder
from anonduck.release.scripts import engine_texts
from anonduck.release.scripts.engine_texts import ALL_PASS, Passing
from anonduck.release.scripts.lookup_files import file_name, file_text, filled, is_file, loaded, loading
from anonduck.release.scripts.select_parts import (
    HELD_VALUE,
    ComputedValues,
    Holder,
    Listed,
    ListedCombinations,
    ListedIntervals,
    ListedTree,
    ListedValues,
    Reading,
    in_the_text,
)
from anonduck.release.scripts.shown_columns import is_computed, parts_of
from anonduck.release.scripts.tree_parts import held_values
from anonduck.rules.rule import literal
from anonduck.source.engine import SourceEngine
from anonduck.source.files import is_csv
from anonduck.source.source import Source
from anonduck.statements import line, statement
from anonduck.statements.column_types import TEXT, ZONED
from anonduck.statements.dialects import Dialect, dialect_named
from anonduck.statements.expansion import quoted
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import DIALECT
from anonduck.taxonomy.catalog import Taxonomy, entries
from anonduck.taxonomy.paths import computed_labels, other_labels, path_query
from anonduck.words import __version__, counted
from anonduck.workspace import Workspace

ALONE = ""
"""In the place of a file's name: the only text, which goes to a file of any name."""
RELEASE_FILE = "release.sql"
FORMS = ("select", "script", "dbt", "sqlmesh")
HELD = "It holds values of the source: keep it as safe as the source."
LISTED_SET = "listed_set"
CHECKED = ("k", "l")
"""Requirements that a text checks where it runs."""


@dataclass(frozen=True)
class TextOptions:
    """How a release is written as text: its form, the dialect, what it reads, and how columns are called there.

    ``form`` is one of FORMS; ``table`` a table or a query of the dialect in the place of the source, or
    with ``as_it_stands`` any text that is to stand there; ``identifiers`` are ``quoted`` as the source has them, or
    ``upper`` or ``lower``. In a ``folder`` long lookup tables are files of their own. Raises ConfigError for others.
    """

    form: str = "select"
    dialect: str = DIALECT
    table: str | None = None
    identifiers: str = "quoted"
    as_it_stands: bool = False
    folder: bool = False

    def __post_init__(self) -> None:
        for given, known in ((self.form, FORMS), (self.identifiers, get_args(engine_texts.Case))):
            if given not in known:
                raise ConfigError(f"there is no {given!r} here; choose among {', '.join(known)}")
        dialect_named(self.dialect)

    @property
    def engine(self) -> Dialect:
        """The engine of the dialect."""
        return dialect_named(self.dialect)


@dataclass(frozen=True)
class ReleaseText:
    """A release as text: what it is of, the columns that it shows, what they show of which values, and what its classes
    must meet.

    ``stops`` are columns whose labels the engine cannot compute, as sentences; ``unseen`` says of classes what becomes
    of what they were not made of; ``values`` which values of the source are listed.
    """

    called: str
    columns: Sequence[ReleasedColumn]
    listed: Sequence[Listed]
    lines: Sequence[str]
    passing: Passing = ALL_PASS
    stops: Sequence[str] = ()
    unseen: str = ""
    values: Sequence[str] = ()

    @property
    def holds_values(self) -> bool:
        """Whether values of the source stand in it, or bounds that follow from them."""
        return any(not isinstance(one, ComputedValues) or one.exceptions for one in self.listed)


def write_text(workspace: Workspace, text: ReleaseText, options: TextOptions) -> dict[str, str]:
    """A text with comments that say what it is, one SELECT or the statements of a script, by the name of its file.

    In a folder the files of its long lookup tables are beside it.
    """
    engine, script = options.engine, options.form == "script"
    lookups = parts_of(text.listed, reading_of(workspace, options)).lookups
    tables = lookups if script else [one for one in lookups if options.folder and is_file(one, engine)]
    statements = [*_opening(workspace.source, options)]
    if script and options.dialect == DIALECT:
        statements.append(engine_texts.session_zone(workspace.database.timezone))
    statements += [one for table in tables for one in (filled if script else loading)(table, engine)]
    statements.append(select_alone(workspace, text, options, lambda one: one.name if one in tables else None))
    files = [] if script else tables
    reads = "the source of the project" if options.table is None else " ".join(options.table.split())
    lines = [*text.lines, f"It reads {reads}.", *_required(text.passing), *text.stops, *_remarks(workspace, options)]
    lines += [*text.values, *([HELD] if text.holds_values else []), *(loaded(one, engine) for one in files)]
    header = ["-- " + " ".join(line.splitlines()) for line in lines]
    whole = "\n".join([*header, *(one if one.startswith("\\") else f"{one};" for one in statements)]) + "\n"
    named = RELEASE_FILE if options.folder else ALONE
    return {named: whole, **{file_name(one): file_text(one, engine) for one in files}}


def select_alone(workspace: Workspace, text: ReleaseText, options: TextOptions, held: Holder = in_the_text) -> str:
    """The SELECT of a release, without comments or semicolon."""
    read = reading_of(workspace, options)
    return engine_texts.select_text(text.columns, text.listed, read, passing=text.passing, held=held)


def _required(passing: Passing) -> list[str]:
    """What of the requirement is checked where the text runs, in words."""
    if not passing.asks:
        return []
    values = [f"{least:,} values of {name}" for name, least in passing.values.items() if least > 1]
    each = " and ".join([f"{passing.k:,} records", *values])
    if passing.left_out is None:
        return [f"It stops unless each class has {each}."]
    return [f"It stops if more than {passing.left_out:.4g} of the records would be left out."]


def passing_of(requirement: Requirement, sensitive: Sequence[str]) -> Passing:
    """What of a requirement a text checks itself: k, l of each sensitive column, and the share that is left out."""
    least = next((int(one.required) for one in requirement.asked if one.model.name == "l"), 1)
    left_out = requirement.suppression or None
    return Passing(requirement.k, left_out, dict.fromkeys(sensitive, least) if least > 1 else {})


def reading_of(workspace: Workspace, options: TextOptions) -> Reading:
    """What the text of a release reads."""
    source = workspace.source
    entity = workspace.config.entity
    if entity is not None and entity.at_most is not None and not _reads_source(source, options):
        raise ConfigError(
            "entity.at_most: which records of a person are used is chosen by DuckDB from the source, and a text that "
            "reads another table would take all of them. Write the release with `anonduck release RULE -o FILE`, or "
            "leave `at_most` out and bound the records in a view"
        )
    return engine_texts.reading(
        options.engine,
        {column.name: column.type for column in source.columns},
        table=None if options.as_it_stands else options.table,
        standing=options.table if options.as_it_stands else None,
        own=source.relation_sql if _reads_source(source, options) else None,
        where=workspace.config.where,
        zone=workspace.database.timezone if options.form == "select" and _by_zone(workspace) else None,
        case=options.identifiers,
    )


def _reads_source(source: Source, options: TextOptions) -> bool:
    return options.table is None and options.dialect == DIALECT and bool(source.relation_sql)


def _by_zone(workspace: Workspace) -> bool:
    """Whether what DuckDB reads of the source may depend on the time zone of its session."""
    source, config = workspace.source, workspace.config
    zoned = any(column.type == ZONED for column in source.columns)
    return zoned and (config.where is not None or bool(config.types) or is_csv(source.files))


def _opening(source: Source, options: TextOptions) -> list[str]:
    return [source.opening_sql] if source.opening_sql and _reads_source(source, options) else []


def _remarks(workspace: Workspace, options: TextOptions) -> list[str]:
    engine, zone = options.engine, workspace.database.timezone
    ran = (
        f"Texts like this one run on {engine.ran_on} in the tests."
        if engine.ran_on
        else f"No text like this one has ever run on {engine.title}: compare its rows with a release."
    )
    own = _reads_source(workspace.source, options)
    by_zone = own and options.form == "select" and _by_zone(workspace)
    unchecked = [name for name in workspace.config.requirement.asked if name not in CHECKED]
    return [
        *([f"Required and checked only in releases by anonduck: {', '.join(unchecked)}."] if unchecked else []),
        *([f"It stops in a session whose time zone is not {zone}."] if by_zone else []),
        ran,
    ]


# -- the release of a rule ---------------------------------------------------------------------------------------------


def rule_text(
    database: Database,
    plan: ReleasePlan[RuleRecoder],
    source: Source,
    taxonomies: Mapping[str, Taxonomy],
    renamed: LabelChanges,
    engine: Dialect,
) -> ReleaseText:
    """The release of a rule as text; ``renamed`` are the labels that it shows in the place of its taxonomies'."""
    columns, listed, stops = plan.recoding.columns, list[Listed](), list[str]()
    for column in columns:
        if not column.looked_up:
            continue
        found, stopped = level_listed(database, column, taxonomies[column.name], source, engine, renamed)
        listed += [] if found is None else [found]
        stops += stopped
    refuses = not any(column.unmapped for column in columns)
    called = f"the rule {literal(plan.recoding.levels)}"
    lines = [
        f"anonduck {__version__}: the release of {called}",
        f"Values that a taxonomy does not know {'stop it' if refuses else 'become the root label'}.",
        f"Classes of fewer than {plan.requirement.k} records are left out."
        if plan.requirement.suppression
        else "It gives one row for each record.",
    ]
    passing = passing_of(plan.requirement, plan.recoding.inputs.roles.sensitive)
    values = listed_values(source.engine, listed, plan.requirement.k, engine)
    return ReleaseText(called, columns, listed, lines, passing, stops, values=values)


def listed_values(source: SourceEngine, listed: Sequence[Listed], k: int, engine: Dialect) -> list[str]:
    """What is listed of the values of each column, and how many of these fewer than k records of the source hold."""
    words = [
        f"It lists {len(one.rows):,} combinations of values." for one in listed if isinstance(one, ListedCombinations)
    ]
    held = {one.name: len(one.values) for one in listed if isinstance(one, ListedValues)}
    columns = [column for one in listed if isinstance(one, ListedTree) for column in one.columns]
    held |= {one.name: held_values(one, engine) for one in columns}
    held = {name: values for name, values in held.items() if values}
    if not held:
        return words
    source.frequency_set(list(held), LISTED_SET)
    for name, values in held.items():
        text = 'SELECT count(*) FROM (SELECT sum("#records") AS records FROM {listed} WHERE "{value}" IS NOT NULL '
        text += 'GROUP BY "{value}" HAVING records < {k})'
        query = line(
            "release/script_text.listed_values", text, listed=quoted(LISTED_SET), value=value_column(name), k=k
        )
        rare = source.database.value(query)
        few = f"; of those in the source, {rare:,} {'is' if rare == 1 else 'are'} held by fewer than {k} records"
        words.append(f"It lists {counted(values, 'value', 'values')} of {name}{few if rare else ''}.")
    source.database.drop(("temp", LISTED_SET))
    return words


def level_listed(
    database: Database,
    column: RuleColumn,
    taxonomy: Taxonomy,
    source: Source,
    engine: Dialect,
    renamed: LabelChanges | None = None,
) -> tuple[Listed | None, list[str]]:
    """What a column shows of its values at its level, and that an engine cannot compute it; None where each value shows
    itself."""
    computed = None
    if taxonomy.kind == "computed":
        computed = _computed(database, column, source.column(column.name).type)
    if computed is None or not is_computed(engine, computed):
        stops = [_stops(column, engine)] if computed is not None and (column.level or computed.itself) else []
        return _listed(database, column, taxonomy, source, (renamed or {}).get(column.name, {})), stops
    return (computed if column.level or computed.itself else None), []


def _stops(column: RuleColumn, engine: Dialect) -> str:
    shown = "becomes the root label" if column.unmapped and (column.level or column.text) else "stops the text"
    return (
        f"{engine.title} cannot compute the labels of {column.name!r} at level {column.level}: the values that were "
        f"there are listed, and a new one {shown}."
    )


def _computed(database: Database, column: RuleColumn, kind: str) -> ComputedValues | None:
    """What a column with a computed taxonomy shows; None where no path was settled, as its values are its leaves."""
    entry = entries(database)[column.name]
    query = path_query(entry, kind, HELD_VALUE)
    if query is None:
        return None
    labels, level = computed_labels(entry, kind), column.level or 0
    exceptions = tuple(other_labels(database, entry, kind, level)) if level else ()
    to_root = column.unmapped and bool(level or column.text)
    return ComputedValues(
        column.name,
        kind,
        level,
        labels,
        query.sql,
        exceptions,
        itself=level == 0 and labels is None,
        otherwise=column.root_label if to_root else None,
    )


def write_query(
    database: Database, plan: ReleasePlan[RuleRecoder], source: Source, taxonomies: Mapping[str, Taxonomy]
) -> str:
    """The SELECT of a release alone, over a relation called ``source``.

    It names its lookup tables, and holds no value of the source.
    """
    columns = plan.recoding.columns
    listed = [_listed(database, one, taxonomies[one.name], source, {}) for one in columns if one.looked_up]
    read = engine_texts.reading(dialect_named(DIALECT), {column.name: column.type for column in source.columns})
    passing = passing_of(plan.requirement, plan.recoding.inputs.roles.sensitive)
    return engine_texts.select_text(columns, listed, read, passing=passing, held=lambda one: one.name) + ";"


def _rows(database: Database, column: RuleColumn, taxonomy: Taxonomy) -> list[tuple[str, str]]:
    """Lower bounds or values of a taxonomy with their labels at the level of a column, as texts."""
    label = f"level_{column.level}" if column.level else "value"
    if taxonomy.kind == "intervals":
        bounds = {"bounds": ("bounds", taxonomy.column)}
        query = statement("release/script_bounds.sql", column={"label": label}, table=bounds)
    else:
        text = 'SELECT t.value::VARCHAR, t."{label}"::VARCHAR FROM "taxonomy"."{column}" AS t ORDER BY t.value'
        query = line("release/script_text._rows", text, label=label, column=taxonomy.column)
    return [tuple(row) for row in database.rows(query)]


def _listed(
    database: Database, column: RuleColumn, taxonomy: Taxonomy, source: Source, renamed: Mapping[str, str]
) -> Listed:
    rows, kind = _rows(database, column, taxonomy), source.column(column.name).type
    if taxonomy.kind == "intervals":
        return ListedIntervals(column.name, kind, tuple((lower, renamed.get(label, label)) for lower, label in rows))
    to_root = column.unmapped and bool(column.level or column.text)
    return ListedValues(
        column.name,
        kind,
        ((None, None), *rows),
        shown_kind=TEXT if column.level else kind,
        otherwise=column.root_label if to_root else None,
    )
