"""A release as text for an engine: one SELECT, or a script that first makes temporary tables of its lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from sqlglot import exp

from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.statements.pipeline.builder_select import release_select, selected, unordered
from anonduck.statements.pipeline.builder_shown import parts_of
from anonduck.statements.pipeline.engine_nodes import written
from anonduck.statements.pipeline.engine_relations import Condition, in_zone, source_of, table_of, verbatim
from anonduck.statements.pipeline.engine_rows import ListedRows, rows_query
from anonduck.statements.pipeline.engine_values import cases, stop
from anonduck.statements.pipeline.engines import Engine
from anonduck.statements.pipeline.listed_values import Listed
from anonduck.statements.pipeline.select_parts import MOST_LISTED, Parts, Reading
from anonduck.statements.template import DIALECT

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


def select_text(columns: Sequence[ReleasedColumn], listed: Sequence[Listed], read: Reading, *, least: int = 1) -> str:
    """The SELECT of a release, without a semicolon; classes under ``least`` records are left out."""
    return written(release_select(columns, listed, read, least=least), read.engine)


def script_texts(
    columns: Sequence[ReleasedColumn], listed: Sequence[Listed], read: Reading, *, least: int = 1
) -> Iterator[str]:
    """The statements of a script, each without its semicolon: tables of the lists, a guard, the SELECT.

    The guard stops the script unless the joins give each record of the source once. It can run again in its session.
    """
    engine = read.engine
    if not engine.temporary:
        raise engine.refusal("a script", "it fills no temporary tables; write one SELECT, `as_='select'`")
    parts = parts_of(listed, read)
    for rows in parts.lists:
        yield from _table(rows, engine)
    yield written(_guard(columns, parts, read), engine)
    yield written(selected(columns, parts, read, least=least), engine)


def session_zone(zone: str) -> str:
    """The statement that sets the time zone of a session of DuckDB."""
    return exp.Command(this="SET", expression=f"TimeZone = {exp.Literal.string(zone).sql(DIALECT)}").sql(DIALECT)


def _table(rows: ListedRows, engine: Engine) -> Iterator[str]:
    """A temporary table of a list, made anew where the session has one."""
    named = exp.table_(rows.name, quoted=True)
    yield _drop(rows.name, engine).sql(engine.dialect)
    for start in range(0, len(rows.rows), ROWS_PER_INSERT):
        query = rows_query(rows, rows.rows[start : start + ROWS_PER_INSERT], engine)
        written(query, engine)
        if start:
            yield exp.Insert(this=named.copy(), expression=query).sql(engine.dialect)
        else:
            temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
            create = exp.Create(this=named.copy(), kind="TABLE", properties=temporary, expression=query)
            yield create.sql(engine.dialect)


def _drop(name: str, engine: Engine) -> exp.Expr:
    """Only a temporary table is dropped, where an engine has words for that."""
    schema = {"duckdb": "temp", "postgres": "pg_temp", "sqlite": "temp"}.get(engine.name)
    words = "TEMPORARY TABLE" if engine.dialect in ("mysql", "clickhouse") else "TABLE"
    drop: exp.Expr = exp.maybe_parse(f"DROP {words} IF EXISTS t", dialect=engine.dialect)
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
    stopping, is_condition = stop(read.engine, words, kept.copy(), exp.Not(this=same.copy()))
    branches = [(same, exp.Literal.string("every record once")), *([(stopping, exp.null())] if is_condition else [])]
    case = cases(branches, None if is_condition else stopping)
    return exp.select(exp.alias_(case, "row_count_guard")).from_(counted.subquery("counted"))
