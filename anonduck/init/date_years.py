"""Dates whose years have two digits, and dates that lie after the export: which year they cannot pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from anonduck.init.value_kinds import words_of
from anonduck.source.missing_markers import NumberLook, bound
from anonduck.statements import statement
from anonduck.statements.column_types import DATED
from anonduck.words import MISSING, counted

if TYPE_CHECKING:
    from anonduck.init.profile import ColumnProfile
    from anonduck.source.source import Source

_DAYS = (
    *("%d.%m.%y", "%d/%m/%y", "%d-%m-%y", "%m/%d/%y", "%m-%d-%y", "%m.%d.%y", "%y-%m-%d", "%y/%m/%d", "%y.%m.%d"),
    *("%d %b %y", "%d-%b-%y"),
)
_CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M")

BIRTHS = frozenset(
    (
        *("born", "birth", "birthdate", "birthday", "bday", "dob", "dateofbirth", "geboren", "geburt", "geburtsdatum"),
        *("geburtstag", "gebdat", "naissance", "nascita", "nacimiento", "nascimento", "geboortedatum"),
    )
)
LATER = frozenset(
    (
        *("appointment", "deadline", "due", "end", "ends", "expected", "expiration", "expires", "expiry", "followup"),
        *("maturity", "next", "planned", "renewal", "return", "scheduled", "termin", "until", "valid", "ablauf"),
    )
)
"""Words of dates that may lie after the export."""


@dataclass(frozen=True)
class DateProposal:
    """What `dates` says of a column, if anything, and why."""

    text: str
    keys: Mapping[str, Any] = field(default_factory=dict)


def known_year(opened: Source, but: str, profiles: Sequence[ColumnProfile]) -> tuple[int, str]:
    """The latest year that a date of birth can have in a source, and what says so: its other dates, or its files."""
    if opened.files:
        changed = max(path.stat().st_mtime for path in opened.files)
        year, why = datetime.fromtimestamp(changed, UTC).year, "the year in which the file was written"
    else:
        year, why = date.today().year, "the year in which it is read"
    others = [one for one in profiles if one.name != but and not _is_birth(one.name) and not _may_be_later(one.name)]
    last = max((one.dates.last for one in others if one.type in DATED and one.dates is not None), default=year)
    return (last, "the year of the latest other date") if _is_birth(but) and last < year else (year, why)


def dates_proposed(
    opened: Source, column: ColumnProfile, look: NumberLook, profiles: Sequence[ColumnProfile]
) -> DateProposal | None:
    """What to say of texts that are all dates with a year of two digits; None if they are not.

    Reads the frequency set that ``number_look`` left.
    """
    year, why = known_year(opened, column.name, profiles)
    found = _likely(dict(_read(opened, column.name, look, year)))
    if not found:
        return None
    name = column.name
    if len(found) > 1:
        ways = " or ".join(found)
        return DateProposal(
            f"its years have two digits, and it is unclear what is day, month and year ({ways}); say so, `dates: "
            f"{{{name}: {{format: {next(iter(found))}, latest: {year}}}}}`"
        )
    (format_, later), *_ = found.items()
    named = f"dates with years of two digits, read as {format_}"
    if later and _may_be_later(name):
        said = f"{named}; {counted(later, 'date lies', 'dates lie')} after {year}, {why}, as the name lets one expect"
        return DateProposal(f"{said}; else set `latest`", {"format": format_})
    if not later and not _is_birth(name):
        return DateProposal(f"{named}; years from 69 on are those from 1969 on", {"format": format_})
    moved = f"; {counted(later, 'date', 'dates')} would lie after {year}, {why}, and so a hundred years earlier"
    return DateProposal(
        f"{named}, until {year}, {why}" if not later else named + moved.replace(", and so", ": they are read"),
        {"format": format_, "latest": year},
    )


def _read(opened: Source, column: str, look: NumberLook, year: int) -> Iterator[tuple[str, int]]:
    """The formats of which all values are dates, with how many would lie after a year."""
    query = statement("source/format_looks.sql", **bound(column))
    for clock in _CLOCKS:
        for day in _DAYS:
            asked = {"markers": sorted(MISSING), "format": day + clock, "year": year}
            records, later = opened.engine.database.row(query, asked)
            if records == look.values:
                yield day + clock, later


def _likely(found: Mapping[str, int]) -> Mapping[str, int]:
    """The formats without those that nobody writes where another fits: the year stands first before a hyphen alone."""
    usual = {format_: later for format_, later in found.items() if format_[:3] not in ("%y.", "%y/")}
    return usual or found


def late_dates(opened: Source, profiles: Sequence[ColumnProfile]) -> Iterator[str]:
    """What to say of dates, with years of four digits, that lie after the export."""
    for one in profiles:
        if one.type not in DATED or one.dates is None or _may_be_later(one.name):
            continue
        year, why = known_year(opened, one.name, profiles)
        if one.dates.last > year:
            yield (
                f"column {one.name!r} has dates after {year}, {why}; where their years had two digits, `dates: "
                f"{{{one.name}: {{latest: {year}}}}}` reads them a hundred years earlier"
            )


def _is_birth(name: str) -> bool:
    words = words_of(name)
    return bool(BIRTHS & {*words, "".join(words)})


def _may_be_later(name: str) -> bool:
    return bool(LATER & set(words_of(name)))
