"""The profile of an export: what its columns hold, in counts.

Nothing is decided here: `anonduck.init.proposal` proposes roles from a profile, `anonduck.init.taxonomy_proposal`
taxonomies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.progress import Progress, no_progress
from anonduck.init.value_kinds import WORKING, DateLook, ShippedMatch, TextLook, dates_of, ready_made_of, texts_of
from anonduck.privacy.direct_identifiers import DirectIdentifiers, direct_identifiers
from anonduck.source.engine import SAMPLE as SAMPLED
from anonduck.source.engine import VALUES, SourceEngine, blocks_of, filling_of
from anonduck.statements import statement
from anonduck.statements.column_types import DATED, holds_texts, is_numeric, is_whole, without_names
from anonduck.statements.pipeline.column_names import value_column

NEARLY_UNIQUE = 0.95
FEWEST_VALUES = 20  # under it, that values differ says nothing
SAMPLE = 100_000
COUNTED = "init_counted"

EMAIL = r"\s*[^@\s]+@[^@\s]+\.[^@\s]+\s*"
PHONE = r"\s*(\+[0-9]|\(|0[0-9]|[0-9]{3}[ .-][0-9]{3})[0-9 ()./-]{4,16}\s*"
DATE = r"\s*[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}\s*"


@dataclass(frozen=True)
class ColumnProfile:
    """What one column of the source holds, in counts; lengths (in characters) and shares come from a sample.

    ``texts`` describes a column of text, ``dates`` one of dates, and ``ready_made`` which ready-made taxonomy knows
    all its values; they are None for other columns. ``exact`` is false where the distinct values are estimated.
    ``direct`` counts the sampled cells of a column of text that hold an e-mail address and its like.
    ``order`` lists the values of an enumerated type from lowest to highest, where its taxonomy should follow them.
    ``whole`` says that all values of a type that could hold others are whole numbers; lengths are then those without a
    decimal point. ``read_as`` says why its type is what it is.
    """

    name: str
    type: str
    rows: int
    nulls: int
    distinct: int
    shortest: int | None
    longest: int | None
    emails: float
    phones: float
    texts: TextLook | None = None
    dates: DateLook | None = None
    ready_made: ShippedMatch | None = None
    exact: bool = True
    direct: DirectIdentifiers = field(default_factory=DirectIdentifiers)
    order: tuple[str, ...] = ()
    whole: bool = False
    read_as: str = ""

    @property
    def filled(self) -> int:
        """The records that have a value."""
        return self.rows - self.nulls

    @property
    def uniqueness(self) -> float:
        """Distinct values per filled record, 0 to 1; 0 for a column without values."""
        return self.distinct / self.filled if self.filled else 0.0

    @property
    def nearly_unique(self) -> bool:
        """Whether almost every filled record has a value of its own, among enough records to judge by."""
        return self.filled >= FEWEST_VALUES and self.uniqueness >= NEARLY_UNIQUE

    @property
    def is_text(self) -> bool:
        """Whether its values are texts, of a list of texts too."""
        return holds_texts(self.type)

    @property
    def holds_whole(self) -> bool:
        """Whether its values are whole numbers, by their type or in fact."""
        return self.whole or is_whole(self.type)

    @property
    def sampled(self) -> bool:
        """Whether the sample leaves out records."""
        return self.rows > SAMPLE

    @property
    def counts(self) -> str:
        """The column in words: type, distinct values, NULLs."""
        kind = without_names(self.type)
        kind = f"{kind} ({self.read_as})" if self.read_as else kind
        values = "1 distinct value" if self.distinct == 1 else f"{self.distinct:,} distinct values"
        values = values if self.exact else f"about {values} (estimated)"
        return f"{kind}, {values}, {f'{self.nulls:,} NULL' if self.nulls else 'no NULL'}"


def profile(engine: SourceEngine, progress: Progress = no_progress) -> list[ColumnProfile]:
    """Profile the columns of a source: counts, and looks on a sample of 100,000 records.

    The counts are of the sample where it holds all records; a larger source is scanned once for each 50 columns, and
    for a column whose sampled values a ready-made taxonomy knows, to ask of all of them.
    The sample is left in the decision database.
    """
    database, columns = engine.database, engine.columns()
    try:
        engine.sample()
        sampled = database.count(SAMPLED)
        whole = sampled < SAMPLE and sampled == engine.count()  # an engine may sample fewer
        held = filling_of(database, SAMPLED, [column.name for column in columns]) if whole else engine.filling()
        rows, filled, distinct = held.records, held.filled, held.distinct
        shortest, longest, emails, phones = _looks(database, [column.name for column in columns])
        counted = [
            ColumnProfile(one.name, one.type, rows, rows - filled[i], distinct[i], shortest[i], longest[i], *shares)
            for i, one in enumerate(columns)
            for shares in [(emails[i] or 0.0, phones[i] or 0.0)]
        ]
        direct = direct_identifiers(database, [one.name for one in counted if one.is_text and one.filled], SAMPLED)
        found = []
        for done, column in enumerate(counted):
            progress("profiling columns", done, len(counted))
            known = replace(column, exact=held.exact, direct=direct.get(column.name, DirectIdentifiers()))
            found.append(_with_looks(engine, known))
        return found
    finally:
        database.drop(*set(WORKING) - {SAMPLED})


def rare_records(engine: SourceEngine, columns: Sequence[str], *, k: int, entity: str | None) -> dict[str, int]:
    """How many records hold a value that fewer than k records, or persons, hold: by column, by a scan of each."""
    found = {}
    for name in columns:
        read = [name] if entity in (None, name) else [name, str(entity)]
        engine.frequency_set(read, COUNTED)
        query = statement(
            "init/rare_records.sql", column={"kept_value": value_column(name)}, table={"counted": COUNTED}
        )
        found[name] = int(engine.database.value(query, {"k": k, "persons": len(read) > 1}))
        engine.database.drop(COUNTED)
    return found


def _looks(database: Database, columns: Sequence[str]) -> list[list[Any]]:
    """Four looks of each sampled column, one after the other, as init/profile_text.sql describes them."""
    looks: list[list[Any]] = [[], [], [], []]
    for block in blocks_of(columns):
        query = statement("init/profile_text.sql", columns={"profiled": block})
        row = database.row(query, {"email": EMAIL, "phone": PHONE, "date": DATE})
        for place, look in enumerate(looks):
            look.extend(row[place * len(block) : (place + 1) * len(block)])
    return looks


def _with_whole(engine: SourceEngine, column: ColumnProfile) -> ColumnProfile:
    """The profile of numbers that need not be whole, with whether all are: all values are asked."""
    whole, shortest, longest = _whole_numbers(engine, column.name, SAMPLED)
    if whole and column.sampled:
        engine.values(column.name)
        whole, shortest, longest = _whole_numbers(engine, "value", VALUES)
    return replace(column, whole=True, shortest=shortest, longest=longest) if whole else column


def _whole_numbers(engine: SourceEngine, column: str, table: str) -> tuple[bool, int, int]:
    query = statement("init/whole_numbers.sql", column={"held": column}, table={"looked_at": table})
    whole, shortest, longest = engine.database.row(query)
    return bool(whole), shortest, longest


def _with_looks(engine: SourceEngine, column: ColumnProfile) -> ColumnProfile:
    if not column.filled:
        return column
    if column.type in DATED:
        return replace(column, dates=dates_of(engine.database, column.name))
    if is_numeric(column.type) and not is_whole(column.type):
        column = _with_whole(engine, column)
    texts = texts_of(engine.database, column.name) if column.is_text else None
    found = ready_made_of(
        engine, column.name, column.type, column.distinct, column.longest or 0, texts, sampled=column.sampled
    )
    return replace(column, texts=texts, ready_made=found)
