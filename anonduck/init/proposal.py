"""The roles and taxonomies that the profile of an export suggests.

What is proposed is a first draft for a person to read: everything that looks as if it names a person is left out of
releases, everything else is generalized, and each proposal says why in counts, never in values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from anonduck.config.persons import records_for
from anonduck.config.requirement import DEFAULT_K
from anonduck.errors import ConfigError
from anonduck.init.column_relations import ColumnRelations
from anonduck.init.column_words import (
    IDENTIFYING_LAST_WORDS,
    KEYS,
    PARTS_OF_NAMES,
    PERSONAL_NAMES,
    PERSONS,
    is_key_of_person,
    names_an_amount,
    sensitive_matter,
)
from anonduck.init.profile import FEWEST_VALUES, ColumnProfile
from anonduck.init.taxonomy_proposal import NAMED_CODE, fit, is_address, is_date, is_position
from anonduck.init.value_kinds import ALMOST_ALL, words_of
from anonduck.privacy.direct_identifiers import NAMES, share_words
from anonduck.source.columns import Column
from anonduck.source.engine import SourceEngine
from anonduck.source.source import MAX_CLASS_VALUES
from anonduck.statements.column_types import BOOLEAN, JSON, UUID, holds_texts, is_binary
from anonduck.words import counted

Role = Literal["class", "identifiers", "drop", "sensitive", "insensitive", "quasi_identifiers"]

MOST = 0.5
GIVEN = "as given"
KEPT = ("class", "sensitive", "insensitive")
"""Roles whose columns are kept as they are."""

NO_RELATIONS = ColumnRelations()
NONE_RARE: Mapping[str, int] = {}
FEWER = 2
"""The value of `at_most` that is suggested where a person has more records."""
YAML_WORDS = ("true", "false", "null")

MOST_ALIKE = 0.5
"""Codes that are drawn at random are hardly ever written alike, letter by letter and digit by digit."""

FEW_CELLS = 0.001
"""A column is dropped if this share of its cells holds a direct identifier of one kind."""

HANDFUL, ACCIDENTAL = 3, 0.01
"""So many repeated values of a key, or such a share of the records, may be mistakes where another column is unique."""

MOST_RECORDS_OF_ONE = 100
"""On average: a key that more records share is hardly a person's."""


@dataclass(frozen=True)
class ColumnProposal:
    """The role that is proposed for a column, its taxonomy options if it is a quasi-identifier, and why."""

    profile: ColumnProfile
    role: Role
    taxonomy: Mapping[str, Any] | None
    reason: str

    def as_json(self) -> dict[str, Any]:
        """The column as ``anonduck init --json`` prints it."""
        held = self.profile
        return {
            "name": held.name,
            "type": held.type,
            "distinct": held.distinct,
            "estimated": not held.exact,
            "nulls": held.nulls,
            "uniqueness": held.uniqueness,
            "role": self.role,
            "taxonomy": dict(self.taxonomy) if self.taxonomy else None,
            "reason": self.reason,
            "read_as": held.read_as or None,
        }


@dataclass(frozen=True)
class Proposal:
    """A role for every column of the source, in the source's order."""

    columns: tuple[ColumnProposal, ...]

    def of_role(self, role: Role) -> tuple[ColumnProposal, ...]:
        """The columns of one role."""
        return tuple(column for column in self.columns if column.role == role)


def propose(
    profiles: Sequence[ColumnProfile],
    class_: str | None,
    identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    *,
    drop: Sequence[str] = (),
    quasi_identifiers: Sequence[str] = (),
    relations: ColumnRelations = NO_RELATIONS,
    rare: Mapping[str, int] = NONE_RARE,
) -> Proposal:
    """Propose a role, a taxonomy and a reason for every column; roles that are given are kept.

    ``relations`` are those of the columns. ``rare`` has, for columns that may be kept, the number of records with a
    value that fewer than DEFAULT_K records have: such columns are not proposed to be kept. Raises ConfigError for a
    named column that does not exist or that is given two roles.
    """
    asked: dict[Role, Sequence[str]] = {
        "class": [] if class_ is None else [class_],
        "identifiers": identifiers,
        "drop": drop,
        "sensitive": sensitive,
        "insensitive": insensitive,
        "quasi_identifiers": quasi_identifiers,
    }
    given = _given_roles([column.name for column in profiles], asked)
    proposed = [_proposed(column, given, relations, rare.get(column.name, 0)) for column in profiles]
    return Proposal(tuple(_with_some_to_generalize(proposed, given)))


def _with_some_to_generalize(proposed: Sequence[ColumnProposal], given: Mapping[str, Role]) -> list[ColumnProposal]:
    """The proposals; if none is a quasi-identifier, columns that can be one become quasi-identifiers."""
    if any(one.role == "quasi_identifiers" for one in proposed):
        return list(proposed)
    for role in ("drop", "sensitive"):
        able = [
            one
            for one in proposed
            if one.role == role
            and one.profile.name not in given
            and _varies(one.profile)
            and not text_of_people(one.profile)
        ]
        if able:
            return [_generalized(one) if one in able else one for one in proposed]
    return list(proposed)


def _varies(column: ColumnProfile) -> bool:
    return column.distinct > 1 or (column.distinct == 1 and column.nulls > 0)


def _generalized(one: ColumnProposal) -> ColumnProposal:
    fitting = fit(one.profile)
    words = f"{fitting.reason}; {one.reason}; no other column is left to generalize"
    return ColumnProposal(one.profile, "quasi_identifiers", fitting.taxonomy, words)


def _given_roles(existing: Sequence[str], asked: Mapping[Role, Sequence[str]]) -> dict[str, Role]:
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


def _proposed(
    column: ColumnProfile, given: Mapping[str, Role], relations: ColumnRelations, rare: int
) -> ColumnProposal:
    role = given.get(column.name)
    if role == "quasi_identifiers":
        fitting = fit(column)
        return ColumnProposal(column, role, fitting.taxonomy, f"as given; {fitting.reason}")
    if role is not None:
        warned = f"{GIVEN}; {_rare_words(rare)}: it singles them out" if rare and role in KEPT else GIVEN
        warned = "; ".join(filter(None, (warned, text_of_people(column) if role in KEPT else None)))
        return ColumnProposal(column, role, None, warned)
    for proposed, because in (
        ("drop", text_of_people(column) if _is_prose(column) else None),
        ("identifiers", _looks_like_identifier(column)),
        ("drop", text_of_people(column)),
        ("drop", _better_left_aside(column, given, relations)),
        ("sensitive", _looks_sensitive(column, rare)),
    ):
        if because is not None:
            return ColumnProposal(column, cast("Role", proposed), None, because)
    fitting = fit(column)
    return ColumnProposal(column, "quasi_identifiers", fitting.taxonomy, fitting.reason + _too_exact(column, rare))


def _is_prose(column: ColumnProfile) -> bool:
    """Whether a column is free text, and not called, or written, as what identifies somebody."""
    return column.direct.free_text and column.emails < MOST and not _named_like_identifier(column)


def text_of_people(column: ColumnProfile) -> str | None:
    """Why a column of text should be in no release: it names people, or is free text, which may; or None."""
    held, direct = [], column.direct
    for name, count in direct.found.items():
        other = (name == "phones" and _of_another_kind(column)) or (name == "ips" and is_address(column))
        if count >= FEW_CELLS * direct.cells and not other:
            held.append(f"{NAMES[name]} in {share_words(count, direct.cells)} of its cells")
    reasons = [f"holds direct identifiers: {', '.join(held)}"] if held else []
    if direct.free_text and column.ready_made is None and not is_date(column):
        worded = share_words(direct.worded, direct.cells)
        also = "is " if held else ""
        reasons.append(f"{also}free text, which may name anybody: {worded} of its cells have four words or more")
    return "; ".join(reasons) or None


def _better_left_aside(column: ColumnProfile, given: Mapping[str, Role], relations: ColumnRelations) -> str | None:
    """Why a column is better left aside: nothing is lost without it, or it gives the class away; or None."""
    if not column.rows:
        return "no records to propose a role by"
    if not column.filled:
        return "only NULL, so nothing is lost without it"
    if column.distinct == 1 and not column.nulls:
        return "the same value in every record, so nothing is lost without it"
    if column.name in relations.gives_away:
        return f"gives the class away: {relations.gives_away[column.name]}"
    other, alike = relations.same.get(column.name, (None, False))
    if other is None or given.get(other) in ("identifiers", "drop"):
        return None
    return f"the same values as {other!r}" if alike else f"says the same as {other!r} in other words, value by value"


def _looks_sensitive(column: ColumnProfile, rare: int) -> str | None:
    """Why a column is sensitive, or None; a column whose values single records out is not, as it would be published."""
    matter = sensitive_matter(column.name)
    if matter is None or rare or column.uniqueness >= MOST or _dated(column):
        return None
    return f"its name suggests {matter}, which nobody should infer of a person"


def _too_exact(column: ColumnProfile, rare: int) -> str:
    matter = sensitive_matter(column.name)
    counts = f" ({_rare_words(rare)})" if rare else ""
    too = f"; its name suggests {matter}, but values this exact would single records out{counts}"
    return "" if matter is None else too


def _rare_words(rare: int) -> str:
    return f"{counted(rare, 'record holds', 'records hold')} a value that fewer than {DEFAULT_K} hold"


def warnings_of(proposal: Proposal) -> Iterator[str]:
    """What to warn of: columns that were given to be kept, and single records out."""
    for column in proposal.columns:
        if column.role == "class" and column.profile.distinct > MAX_CLASS_VALUES:
            yield (
                f"the class {column.profile.name!r} has {column.profile.distinct:,} distinct values, and no search "
                f"takes more than {MAX_CLASS_VALUES}; group them in the source, or name another class"
            )
        exposed = text_of_people(column.profile)
        if column.role == "quasi_identifiers" and exposed:
            yield f"column {column.profile.name!r} is a quasi-identifier as given; {exposed}: `drop` leaves it out"
        if column.role in KEPT and column.reason not in ("", GIVEN) and column.reason.startswith(GIVEN):
            yield f"column {column.profile.name!r} is kept {column.reason}"


def may_be_kept(column: ColumnProfile, given: Sequence[str]) -> bool:
    """Whether a column may be kept as it is: the user or its name says so, and there are enough records."""
    enough = column.rows >= FEWEST_VALUES
    return enough and (column.name in given or sensitive_matter(column.name) is not None)


def _dated(column: ColumnProfile) -> bool:
    return column.dates is not None or is_date(column)


def _looks_like_identifier(column: ColumnProfile) -> str | None:
    """Why the column should be in no release, or None."""
    if Column(column.name, column.type).nested or is_binary(column.type):
        return "nested or binary values cannot be generalized and single records out; unpack them to use them"
    if Column(column.name, column.type).row_labels:
        return "row numbers written by pandas, which identify records"
    looks = _identifying_look(column) if column.filled else None
    return None if looks is None else f"looks like an identifier: {looks}"


def _identifying_look(column: ColumnProfile) -> str | None:
    text = holds_texts(column.type) or column.type == JSON
    found: str | None = None
    if text and column.emails >= MOST:
        found = f"{column.emails:.0%} of its values look like e-mail addresses"
    elif text and column.phones >= MOST and not _of_another_kind(column):
        found = f"{column.phones:.0%} of its values look like telephone numbers"
    elif column.nearly_unique and (text or _may_be_key(column)) and not (is_date(column) or is_position(column)):
        found = _how_unique(column)
    elif text and _looks_random(column):
        found = "its values look drawn at random, as hashes and tokens do, and nothing of them can be generalized"
    elif column.type == UUID:
        found = f"its type is {UUID}"
    elif _named_like_identifier(column):
        sure = column.uniqueness >= MOST or _named_for_people(column)
        few = "" if sure else "; if it is a code that many records share, make it a quasi-identifier"
        found = f"its name suggests so{few}"
    return found


def _looks_random(column: ColumnProfile) -> bool:
    """Whether almost all texts are long codes without a pattern; digits alone, and words, may have one."""
    texts = column.texts
    if texts is None or not texts.held or texts.digits == texts.held or texts.shapes <= MOST_ALIKE * texts.held:
        return False
    return texts.randoms >= ALMOST_ALL * texts.held


def _of_another_kind(column: ColumnProfile) -> bool:
    """Whether digits and dots that could be a telephone number are something else."""
    named_code = bool(set(words_of(column.name)) & NAMED_CODE)
    return is_date(column) or is_address(column) or is_position(column) or named_code


def _may_be_key(column: ColumnProfile) -> bool:
    """Whether whole numbers may be keys: an amount is not one, however few records share it."""
    return column.holds_whole and not names_an_amount(column.name)


def _how_unique(column: ColumnProfile) -> str:
    if column.exact and column.distinct == column.filled:
        return "each value is unique"
    return f"nearly unique, {column.distinct:,} values in {column.filled:,} records that have one"


def _named_like_identifier(column: ColumnProfile) -> bool:
    flag = column.type == BOOLEAN or (column.distinct <= 2 and column.filled >= FEWEST_VALUES)
    words = _words(column)
    if flag or not words or is_address(column):
        return False
    return words[-1] in IDENTIFYING_LAST_WORDS or _named_for_people(column)


def _words(column: ColumnProfile) -> list[str]:
    return [word for word in words_of(column.name) if not word.isdigit()]


def _named_for_people(column: ColumnProfile) -> bool:
    """Whether a column is called as people's names or keys are."""
    key = is_key_of_person(column.name) and column.distinct >= FEWEST_VALUES and _of_few_records(column)
    return key or _names_people(column, _words(column))


def _names_people(column: ColumnProfile, words: Sequence[str]) -> bool:
    """Whether a column is called as one of people's names is, alone or after whose name it is: `patient_name`."""
    whole = " ".join(words[1:] if len(words) > 1 and words[0] in PERSONS else words)
    parts = set(words) - {"name"}
    dated = column.texts is not None and column.texts.dated >= MOST * column.texts.held
    worded = holds_texts(column.type) and not dated and not _of_another_kind(column)
    return whole in PERSONAL_NAMES or (worded and bool(parts) and parts <= PARTS_OF_NAMES)


def _of_few_records(column: ColumnProfile) -> bool:
    return column.filled <= MOST_RECORDS_OF_ONE * column.distinct


# -- the key of persons who have several records ----------------------------------------------------------------------


@dataclass(frozen=True)
class RepeatingKey:
    """A column that identifies persons who have several records.

    ``values`` persons have ``records``, and one of them up to ``most``. ``nameless`` records have no value, which an
    entity must have. ``asked``: the user named the column. ``bounded``: the config's `at_most` can be used, because
    DuckDB reads the source.
    """

    column: str
    values: int
    records: int
    most: int
    nameless: int = 0
    asked: bool = False
    bounded: bool = True

    @property
    def sure(self) -> int:
        """The records that a class needs to hold at least DEFAULT_K persons in any case."""
        return records_for(DEFAULT_K, self.most)

    @property
    def proposed(self) -> bool:
        """Whether the proposed config names the column as its entity."""
        return self.asked or not self.nameless

    @property
    def lines(self) -> tuple[str, ...]:
        """The same in sentences."""
        return tuple(self._lines())

    @property
    def bounded_line(self) -> str:
        """The line of a config that uses few records of each person."""
        plain = self.column.isascii() and self.column.isidentifier() and self.column.lower() not in YAML_WORDS
        name = self.column if plain else json.dumps(self.column, ensure_ascii=False)
        return f"entity: {{column: {name}, at_most: {FEWER}}}"

    def as_json(self) -> dict[str, Any]:
        """What ``anonduck init --json`` prints."""
        return {
            "column": self.column,
            "values": self.values,
            "records": self.records,
            "most": self.most,
            "nameless": self.nameless,
            "sure_k": self.sure,
            "proposed": self.proposed,
            "lines": list(self.lines),
        }

    def _lines(self) -> Iterator[str]:
        what = "is the entity" if self.asked else "looks like an entity, a person with several records"
        yield (
            f"{self.column!r} {what}: {counted(self.values, 'value', 'values')} in "
            f"{counted(self.records, 'record', 'records')}, up to {self.most:,} of one"
        )
        if self.nameless:
            lacks = "NULL stands there in " + counted(self.nameless, "record", "records")
            then = "Name it once each record has its person, or `where` leaves those out"
            yield f"{lacks}, and nobody can tell whose they are. {then}"
        yield (
            f"As `entity` it lets k count persons: {DEFAULT_K} persons are sure to be in a class of "
            f"{counted(self.sure, 'record', 'records')}"
        )
        if self.most > FEWER and self.bounded:
            yield (
                f"With `{self.bounded_line}` no more than {FEWER} records of each person are used, and classes "
                f"of {records_for(DEFAULT_K, FEWER)} records do"
            )


def repeating_key_of(
    engine: SourceEngine, proposal: Proposal, entity: str | None = None, *, bounded: bool = True
) -> RepeatingKey | None:
    """Find the key of persons who have several records among the proposed identifiers, by one more scan; or None.

    ``entity`` is the column that the user named, if any. ``bounded`` says whether `at_most` can be used, as DuckDB
    reads the source.
    """
    column = (
        _repeating_key(proposal)
        if entity is None
        else next(one.profile for one in proposal.columns if one.profile.name == entity)
    )
    if column is None:
        return None
    most, _, nameless = engine.entity_sizes(column.name, None)
    return RepeatingKey(column.name, column.distinct, column.filled, most, nameless, entity is not None, bounded)


def _repeating_key(proposal: Proposal) -> ColumnProfile | None:
    """The identifier that looks most like the key of persons who have several records, or None."""
    unique = any(one.profile.exact and one.profile.distinct == one.profile.rows for one in proposal.columns)
    found = [
        one.profile
        for one in proposal.of_role("identifiers")
        if not (unique and _is_nearly_key(one.profile))
        if FEWEST_VALUES <= one.profile.distinct < one.profile.filled and _of_few_records(one.profile) and _is_key(one)
    ]
    return min(found, key=lambda one: (not is_key_of_person(one.name), one.distinct), default=None)


def _is_nearly_key(column: ColumnProfile) -> bool:
    """Whether the few values that repeat are more likely mistakes than persons with several records."""
    return column.filled - column.distinct <= max(HANDFUL, ACCIDENTAL * column.filled)


def _is_key(column: ColumnProposal) -> bool:
    words = words_of(column.profile.name)
    named = bool(words) and words[-1] in KEYS - {"no", "nr", "number"}
    return column.reason == "as given" or named or is_key_of_person(column.profile.name) or column.profile.type == UUID
