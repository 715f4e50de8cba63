"""Whether the columns of an export have the types that they had when the config was made, by kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonduck.errors import SourceError
from anonduck.source.columns import Column
from anonduck.source.missing_markers import COUNTED, NumberLook, number_look, shown_key
from anonduck.statements.column_types import (
    BOOLEAN,
    DATED,
    DOUBLE,
    JSON,
    TEXT,
    is_numeric,
    is_temporal,
    is_text,
    is_whole,
)

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.source.engine import SourceEngine

KINDS = ("number", "date", "time", "text", "boolean")


def kind_of(type_: str) -> str:
    """What a type holds: one kind has one treatment.

    >>> [kind_of(one) for one in ("BIGINT", "DECIMAL(9,2)", "TIMESTAMP", "VARCHAR", "BOOLEAN", "BLOB")]
    ['number', 'number', 'date', 'text', 'boolean', 'BLOB']
    """
    if is_numeric(type_):
        return "number"
    if type_ in DATED:
        return "date"
    if is_temporal(type_):
        return "time"
    if is_text(type_) or type_ == JSON:
        return "text"
    return "boolean" if type_ == BOOLEAN else type_


def changed_columns(config: Config, columns: Sequence[Column]) -> list[Column]:
    """The columns that are of another kind than the config expects."""
    expected = config.expected_types
    return [one for one in columns if one.name in expected and kind_of(one.type) != kind_of(expected[one.name])]


def empty_columns(engine: SourceEngine, config: Config, columns: Sequence[Column]) -> dict[str, str]:
    """The columns that are of another kind and hold no value at all in this export, with the type that they are read
    as: the expected one."""
    changed = changed_columns(config, columns)
    if not changed:
        return {}
    records = engine.count()
    return {one.name: config.expected_types[one.name] for one in changed if engine.nulls(one.name) == records}


def check_expected(engine: SourceEngine, config: Config, columns: Sequence[Column], *, is_csv: bool) -> None:
    """Raise SourceError for a column that is of another kind than the config expects, with what to do first."""
    for one in changed_columns(config, columns):
        was = config.expected_types[one.name]
        look = _look(engine, one) if kind_of(one.type) == "text" else None
        raise SourceError(
            f"column {one.name!r} is {one.type} in this export, and was {was} when the config was made"
            f"{_why(look, was)}. {_remedy(config, one, was, look, is_csv=is_csv)}"
        )


def _look(engine: SourceEngine, column: Column) -> NumberLook:
    look = number_look(engine, column.name)
    engine.database.drop(COUNTED)
    return look


def _why(look: NumberLook | None, was: str) -> str:
    if look is None or kind_of(was) not in ("number", "date"):
        return ""
    what, fitting = ("number", look.plain) if kind_of(was) == "number" else ("date", look.dated)
    return f": {look.no_numbers(fitting, what)}" if fitting < look.filled else ""


def _remedy(config: Config, column: Column, was: str, look: NumberLook | None, *, is_csv: bool) -> str:
    """What helps, first what keeps the values as they are meant."""
    name = column.name
    anew = (
        f"Where it is {column.type} from now on, take it out of `expected_types` and make a new config: "
        "`anonduck init SOURCE --class COLUMN`"
    )
    if kind_of(was) == "text":
        as_text = f"Read it as text, `types: {{{name}: {TEXT}}}`"
        return f"{as_text if is_csv else 'Write it as text in the export'}. {anew}"
    fitting = 0 if look is None else look.plain if kind_of(was) == "number" else look.dated
    if look is not None and look.marked and fitting == look.values:
        them = "it" if len(look.markers) == 1 else "them"
        given = config.csv.nullstr or []
        all_ = {*look.markers, *([given] if isinstance(given, str) else given)}
        nulls = f"`csv: {{nullstr: {shown_key(all_)}}}` reads {them} as NULL"
        return f"{nulls if is_csv else 'Write NULL in their place in the export'}. {anew}"
    if look is not None and is_csv and fitting == look.filled:
        held = DOUBLE if is_whole(was) else was
        return f"Its values are written in several ways: `types: {{{name}: {held}}}` reads all of them. {anew}"
    return f"Correct the export; `types: {{{name}: {was}}}` reads the column so, if each value fits. {anew}"
