"""Statements of a release: one label, and where it needs one a lookup join, per released column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from anonduck.statements.builder_database import schema
from anonduck.statements.builder_privacy import quasi_names
from anonduck.statements.expressions import created_table, created_view, named_table, one_zero, quoted
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.row_order import bucket, dealt_as_they_come
from anonduck.statements.template import DIALECT, Statement
from anonduck.statements.trees import exp

LOOKUP_SCHEMA = "release_lookup"


class ReleasedColumn(Protocol):
    """A column of a release, by whatever it was recoded."""

    @property
    def name(self) -> str:
        """The column's name, in the source and in the release."""

    @property
    def generalized(self) -> bool:
        """Whether it is a quasi-identifier, and not kept as it is."""

    @property
    def distinguishes(self) -> bool:
        """Whether the records of an equivalence class are alike in it."""

    @property
    def typed(self) -> bool:
        """Whether it may hold values of the source's type, and not labels alone."""


def summed_records(table: str = "s") -> exp.Expr:
    """The records of a group, called as in the frequency set."""
    records = exp.cast(exp.Sum(this=quoted(RECORDS, table)), "BIGINT", dialect=DIALECT)
    return exp.alias_(records, RECORDS, quoted=True)


@dataclass(frozen=True)
class RuleColumn:
    """A column of a release: how its values come from the source.

    ``level`` is None for a column that is kept as it is, 0 for a quasi-identifier's own values, the root's level for a
    root label that is kept on request. ``unmapped`` says that values its taxonomy lacks become the root label.
    """

    name: str
    level: int | None
    root: int = 0
    root_label: str = ""
    floating: bool = False
    text: bool = False
    looked_up: bool = False
    unmapped: bool = False

    @property
    def generalized(self) -> bool:
        """Whether it is a quasi-identifier, and not kept as it is."""
        return self.level is not None

    @property
    def distinguishes(self) -> bool:
        """Whether the records of an equivalence class are alike in it."""
        return self.generalized

    @property
    def typed(self) -> bool:
        """Whether it holds values of the source's type."""
        return self.level in (None, 0)

    @property
    def enumerated(self) -> bool:
        """Whether its values are labels of a lookup and nothing else, so that they can be sorted by their number."""
        return self.looked_up and self.level not in (None, 0, self.root) and not self.unmapped


@dataclass(frozen=True)
class NodeColumn:
    """A quasi-identifier of a release in which each class, or each value, has a node of its own.

    ``values``: it holds values of the source's type, as each record shows one there; else it holds text.
    """

    name: str
    values: bool = False

    generalized = True
    distinguishes = True
    typed = True


def enumerated_labels(column: RuleColumn) -> list[Statement]:
    """Make the labels of a column's lookup an ENUM in their order: 20 million labels are sorted faster by number.

    The ENUM holds the empty text too, for it must hold something where the column is NULL throughout.
    """
    name = f"{column.name} labels"
    kind = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).sql(DIALECT)
    table = exp.table_(column.name, db=LOOKUP_SCHEMA, quoted=True)
    label = exp.column(f"level_{column.level}", quoted=True)
    present = exp.Not(this=exp.Is(this=label.copy(), expression=exp.null()))
    held = exp.select(label).from_(table).where(present)
    nothing = exp.select(exp.alias_(exp.Literal.string(""), label.name, quoted=True))
    known = exp.union(held, nothing).subquery("known")
    labels = exp.select(label.copy()).from_(known).order_by(label.copy()).sql(DIALECT)
    return [
        Statement("builder_release.enumerated_labels", f"DROP TYPE IF EXISTS {kind}"),
        Statement("builder_release.enumerated_labels", f"CREATE TYPE {kind} AS ENUM ({labels})"),
        Statement(
            "builder_release.enumerated_labels",
            f"ALTER TABLE {table.sql(DIALECT)} ALTER {label.sql(DIALECT)} TYPE {kind}",
        ),
    ]


def lookup_schema() -> Statement:
    """Make the schema of the release's lookups, where it is not there yet."""
    return schema(LOOKUP_SCHEMA)


def grouped_release(columns: Sequence[RuleColumn], table: str) -> Statement:
    """``table``: each distinct released combination (``"<column>@value"``) with its records, from ``release_set``."""
    select = exp.select(*[_label(c, quoted(value_column(c.name), "s"), value_column(c.name)) for c in columns])
    select = joined(select.from_(exp.alias_(exp.to_table("release_set"), "s", table=True)), columns, raw=False)
    return grouped_rows("builder_release.grouped_release", table, select)


def grouped_rows(name: str, table: str, select: exp.Select) -> Statement:
    """The statement ``name`` that makes ``table``: each distinct row of a select over a set ``s``, with its records."""
    select = select.select(summed_records())
    select.set("group", exp.Group(all=True))
    return created_table(name, table, select)


def records_of(table: str) -> exp.Select:
    """All columns of a set, which is called ``s``."""
    star = exp.Column(this=exp.Star(), table=exp.to_identifier("s"))
    return exp.select(star).from_(exp.to_table(table).as_("s", table=True))


def of_grouped_classes(
    select: exp.Select, shown: Sequence[tuple[ReleasedColumn, exp.Expr]], grouped: str
) -> exp.Select:
    """The rows of a select whose equivalence class, by what columns show, is in the grouped release."""
    alike = [
        exp.NullSafeEQ(this=value, expression=quoted(value_column(column.name), "g"))
        for column, value in shown
        if column.distinguishes
    ]
    return select.join(exp.to_table(grouped).as_("g", table=True), on=exp.and_(*alike), join_type="semi")


def released_class_sizes(columns: Sequence[ReleasedColumn], table: str) -> Statement:
    """One row: records, equivalence classes and k of the grouped release."""
    names = [quoted(value_column(c.name)) for c in columns if c.distinguishes]
    sizes = exp.select(exp.alias_(exp.Sum(this=quoted(RECORDS)), "n")).from_(table).group_by(*names)
    n = exp.column("n")
    select = exp.select(
        exp.func("coalesce", exp.Cast(this=exp.Sum(this=n), to=_bigint()), exp.Literal.number(0)),
        exp.Count(this=exp.Star()),
        exp.func("coalesce", exp.Cast(this=exp.Min(this=n.copy()), to=_bigint()), exp.Literal.number(0)),
    ).from_(sizes.subquery("sizes"))
    return Statement("builder_release.released_class_sizes", select.sql(DIALECT))


def expanded_rows(columns: Sequence[ReleasedColumn], table: str) -> exp.Select:
    """The rows of a grouped release, each repeated as often as it has records, in the order of a release's rows."""
    names = [quoted(value_column(one.name)) for one in columns]
    ordered = _ordered_rows(names, table)
    repeated = exp.alias_(exp.Unnest(expressions=[exp.func("range", quoted(RECORDS))]), "#repeat", quoted=True)
    expanded = exp.select(*[n.copy() for n in names], repeated).from_(ordered.subquery("ordered"))
    released = [exp.alias_(name.copy(), one.name, quoted=True) for name, one in zip(names, columns, strict=True)]
    return exp.select(*released).from_(expanded.subquery("expanded"))


def source_rows(columns: Sequence[RuleColumn], *, some: bool = False) -> exp.Select:
    """The rows of a release that keeps columns as they are: from the source, in the order of a release's rows.

    Labels are those of ``enumerated_labels``, which must have run. With ``some``, only records whose class is in the
    numbered set of the release are in it.
    """
    select = exp.select(*[_label(c, quoted(c.name, "s"), c.name) for c in columns])
    select = joined(select.from_(exp.alias_(exp.to_table("source"), "s", table=True)), columns, raw=True)
    if some:
        select = _of_kept_classes(select, columns)
    ordered = select.order_by(*[exp.Ordered(this=exp.Literal.number(i)) for i in range(1, len(columns) + 1)])
    released = [_as_text(c) if c.enumerated else quoted(c.name, "placed") for c in columns]
    return dealt_as_they_come(ordered, [c.name for c in columns], released)


def _of_kept_classes(select: exp.Select, columns: Sequence[RuleColumn]) -> exp.Select:
    """The rows of a select whose quasi-identifiers are those of a class of the numbered set."""
    attributes = [c for c in columns if c.distinguishes]
    alike = [
        exp.NullSafeEQ(
            this=exp.cast(quoted(c.name, "r"), "VARCHAR", dialect=DIALECT) if c.enumerated else quoted(c.name, "r"),
            expression=exp.column(name, table="kept"),
        )
        for c, name in zip(attributes, quasi_names(len(attributes)), strict=True)
    ]
    kept = exp.to_table("numbered_set").as_("kept", table=True)
    released = exp.select(*[quoted(c.name, "r") for c in columns]).from_(select.subquery("r"))
    return released.join(kept, on=exp.and_(*alike), join_type="semi")


def copy_to(rows: exp.Expr, path: str, kind: Literal["parquet", "csv"]) -> Statement:
    """Write rows to a file.

    Labels are text, not ENUM, which would be written faster: where a row group lacks some values of an ENUM, DuckDB 2.0
    fills its dictionary in the Parquet file with memory that was never set.
    """
    options: list[tuple[str, exp.Expr]] = [("FORMAT", exp.var(kind)), ("USE_TMP_FILE", exp.false())]
    if kind == "csv":
        options.append(("HEADER", exp.true()))
    parameters = [exp.CopyParameter(this=exp.var(name), expression=value) for name, value in options]
    node = exp.Copy(this=exp.paren(rows), kind=False, files=[exp.Literal.string(path)], params=parameters)
    return Statement("builder_release.copy_to", node.sql(DIALECT, pretty=True))


def counted_as_text(names: Sequence[str], table: str, path: str) -> Statement:
    """Write the combinations of a table that has a column "#records" as CSV, each once, by their values."""
    select = exp.select(*map(quoted, names), summed_records(table)).from_(table).group_by(*map(quoted, names))
    return copy_to(select.order_by(*[_ascending(quoted(name)) for name in names]), path, "csv")


def create_table(rows: exp.Expr, parts: Sequence[str]) -> Statement:
    """Write rows to a table."""
    create = exp.Create(this=named_table(parts), kind="TABLE", expression=rows.copy())
    return Statement("builder_release.create_table", create.sql(DIALECT, pretty=True))


def released_view(rows: exp.Expr) -> Statement:
    """The temp view ``release`` over rows that are not written."""
    return created_view("builder_release.released_view", "release", rows.copy())


def labels_used(name: str, table: str) -> Statement:
    """The distinct labels of one column of the grouped release, in their order."""
    value = quoted(value_column(name))
    select = (
        exp.select(value).distinct().from_(table).where(exp.Not(this=exp.Is(this=value.copy(), expression=exp.null())))
    )
    return Statement("builder_release.labels_used", select.order_by(_ascending(value.copy())).sql(DIALECT))


def _ordered_rows(names: Sequence[exp.Column], table: str) -> exp.Select:
    """The distinct rows of a grouped release, each in every bucket that some of its records are dealt to.

    The positions of a row's records follow one another, so that they are counted by bucket, and no record is sorted.
    """
    records, last, in_bucket = quoted(RECORDS), quoted("#last"), quoted("#bucket")
    order = exp.Order(expressions=[_ascending(name.copy()) for name in names])
    ends = exp.cast(exp.Window(this=exp.Sum(this=records.copy()), order=order), "BIGINT", dialect=DIALECT)
    placed = exp.select(*names, records, exp.alias_(ends, last.name, quoted=True)).from_(table)
    first = exp.Add(this=exp.Sub(this=last.copy(), expression=records.copy()), expression=exp.Literal.number(1))
    after = exp.Add(this=last.copy(), expression=exp.Literal.number(1))
    place = exp.alias_(exp.Unnest(expressions=[exp.func("range", first, after)]), "#place", quoted=True)
    places = exp.select(last.copy(), place).from_("placed")
    dealt_to = exp.alias_(bucket(quoted("#place")), in_bucket.name, quoted=True)
    count = exp.alias_(exp.Count(this=exp.Star()), RECORDS, quoted=True)
    counted = exp.select(last.copy(), dealt_to, count).from_(places.subquery("places"))
    counted = counted.group_by(last.copy(), in_bucket.copy())
    select = exp.select(*[quoted(name.name, "placed") for name in names], quoted(RECORDS, "counted"))
    select = select.from_("placed").join(counted.subquery("counted"), using=[last.copy()])
    select = select.order_by(in_bucket, last.copy())
    return select.with_("placed", placed, materialized=True)


def joined(select: exp.Select, columns: Sequence[RuleColumn], *, raw: bool) -> exp.Select:
    """The select with the lookups of its columns joined to it, to which what it selects is then pointed."""
    for number, column in enumerate(columns):
        if column.looked_up:
            value = quoted(column.name if raw else value_column(column.name), "s")
            select = with_lookup(select, column.name, f"l{number}", value)
    return pointed(select, columns)


def with_lookup(select: exp.Select, name: str, alias: str, value: exp.Expr | None = None) -> exp.Select:
    """The select with a column's lookup joined to it by a value, by default that of the column in the set ``s``."""
    held = quoted(value_column(name), "s") if value is None else value
    lookup = exp.table_(name, db=LOOKUP_SCHEMA, quoted=True).as_(alias, table=True)
    return select.join(lookup, on=held.eq(exp.column("value", table=alias)), join_type="left")


def pointed(select: exp.Select, columns: Sequence[RuleColumn]) -> exp.Select:
    """The select with parts of lookups pointed to the lookups that are joined to it."""
    numbers = {c.name: i for i, c in enumerate(columns)}
    for node in select.find_all(exp.Column):
        if node.table.startswith("lookup of "):
            node.set("table", exp.to_identifier(f"l{numbers[node.table.removeprefix('lookup of ')]}"))
    return select


def shown_values(column: RuleColumn) -> Statement:
    """What each value of a column's lookup shows: ``key_0`` is the value, ``shown_0`` its label."""
    value = exp.column("value", table="l0")
    lookup = exp.alias_(exp.table_(column.name, db=LOOKUP_SCHEMA, quoted=True), "l0", table=True)
    told = exp.alias_(value, "key_0"), exp.alias_(generalized(column, value.copy()), "shown_0")
    held = exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))
    select = pointed(exp.select(*told).from_(lookup).where(held), [column])
    return Statement("builder_release.shown_values", select.sql(DIALECT, pretty=True))


def looked_up(column: RuleColumn, part: str) -> exp.Column:
    """A part of the lookup of a column, in a select to which it is ``joined`` afterwards."""
    return exp.column(part, table=exp.to_identifier(f"lookup of {column.name}", quoted=True))


def _as_text(column: RuleColumn) -> exp.Expr:
    return exp.alias_(exp.cast(quoted(column.name, "placed"), "VARCHAR", dialect=DIALECT), column.name, quoted=True)


def _label(column: RuleColumn, value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(generalized(column, value), name, quoted=True)


def generalized(column: RuleColumn, value: exp.Expr) -> exp.Expr:
    """What a rule shows of a column in the place of a value, in a select to which its lookup is ``joined``."""
    if column.level is None or column.level == 0:
        kept = one_zero(value) if column.floating else value
        if not (column.looked_up and column.unmapped and column.text):
            return kept
        return _unless_unknown(column, value, kept)
    if column.level == column.root:
        return exp.Literal.string(column.root_label)
    label = looked_up(column, f"level_{column.level}")
    return _unless_unknown(column, value, label) if column.unmapped else label


def _unless_unknown(column: RuleColumn, value: exp.Expr, otherwise: exp.Expr) -> exp.Expr:
    unknown = exp.and_(
        exp.Is(this=looked_up(column, "code_1"), expression=exp.null()),
        exp.Not(this=exp.Is(this=value.copy(), expression=exp.null())),
    )
    return exp.Case().when(unknown, exp.Literal.string(column.root_label)).else_(otherwise)


def _ascending(value: exp.Expr) -> exp.Expr:
    return exp.Ordered(this=value, nulls_first=False)


def _bigint() -> exp.DataType:
    return exp.DataType.build("BIGINT")
