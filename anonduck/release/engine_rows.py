"""The rows of a release that an engine writes: one SELECT over the source and over lookups that it is given as views.

A lookup holds what each value of a column shows, or each combination of values of some columns, once. So a join with it
gives no record twice; and no value stands in the text of the query. It is written in the engine's dialect, and has only
what is on the list of that (statements.pipeline.engine_nodes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.statements.column_types import FLOATS, TEXT
from anonduck.statements.dialects import NUMBERS, Dialect, family_of
from anonduck.statements.expansion import Expression, Item, expression
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.engine_spelling import in_dialect
from anonduck.statements.pipeline.engine_values import check_kind
from anonduck.statements.row_order import bucket, dealt_rows
from anonduck.statements.template import Statement, line, statement

KEPT = "anonduck_kept"
GROUPED_ROWS = "anonduck_rows"
REPEATS = "anonduck_repeats"
FIRST, TIMES = "first_place", "times"
DEALS_AS_IT_STORES = ("postgres",)
"""Engines that deal rows as they store them, texts compared by their bytes (engines.warehouse_queries.dealt_table)."""
WRITES_IN_PARTS = ("spark",)
"""Engines that write rows in parts, side by side, each part with whole buckets, and number them so where they must."""
PLACED = (
    'SELECT each(columns, g."shown_{n}" AS "{name}"), g."first_place" AS "#place", g."times" AS "#times" '
    'FROM "anonduck_rows" AS g'
)
KNOWN = (
    'CASE WHEN s."{key}" IS NULL THEN NULL WHEN l{place}."key_0" IS NULL THEN {stopped} '
    'ELSE l{place}."shown_{shown}" END'
)
FAILING = "CAST(CAST({words} || coalesce(substring(CAST({value} AS TEXT), 1, 0), '') AS INTEGER) AS TEXT)"
"""What fails where a record is read, in an engine that has no function which stops a statement."""
HASHED = "({one} IS NULL) = ({other} IS NULL) AND coalesce({one}, {filled}) = coalesce({other}, {filled})"
"""PostgreSQL joins by IS NOT DISTINCT FROM in no way but to try each row with each; this a join can hash."""
FILLED = {**dict.fromkeys(NUMBERS, "0"), "boolean": "FALSE", "text": "''"}
"""What stands there for NULL, by families of types; others are compared as texts."""


@dataclass(frozen=True)
class EngineLookup:
    """A view that the source is joined with: its columns ``key_0, ...`` are ``keys`` of the source, its columns
    ``shown_0, ...`` what the release shows of ``shown``.

    With ``whole`` only records are released whose keys are in it, NULL being a value; else it has one key, one that it
    lacks stops the statement, and NULL shows NULL.
    """

    view: str
    keys: tuple[str, ...]
    shown: tuple[str, ...]
    whole: bool = False


def source_rows(
    columns: Sequence[ReleasedColumn],
    lookups: Sequence[EngineLookup],
    engine: Dialect,
    kinds: Mapping[str, str],
    source: str,
    *,
    some: bool = False,
) -> str:
    """The rows of a release from the records of ``source``, in a release's order unless the engine deals them itself.

    With ``some``, only those are in it whose classes are in the view KEPT, as ``q_1, q_2, ...``. Raises DialectError
    for what the engine cannot be given.
    """
    shown = {one.name: _shown(one, lookups, engine, kinds) for one in columns}
    joined: dict[bool, list[Item]] = {True: [], False: []}
    for place, lookup in enumerate(lookups):
        keys: list[Item] = []
        for number, name in enumerate(lookup.keys):
            check_kind(engine, name, kinds[name])
            one, other = expression('s."{name}"', name=name), expression('l{a}."key_{b}"', a=place, b=number)
            keys.append({"alike": _same(engine, one, other, kinds[name])})
        joined[lookup.whole].append({"view": lookup.view, "place": place, "key": lookup.keys[0], "keys": keys})
    lists: dict[str, Sequence[Item]] = {"labelled": joined[False], "combined": joined[True]}
    lists["columns"] = [{"name": name, "shown": text} for name, text in shown.items()]
    rows = statement("release/source_rows.sql", table={"origin": source}, lists=lists)
    if some:
        labelled = {name for lookup in lookups for name in lookup.shown}
        rows = _of_kept_classes(rows, columns, {**kinds, **dict.fromkeys(labelled, TEXT)}, engine)
    return _dealt(rows, list(shown), engine)


def _dealt(rows: Statement, names: Sequence[str], engine: Dialect) -> str:
    if engine.name not in (*DEALS_AS_IT_STORES, *WRITES_IN_PARTS):
        shown = {name: expression('placed."{name}"', name=name) for name in names}
        rows = dealt_rows(rows, shown, [expression('sorted."{name}"', name=name) for name in names])
    return in_dialect(rows, engine)


def repeated_rows(columns: Sequence[ReleasedColumn], engine: Dialect) -> str:
    """The rows of a release from the view GROUPED_ROWS, each as often as REPEATS has its TIMES, in a release's order
    unless the engine deals them itself.

    The view has the columns ``shown_0, ...``, as the release has columns. An engine that writes in parts repeats them
    itself: it is given each row once, with the position of its first record and how many there are as last columns.
    """
    names = [one.name for one in columns]
    if engine.name in WRITES_IN_PARTS:
        return in_dialect(line("release/engine_rows.PLACED", PLACED, columns=names), engine)
    place = Expression('(g."first_place" + r."number")')
    dealt = [] if engine.name in DEALS_AS_IT_STORES else [{"bucket": bucket(place)}]
    return in_dialect(statement("release/repeated_rows.sql", lists={"columns": names, "dealt": dealt}), engine)


def _shown(
    column: ReleasedColumn, lookups: Sequence[EngineLookup], engine: Dialect, kinds: Mapping[str, str]
) -> Expression:
    for place, lookup in enumerate(lookups):
        if column.name in lookup.shown:
            fields = {"place": place, "shown": lookup.shown.index(column.name)}
            if lookup.whole:
                return expression('l{place}."shown_{shown}"', **fields)
            key = lookup.keys[0]
            return expression(KNOWN, key=key, stopped=_stopped(column.name, key, engine), **fields)
    assert isinstance(column, RuleColumn)
    if column.at_root:
        return literal(column.root_label)
    if not column.floating:
        return expression('s."{name}"', name=column.name)
    zero = Expression(f"CAST(0 AS {kinds[column.name]})" if kinds[column.name] in FLOATS else "0")
    return expression('CASE WHEN s."{name}" = 0 THEN {zero} ELSE s."{name}" END', name=column.name, zero=zero)


def _stopped(name: str, key: str, engine: Dialect) -> Expression:
    """What stops the statement for a value that came into the source after its values were read."""
    words = literal(f"column {name}: a value that the release was not made of")
    if engine.stop:
        return expression("{function}({words})", function=Expression(engine.stop), words=words)
    return expression(FAILING, words=words, value=expression('s."{key}"', key=key))


def _same(engine: Dialect, one: Expression, other: Expression, kind: str) -> Expression:
    """Whether two values of a type are the same one, NULL being a value."""
    if engine.name != "postgres":
        return expression("{one} IS NOT DISTINCT FROM {other}", one=one, other=other)
    if family_of(kind) not in FILLED:
        one, other = (expression("CAST({value} AS TEXT)", value=value) for value in (one, other))
    return expression(HASHED, one=one, other=other, filled=Expression(FILLED.get(family_of(kind), "''")))


def _of_kept_classes(
    rows: Statement, columns: Sequence[ReleasedColumn], kinds: Mapping[str, str], engine: Dialect
) -> Statement:
    """The rows of a query whose classes are in the view KEPT, which has each once."""
    alike: list[Item] = []
    for number, column in enumerate([one for one in columns if one.distinguishes], 1):
        one, other = expression('r."{name}"', name=column.name), expression('k."q_{n}"', n=number)
        is_text = isinstance(column, RuleColumn) and column.at_root
        alike.append({"alike": _same(engine, one, other, TEXT if is_text else kinds[column.name])})
    released = expression("({query})", query=Expression(rows.sql))
    lists: dict[str, Sequence[Item]] = {"released": [{"query": released}], "attributes": alike}
    lists["columns"] = [one.name for one in columns]
    return statement("release/kept_rows.sql", lists=lists)
