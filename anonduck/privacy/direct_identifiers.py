"""What names a person directly in the cells of text columns: e-mail addresses, telephone numbers, IBANs, card numbers,
web and IP addresses, wherever they stand in a text; and free text, which may name anybody.

IBANs are known by their check digits (ISO 13616), card numbers by theirs (ISO/IEC 7812, Luhn). Results are counts of
cells, never a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database, TableName
from anonduck.statements import Statement, statement

COUNTED = "counted_texts"

BLOCK = 50
"""Columns that one scan counts: it keeps the values of all of them in memory."""
PATTERNS: Mapping[str, str] = {
    "email": r"[^@\s<>(),;:]+@[^@\s<>(),;:]+\.[A-Za-z]{2,}",
    "phone": (
        r"(?:^|[^0-9A-Za-z.,+_#-])"
        r"(?:\+[0-9]{1,3}[ ()./-]{0,2}(?:[0-9][ ()./-]{0,2}){5,12}[0-9]"
        r"|\(?0[0-9]{1,4}\)?[ /-](?:[0-9][ /-]?){5,9}[0-9]"
        r"|\(?[2-9][0-9]{2}\)?[ .-][0-9]{3}[ .-][0-9]{4})"
        r"(?:$|[^0-9A-Za-z_-])"
    ),
    "not_phone": (
        r"https?://\S+|[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
        r"|[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}(?:[T ][0-9]{1,2}:[0-9]{2}\S*)?"
        r"|\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,}|(?:[0-9]{4}[ -]){2,}[0-9]+"
    ),
    "iban": r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
    "card": r"\b(?:3[4-7]|4[0-9]|5[1-5]|6[0-9]|2[2-7])[0-9]{2}(?:[ -]?[0-9]{4,6}){2,3}[0-9]{0,3}\b",
    "url": r"(?i)\b(?:https?://|www\.)[^\s/]+\.[a-z]{2,}",
    "ip": (
        r"(?:^|[^0-9.])(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?:$|[^0-9.])"
        r"|\b(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\b|\b(?:[0-9A-Fa-f]{1,4}:){2,6}:"
    ),
}
"""Regular expressions (RE2) of what may be one; ``not_phone`` is removed from a text before telephones are sought."""

NAMES: Mapping[str, str] = {
    "emails": "e-mail addresses",
    "phones": "telephone numbers",
    "ibans": "IBANs",
    "cards": "card numbers",
    "urls": "web addresses",
    "ips": "IP addresses",
}
BY_CHANCE = 0.5
"""A column of long numbers holds card numbers only if this share of them has the right check digit: one in ten has it
by chance."""

FREE_TEXTS = 50
"""In a column with fewer distinct texts they are categories, however many words these have."""

WORDED = 0.5
REPEATED = 0.1
"""Texts are free if this share of the distinct ones has four words, and they are at least that share of the cells."""


@dataclass(frozen=True)
class DirectIdentifiers:
    """How many of a column's ``cells`` hold what, and whether it is free text: many texts, most of several words."""

    cells: int = 0
    emails: int = 0
    phones: int = 0
    ibans: int = 0
    cards: int = 0
    card_like: int = 0
    urls: int = 0
    ips: int = 0
    worded: int = 0
    texts: int = 0
    worded_texts: int = 0

    @property
    def found(self) -> dict[str, int]:
        """The cells that hold a direct identifier, by kind."""
        held = {name: int(getattr(self, name)) for name in NAMES}
        if self.cards < BY_CHANCE * self.card_like:
            held["cards"] = 0
        return {name: count for name, count in held.items() if count}

    @property
    def free_text(self) -> bool:
        """Whether the column is free text."""
        many = self.texts >= FREE_TEXTS and self.texts >= REPEATED * self.cells
        return many and self.worded_texts >= WORDED * self.texts

    @property
    def names_people(self) -> bool:
        """Whether its cells are not to be shown anywhere: some name a person, or any may."""
        return bool(self.found) or self.free_text

    @property
    def words(self) -> str:
        """The direct identifiers, in shares of the cells; empty if there are none."""
        return ", ".join(f"{NAMES[name]} in {share_words(count, self.cells)}" for name, count in self.found.items())


def direct_identifiers(
    database: Database, columns: Sequence[str], relation: TableName, records: str | None = None
) -> dict[str, DirectIdentifiers]:
    """What the columns of a relation hold, by column, as text, by one scan for each block of them. NULL is no cell.

    A row stands for as many records as its column ``records`` says, by default for one.
    """
    return _in_blocks(database, columns, lambda block: _counted(block, relation, records))


def direct_identifiers_of_lookups(
    database: Database, columns: Sequence[str], schema: str
) -> dict[str, DirectIdentifiers]:
    """The same of columns whose distinct values and their records stand in lookups, the tables of a schema."""

    def counted(block: Sequence[str]) -> Statement:
        lookups = [{"schema": schema, "name": name} for name in block]
        return statement("privacy/texts_of_lookups.sql", lists={"lookups": lookups})

    return _in_blocks(database, columns, counted)


def _counted(columns: Sequence[str], relation: TableName, records: str | None) -> Statement:
    lists = {"columns": columns, "weights": [] if records is None else [records]}
    return statement("privacy/counted_texts.sql", table={"relation": relation}, lists=lists)


def _in_blocks(
    database: Database, columns: Sequence[str], counted: Callable[[Sequence[str]], Statement]
) -> dict[str, DirectIdentifiers]:
    found: dict[str, DirectIdentifiers] = {}
    for first in range(0, len(columns), BLOCK):
        block = columns[first : first + BLOCK]
        try:
            database.run(counted(block))
            rows = database.rows(statement("privacy/direct_identifiers.sql"), dict(PATTERNS))
        finally:
            database.drop(COUNTED)
        found |= {block[place]: DirectIdentifiers(*counts) for place, *counts in rows}
    return {name: found.get(name, DirectIdentifiers()) for name in columns}


def as_json(found: Mapping[str, DirectIdentifiers]) -> dict[str, Any]:
    """The columns that hold a direct identifier, each with its cells by kind."""
    return {name: one.found for name, one in found.items() if one.found}


def share_words(count: int, cells: int) -> str:
    """A share of cells, none of which is called nothing.

    >>> share_words(1, 5), share_words(1, 1_000)
    ('20%', 'under 1%')
    """
    share = count / cells
    return f"{share:.0%}" if share >= 0.01 else "under 1%"
