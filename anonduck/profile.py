"""The profile of an export, and the roles and taxonomies that it suggests.

What is proposed is a first draft for a person to read: everything that looks as if it names a person is left out of
releases, everything else is generalized, and each proposal says why in counts, never in values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonduck.database import Database
from anonduck.errors import ConfigError
from anonduck.source import Column
from anonduck.statements import statement

Role = Literal["class", "identifiers", "sensitive", "insensitive", "quasi_identifiers"]

NEARLY_UNIQUE = 0.95
FEWEST_VALUES = 20  # under it, that values differ says nothing
MOST = 0.5
MANY_VALUES = 1_000
GROUP = 5  # section 6.1: ordered leaves in groups of five

EMAIL = r"\s*[^@\s]+@[^@\s]+\.[^@\s]+\s*"
PHONE = r"\s*(\+[0-9]|\(|0[0-9]|[0-9]{3}[ .-][0-9]{3})[0-9 ()./-]{4,16}\s*"
DATE = r"\s*[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}\s*"

IDENTIFYING_LAST_WORDS = frozenset(
    ("id", "uuid", "guid", "ssn", "email", "mail", "phone", "telephone", "iban", "passport")
)
IDENTIFYING_NAMES = frozenset(("name", "first name", "last name", "full name", "forename", "surname"))

_INTEGER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|BIGNUM$|DECIMAL\(\d+,\s?0\)$")
_TEXT = re.compile(r"(VARCHAR|JSON|ENUM)\b")
_BINARY = re.compile(r"(BLOB|BIT|GEOMETRY)\b")
_HOLDS_NAMES = re.compile(r"(ENUM|STRUCT|UNION|MAP)\(.*\)", flags=re.DOTALL)


@dataclass(frozen=True)
class ColumnProfile:
    """What one column of the source holds, in counts; lengths (in characters) and shares come from a sample."""

    name: str
    type: str
    rows: int
    nulls: int
    distinct: int
    shortest: int | None
    longest: int | None
    emails: float
    phones: float

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
        """Whether almost every filled record has a value of its own, among enough records to tell."""
        return self.filled >= FEWEST_VALUES and self.uniqueness >= NEARLY_UNIQUE

    @property
    def counts(self) -> str:
        """The column in words: type, distinct values, NULLs."""
        kind = _HOLDS_NAMES.sub(r"\1", self.type).strip('"')
        values = "1 distinct value" if self.distinct == 1 else f"{self.distinct:,} distinct values"
        return f"{kind}, {values}, {f'{self.nulls:,} NULL' if self.nulls else 'no NULL'}"


@dataclass(frozen=True)
class ColumnProposal:
    """The role that is proposed for a column, its taxonomy options if it is a quasi-identifier, and why."""

    profile: ColumnProfile
    role: Role
    taxonomy: Mapping[str, int | bool] | None
    reason: str


@dataclass(frozen=True)
class Proposal:
    """A role for every column of the source, in the source's order."""

    columns: tuple[ColumnProposal, ...]

    def of_role(self, role: Role) -> tuple[ColumnProposal, ...]:
        """The columns of one role."""
        return tuple(column for column in self.columns if column.role == role)


def profile(database: Database) -> list[ColumnProfile]:
    """Profile the columns of the view ``source``: exact counts in one scan, looks on a sample of 100,000 records."""
    columns = database.rows(statement("source/describe.sql"))
    rows, *counts = database.row(statement("source/profile.sql"))
    filled, distinct = _cut(counts, len(columns))
    looks = database.row(statement("source/profile_text.sql"), {"email": EMAIL, "phone": PHONE, "date": DATE})
    shortest, longest, emails, phones = _cut(looks, len(columns))
    return [
        ColumnProfile(
            name, kind, rows, rows - filled[i], distinct[i], shortest[i], longest[i], emails[i] or 0.0, phones[i] or 0.0
        )
        for i, (name, kind) in enumerate(columns)
    ]


def _cut(values: Sequence[Any], width: int) -> list[Sequence[Any]]:
    return [values[start : start + width] for start in range(0, len(values), width)]


# -- the proposal ------------------------------------------------------------------------------------------------------


def propose(
    profiles: Sequence[ColumnProfile],
    class_: str,
    identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
) -> Proposal:
    """Propose a role, a taxonomy and a reason for every column; roles that are given are kept.

    Raises ConfigError for a named column that is not there, or that is given two roles.
    """
    given = _given_roles(profiles, class_, identifiers, sensitive, insensitive)
    return Proposal(tuple(_proposed(column, given.get(column.name)) for column in profiles))


def _given_roles(
    profiles: Sequence[ColumnProfile],
    class_: str,
    identifiers: Sequence[str],
    sensitive: Sequence[str],
    insensitive: Sequence[str],
) -> dict[str, Role]:
    asked: dict[Role, Sequence[str]] = {
        "class": [class_],
        "identifiers": identifiers,
        "sensitive": sensitive,
        "insensitive": insensitive,
    }
    existing = [column.name for column in profiles]
    given: dict[str, Role] = {}
    for role, names in asked.items():
        for name in names:
            if name not in existing:
                raise ConfigError(
                    f"the source has no column {name!r} to be {role}; it has {', '.join(map(repr, existing))}"
                )
            if given.setdefault(name, role) != role:
                raise ConfigError(f"column {name!r} is given two roles ({given[name]}, {role}); a column has one")
    return given


def _proposed(column: ColumnProfile, given: Role | None) -> ColumnProposal:
    if given is not None:
        return ColumnProposal(column, given, None, "as given")
    because = _looks_like_identifier(column)
    if because is not None:
        return ColumnProposal(column, "identifiers", None, because)
    if Column(column.name, column.type).ordered:
        return ColumnProposal(column, "quasi_identifiers", {"intervals": GROUP}, _about_ordered(column))
    return ColumnProposal(column, "quasi_identifiers", {"clusters": True}, _about_nominal(column))


def _looks_like_identifier(column: ColumnProfile) -> str | None:
    """Why the column should be in no release, or None."""
    if Column(column.name, column.type).nested or _BINARY.match(column.type):
        return "a nested or binary value cannot be generalized and singles records out; unpack it to use it"
    if not column.filled:
        return "nothing but NULL, so nothing is lost without it"
    looks = _identifying_look(column)
    return None if looks is None else f"looks like an identifier: {looks}"


def _identifying_look(column: ColumnProfile) -> str | None:
    text = bool(_TEXT.match(column.type))
    found: str | None = None
    if text and column.emails >= MOST:
        found = f"{column.emails:.0%} of its values look like e-mail addresses"
    elif text and column.phones >= MOST:
        found = f"{column.phones:.0%} of its values look like telephone numbers"
    elif column.nearly_unique and (text or _INTEGER.match(column.type)):
        found = _how_unique(column)
    elif column.type == "UUID":
        found = "its type is UUID"
    elif _named_like_identifier(column):
        few = "" if column.uniqueness >= MOST else "; if it is a code that many share, make it a quasi-identifier"
        found = f"its name says so{few}"
    return found


def _how_unique(column: ColumnProfile) -> str:
    if column.distinct == column.filled:
        return "each value is unique"
    return f"nearly unique, {column.distinct:,} values in {column.filled:,} records that have one"


def _named_like_identifier(column: ColumnProfile) -> bool:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", column.name).lower()
    words = " ".join(re.findall(r"[^\W_]+", words))
    named = words in IDENTIFYING_NAMES or words.rpartition(" ")[2] in IDENTIFYING_LAST_WORDS
    flag = column.type == "BOOLEAN" or (column.distinct <= 2 and column.filled >= FEWEST_VALUES)
    return named and not flag


def _about_ordered(column: ColumnProfile) -> str:
    if column.distinct == 1:
        return "the same value in all records that have one"
    remark = (
        "; nearly unique, as measurements are, so only intervals of it can be shared" if column.nearly_unique else ""
    )
    return f"ordered values, generalized to intervals{remark}"


def _about_nominal(column: ColumnProfile) -> str:
    if column.distinct == 1:
        return "the same value in all records that have one"
    remark = "; so many values are better generalized by a taxonomy file" if column.distinct > MANY_VALUES else ""
    return f"names, generalized by how they go with the other columns{remark}"
