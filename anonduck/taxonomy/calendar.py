"""The calendar of a taxonomy of dates: by level the unit whose begin stands for the dates in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from anonduck.database.connection import Database
from anonduck.statements.column_types import DATED
from anonduck.taxonomy.builders.dates import CYCLIC, nested_chain
from anonduck.taxonomy.catalog import CatalogEntry, was_edited

MONTHS = {"month": 1, "quarter": 3, "half-year": 6}
YEARS = {"year": 1, "five-year": 5, "decade": 10, "century": 100}
CLOCK = {"second": ("microsecond",), "minute": ("second", "microsecond"), "hour": ("minute", "second", "microsecond")}


@dataclass(frozen=True)
class Calendar:
    """The units of the levels under the root, from level 1 on."""

    units: tuple[str, ...]

    def begin(self, text: str, level: int, *, of_day: bool) -> str | None:
        """The begin of the unit of a level that a date or timestamp lies in, as text; as a date ``of_day``.

        None for what is no date of the years 1 to 9999.

        >>> Calendar(("month", "decade")).begin("1969-07-20", 1, of_day=True)
        '1969-07-01'
        >>> Calendar(("hour", "week")).begin("2024-01-03 10:20:30", 2, of_day=False)
        '2024-01-01 00:00:00'
        """
        try:
            found = _begin(datetime.fromisoformat(text), self.units[level - 1])
        except (ValueError, OverflowError):
            return None
        return str(found.date() if of_day else found)


def _begin(moment: datetime, unit: str) -> datetime:
    if unit in CLOCK:
        return moment.replace(**dict.fromkeys(CLOCK[unit], 0))  # type: ignore[arg-type]
    day = moment.date()
    if unit == "week":
        day -= timedelta(days=day.weekday())
    elif unit in MONTHS:
        day = date(day.year, day.month - (day.month - 1) % MONTHS[unit], 1)
    elif unit in YEARS:
        day = date(max(1, day.year - day.year % YEARS[unit]), 1, 1)
    return datetime.combine(day, time(tzinfo=moment.tzinfo))


def calendar_of(database: Database, entry: CatalogEntry) -> Calendar | None:
    """The calendar of a taxonomy of dates; None for any other, for dates that are text, and for one that was edited."""
    options = json.loads(entry.options)
    units = options.get("how", {}).get("dates")
    if not units or options["type"] not in DATED or was_edited(database, entry):
        return None
    chain = tuple(nested_chain(units))
    return None if set(chain) & CYCLIC or len(chain) != entry.taxonomy.root - 1 else Calendar(chain)
