"""What the columns of a release show in one SELECT, as expressions of an engine.

Intervals are a balanced CASE, computed labels expressions of the value, short lists of values a CASE, long ones rows in
a WITH clause that are joined by equality: the rows of a list are distinct, so that no record comes out twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.release.scripts.covering_classes import covered
from anonduck.release.scripts.engine_labels import OUTSIDE, Branches, computed_label
from anonduck.release.scripts.select_parts import (
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
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import TOKEN, Expression, expression, quoted
from anonduck.statements.pipeline.engine_values import (
    called,
    cases,
    check_kind,
    is_nan,
    is_null,
    key,
    literal,
    one_zero,
    otherwise,
    stop,
    stopping,
    string,
    text_key,
    within,
)
from anonduck.statements.template import DIALECT

FLOATING = ("float", "double")
NULL = Expression("NULL")
UNLISTED = "a combination of quasi-identifiers that the release was not made of"


def parts_of(listed: Sequence[Listed], reading: Reading) -> Parts:
    """What each of the listed columns shows."""
    parts = Parts()
    for one in listed:
        if isinstance(one, ListedCombinations):
            parts.shown.update(_combination(one, reading, parts))
        else:
            parts.shown[one.name] = _label(one, reading, parts)
    return parts


def _label(one: Listed, reading: Reading, parts: Parts) -> Expression:
    """What the value of a column shows, for which it may join a list."""
    if isinstance(one, ListedIntervals):
        return _interval(one, reading)
    if isinstance(one, ListedValues):
        return _value(one, reading, parts)
    assert isinstance(one, ComputedValues)
    return _computed(one, reading, parts)


def _shows(engine: Dialect, shown: str | None, kind: str) -> Expression:
    return NULL if shown is None else literal(engine, shown, kind)


def _interval(listed: ListedIntervals, reading: Reading) -> Expression:
    """The label of an interval, found by halves; NaN lies above all numbers, in engines where it does not too.

    Each comparison is `value < bound`, which is false of NaN where no order has it.
    """
    engine, value = reading.engine, reading.column(listed.name)
    check_kind(engine, listed.name, listed.kind)
    branches: Branches = [(is_null(value), NULL)]
    bounds = list(listed.bounds)
    if is_nan(bounds[-1][0], listed.kind) and engine.nan != "equal":
        branches.append((called(engine.nan, value), string(bounds.pop()[1])))
    return cases(branches, otherwise(_halves(bounds, key(engine, value, listed.kind), listed.kind, engine)))


def _halves(bounds: Sequence[tuple[str | None, str]], value: Expression, kind: str, engine: Dialect) -> Expression:
    if len(bounds) == 1:
        return string(bounds[0][1])
    middle = len(bounds) // 2
    bound = bounds[middle][0]
    assert bound is not None
    lower, upper = _halves(bounds[:middle], value, kind, engine), _halves(bounds[middle:], value, kind, engine)
    text = "CASE WHEN {value} < {bound} THEN {lower} ELSE {upper} END"
    return expression(text, value=value, bound=literal(engine, bound, kind), lower=lower, upper=upper)


def is_computed(engine: Dialect, computed: ComputedValues) -> bool:
    """Whether an engine can compute the labels of a column."""
    if engine.name == DIALECT or computed.itself or computed.labels is None:
        return engine.name == DIALECT
    return computed_label(engine, computed.labels, computed.level, quoted(computed.name), computed.kind) is not None


def _computed(computed: ComputedValues, reading: Reading, parts: Parts) -> Expression:
    """What a value shows that is computed from it."""
    engine, value, name = reading.engine, reading.column(computed.name), computed.name
    branches = _branches(ListedValues(name, computed.kind, ((None, None), *computed.exceptions)), reading, parts)
    found = computed.labels and computed_label(engine, computed.labels, computed.level, value, computed.kind)
    if found:
        before, outside, label = found
        stopped = [] if outside is None else [(outside, stopping(engine, f"column {name}: {OUTSIDE}", value))]
        return cases([*branches, *before, *stopped], otherwise(label))
    asked, unknown = _asked(computed, value), stopping(engine, f"column {name}: {UNKNOWN}", value)
    unknown = unknown if computed.otherwise is None else string(computed.otherwise)
    if computed.itself:
        return cases([*branches, (is_null(asked), unknown)], otherwise(value))
    return cases(branches, otherwise(called("coalesce", asked, unknown)))


def _asked(computed: ComputedValues, value: Expression) -> Expression:
    """The label of a value as a subquery of DuckDB, which asks it once for each distinct value."""
    alone = expression("(SELECT {value} AS value)", value=value)
    held = str(quoted(HELD_VALUE))
    query = "".join(alone if token == held else token for token in TOKEN.findall(computed.query))
    text = '(SELECT labelled."level_{level}" FROM (\n{query}\n) AS labelled)'
    return expression(text, level=max(computed.level, 1), query=Expression(query))


def _value(listed: ListedValues, reading: Reading, parts: Parts) -> Expression:
    """What a listed value shows, and what comes of one that is not listed."""
    branches = _branches(listed, reading, parts)
    if listed.otherwise is not None:
        return cases(branches, otherwise(string(listed.otherwise)))
    words = f"column {listed.name}: {listed.words}"
    return cases(branches, stop(reading.engine, words, reading.column(listed.name)))


def _branches(listed: ListedValues, reading: Reading, parts: Parts) -> Branches:
    engine, value = reading.engine, reading.column(listed.name)
    check_kind(engine, listed.name, listed.kind)
    itself = _itself(engine, value, listed.kind) if listed.itself else None
    apart = [row for row in listed.values if engine.nan != "equal" and is_nan(row[0], listed.kind)]
    branches = [(is_null(value), _shows(engine, shown, listed.shown_kind)) for one, shown in listed.rows if one is None]
    branches += [(called(engine.nan, value), itself or _shows(engine, shown, listed.shown_kind)) for _, shown in apart]
    held = [row for row in listed.values if row not in apart] if apart else listed.values
    if len(held) > reading.most_listed:
        return [*branches, _joined(listed, held, itself, reading, parts)]
    return [*branches, *_grouped(listed, held, itself, reading)]


def _itself(engine: Dialect, value: Expression, kind: str) -> Expression:
    """A value as it is shown: without minus zero, and text where it may be one of a type that lists its values."""
    if family_of(kind) == "text" and engine.enums:
        return engine.typed(value, "text")
    return _with_one_zero(value, kind)


def _with_one_zero(value: Expression, kind: str) -> Expression:
    return one_zero(value) if family_of(kind) in FLOATING else value


def _grouped(
    listed: ListedValues, held: Sequence[tuple[str, str | None]], itself: Expression | None, reading: Reading
) -> Branches:
    """A branch for each label that is shown, with its values."""
    engine = reading.engine
    compared = key(engine, reading.column(listed.name), listed.kind)
    by_label: dict[str | None, list[dict[str, Expression]]] = {}
    for one, shown in held:
        by_label.setdefault("" if itself else shown, []).append({"one": literal(engine, one, listed.kind)})
    return [
        (
            expression("{compared} IN (each(values, {one}))", compared=compared, values=values),
            itself or _shows(engine, shown, listed.shown_kind),
        )
        for shown, values in by_label.items()
    ]


def _joined(
    listed: ListedValues,
    held: Sequence[tuple[str, str | None]],
    itself: Expression | None,
    reading: Reading,
    parts: Parts,
) -> tuple[Expression, Expression]:
    """A list that is joined, and the branch for a value that it has."""
    engine, value = reading.engine, reading.column(listed.name)
    rows = [
        [literal(engine, one, listed.kind), *([] if itself else [_shows(engine, shown, listed.shown_kind)])]
        for one, shown in held
    ]
    compared = key(engine, _with_one_zero(value, listed.kind), listed.kind)
    relation = parts.add(["value"] if itself else ["value", "shown"], rows)
    alias = Expression(parts.join(relation, '{compared} = {alias}."value"', compared=compared))
    shown = expression('{alias}."shown"', alias=alias)
    return expression('{alias}."value" IS NOT NULL', alias=alias), itself or shown


def _combination(listed: ListedCombinations, reading: Reading, parts: Parts) -> dict[str, Expression]:
    """What a combination of values shows in each column: one list, joined by the marks and keys of its values, and the
    classes that cover others."""
    covering, classes = listed.covering, [] if listed.covering is None else listed.covering.rows
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
    compared = [value for one in marked for value in one.compared]
    rows = [
        [*(cell for one in marked for cell in one.rows[number]), *_labels(row[len(listed.names) :], labels)]
        for number, row in enumerate(listed.rows)
    ]
    shown_names = [f"shown_{place}" for place in labels]
    table = parts.add([*names, *shown_names], rows)
    on = 'all_of(alike, {value} = {alias}."{name}")'
    alike = [{"name": name, "value": value} for name, value in zip(names, compared, strict=True)]
    sources = [(parts.join(table, on, alike=alike), names[0])]
    if covering is not None:
        query = covered(listed, marked, (table, on, alike, names[0]), reading, parts, _label)
        place = Expression(parts.join(within(query), on, alike=alike))
        shown_rows = [[Expression(number), *_labels(shown, labels)] for number, (_, shown) in enumerate(classes)]
        found = parts.add(["place", *shown_names], shown_rows)
        sources.append((parts.join(found, '{place}."place" = {alias}."place"', place=place), "place"))
    return {name: _shown_by(sources, number, listed, reading) for number, (name, _) in enumerate(listed.shown)}


def _shown_by(
    sources: Sequence[tuple[str, str]], number: int, listed: ListedCombinations, reading: Reading
) -> Expression:
    """What a column shows by the first of some lists, each with a column that is NULL where it has no row."""
    name, itself = listed.shown[number]
    kept = _with_one_zero(reading.column(name), reading.kinds[name])
    branches = [
        (
            expression('{alias}."{known}" IS NOT NULL', alias=Expression(alias), known=known),
            kept if itself else expression('{alias}."shown_{number}"', alias=Expression(alias), number=number),
        )
        for alias, known in sources
    ]
    roots = (None,) if listed.covering is None else listed.covering.otherwise
    if None in roots:
        return cases(branches, stop(reading.engine, UNLISTED, reading.column(listed.names[0])))
    return cases(branches, otherwise(string(str(roots[number]))))


def _own_value(node: tuple[int, str | None]) -> str | None:
    """The value that a class shows in a column; None for NULL, and for a node over values."""
    level, text = node
    return None if level else text


def _labels(row: Sequence[str | None], places: Sequence[int]) -> list[Expression]:
    return [NULL if (label := row[place]) is None else string(label) for place in places]


def _marked(reading: Reading, name: str, kind: str, texts: Sequence[str | None]) -> Marked:
    engine, value, family = reading.engine, reading.column(name), family_of(kind)
    check_kind(engine, name, kind)
    apart = family in FLOATING and engine.nan != "equal"
    codes = [1 if text is None else 2 if apart and is_nan(text, kind) else 0 for text in texts]
    filler = next((text for text, code in zip(texts, codes, strict=True) if text is not None and not code), None)
    missing = [is_null(value), *([called(engine.nan, value)] if apart else [])]
    marks = [(condition, Expression(code)) for code, condition in enumerate(missing, 1)]
    compared = [cases(marks, Expression("ELSE 0"))]
    rows = [[Expression(code)] for code in codes]
    if filler is None:
        return Marked(compared, rows, None)
    filling = literal(engine, filler, kind)
    held = cases([(condition, filling) for condition in missing], otherwise(_with_one_zero(value, kind)))
    compared.append(text_key(engine, held) if family == "text" else held)
    for row, code, text in zip(rows, codes, texts, strict=True):
        row.append(filling if code or text is None else literal(engine, text, kind))
    return Marked(compared, rows, filling)
