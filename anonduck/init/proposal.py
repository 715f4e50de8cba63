"""The roles and taxonomies that the profile of an export suggests.

What is proposed is a first draft for a person to read: everything that looks as if it names a person is left out of
releases, everything else is generalized, and each proposal says why in counts, never in values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonduck.errors import ConfigError
from anonduck.init.profile import FEWEST_VALUES, ColumnProfile
from anonduck.init.taxonomy_proposal import NAMED_CODE, fit, is_address, is_date, is_position
from anonduck.init.value_kinds import words_of
from anonduck.source.columns import Column
from anonduck.statements.column_types import BOOLEAN, JSON, UUID, holds_texts, is_binary, is_whole

Role = Literal["class", "identifiers", "sensitive", "insensitive", "quasi_identifiers"]

MOST = 0.5

IDENTIFYING_LAST_WORDS = frozenset(
    ("id", "uuid", "guid", "ssn", "email", "mail", "phone", "telephone", "iban", "passport")
)
IDENTIFYING_NAMES = frozenset(("name", "first name", "last name", "full name", "forename", "surname"))


@dataclass(frozen=True)
class ColumnProposal:
    """The role that is proposed for a column, its taxonomy options if it is a quasi-identifier, and why."""

    profile: ColumnProfile
    role: Role
    taxonomy: Mapping[str, Any] | None
    reason: str


@dataclass(frozen=True)
class Proposal:
    """A role for every column of the source, in the source's order."""

    columns: tuple[ColumnProposal, ...]

    def of_role(self, role: Role) -> tuple[ColumnProposal, ...]:
        """The columns of one role."""
        return tuple(column for column in self.columns if column.role == role)


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
                raise ConfigError(
                    f"column {name!r} is given two roles ({given[name]}, {role}); a column can have only one"
                )
    return given


def _proposed(column: ColumnProfile, given: Role | None) -> ColumnProposal:
    if given is not None:
        return ColumnProposal(column, given, None, "as given")
    because = _looks_like_identifier(column)
    if because is not None:
        return ColumnProposal(column, "identifiers", None, because)
    fitting = fit(column)
    return ColumnProposal(column, "quasi_identifiers", fitting.taxonomy, fitting.reason)


def _looks_like_identifier(column: ColumnProfile) -> str | None:
    """Why the column should be in no release, or None."""
    if Column(column.name, column.type).nested or is_binary(column.type):
        return "nested or binary values cannot be generalized and single records out; unpack them to use them"
    if Column(column.name, column.type).row_labels:
        return "row numbers written by pandas, which identify records"
    if not column.filled:
        return "only NULL, so nothing is lost without it"
    looks = _identifying_look(column)
    return None if looks is None else f"looks like an identifier: {looks}"


def _identifying_look(column: ColumnProfile) -> str | None:
    text = holds_texts(column.type) or column.type == JSON
    found: str | None = None
    if text and column.emails >= MOST:
        found = f"{column.emails:.0%} of its values look like e-mail addresses"
    elif text and column.phones >= MOST and not _of_another_kind(column):
        found = f"{column.phones:.0%} of its values look like telephone numbers"
    elif column.nearly_unique and (text or is_whole(column.type)) and not (is_date(column) or is_position(column)):
        found = _how_unique(column)
    elif column.type == UUID:
        found = f"its type is {UUID}"
    elif _named_like_identifier(column):
        few = (
            "" if column.uniqueness >= MOST else "; if it is a code that many records share, make it a quasi-identifier"
        )
        found = f"its name suggests so{few}"
    return found


def _of_another_kind(column: ColumnProfile) -> bool:
    """Whether digits and dots that could be a telephone number are something else."""
    named_code = bool(set(words_of(column.name)) & NAMED_CODE)
    return is_date(column) or is_address(column) or is_position(column) or named_code


def _how_unique(column: ColumnProfile) -> str:
    if column.distinct == column.filled:
        return "each value is unique"
    return f"nearly unique, {column.distinct:,} values in {column.filled:,} records that have one"


def _named_like_identifier(column: ColumnProfile) -> bool:
    words = " ".join(words_of(column.name))
    named = words in IDENTIFYING_NAMES or words.rpartition(" ")[2] in IDENTIFYING_LAST_WORDS
    flag = column.type == BOOLEAN or (column.distinct <= 2 and column.filled >= FEWEST_VALUES)
    return named and not flag
