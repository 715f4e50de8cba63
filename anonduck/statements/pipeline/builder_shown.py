"""What the columns of a release show in one SELECT, as expressions of an engine.

Intervals are a balanced CASE, computed labels expressions of the value, short lists of values a CASE, long ones rows in
a WITH clause that are joined by equality: the rows of a list are distinct, so that no record comes out twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anonduck.statements.expressions import is_null, one_zero, quoted
from anonduck.statements.pipeline.builder_covering import covered
from anonduck.statements.pipeline.engine_labels import OUTSIDE, computed_label
from anonduck.statements.pipeline.engine_values import (
    cases,
    check_kind,
    is_nan,
    key,
    literal,
    stop,
    text_key,
)
from anonduck.statements.pipeline.engines import Engine, family_of
from anonduck.statements.pipeline.select_parts import (
    HELD_VALUE,
    UNKNOWN,
    ComputedValues,
    Listed,
    ListedCombinations,
    ListedIntervals,
    ListedValues,
    Marked,
    Parts,
    Reading,
)
from anonduck.statements.template import DIALECT
from anonduck.statements.trees import exp, sqlglot

Branches = list[tuple["exp.Expr", "exp.Expr"]]
FLOATING = ("float", "double")


def parts_of(listed: Sequence[Listed], reading: Reading) -> Parts:
    """What each of the listed columns shows."""
    parts = Parts()
    for one in listed:
        if isinstance(one, ListedIntervals):
            parts.shown[one.name] = _interval(one, reading)
        elif isinstance(one, ListedValues):
            parts.shown[one.name] = _value(one, reading, parts)
        elif isinstance(one, ComputedValues):
            parts.shown[one.name] = _computed(one, reading, parts)
        else:
            parts.shown.update(_combination(one, reading, parts))
    return parts


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
    branches: Branches = [(is_null(value), exp.null())]
    bounds = list(listed.bounds)
    if is_nan(bounds[-1][0], listed.kind) and engine.nan != "equal":
        _, label = bounds.pop()
        branches.append((_nan(engine, value), exp.Literal.string(label)))
    return cases(branches, _halves(bounds, key(engine, value, listed.kind), listed.kind, engine))


def _halves(bounds: Sequence[tuple[str | None, str]], value: exp.Expr, kind: str, engine: Engine) -> exp.Expr:
    if len(bounds) == 1:
        return exp.Literal.string(bounds[0][1])
    middle = len(bounds) // 2
    bound = bounds[middle][0]
    assert bound is not None
    below = exp.LT(this=value.copy(), expression=literal(engine, bound, kind))
    lower, upper = _halves(bounds[:middle], value, kind, engine), _halves(bounds[middle:], value, kind, engine)
    return cases([(below, lower)], upper)


def is_computed(engine: Engine, computed: ComputedValues) -> bool:
    """Whether an engine can compute the labels of a column."""
    if computed.itself or computed.labels is None:
        return engine.name == DIALECT
    held = exp.column(computed.name)
    return (
        engine.name == DIALECT
        or computed_label(engine, computed.labels, computed.level, held, computed.kind) is not None
    )


def _computed(computed: ComputedValues, reading: Reading, parts: Parts) -> exp.Expr:
    """What a value shows that is computed from it."""
    engine, value, name = reading.engine, reading.column(computed.name), computed.name
    branches = _branches(ListedValues(name, computed.kind, ((None, None), *computed.exceptions)), reading, parts)
    found = computed.labels and computed_label(engine, computed.labels, computed.level, value, computed.kind)
    if found:
        before, outside, label = found
        stopped = [] if outside is None else [(outside, _stopping(engine, f"column {name}: {OUTSIDE}", value))]
        return cases([*branches, *before, *stopped], label)
    asked = _asked(computed, value)
    unknown = exp.Literal.string(computed.otherwise) if computed.otherwise is not None else _stopped(name, engine)
    if computed.itself:
        return cases([*branches, (is_null(asked), unknown)], value)
    return cases(branches, exp.func("coalesce", asked, unknown))


def _stopping(engine: Engine, words: str, value: exp.Expr) -> exp.Expr:
    """What stops the statement, as a value."""
    stopping, is_condition = stop(engine, words, value)
    return cases([(stopping, exp.null())]) if is_condition else stopping


def _stopped(name: str, engine: Engine) -> exp.Expr:
    return exp.Anonymous(this=engine.stop, expressions=[exp.Literal.string(f"column {name}: {UNKNOWN}")])


def _asked(computed: ComputedValues, value: exp.Expr) -> exp.Expr:
    """The label of a value as a subquery of DuckDB, which asks it once for each distinct value."""
    tree: Any = sqlglot.parse_one(computed.query, dialect=DIALECT)
    for table in list(tree.find_all(exp.Table)):
        if table.name == HELD_VALUE:
            table.replace(exp.select(exp.alias_(value.copy(), "value")).subquery(HELD_VALUE))
    return (
        exp.select(exp.column(f"level_{max(computed.level, 1)}", table="labelled"))
        .from_(tree.subquery("labelled"))
        .subquery()
    )


def _value(listed: ListedValues, reading: Reading, parts: Parts) -> exp.Expr:
    """What a listed value shows."""
    return _finished(_branches(listed, reading, parts), listed, reading.column(listed.name), reading.engine)


def _branches(listed: ListedValues, reading: Reading, parts: Parts) -> Branches:
    engine, value = reading.engine, reading.column(listed.name)
    check_kind(engine, listed.name, listed.kind)
    itself = _itself(engine, value, listed.kind) if listed.itself else None
    apart = [row for row in listed.values if engine.nan != "equal" and is_nan(row[0], listed.kind)]
    branches: Branches
    branches = [(is_null(value), _shows(engine, shown, listed.shown_kind)) for one, shown in listed.rows if one is None]
    branches += [(_nan(engine, value), itself or _shows(engine, shown, listed.shown_kind)) for _, shown in apart]
    held = [row for row in listed.values if row not in apart]
    if len(held) > reading.most_listed:
        branches.append(_joined(listed, held, itself, reading, parts))
    else:
        branches += _grouped(listed, held, itself, reading)
    return branches


def _itself(engine: Engine, value: exp.Expr, kind: str) -> exp.Expr:
    """A value as it is shown: without minus zero, and text where it may be one of a type that lists its values."""
    if family_of(kind) == "text" and engine.enums:
        return engine.cast(value.copy(), "text")
    return one_zero(value) if family_of(kind) in FLOATING else value


def _grouped(
    listed: ListedValues, held: Sequence[tuple[str, str | None]], itself: exp.Expr | None, reading: Reading
) -> Branches:
    """A branch for each label that is shown, with its values."""
    engine = reading.engine
    value = reading.column(listed.name)
    compared = key(engine, value, listed.kind)
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
    alias = parts.join(parts.add(names, rows))
    value = reading.column(listed.name)
    floating = family_of(listed.kind) in FLOATING
    compared = key(engine, one_zero(value) if floating else value, listed.kind)
    parts.joins.append(exp.EQ(this=compared, expression=quoted("value", alias)))
    return exp.Not(this=is_null(quoted("value", alias))), itself or quoted("shown", alias)


def _finished(branches: Branches, listed: ListedValues, value: exp.Expr, engine: Engine) -> exp.Expr:
    """The branches, and after them what comes of a value that none of them has."""
    if listed.otherwise is not None:
        return cases(branches, exp.Literal.string(listed.otherwise))
    return _or_stop(branches, f"column {listed.name}: {listed.words}", value, engine)


def _or_stop(branches: Branches, words: str, value: exp.Expr, engine: Engine) -> exp.Expr:
    stopping, is_condition = stop(engine, words, value)
    if is_condition:
        return cases([*branches, (stopping, exp.null())])
    return cases(branches, stopping)


def _combination(listed: ListedCombinations, reading: Reading, parts: Parts) -> dict[str, exp.Expr]:
    """What a combination of values shows in each column: one list, joined by the marks and keys of its values, and the
    classes that cover others."""
    engine, covering = reading.engine, listed.covering
    classes = [] if covering is None else covering.rows
    marked = [
        _marked(
            reading,
            name,
            kind,
            [*(row[place] for row in listed.rows), *(_own_value(nodes[place]) for nodes, _ in classes)],
        )
        for place, (name, kind) in enumerate(zip(listed.names, listed.kinds, strict=True))
    ]
    labels = [place for place, (_, itself) in enumerate(listed.shown) if not itself]
    names = [name for number, one in enumerate(marked) for name in one.names(number)]
    rows = [
        [*(cell for one in marked for cell in one.rows[number]), *_labels(row[len(listed.names) :], labels)]
        for number, row in enumerate(listed.rows)
    ]
    shown_names = [f"shown_{place}" for place in labels]
    table = parts.add([*names, *shown_names], rows)
    compared = [value for one in marked for value in one.compared]

    def alike(alias: str) -> exp.Expr:
        pairs = zip(compared, names, strict=True)
        return exp.and_(*[exp.EQ(this=value.copy(), expression=quoted(name, alias)) for value, name in pairs])

    alias = parts.join(table)
    parts.joins.append(alike(alias))
    sources = [(exp.Not(this=is_null(quoted(names[0], alias))), alias)]
    otherwise: Sequence[str | None] = [None for _ in listed.shown]
    if covering is not None:
        unlisted = (table, alike("l0"), is_null(quoted(names[0], "l0")))
        query = covered(listed, marked, unlisted, reading, parts, _label_of(reading))
        place = parts.join(query.subquery())
        parts.joins.append(alike(place))
        shown_rows = [
            [exp.Literal.number(number), *_labels(shown, labels)] for number, (_, shown) in enumerate(classes)
        ]
        found = parts.join(parts.add(["place", *shown_names], shown_rows))
        parts.joins.append(exp.EQ(this=quoted("place", place), expression=quoted("place", found)))
        sources.append((exp.Not(this=is_null(quoted("place", found))), found))
        otherwise = covering.otherwise
    shown: dict[str, exp.Expr] = {}
    for number, (name, itself) in enumerate(listed.shown):
        value = reading.column(name)
        kept = one_zero(value) if family_of(reading.kinds[name]) in FLOATING else value
        branches: Branches = [
            (known.copy(), kept.copy() if itself else quoted(f"shown_{number}", of)) for known, of in sources
        ]
        root = otherwise[number]
        if root is None or None in otherwise:
            shown[name] = _or_stop(branches, listed.words, reading.column(listed.names[0]), engine)
        else:
            shown[name] = cases(branches, exp.Literal.string(root))
    return shown


def _own_value(node: tuple[int, str | None]) -> str | None:
    """The value that a class shows in a column; None for NULL, and for a node over values."""
    level, text = node
    return None if level else text


def _label_of(reading: Reading) -> Callable[[Listed, Parts], exp.Expr]:
    """The label of a value, of which other values stop the statement."""

    def label(one: Listed, parts: Parts) -> exp.Expr:
        if isinstance(one, ListedIntervals):
            return _interval(one, reading)
        assert isinstance(one, (ListedValues, ComputedValues))
        return _value(one, reading, parts) if isinstance(one, ListedValues) else _computed(one, reading, parts)

    return label


def _labels(row: Sequence[str | None], places: Sequence[int]) -> list[exp.Expr]:
    return [exp.null() if row[place] is None else exp.Literal.string(row[place]) for place in places]


def _marked(reading: Reading, name: str, kind: str, texts: Sequence[str | None]) -> Marked:
    engine, value = reading.engine, reading.column(name)
    check_kind(engine, name, kind)
    floating = family_of(kind) in FLOATING
    apart = floating and engine.nan != "equal"
    codes = [1 if text is None else 2 if apart and is_nan(text, kind) else 0 for text in texts]
    filler = next((text for text, code in zip(texts, codes, strict=True) if text is not None and not code), None)
    null, nan = is_null(value), _nan(engine, value) if apart else None
    marks: Branches = [(null, exp.Literal.number(1)), *([] if nan is None else [(nan, exp.Literal.number(2))])]
    mark = cases(marks, exp.Literal.number(0))
    compared: list[exp.Expr] = [mark]
    if filler is not None:
        missing = null.copy() if nan is None else exp.or_(null.copy(), nan.copy())
        compared.append(_key_or(engine, missing, literal(engine, filler, kind), value, kind))
    rows: list[list[exp.Expr]] = []
    for text, code in zip(texts, codes, strict=True):
        held = filler if code else text
        cell = [] if held is None else [literal(engine, held, kind)]
        rows.append([exp.Literal.number(code), *cell])
    return Marked(compared, rows, None if filler is None else literal(engine, filler, kind))


def _key_or(engine: Engine, missing: exp.Expr, filler: exp.Expr, value: exp.Expr, kind: str) -> exp.Expr:
    """The key of a value, or the filler where it has none."""
    family = family_of(kind)
    if family == "text":
        return text_key(engine, cases([(missing, filler)], value))
    kept = one_zero(value) if family in FLOATING else key(engine, value, kind)
    return cases([(missing, filler)], kept)
