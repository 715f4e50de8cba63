"""The types and dates that a config gives to columns: what of them the records bear out, and how they are then read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.errors import ConfigError, SourceError
from anonduck.source.columns import Column, check_types_named, describe, existing, sheet_counts
from anonduck.source.engine import DuckDBSource
from anonduck.source.expressions import known_types
from anonduck.statements import relations
from anonduck.statements.column_readings import WrittenDates
from anonduck.statements.column_types import (
    DATE,
    DATED,
    DOUBLE,
    STAMP,
    TEXT,
    decimals_of,
    is_numeric,
    is_text,
    is_whole,
)
from anonduck.statements.expansion import Expression
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.config.config import Config

CLOCK = ("%H", "%I", "%T", "%X", "%c", "%-H", "%-I")
"""What of a format says a time of day."""


@dataclass(frozen=True)
class Casts:
    """The ``types`` that columns are cast to, those that are whole numbers before they become text, and what to say."""

    types: Mapping[str, str] = field(default_factory=dict)
    whole: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """A sentence for each column whose numbers lose their point."""
        return tuple(
            f"column {name!r} holds whole numbers with a decimal point, as pandas writes them where a value is "
            "missing; as text they are written without it"
            for name in self.whole
        )


def casts_of(database: Database, config: Config, relation: Expression, description: str) -> Casts:
    """How `types` reads a relation whose columns have types already.

    Raises ConfigError for a column that is not there, or a type that is none; SourceError where a column is to be of
    whole numbers and some of its values are not.
    """
    if not config.types:
        return Casts()
    there = describe(database, relations.described(relation))
    check_types_named(there, config.types, description)
    kinds = known_types(database, config.types)
    broken = _broken(database, relation, there, kinds)
    for name, count in broken.items():
        if count and not is_text(kinds[name]):
            raise SourceError(
                f"types.{name}: {counted(count, 'value', 'values')} of the source {description} would change, as they "
                f"are no whole numbers, or too large to be told from the next; read them as {DOUBLE}, or correct the "
                "export"
            )
    return Casts(kinds, tuple(name for name, count in broken.items() if not count and is_text(kinds[name])))


def _broken(
    database: Database, relation: Expression, there: Sequence[Column], kinds: Mapping[str, str]
) -> dict[str, int]:
    """How many values are no whole numbers, of each column of numbers that is to be whole numbers, or texts."""
    asked = [
        one.name
        for one in there
        if one.name in kinds and is_numeric(one.type) and decimals_of(one.type) != 0
        if is_whole(kind := kinds[one.name]) or is_text(kind)
    ]
    if not asked:
        return {}
    _, *counts = sheet_counts(database, relation, asked, asked)
    return dict(zip(asked, counts, strict=True))


# -- dates -------------------------------------------------------------------------------------------------------------


def with_dates_as_text(config: Config) -> Config:
    """A config by which a CSV file is read as text where `dates` has a format."""
    texts = {name: TEXT for name, one in config.dates.items() if one.format is not None}
    return config.model_copy(update={"types": {**texts, **config.types}}) if texts else config


def written_dates(
    engine: DuckDBSource, config: Config, columns: Sequence[Column], description: str
) -> dict[str, WrittenDates]:
    """How `dates` reads the columns of the view ``source``.

    Raises ConfigError for a column that is not there, or is neither text nor dates; SourceError where a text is no date
    of the format.
    """
    kinds = {column.name: column.type for column in columns}
    found = {}
    for name, asked in config.dates.items():
        if name not in kinds:
            raise ConfigError(
                f"dates names the column {name!r}, which the source {description} lacks; {existing(columns, name)}"
            )
        kind = kinds[name]
        if asked.format is None:
            _check_dated(name, kind)
        else:
            _check_written(engine, name, kind, asked.format)
            kind = STAMP if any(letters in asked.format for letters in CLOCK) else DATE
        found[name] = WrittenDates(kind, asked.format, asked.latest)
    return found


def _check_dated(name: str, kind: str) -> None:
    if kind not in DATED:
        raise ConfigError(
            f"dates.{name}: `latest` is a year of dates, and column {name!r} is {kind}; say how they are written too, "
            f"such as `dates: {{{name}: {{format: %d.%m.%y, latest: 2026}}}}`"
        )


def _check_written(engine: DuckDBSource, name: str, kind: str, format_: str) -> None:
    if not is_text(kind):
        raise ConfigError(
            f"dates.{name}: `format` says how texts are written, and column {name!r} is {kind}; take `format` out"
        )
    unread, filled = engine.unread_dates(name, format_)
    if unread:
        raise SourceError(
            f"dates.{name}: {counted(unread, 'value', 'values')} of {filled:,} in column {name!r} are no dates of the "
            f"format {format_!r}; correct the format, or the export"
        )
