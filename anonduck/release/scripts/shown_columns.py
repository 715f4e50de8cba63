"""What the columns of a release show in one SELECT, as expressions of an engine.

Values and intervals are looked up: each has a row in a table of its column, which is joined by equality, so that no
record comes out twice. Computed labels are expressions of the value.
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
    ListedTree,
    ListedValues,
    Marked,
    Parts,
    Reading,
    lookup_name,
)
from anonduck.release.scripts.tree_parts import tree_shown
from anonduck.statements.column_types import BIGINT, TEXT
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import TOKEN, Expression, expression, quoted
from anonduck.statements.pipeline.engine_values import (
    FLOATING,
    called,
    cases,
    check_kind,
    is_nan,
    is_null,
    key,
    literal,
    otherwise,
    stop,
    stopping,
    string,
    text_key,
    with_one_zero,
    within,
)
from anonduck.statements.template import DIALECT, inner_query

NULL = Expression("NULL")
MOST_RANGES = 100
"""Up to so many intervals, values are compared with each, which is as fast as to work out their places, or faster."""
UNLISTED = "a combination of quasi-identifiers that the release was not made of"


def parts_of(listed: Sequence[Listed], reading: Reading) -> Parts:
    """What each of the listed columns shows."""
    parts = Parts(str(reading.relation))
    for one in listed:
        if isinstance(one, ListedCombinations):
            parts.shown.update(_combination(one, reading, parts))
        elif isinstance(one, ListedTree):
            parts.shown.update(tree_shown(one, reading, parts, _label))
        else:
            parts.shown[one.name] = _label(one, reading, parts)
    return parts


def _label(one: Listed, reading: Reading, parts: Parts) -> Expression:
    """What the value of a column shows, for which it may join a list."""
    if isinstance(one, ListedIntervals):
        return _interval(one, reading, parts)
    if isinstance(one, ListedValues):
        return _value(one, reading, parts)
    assert isinstance(one, ComputedValues)
    return _computed(one, reading, parts)


def _shows(engine: Dialect, shown: str | None, kind: str) -> Expression:
    return NULL if shown is None else literal(engine, shown, kind)


def _interval(listed: ListedIntervals, reading: Reading, parts: Parts) -> Expression:
    """The label of an interval; NaN lies above all numbers, in engines where it does not too."""
    engine, value, name = reading.engine, reading.column(listed.name), listed.name
    check_kind(engine, name, listed.kind)
    bounds, apart = list(listed.bounds), Branches()
    if engine.nan != "equal" and family_of(listed.kind) in FLOATING:
        apart = [(called(engine.nan, value), string(bounds[-1][1]))]
        bounds = bounds[:-1] if is_nan(bounds[-1][0], listed.kind) else bounds
    if len(bounds) <= MOST_RANGES and engine.rows == "values":
        label = _by_range(listed, bounds, with_one_zero(value, listed.kind), parts)
        return cases(apart, otherwise(label)) if apart else label
    columns = {"key": BIGINT, "lower": listed.kind, "label": TEXT}
    rows = [(str(place), lower, label) for place, (lower, label) in enumerate(bounds)]
    lookup = parts.add(lookup_name(name), columns, rows)
    item = {"value": value, "lookup": lookup, "relation": reading.relation, "whole": Expression(engine.types["whole"])}
    placed = inner_query("release/scripts/placed_bounds.sql", **item)
    place = parts.join(
        expression("({placed})", placed=placed), '{value} = {alias}."value"', value=with_one_zero(value, listed.kind)
    )
    alias = parts.join(lookup, '{place}."place" = {alias}."key"', place=Expression(place))
    label = expression('{alias}."label"', alias=Expression(alias))
    return cases(apart, otherwise(label)) if apart else label


def _by_range(
    listed: ListedIntervals, bounds: Sequence[tuple[str | None, str]], value: Expression, parts: Parts
) -> Expression:
    """The label of the interval of a value, whose lookup is joined by its ends; NULL lies in none."""
    uppers = [*(lower for lower, _ in bounds[1:]), None]
    rows = [(lower, upper, label) for (lower, label), upper in zip(bounds, uppers, strict=True)]
    columns = {"lower": listed.kind, "upper": listed.kind, "label": TEXT}
    within_lower = '({alias}."lower" IS NULL OR {value} >= {alias}."lower")'
    within_upper = '({alias}."upper" IS NULL OR {value} < {alias}."upper")'
    on = f"{{value}} IS NOT NULL AND {within_lower} AND {within_upper}"
    alias = parts.join(parts.add(lookup_name(listed.name), columns, rows), on, value=value)
    return expression('{alias}."label"', alias=Expression(alias))


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
    return [*branches, _joined(listed, held, itself, reading, parts)] if held else branches


def _itself(engine: Dialect, value: Expression, kind: str) -> Expression:
    """A value as it is shown: without minus zero, and text where it may be one of a type that lists its values."""
    if family_of(kind) == "text" and engine.enums:
        return engine.typed(value, "text")
    return with_one_zero(value, kind)


def _joined(
    listed: ListedValues,
    held: Sequence[tuple[str, str | None]],
    itself: Expression | None,
    reading: Reading,
    parts: Parts,
) -> tuple[Expression, Expression]:
    """The branch for a value that a lookup has, which is joined."""
    engine, value = reading.engine, reading.column(listed.name)
    columns = {"key": listed.kind, **({} if itself else {"label": listed.shown_kind})}
    rows = [row[: len(columns)] for row in held]
    compared = key(engine, with_one_zero(value, listed.kind), listed.kind)
    relation = parts.add(lookup_name(listed.name), columns, rows)
    alias = Expression(parts.join(relation, '{compared} = {alias}."key"', compared=compared))
    shown = expression('{alias}."label"', alias=alias)
    return expression('{alias}."key" IS NOT NULL', alias=alias), itself or shown


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
    columns = {name: kind for number, one in enumerate(marked) for name, kind in one.columns(number).items()}
    names, compared = list(columns), [value for one in marked for value in one.compared]
    rows = [
        [*(cell for one in marked for cell in one.rows[number]), *_labels(row[len(listed.names) :], labels)]
        for number, row in enumerate(listed.rows)
    ]
    shown = {f"shown_{place}": TEXT for place in labels}
    table = parts.add("class_of", columns | shown, rows)
    on = 'all_of(alike, {value} = {alias}."{name}")'
    alike = [{"name": name, "value": value} for name, value in zip(names, compared, strict=True)]
    sources = [(parts.join(table, on, alike=alike), names[0])]
    if covering is not None:
        query = covered(listed, marked, (table, on, alike, names[0]), reading, parts, _label)
        place = Expression(parts.join(within(query), on, alike=alike))
        shown_rows = [[str(number), *_labels(shows, labels)] for number, (_, shows) in enumerate(classes)]
        found = parts.add("class_shown", {"place": BIGINT, **shown}, shown_rows)
        sources.append((parts.join(found, '{place}."place" = {alias}."place"', place=place), "place"))
    return {name: _shown_by(sources, number, listed, reading) for number, (name, _) in enumerate(listed.shown)}


def _shown_by(
    sources: Sequence[tuple[str, str]], number: int, listed: ListedCombinations, reading: Reading
) -> Expression:
    """What a column shows by the first of some lists, each with a column that is NULL where it has no row."""
    name, itself = listed.shown[number]
    kept = with_one_zero(reading.column(name), reading.kinds[name])
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


def _labels(row: Sequence[str | None], places: Sequence[int]) -> list[str | None]:
    return [row[place] for place in places]


def _marked(reading: Reading, name: str, kind: str, texts: Sequence[str | None]) -> Marked:
    engine, value, family = reading.engine, reading.column(name), family_of(kind)
    check_kind(engine, name, kind)
    apart = family in FLOATING and engine.nan != "equal"
    codes = [1 if text is None else 2 if apart and is_nan(text, kind) else 0 for text in texts]
    filler = next((text for text, code in zip(texts, codes, strict=True) if text is not None and not code), None)
    missing = [is_null(value), *([called(engine.nan, value)] if apart else [])]
    marks = [(condition, Expression(code)) for code, condition in enumerate(missing, 1)]
    compared = [cases(marks, Expression("ELSE 0"))]
    if filler is None:
        return Marked(compared, [[str(code)] for code in codes], None, kind)
    filling = literal(engine, filler, kind)
    held = cases([(condition, filling) for condition in missing], otherwise(with_one_zero(value, kind)))
    compared.append(text_key(engine, held) if family == "text" else held)
    rows = [[str(code), filler if code else text] for code, text in zip(codes, texts, strict=True)]
    return Marked(compared, rows, filler, kind)
