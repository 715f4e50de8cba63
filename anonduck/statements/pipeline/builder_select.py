"""A release as one SELECT for an engine: no table is made for it, no setting is needed, and it can run again.

Intervals are a balanced CASE, short lists of values a CASE, long ones rows in a WITH clause that are joined by
equality: the rows of a list are distinct, so that no record comes out twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from anonduck.errors import DialectError
from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline.builder_frequency import quoted
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.engine_rows import ListedRows, with_rows
from anonduck.statements.pipeline.engine_values import (
    cases,
    check_digits,
    check_kind,
    clickhouse_type,
    is_absent,
    is_misfit,
    is_nan,
    key,
    literal,
    stop,
    text_key,
)
from anonduck.statements.pipeline.engines import Engine, family_of
from anonduck.statements.pipeline.listed_values import Listed, ListedCombinations, ListedIntervals, ListedValues
from anonduck.statements.template import DIALECT

MOST_LISTED = 200
"""How many values a CASE lists; beyond, they are joined (benchmarks/sql_lists.py measures where that is faster)."""

Branches = list[tuple[exp.Expr, exp.Expr]]
FLOATING = ("float", "double")
MISFIT = "a value that is not stored as {}"


@dataclass(frozen=True)
class Reading:
    """What a SELECT reads, and how: a relation as ``s``, the types of its columns, and how they are called there.

    ``case`` is ``quoted`` for names as the source has them, or ``upper`` or ``lower``. Lists of more than
    ``most_listed`` values are joined.
    """

    engine: Engine
    relation: exp.Expr
    kinds: Mapping[str, str]
    case: str = "quoted"
    most_listed: int = MOST_LISTED

    def of(self, relation: exp.Expr) -> Reading:
        """The same of another relation."""
        return replace(self, relation=relation)

    def named(self, name: str) -> str:
        """A column as the engine calls it."""
        return name.upper() if self.case == "upper" else name.lower() if self.case == "lower" else name

    def column(self, name: str) -> exp.Expr:
        """A column of the source."""
        return quoted(self.named(name), "s")


@dataclass
class Parts:
    """What a SELECT is made of: what each column shows, and the lists that it is joined to, with how."""

    shown: dict[str, exp.Expr] = field(default_factory=dict)
    lists: list[ListedRows] = field(default_factory=list)
    joins: list[exp.Expr] = field(default_factory=list)

    def join(self, columns: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[exp.Expr]]) -> str:
        """Add a list; its alias."""
        number = len(self.lists)
        self.lists.append(ListedRows(f"anonduck_values_{number}", tuple(columns), tuple(types), rows))
        return f"l{number}"


def release_select(
    columns: Sequence[ReleasedColumn], listed: Sequence[Listed], reading: Reading, *, least: int = 1
) -> exp.Select:
    """The SELECT of a release; classes of fewer than ``least`` records are left out.

    Raises DialectError for what the engine cannot be given.
    """
    parts = parts_of(listed, reading)
    return with_rows(selected(columns, parts, reading, least=least), parts.lists, reading.engine)


def parts_of(listed: Sequence[Listed], reading: Reading) -> Parts:
    """What each of the listed columns shows."""
    parts = Parts()
    for one in listed:
        if isinstance(one, ListedIntervals):
            parts.shown[one.name] = _interval(one, reading)
        elif isinstance(one, ListedValues):
            parts.shown[one.name] = _value(one, reading, parts)
        else:
            parts.shown.update(_combination(one, reading, parts))
    return parts


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


def one_zero(value: exp.Expr) -> exp.Expr:
    """A number, minus zero as zero."""
    zero = exp.EQ(this=value.copy(), expression=exp.Literal.number(0))
    return cases([(zero, exp.Literal.number(0))], value)


def _shown(column: ReleasedColumn, parts: Parts, reading: Reading) -> exp.Expr:
    value = parts.shown.get(column.name)
    kind = reading.kinds[column.name]
    if value is None:
        assert isinstance(column, RuleColumn)
        at_root = column.level is not None and column.level == column.root
        if column.level == 0:
            check_digits(reading.engine, column.name, kind)
        value = exp.Literal.string(column.root_label) if at_root else kept_value(column, reading.column(column.name))
        kind = TEXT if at_root else kind
    elif not _holds_values(column):
        kind = TEXT
    return text_key(reading.engine, value) if reading.engine.dialect == "mysql" and family_of(kind) == "text" else value


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


# -- what a column shows -----------------------------------------------------------------------------------------------


def _is_null(value: exp.Expr) -> exp.Is:
    return exp.Is(this=value.copy(), expression=exp.null())


def _nan(engine: Engine, value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=engine.nan, expressions=[value.copy()])


def _shows(engine: Engine, shown: str | None, kind: str) -> exp.Expr:
    return exp.null() if shown is None else literal(engine, shown, kind)


def _interval(listed: ListedIntervals, reading: Reading) -> exp.Expr:
    """The label of an interval, found by halves; NaN lies above all numbers, in engines where it does not too.

    Each comparison is `value < bound`, which is false of NaN where no order has it.
    """
    engine, value = reading.engine, reading.column(listed.name)
    check_kind(engine, listed.name, listed.kind)
    branches: Branches = [(_is_null(value), exp.null())]
    misfit = is_misfit(engine, value, listed.kind)
    if misfit is not None:
        words = f"column {listed.name}: {MISFIT.format(listed.kind)}"
        branches.append((misfit, stop(engine, words, value, exp.true())[0]))
    bounds = list(listed.bounds)
    if is_nan(bounds[-1][0], listed.kind) and engine.nan != "equal":
        _, label = bounds.pop()
        if engine.nan != "none":
            branches.append((_nan(engine, value), exp.Literal.string(label)))
    bounds = _reached(bounds, listed.kind, engine)
    return cases(branches, _halves(bounds, key(engine, value, listed.kind), listed.kind, engine))


def _reached(bounds: list[tuple[str | None, str]], kind: str, engine: Engine) -> list[tuple[str | None, str]]:
    """The intervals that values of an engine lie in: what it cannot hold bounds nothing."""
    held = [(bound, label) for bound, label in bounds if bound is None or not is_absent(engine, bound, kind)]
    lowest = [
        label
        for bound, label in bounds
        if bound is not None and bound.startswith("-") and is_absent(engine, bound, kind)
    ]
    return [(None, lowest[-1]), *held[1:]] if lowest else held


def _halves(bounds: Sequence[tuple[str | None, str]], value: exp.Expr, kind: str, engine: Engine) -> exp.Expr:
    if len(bounds) == 1:
        return exp.Literal.string(bounds[0][1])
    middle = len(bounds) // 2
    bound = bounds[middle][0]
    assert bound is not None
    below = exp.LT(this=value.copy(), expression=literal(engine, bound, kind))
    lower, upper = _halves(bounds[:middle], value, kind, engine), _halves(bounds[middle:], value, kind, engine)
    return cases([(below, lower)], upper)


def _value(listed: ListedValues, reading: Reading, parts: Parts) -> exp.Expr:
    """What a value shows, of those that are listed."""
    engine, value = reading.engine, reading.column(listed.name)
    check_kind(engine, listed.name, listed.kind)
    floating = family_of(listed.kind) in FLOATING
    itself = (one_zero(value) if floating else value) if listed.itself else None
    held = [row for row in listed.values if not is_absent(engine, row[0], listed.kind)]
    apart = [row for row in held if engine.nan not in ("equal", "none") and is_nan(row[0], listed.kind)]
    branches: Branches
    branches = [
        (_is_null(value), _shows(engine, shown, listed.shown_kind)) for one, shown in listed.rows if one is None
    ]
    branches += [(_nan(engine, value), itself or _shows(engine, shown, listed.shown_kind)) for _, shown in apart]
    held = [row for row in held if row not in apart]
    if len(held) > reading.most_listed:
        branches.append(_joined(listed, held, itself, reading, parts))
    else:
        branches += _grouped(listed, held, itself, reading)
    return _finished(branches, listed, value, engine)


def _grouped(
    listed: ListedValues, held: Sequence[tuple[str, str | None]], itself: exp.Expr | None, reading: Reading
) -> Branches:
    """A branch for each label that is shown, with its values."""
    engine = reading.engine
    value = reading.column(listed.name)
    two_zeros = engine.name == "clickhouse" and family_of(listed.kind) in FLOATING  # its IN compares bits
    compared = key(engine, one_zero(value) if two_zeros else value, listed.kind)
    by_label: dict[str | None, list[exp.Expr]] = {}
    for one, shown in held:
        by_label.setdefault("" if itself else shown, []).append(literal(engine, one, listed.kind))
    return [
        (
            exp.In(this=compared.copy(), expressions=values),
            itself.copy() if itself else _shows(engine, shown, listed.shown_kind),
        )
        for shown, values in by_label.items()
    ]


def _joined(
    listed: ListedValues,
    held: Sequence[tuple[str, str | None]],
    itself: exp.Expr | None,
    reading: Reading,
    parts: Parts,
) -> tuple[exp.Expr, exp.Expr]:
    """A list that is joined, and the branch for a value that it has."""
    engine = reading.engine
    rows = [
        [literal(engine, value, listed.kind), *([] if itself else [_shows(engine, shown, listed.shown_kind)])]
        for value, shown in held
    ]
    names = ["value"] if itself else ["value", "shown"]
    types = [clickhouse_type(listed.kind), clickhouse_type(listed.shown_kind)][: len(names)]
    alias = parts.join(names, types, rows)
    value = reading.column(listed.name)
    floating = family_of(listed.kind) in FLOATING
    compared = key(engine, one_zero(value) if floating else value, listed.kind)
    parts.joins.append(exp.EQ(this=compared, expression=quoted("value", alias)))
    return exp.Not(this=_is_null(quoted("value", alias))), itself or quoted("shown", alias)


def _finished(branches: Branches, listed: ListedValues, value: exp.Expr, engine: Engine) -> exp.Expr:
    """The branches, and after them what comes of a value that none of them has."""
    if listed.otherwise is not None:
        return cases(branches, exp.Literal.string(listed.otherwise))
    return _or_stop(branches, f"column {listed.name}: {listed.words}", value, engine)


def _or_stop(branches: Branches, words: str, value: exp.Expr, engine: Engine) -> exp.Expr:
    known = exp.or_(*[condition for condition, _ in branches]) if engine.stops_by_condition else exp.true()
    unknown = exp.Not(this=exp.func("coalesce", known, exp.false()))
    stopping, is_condition = stop(engine, words, value, unknown)
    if is_condition:
        return cases([*branches, (stopping, exp.null())])
    return cases(branches, stopping)


def _combination(listed: ListedCombinations, reading: Reading, parts: Parts) -> dict[str, exp.Expr]:
    """What a combination of values shows in each column: one list, joined by the marks and keys of its values."""
    engine = reading.engine
    marked = [
        _marked(reading, name, kind, [row[place] for row in listed.rows])
        for place, (name, kind) in enumerate(zip(listed.names, listed.kinds, strict=True))
    ]
    labels = [place for place, (_, itself) in enumerate(listed.shown) if not itself]
    names = [name for number, one in enumerate(marked) for name in one.names(number)]
    types = [kind for one in marked for kind in one.types]
    rows = [
        [*(cell for one in marked for cell in one.rows[number] or ()), *_labels(row[len(listed.names) :], labels)]
        for number, row in enumerate(listed.rows)
        if all(one.rows[number] is not None for one in marked)
    ]
    text = clickhouse_type(TEXT)
    alias = parts.join([*names, *(f"shown_{place}" for place in labels)], [*types, *[text for _ in labels]], rows)
    compared = [value for one in marked for value in one.compared]
    alike = [exp.EQ(this=value, expression=quoted(name, alias)) for value, name in zip(compared, names, strict=True)]
    parts.joins.append(exp.and_(*alike))
    known = exp.Not(this=_is_null(quoted(names[0], alias)))
    shown: dict[str, exp.Expr] = {}
    for place, (name, itself) in enumerate(listed.shown):
        value = reading.column(name)
        kept = one_zero(value) if family_of(reading.kinds[name]) in FLOATING else value
        branches: Branches = [(known.copy(), kept if itself else quoted(f"shown_{place}", alias))]
        shown[name] = _or_stop(branches, listed.words, reading.column(listed.names[0]), engine)
    return shown


def _labels(row: Sequence[str | None], places: Sequence[int]) -> list[exp.Expr]:
    return [exp.null() if row[place] is None else exp.Literal.string(row[place]) for place in places]


@dataclass(frozen=True)
class Marked:
    """A column whose values are joined: what is compared, a mark and a key, and the cells of each row of a list.

    The mark tells NULL (1) and NaN (2) from other values (0); in their place the key has one of these. A row is None
    where the engine's column cannot hold its value.
    """

    compared: Sequence[exp.Expr]
    types: Sequence[str]
    rows: Sequence[Sequence[exp.Expr] | None]

    def names(self, number: int) -> list[str]:
        """The names of its columns in the list."""
        return [f"mark_{number}", f"value_{number}"][: len(self.types)]


def _marked(reading: Reading, name: str, kind: str, texts: Sequence[str | None]) -> Marked:
    engine, value = reading.engine, reading.column(name)
    check_kind(engine, name, kind)
    apart = engine.nan not in ("equal", "none") and family_of(kind) in FLOATING
    codes = [1 if text is None else 2 if apart and is_nan(text, kind) else 0 for text in texts]
    filler = next((text for text, code in zip(texts, codes, strict=True) if text is not None and not code), None)
    null, nan = _is_null(value), _nan(engine, value) if apart else None
    marks: Branches = [(null, exp.Literal.number(1)), *([] if nan is None else [(nan, exp.Literal.number(2))])]
    mark = cases(marks, exp.Literal.number(0))
    compared: list[exp.Expr] = [mark]
    types = ["Nullable(UInt8)"]
    if filler is not None:
        missing = null.copy() if nan is None else exp.or_(null.copy(), nan.copy())
        compared.append(_key_or(engine, missing, literal(engine, filler, kind), value, kind))
        types.append(clickhouse_type(kind))
    rows: list[list[exp.Expr] | None] = []
    for text, code in zip(texts, codes, strict=True):
        held = filler if code else text
        cell = [] if held is None else [literal(engine, held, kind)]
        absent = text is not None and is_absent(engine, text, kind)
        rows.append(None if absent else [exp.Literal.number(code), *cell])
    return Marked(compared, types, rows)


def _key_or(engine: Engine, missing: exp.Expr, filler: exp.Expr, value: exp.Expr, kind: str) -> exp.Expr:
    """The key of a value, or the filler where it has none."""
    family = family_of(kind)
    if family == "text":
        return text_key(engine, cases([(missing, filler)], value))
    kept = one_zero(value) if family in FLOATING else key(engine, value, kind)
    return cases([(missing, filler)], kept)
