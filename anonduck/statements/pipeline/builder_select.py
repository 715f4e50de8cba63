"""A release as one SELECT for an engine: no table is made for it, no setting is needed, and it can run again."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from anonduck.errors import DialectError
from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import one_zero, quoted
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.builder_shown import parts_of
from anonduck.statements.pipeline.engine_rows import with_rows
from anonduck.statements.pipeline.engine_values import check_digits, text_key
from anonduck.statements.pipeline.engines import family_of
from anonduck.statements.pipeline.listed_values import Listed
from anonduck.statements.pipeline.select_parts import Parts, Reading
from anonduck.statements.template import DIALECT


def release_select(
    columns: Sequence[ReleasedColumn], listed: Sequence[Listed], reading: Reading, *, least: int = 1
) -> exp.Select:
    """The SELECT of a release; classes of fewer than ``least`` records are left out.

    Raises DialectError for what the engine cannot be given.
    """
    parts = parts_of(listed, reading)
    return with_rows(selected(columns, parts, reading, least=least), parts.lists, reading.engine)


def selected(columns: Sequence[ReleasedColumn], parts: Parts, reading: Reading, *, least: int = 1) -> exp.Select:
    """The SELECT without its WITH clause."""
    names = [reading.named(column.name) for column in columns]
    if len(set(names)) < len(names):
        raise DialectError(f"the names of columns are not distinct in {reading.case} case; write them as they are")
    select = unordered(columns, parts, reading)
    if least > 1:
        select = _of_size(select, columns, reading, least)
    return ordered(select, len(columns), reading.engine.name)


def unordered(columns: Sequence[ReleasedColumn], parts: Parts, reading: Reading) -> exp.Select:
    """A row for each record, in no order."""
    shown = [exp.alias_(_shown(column, parts, reading), reading.named(column.name), quoted=True) for column in columns]
    select = exp.select(*shown).from_(reading.relation.copy())
    for number, (listed, on) in enumerate(zip(parts.lists, parts.joins, strict=True)):
        table = exp.alias_(exp.table_(listed.name, quoted=True), f"l{number}", table=True)
        select = select.join(table, on=on, join_type="left")
    return select


def ordered(select: exp.Select, width: int, dialect: str) -> exp.Select:
    """The rows of a select in the order of all their values; where NULL stands is the engine's own affair."""
    places = [exp.Literal.number(place) for place in range(1, width + 1)]
    if dialect != DIALECT:
        return select.order_by(*places)
    return select.order_by(*[exp.Ordered(this=place, nulls_first=False) for place in places])


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
    if reading.engine.dialect == "mysql":
        return text_key(reading.engine, value) if family_of(kind) == "text" else value
    if shows_values and kind == TEXT and reading.engine.collation:
        return text_key(reading.engine, value)
    return reading.plain(value, kind) if shows_values else value


def _holds_values(column: ReleasedColumn) -> bool:
    if isinstance(column, RuleColumn):
        return column.level in (None, 0)
    return bool(getattr(column, "values", False))


def _of_size(select: exp.Select, columns: Sequence[ReleasedColumn], reading: Reading, least: int) -> exp.Select:
    attributes = []
    for column in columns:
        if column.distinguishes:
            value = quoted(reading.named(column.name), "released")
            is_text = not _holds_values(column) or family_of(reading.kinds[column.name]) == "text"
            attributes.append(text_key(reading.engine, value) if is_text else value)
    return of_size(select, [reading.named(column.name) for column in columns], attributes, least)


def of_size(select: exp.Select, names: Sequence[str], attributes: Sequence[exp.Expr], least: int) -> exp.Select:
    """The rows of a select, ``released``, in classes of so many records; no dialect needs QUALIFY for it."""
    size = "class_size"
    while size in {name.lower() for name in names}:
        size += "_"
    counted = exp.alias_(exp.Window(this=exp.Count(this=exp.Star()), partition_by=list(attributes)), size, quoted=True)
    sized = exp.select(*[quoted(name, "released") for name in names], counted).from_(select.subquery("released"))
    large = exp.GTE(this=quoted(size, "sized"), expression=exp.Literal.number(least))
    return exp.select(*[quoted(name, "sized") for name in names]).from_(sized.subquery("sized")).where(large)
