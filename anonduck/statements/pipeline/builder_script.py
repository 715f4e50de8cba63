"""A release as text for an engine: one SELECT, a script that first makes temporary tables, or a query of lookup tables.

The SELECT needs no table and no setting, and can run again. The query of lookup tables holds no value of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from anonduck.errors import DialectError
from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import one_zero, quoted
from anonduck.statements.pipeline.builder_gate import MISSED
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.builder_shown import parts_of
from anonduck.statements.pipeline.engine_nodes import check_nodes, written
from anonduck.statements.pipeline.engine_relations import Condition, in_zone, source_of, table_of, verbatim
from anonduck.statements.pipeline.engine_values import cases, check_digits, stop, text_key
from anonduck.statements.pipeline.engines import Engine, engine_named, family_of
from anonduck.statements.pipeline.select_parts import (
    MOST_LISTED,
    Listed,
    ListedRows,
    Parts,
    Reading,
    rows_query,
    with_rows,
)
from anonduck.statements.row_order import dealt
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp


@dataclass(frozen=True)
class Passing:
    """What the classes of a release must meet where its text runs, or the statement stops.

    Each has ``k`` records and in each column of ``values`` so many distinct ones, NULL being one. With ``left_out``
    those that have fewer records are left out, and it is the share of all records by which that may be at most.
    """

    k: int = 1
    left_out: float | None = None
    values: Mapping[str, int] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """Whether there are classes that do not meet it."""
        return self.k > 1 or any(least > 1 for least in self.values.values())


ALL_PASS = Passing()


def release_select(
    columns: Sequence[ReleasedColumn], listed: Sequence[Listed], reading: Reading, *, passing: Passing = ALL_PASS
) -> exp.Select:
    """The SELECT of a release, which stops where a class does not meet what is asked.

    Raises DialectError for what the engine cannot be given.
    """
    parts = parts_of(listed, reading)
    return with_rows(selected(columns, parts, reading, passing=passing), parts.lists, reading.engine)


def selected(
    columns: Sequence[ReleasedColumn], parts: Parts, reading: Reading, *, passing: Passing = ALL_PASS
) -> exp.Select:
    """The SELECT without its WITH clause."""
    names = [reading.named(column.name) for column in columns]
    if len(set(names)) < len(names):
        raise DialectError(f"the names of columns are not distinct in {reading.case} case; write them as they are")
    select = unordered(columns, parts, reading)
    if passing.asks:
        select = _passing(select, columns, reading, passing)
    return ordered(select, names, reading.engine)


def unordered(columns: Sequence[ReleasedColumn], parts: Parts, reading: Reading) -> exp.Select:
    """A row for each record, in no order."""
    shown = [exp.alias_(_shown(column, parts, reading), reading.named(column.name), quoted=True) for column in columns]
    return parts.joined_to(exp.select(*shown).from_(reading.relation.copy()))


def ordered(select: exp.Select, names: Sequence[str], engine: Engine) -> exp.Select:
    """The rows of a select in the order of a release's rows; where NULL stands is the engine's own affair."""
    columns: list[exp.Expr] = [quoted(name, "sorted") for name in names]
    if engine.name == DIALECT:
        columns = [exp.Ordered(this=column, nulls_first=False) for column in columns]
    return dealt(select, names, columns, partial(_as_whole, engine))


def _as_whole(engine: Engine, number: exp.Expr) -> exp.Expr:
    """The number of a row in 64 bits."""
    return engine.cast(number, "whole")


def kept_value(column: RuleColumn, value: exp.Expr) -> exp.Expr:
    """A value of the source as it is, but for minus zero."""
    return one_zero(value) if column.floating else value


def _shown(column: ReleasedColumn, parts: Parts, reading: Reading) -> exp.Expr:
    value = parts.shown.get(column.name)
    kind, shows_values = reading.kinds[column.name], _holds_values(column)
    if value is None:
        assert isinstance(column, RuleColumn)
        at_root = column.level is not None and column.level == column.root
        if column.level == 0:
            check_digits(reading.engine, column.name, kind)
        value = exp.Literal.string(column.root_label) if at_root else kept_value(column, reading.column(column.name))
        kind = TEXT if at_root else kind
    elif not shows_values:
        kind = TEXT
    if shows_values and kind == TEXT and reading.engine.collation:
        return text_key(reading.engine, value)
    return reading.plain(value, kind) if shows_values else value


def _holds_values(column: ReleasedColumn) -> bool:
    if isinstance(column, RuleColumn):
        return column.level in (None, 0)
    return bool(getattr(column, "values", False))


def _passing(select: exp.Select, columns: Sequence[ReleasedColumn], reading: Reading, passing: Passing) -> exp.Select:
    """The rows of a select whose classes meet what is asked, by one pass over their sizes; it stops where they do not.

    Distinct values are counted as the greatest dense rank in a class: no engine counts them in a window.
    """
    engine, names = reading.engine, [reading.named(column.name) for column in columns]
    attributes = _attributes(columns, reading)
    size, total, small, free = _free_names(names, "class_size", "all_records", "small_records", "class_values")
    values = [(reading.named(name), least) for name, least in passing.values.items() if least > 1]

    def window(value: exp.Expr, by: Sequence[exp.Expr], order: exp.Expr | None = None) -> exp.Window:
        ordered_by = None if order is None else exp.Order(expressions=[order])
        return exp.Window(this=value, partition_by=[one.copy() for one in by], order=ordered_by)

    counted = [exp.alias_(window(exp.Count(this=exp.Star()), attributes), size, quoted=True)]
    for number, (name, _) in enumerate(values):
        ranked = window(exp.DenseRank(), attributes, text_key(engine, quoted(name, "released")))
        counted.append(exp.alias_(ranked, f"{free}_{number}", quoted=True))
    sized = exp.select(*[quoted(name, "released") for name in names], *counted).from_(select.subquery("released"))
    met: list[exp.Expr] = [exp.GTE(this=quoted(size, "sized"), expression=exp.Literal.number(passing.k))]
    if values:
        by = [_of_table(one, "sized") for one in attributes]
        most = [
            exp.alias_(window(exp.Max(this=quoted(f"{free}_{number}", "sized")), by), f"{free}_{number}", quoted=True)
            for number in range(len(values))
        ]
        kept = [quoted(name, "sized") for name in (*names, size)]
        sized = exp.select(*kept, *most).from_(sized.subquery("sized"))
        met += [
            exp.GTE(this=quoted(f"{free}_{number}", "sized"), expression=exp.Literal.number(least))
            for number, (_, least) in enumerate(values)
        ]
    words, outcome = MISSED, exp.Literal.string("met")
    branches: list[tuple[exp.Expr, exp.Expr]] = [(exp.and_(*met), outcome.copy())]
    if passing.left_out is not None:
        less = exp.LT(this=quoted(size, "sized"), expression=exp.Literal.number(passing.k))
        in_small = cases([(less, exp.Literal.number(1))])
        kept = [quoted(name, "sized") for name in (*names, size)]
        left = exp.alias_(window(exp.Count(this=in_small), []), small, quoted=True)
        every = exp.alias_(window(exp.Count(this=exp.Star()), []), total, quoted=True)
        sized = exp.select(*kept, left, every).from_(sized.subquery("sized"))
        share = exp.Mul(
            this=exp.Literal.number(f"{passing.left_out:.10f}".rstrip("0")), expression=quoted(total, "sized")
        )
        few = exp.LTE(this=quoted(small, "sized"), expression=share)
        branches.append((few, exp.Literal.string("left out")))
    stopping, is_condition = stop(engine, words, quoted(size, "sized"))
    case = cases([*branches, *([(stopping, exp.null())] if is_condition else [])], None if is_condition else stopping)
    rows = exp.select(*[quoted(name, "sized") for name in names]).from_(sized.subquery("sized"))
    return rows.where(exp.EQ(this=case, expression=outcome))


def _free_names(taken: Sequence[str], *names: str) -> Iterator[str]:
    """Names with underscores after them until no column begins so."""
    lower = [name.lower() for name in taken]
    for name in names:
        free = name
        while any(one.startswith(free) for one in lower):
            free += "_"
        yield free


def _of_table(value: exp.Expr, table: str) -> exp.Expr:
    """A value with its columns taken from another relation."""
    moved = value.copy()
    for column in moved.find_all(exp.Column):
        column.set("table", exp.to_identifier(table))
    return moved


def _attributes(columns: Sequence[ReleasedColumn], reading: Reading) -> list[exp.Expr]:
    """The columns of ``released`` by which classes are grouped, as they are compared."""
    attributes = []
    for column in columns:
        if column.distinguishes:
            value = quoted(reading.named(column.name), "released")
            is_text = not _holds_values(column) or family_of(reading.kinds[column.name]) == "text"
            attributes.append(text_key(reading.engine, value) if is_text else value)
    return attributes


def of_size(select: exp.Select, names: Sequence[str], attributes: Sequence[exp.Expr], least: int) -> exp.Select:
    """The rows of a select, ``released``, in classes of so many records; no dialect needs QUALIFY for it."""
    size = "class_size"
    while size in {name.lower() for name in names}:
        size += "_"
    counted = exp.alias_(exp.Window(this=exp.Count(this=exp.Star()), partition_by=list(attributes)), size, quoted=True)
    sized = exp.select(*[quoted(name, "released") for name in names], counted).from_(select.subquery("released"))
    large = exp.GTE(this=quoted(size, "sized"), expression=exp.Literal.number(least))
    return exp.select(*[quoted(name, "sized") for name in names]).from_(sized.subquery("sized")).where(large)


@dataclass(frozen=True)
class NamedLookup:
    """A lookup table: of the values of a column, or with ``bounds`` of the lower bounds of its intervals, of which the
    first has none."""

    column: str
    table: str
    bounds: bool = False


def release_query(
    columns: Sequence[RuleColumn], lookups: Sequence[NamedLookup], *, refuse_unknown: bool, least: int = 1
) -> str:
    """The SELECT of a release over a relation called ``source``; classes under ``least`` records are left out."""
    by_column = {lookup.column: lookup for lookup in lookups}
    aliases = {column: f"l{number}" for number, column in enumerate(by_column)}
    shown = [exp.alias_(_released(c, by_column, aliases, refuse_unknown), c.name, quoted=True) for c in columns]
    select = exp.select(*shown).from_(exp.to_table("source").as_("s", table=True))
    for name, lookup in by_column.items():
        select = _join(select, lookup, aliases[name])
    names = [c.name for c in columns]
    if least > 1:
        alike = [quoted(c.name, "released") for c in columns if c.distinguishes]
        select = of_size(select, names, alike, least)
    return ordered(select, names, engine_named(DIALECT)).sql(DIALECT, pretty=True)


def _join(select: exp.Select, lookup: NamedLookup, alias: str) -> exp.Select:
    value = quoted(lookup.column, "s")
    table = exp.alias_(exp.table_(lookup.table, quoted=True), alias, table=True)
    if not lookup.bounds:
        same = exp.EQ(this=value, expression=exp.column("value", table=alias))
        return select.join(table, on=same, join_type="left")
    above = exp.GTE(this=value, expression=exp.column("lower_bound", table=alias))
    select = select.join(table, on=above, join_type="left")
    select.args["joins"][-1].set("method", "ASOF")
    return select


def _released(
    column: RuleColumn, lookups: dict[str, NamedLookup], aliases: dict[str, str], refuse_unknown: bool
) -> exp.Expr:
    value = quoted(column.name, "s")
    if column.name not in lookups:
        at_root = column.level is not None and column.level == column.root
        return exp.Literal.string(column.root_label) if at_root else kept_value(column, value)
    label = exp.column("label", table=aliases[column.name])
    is_null = exp.Is(this=value, expression=exp.null())
    unknown = exp.Is(this=label, expression=exp.null())
    otherwise: exp.Expr = exp.Literal.string(column.root_label)
    if lookups[column.name].bounds:
        otherwise = _first_label(lookups[column.name])
    elif refuse_unknown:
        words = f"column {column.name}: a value that its taxonomy does not know"
        otherwise = exp.Anonymous(this="error", expressions=[exp.Literal.string(words)])
    shown = kept_value(column, quoted(column.name, "s")) if column.level == 0 else label.copy()
    return exp.Case().when(is_null, exp.null()).when(unknown, otherwise).else_(shown)


def _first_label(lookup: NamedLookup) -> exp.Expr:
    """The label of the interval without a lower bound, as a subquery: the text may not hold the least value."""
    unbounded = exp.Is(this=exp.column("lower_bound", table="lowest"), expression=exp.null())
    table = exp.alias_(exp.table_(lookup.table, quoted=True), "lowest", table=True)
    return exp.select(exp.column("label", table="lowest")).from_(table).where(unbounded).subquery()


ROWS_PER_INSERT = 1_000
Case = Literal["quoted", "upper", "lower"]


def reading(
    engine: Engine,
    kinds: Mapping[str, str],
    *,
    table: str | None = None,
    as_it_stands: str | None = None,
    own: str | None = None,
    where: str | None = None,
    zone: str | None = None,
    case: str = "quoted",
    joined: bool = False,
) -> Reading:
    """What is read: a table or query of the engine, a text as it stands, or the source's own query of DuckDB.

    Of a table, and of a text, it is the records that meet ``where``. ``zone`` is that of the sessions in which DuckDB
    reads the source right; in others it stops. With ``joined`` all lists are joined, short ones too.
    """
    found = Reading(engine, exp.to_table("source"), kinds, case, 0 if joined else MOST_LISTED)
    if own is not None:
        query: exp.Expr = exp.maybe_parse(own, dialect=DIALECT)
        return replace(found, own=True).of(source_of(query, None if zone is None else in_zone(zone)))
    read = verbatim(as_it_stands) if as_it_stands is not None else table_of(table or "source", engine)
    if where is None or isinstance(read, exp.Query):
        return found.of(source_of(read))
    return found.of(source_of(read, Condition(engine, kinds, found.column).of(where)))


def select_text(
    columns: Sequence[ReleasedColumn], listed: Sequence[Listed], read: Reading, *, passing: Passing = ALL_PASS
) -> str:
    """The SELECT of a release, without a semicolon."""
    return written(release_select(columns, listed, read, passing=passing), read.engine, used_again=False)


def script_texts(
    columns: Sequence[ReleasedColumn], listed: Sequence[Listed], read: Reading, *, passing: Passing = ALL_PASS
) -> Iterator[str]:
    """The statements of a script, each without its semicolon: tables of the lists, a guard, the SELECT.

    The guard stops the script unless the joins give each record of the source once. It can run again in its session.
    """
    engine = read.engine
    if not engine.temporary:
        raise engine.refusal("a script", "it fills no temporary tables; write one SELECT, `--as select`")
    parts = parts_of(listed, read)
    for rows in parts.lists:
        yield from _table(rows, engine)
    yield written(_guard(columns, parts, read), engine)
    yield written(selected(columns, parts, read, passing=passing), engine)


def session_zone(zone: str) -> str:
    """The statement that sets the time zone of a session of DuckDB."""
    return exp.Command(this="SET", expression=f"TimeZone = {exp.Literal.string(zone).sql(DIALECT)}").sql(DIALECT)


def _table(rows: ListedRows, engine: Engine) -> Iterator[str]:
    """A temporary table of a list, made anew where the session has one."""
    named = exp.table_(rows.name, quoted=True)
    yield _drop(rows.name, engine).sql(engine.name)
    for start in range(0, len(rows.rows), ROWS_PER_INSERT):
        query = rows_query(rows, rows.rows[start : start + ROWS_PER_INSERT], engine)
        if start:
            check_nodes(query, engine)
            yield exp.Insert(this=named.copy(), expression=query).sql(engine.name, copy=False)
        else:
            written(query, engine)  # what an engine cannot be given is in the first rows too
            temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
            create = exp.Create(this=named.copy(), kind="TABLE", properties=temporary, expression=query)
            yield create.sql(engine.name, copy=False)


def _drop(name: str, engine: Engine) -> exp.Expr:
    """Only a temporary table is dropped, where an engine has words for that."""
    schema = {"duckdb": "temp", "postgres": "pg_temp"}.get(engine.name)
    drop: exp.Expr = exp.maybe_parse("DROP TABLE IF EXISTS t", dialect=engine.name)
    next(drop.find_all(exp.Table)).replace(exp.table_(name, db=schema, quoted=True))
    return drop


def _guard(columns: Sequence[ReleasedColumn], parts: Parts, read: Reading) -> exp.Select:
    every = exp.select(exp.Count(this=exp.Star()))
    joined = unordered(columns, parts, read).subquery("joined")
    records = every.copy().from_(read.relation.copy()).subquery()
    counted = exp.select(exp.alias_(records, "records"), exp.alias_(every.copy().from_(joined).subquery(), "released"))
    kept, given = exp.column("records", table="counted"), exp.column("released", table="counted")
    same = exp.EQ(this=kept, expression=given)
    words = "the lists of this script give some record more than once, or not at all"
    stopping, is_condition = stop(read.engine, words, kept.copy())
    branches = [(same, exp.Literal.string("every record once")), *([(stopping, exp.null())] if is_condition else [])]
    case = cases(branches, None if is_condition else stopping)
    return exp.select(exp.alias_(case, "row_count_guard")).from_(counted.subquery("counted"))
