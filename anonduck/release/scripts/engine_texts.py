"""A release as text for an engine: one SELECT with its lookup tables in it, or a script that first makes these.

The SELECT needs no table and no setting, and can run again. Without its lookup tables it holds no value of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from anonduck.errors import DialectError
from anonduck.release.scripts.gates import MISSED
from anonduck.release.scripts.select_parts import (
    CHECKED,
    Holder,
    Listed,
    Parts,
    Reading,
    in_the_text,
    with_rows,
)
from anonduck.release.scripts.shown_columns import parts_of
from anonduck.statements.column_types import TEXT
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import Expression, expression
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.engine_spelling import as_it_stands, laid_out, written
from anonduck.statements.pipeline.engine_values import check_digits, one_zero, stop, string, text_key, within
from anonduck.statements.row_order import unlike
from anonduck.statements.template import inner_query, statement

ANOTHER_ZONE = "it reads moments in the time zone of the session, which must be {}"


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


def selected(columns: Sequence[ReleasedColumn], parts: Parts, reading: Reading, *, passing: Passing) -> Expression:
    """The SELECT of a release without its WITH clause, which stops where a class does not meet what is asked.

    Raises DialectError for what the engine cannot be given.
    """
    names = [reading.named(column.name) for column in columns]
    if len(set(names)) < len(names):
        raise DialectError(f"the names of columns are not distinct in {reading.case} case; write them as they are")
    rows = unordered(columns, parts, reading)
    if passing.asks:
        rows = _passing(rows, columns, reading, passing)
    return ordered(rows, names, reading.engine)


def unordered(columns: Sequence[ReleasedColumn], parts: Parts, reading: Reading) -> Expression:
    """A row for each record, in no order."""
    return parts.rows([(reading.named(one.name), _shown(one, parts, reading)) for one in columns], reading)


def ordered(rows: Expression, names: Sequence[str], engine: Dialect) -> Expression:
    """The rows of a query in the order of a release's rows; where NULL stands is the engine's own affair."""
    query = statement(
        "release/scripts/placed.sql",
        column={"place": unlike(names)},
        lists={"names": names},
        fields={"rows": within(rows), "whole": Expression(engine.types["whole"])},
    )
    return laid_out(query.sql)


def _shown(column: ReleasedColumn, parts: Parts, reading: Reading) -> Expression:
    value = parts.shown.get(column.name)
    kind, shows_values = reading.kinds[column.name], _holds_values(column)
    if value is None:
        assert isinstance(column, RuleColumn)
        if column.level == 0:
            check_digits(reading.engine, column.name, kind)
        value = _of_itself(column, reading.column(column.name))
        kind = TEXT if column.at_root else kind
    elif not shows_values:
        kind = TEXT
    if shows_values and kind == TEXT and reading.engine.collation:
        return text_key(reading.engine, value)
    return reading.plain(value, kind) if shows_values else value


def _of_itself(column: RuleColumn, value: Expression) -> Expression:
    """What shows of a value without a lookup: the root's label, or itself, but for minus zero."""
    if column.at_root:
        return string(column.root_label)
    return one_zero(value) if column.floating else value


def _holds_values(column: ReleasedColumn) -> bool:
    if isinstance(column, RuleColumn):
        return column.level in (None, 0)
    return bool(getattr(column, "values", False))


def _passing(rows: Expression, columns: Sequence[ReleasedColumn], reading: Reading, passing: Passing) -> Expression:
    """The rows of a query whose classes meet what is asked, in one pass over their sizes; it stops where one fails."""
    engine, names = reading.engine, [reading.named(column.name) for column in columns]
    size, every, small, ranks = _free_names(names, "class_size", "all_records", "small_records", "class_values")
    asked = [(reading.named(name), least) for name, least in passing.values.items() if least > 1]
    item = {
        **{"names": names, "k": passing.k, "size": size, "every": every, "small": small, "ranks": ranks},
        "attributes": list(_attributes(columns, reading)),
        "values": [{"value": text_key(engine, of("released", name)), "least": least} for name, least in asked],
        "share": [] if passing.left_out is None else [{"share": Expression(f"{passing.left_out:.10f}".rstrip("0"))}],
        "stop": stop(engine, MISSED, of("sized", size)),
    }
    query = inner_query("release/scripts/sized.sql", **item, query=within(rows))
    if item["values"] or item["share"]:
        query = inner_query("release/scripts/counted.sql", **item, query=within(query))
    return inner_query("release/scripts/met.sql", names=names, query=within(query), condition=expression(MET, **item))


MET = """CASE
WHEN sized."{size}" >= {k} joins(values, AND sized."{ranks}_{n}" >= {least};)
THEN 'met'
joins(share, WHEN sized."{size}" < {k} AND sized."{small}" <= {share} * sized."{every}" THEN 'left out';)
{stop}
END = 'met'"""


def of(table: str, name: str) -> Expression:
    """A column of a table's alias."""
    return expression('{table}."{name}"', table=Expression(table), name=name)


def _free_names(taken: Sequence[str], *names: str) -> Iterator[str]:
    """Names with underscores after them until no column begins so."""
    lower = [name.lower() for name in taken]
    for name in names:
        free = name
        while any(one.startswith(free) for one in lower):
            free += "_"
        yield free


def _attributes(columns: Sequence[ReleasedColumn], reading: Reading) -> Iterator[dict[str, Expression]]:
    """The columns by which classes are grouped, as they are compared, of the rows and of the rows with their sizes."""
    for column in columns:
        if column.distinguishes:
            values = [of(table, reading.named(column.name)) for table in ("released", "sized")]
            if not _holds_values(column) or family_of(reading.kinds[column.name]) == "text":
                values = [text_key(reading.engine, value) for value in values]
            yield dict(zip(("of_released", "of_sized"), values, strict=True))


Case = Literal["quoted", "upper", "lower"]


def source_of(read: Expression, condition: Expression | None = None, *, is_query: bool = False) -> Expression:
    """A table or a query as ``s``, or those of its records that meet a condition on ``s``."""
    query = "(\n{read}\n) AS s" if "\n" in read else "({read}) AS s"
    aliased = expression(query if is_query else "{read} AS s", read=read)
    if condition is None:
        return aliased
    return expression("(\nSELECT *\nFROM {aliased}\nWHERE {condition}\n) AS s", aliased=aliased, condition=condition)


def in_zone(zone: str) -> Expression:
    """A condition that stops DuckDB in a session of another time zone."""
    text = "CASE WHEN current_setting('TimeZone') = {zone} THEN TRUE ELSE error({words}) END"
    return expression(text, zone=string(zone), words=string(ANOTHER_ZONE.format(zone)))


def reading(
    engine: Dialect,
    kinds: Mapping[str, str],
    *,
    table: str | None = None,
    standing: str | None = None,
    own: str | None = None,
    where: str | None = None,
    zone: str | None = None,
    case: str = "quoted",
) -> Reading:
    """What is read: a table or query of the engine, a text as it stands, or the source's own query of DuckDB.

    Of a table, and of a text, it is the records that meet ``where``. ``zone`` is that of the sessions in which DuckDB
    reads the source right; in others it stops.
    """
    found = Reading(engine, Expression("source"), kinds, case)
    if own is not None:
        condition = None if zone is None else in_zone(zone)
        return replace(found, own=True).of(source_of(as_it_stands(own), condition, is_query=True))
    from anonduck.statements.pipeline.engine_relations import Condition, table_of  # with sqlglot

    read, is_query = (as_it_stands(standing), False) if standing is not None else table_of(table or "source", engine)
    if where is None or is_query:
        return found.of(source_of(read, is_query=is_query))
    return found.of(source_of(read, Condition(engine, kinds, found.column).of(where)))


def select_text(
    columns: Sequence[ReleasedColumn],
    listed: Sequence[Listed],
    read: Reading,
    *,
    passing: Passing = ALL_PASS,
    held: Holder = in_the_text,
) -> str:
    """The SELECT of a release, without a semicolon; its WITH clause has the lookups that are held nowhere else."""
    parts = parts_of(listed, read)
    select = selected(columns, parts, read, passing=passing)
    whole, checked = (with_rows(select, parts, read.engine, held, most) for most in (None, CHECKED))
    return written(whole, read.engine, checked=checked)


def session_zone(zone: str) -> str:
    """The statement that sets the time zone of a session of DuckDB."""
    return expression("SET TimeZone = {zone}", zone=string(zone))
