"""The rows of a release that an engine writes: one SELECT over the source and over lookups that it is given as views.

A lookup holds what each value of a column shows, or each combination of values of some columns, once. So a join with it
gives no record twice; and no value stands in the text of the query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.statements.column_types import TEXT
from anonduck.statements.expressions import quoted
from anonduck.statements.pipeline.builder_release import ReleasedColumn, RuleColumn
from anonduck.statements.pipeline.engine_trees import cases, ordered, same, stop, written
from anonduck.statements.pipeline.engine_values import check_kind
from anonduck.statements.pipeline.engines import Engine, family_of
from anonduck.statements.row_order import in_buckets
from anonduck.statements.trees import exp

KEPT = "anonduck_kept"
GROUPED_ROWS = "anonduck_rows"
REPEATS = "anonduck_repeats"
FIRST, TIMES, NUMBER = "first_place", "times", "number"
DEALS_AS_IT_STORES = ("postgres",)
"""Engines that deal rows as they store them, texts compared by their bytes (builder_warehouse.dealt_table)."""
WRITES_IN_PARTS = ("spark",)
"""Engines that write rows in parts, side by side, each part with whole buckets, and number them so where they must."""
FLOATING = ("float", "double")


@dataclass(frozen=True)
class EngineLookup:
    """A view that the source is joined with: its columns ``key_0, ...`` are ``keys`` of the source, its columns
    ``shown_0, ...`` what the release shows of ``shown``.

    With ``whole`` only records are released whose keys are in it, NULL being a value; else a key that it lacks stops
    the statement, and NULL shows NULL.
    """

    view: str
    keys: tuple[str, ...]
    shown: tuple[str, ...]
    whole: bool = False


def source_rows(
    columns: Sequence[ReleasedColumn],
    lookups: Sequence[EngineLookup],
    engine: Engine,
    kinds: Mapping[str, str],
    source: str,
    *,
    some: bool = False,
) -> str:
    """The rows of a release from the records of ``source``, in a release's order unless the engine deals them itself.

    With ``some``, only those are in it whose classes are in the view KEPT, as ``q_1, q_2, ...``. Raises DialectError
    for what the engine cannot be given.
    """
    shown = [exp.alias_(_shown(one, lookups, engine, kinds), one.name, quoted=True) for one in columns]
    select = exp.select(*shown).from_(_view(source, "s"))
    for number, lookup in enumerate(lookups):
        for name in lookup.keys:
            check_kind(engine, name, kinds[name])
        side = "inner" if lookup.whole else "left"
        select = select.join(
            _view(lookup.view, f"l{number}"), on=_alike(lookup, f"l{number}", engine, kinds), join_type=side
        )
    if some:
        select = _of_kept_classes(select, columns, lookups, engine, kinds)
    if engine.name in (*DEALS_AS_IT_STORES, *WRITES_IN_PARTS):
        return written(select, engine)
    return written(ordered(select, [one.name for one in columns], engine), engine)


def repeated_rows(columns: Sequence[ReleasedColumn], engine: Engine) -> str:
    """The rows of a release from the view GROUPED_ROWS, each as often as REPEATS has its TIMES, in a release's order
    unless the engine deals them itself.

    The view has the columns ``shown_0, ...``, as the release has columns. The position of a row is FIRST and the NUMBER
    of its repetition, so that the engine numbers no rows. One that writes in parts repeats them itself: it is given
    each row once, with the position of its first record and how many there are as last columns.
    """
    shown = [exp.alias_(quoted(f"shown_{n}", "g"), one.name, quoted=True) for n, one in enumerate(columns)]
    grouped = exp.select(*shown).from_(_view(GROUPED_ROWS, "g"))
    if engine.name in WRITES_IN_PARTS:
        placed = ((FIRST, "#place"), (TIMES, "#times"))
        return written(grouped.select(*[exp.alias_(quoted(a, "g"), b, quoted=True) for a, b in placed]), engine)
    again = exp.EQ(this=quoted(TIMES, "g"), expression=quoted(TIMES, "r"))
    rows = grouped.join(_view(REPEATS, "r"), on=again, join_type="inner")
    if engine.name in DEALS_AS_IT_STORES:
        return written(rows, engine)
    place = exp.Add(this=quoted(FIRST, "g"), expression=quoted(NUMBER, "r"))
    return written(in_buckets(rows, place), engine)


def _view(name: str, alias: str) -> exp.Expr:
    return exp.alias_(exp.table_(name, quoted=True), alias, table=True)


def _alike(lookup: EngineLookup, alias: str, engine: Engine, kinds: Mapping[str, str]) -> exp.Expr:
    found = []
    for place, name in enumerate(lookup.keys):
        value, key = quoted(name, "s"), quoted(f"key_{place}", alias)
        equal = exp.EQ(this=value, expression=key)
        found.append(same(engine, value, key, kinds[name]) if lookup.whole else equal)
    return exp.and_(*found)


def _shown(
    column: ReleasedColumn, lookups: Sequence[EngineLookup], engine: Engine, kinds: Mapping[str, str]
) -> exp.Expr:
    for number, lookup in enumerate(lookups):
        if column.name in lookup.shown:
            found = quoted(f"shown_{lookup.shown.index(column.name)}", f"l{number}")
            return found if lookup.whole else _known(column.name, lookup, number, found, engine)
    assert isinstance(column, RuleColumn)
    if _at_root(column):
        return exp.Literal.string(column.root_label)
    value = quoted(column.name, "s")
    return _one_zero(value, engine, kinds[column.name]) if column.floating else value


def _at_root(column: ReleasedColumn) -> bool:
    return isinstance(column, RuleColumn) and column.level is not None and column.level == column.root


def _known(name: str, lookup: EngineLookup, number: int, found: exp.Expr, engine: Engine) -> exp.Expr:
    """What a value shows; one that came into the source after its values were read stops the statement."""
    value = quoted(lookup.keys[0], "s")
    lacking = exp.Is(this=quoted("key_0", f"l{number}"), expression=exp.null())
    words = f"column {name}: a value that the release was not made of"
    stopping, is_condition = stop(engine, words, value)
    missing = exp.Is(this=value.copy(), expression=exp.null())
    unknown = exp.and_(lacking, stopping) if is_condition else lacking
    return cases([(missing, exp.null()), (unknown, exp.null() if is_condition else stopping)], found)


def _one_zero(value: exp.Expr, engine: Engine, kind: str) -> exp.Expr:
    """A number of its own type, minus zero as zero."""
    family = family_of(kind)
    zero: exp.Expr = exp.Literal.number(0)
    shown = engine.cast(zero.copy(), family) if family in FLOATING and family in engine.types else zero.copy()
    return cases([(exp.EQ(this=value.copy(), expression=zero), shown)], value)


def _of_kept_classes(
    select: exp.Select,
    columns: Sequence[ReleasedColumn],
    lookups: Sequence[EngineLookup],
    engine: Engine,
    kinds: Mapping[str, str],
) -> exp.Select:
    """The rows of a select whose classes are in the view KEPT, which has each once."""
    labelled = {name for lookup in lookups for name in lookup.shown}
    attributes = [one for one in columns if one.distinguishes]
    alike = [
        same(
            engine,
            quoted(one.name, "r"),
            quoted(f"q_{number}", "k"),
            TEXT if one.name in labelled or _at_root(one) else kinds[one.name],
        )
        for number, one in enumerate(attributes, 1)
    ]
    released = exp.select(*[quoted(one.name, "r") for one in columns]).from_(select.subquery("r"))
    return released.join(_view(KEPT, "k"), on=exp.and_(*alike), join_type="inner")
