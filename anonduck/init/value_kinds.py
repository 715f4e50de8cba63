"""What the sampled values of a column look like: dates, addresses, positions, codes, or all of a ready-made taxonomy.

What an address, a position or a date is, the builders of taxonomies decide; patterns only say which columns to ask.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.init.scales import MOST_ORDERED, scale_of
from anonduck.source.engine import SAMPLE, SourceEngine
from anonduck.statements import line, statement
from anonduck.statements.column_types import TEXT, is_listable
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.builders.codes import NOT_AN_ADDRESS
from anonduck.taxonomy.builders.computed import label_query
from anonduck.taxonomy.builders.geohash import NOT_A_POSITION
from anonduck.taxonomy.builders.shipped import KnownValues, known_values

DATED = (
    r"([0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}|[0-9]{8}|[0-9]{1,2}[ -][A-Za-z]{3,9}[ -][0-9]{2,4}"
    r"|[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4})([T ][0-9].{3,20})?"
)
ADDRESSED = r"\s*([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%\S+)?)(/[0-9]{1,3})?\s*"
POSITIONED = r"\s*[+-]?[0-9]{1,2}(\.[0-9]*)?\s*,\s*[+-]?[0-9]{1,3}(\.[0-9]*)?\s*"
POINTS = r"\s*[+-]?[0-9]{1,2}\.[0-9]+\s*,\s*[+-]?[0-9]{1,3}\.[0-9]+\s*"
"""The same without doubt: `18.582,97` is an amount, unless the column is called after a place."""

PLACES = frozenset(
    (
        *("coord", "coords", "coordinate", "coordinates", "gps", "geo", "geolocation", "lat", "latitude", "latlon"),
        *("latlng", "latlong", "location", "lon", "lng", "place", "point", "position", "koordinaten"),
    )
)
CODED = r"[A-Z]{0,4}[ .-]?[0-9][0-9A-Z]{0,15}([ ./-][0-9A-Z]{1,6}){0,3}"
RANDOM = (
    r"(?:0x)?(?:[0-9a-f]{16,}|[0-9A-F]{16,})|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
    r"|[A-Za-z0-9+/_-]{20,}={0,2}"
)
"""Hexadecimal hashes and keys, UUIDs, and tokens in base64."""

ALMOST_ALL = 0.95
UNITS = (
    *("minute", "hour", "day", "week", "month", "quarter", "year"),
    *("five-year", "decade", "century"),
)
TIMES = (" %H:%M:%S", "T%H:%M:%S", " %H:%M", "T%H:%M", " %H:%M:%S.%f", "T%H:%M:%S.%f")
ZONED_TIMES = ("T%H:%M:%S%z", " %H:%M:%S%z", "T%H:%M:%S.%f%z")
DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y"),
    *("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
"""With years of four digits; those of two are read by the config's `dates` (anonduck.init.date_years)."""

NUMERIC_DAYS = 9  # of DAYS, those that a time of day follows
VALUES = "sampled_values"
LABELS = "sampled_labels"
WORKING = (SAMPLE, VALUES, LABELS, "sampled_dates", "shipped_values")

FEWEST_LISTED = 3
MOST_LISTED = 100_000
MOST_NAMES = 1_000
HINTS: Mapping[str, frozenset[str]] = {
    "country": frozenset(("country", "countries", "nation", "nationality", "citizenship", "iso2", "iso3", "alpha2")),
    "us_state": frozenset(("state", "states", "usps")),
    "us_zip": frozenset(("zip", "zipcode", "zip5", "zip9")),
    "education": frozenset(("education", "isced", "degree", "attainment", "schooling")),
    "occupation": frozenset(("occupation", "isco", "isco08", "job", "profession")),
    "industry": frozenset(("industry", "nace", "sector", "branch")),
    "diagnosis": frozenset(
        ("diagnosis", "diagnoses", "diagnose", "diag", "icd", "icd10", "icd10cm", "icd10gm", "dx", "disease")
    ),
    "month": frozenset(("month", "months")),
    "weekday": frozenset(("weekday", "weekdays", "dow")),
}
HINTS_OF_NUMBERS: Mapping[str, frozenset[str]] = {
    "education": frozenset(("isced",)),
    "occupation": frozenset(("isco", "isco08")),
    "industry": frozenset(("nace",)),
}
HINTED = 0.5
MOST = 0.9
"""A taxonomy that does not know all values is mentioned if it knows this share, with and without a hint by name."""

UNMISTAKABLE = ("country", "us_state", "month", "weekday")


@dataclass(frozen=True)
class DateLook:
    """Dates: the days between the first and the last, the distinct ones, and the distinct ones at each unit; and the
    year of the last."""

    days: int
    distinct: int
    units: Mapping[str, int]
    last: int = 0


@dataclass(frozen=True)
class TextLook:
    """Texts: of ``held`` distinct sampled ones, how many are what; the formats in which all are dates, and these.

    ``scale`` lists them from lowest to highest, where they say their order themselves. ``plain`` are numbers with a
    decimal point or none, ``numeric`` digits and what may part them.
    """

    held: int
    dated: int
    addresses: int
    positions: int
    codes: int
    digits: int
    zeros: int
    decimals: int
    shapes: int
    randoms: int = 0
    formats: tuple[str, ...] = ()
    dates: DateLook | None = None
    scale: tuple[str, ...] = ()
    plain: int = 0
    numeric: int = 0


@dataclass(frozen=True)
class ShippedMatch:
    """The ready-made taxonomy that has leaves for a column's values, their form, and the values that have none."""

    name: str
    form: str
    unknown: int = 0


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case.

    >>> words_of("homePostcode_2"), words_of("ICD10")
    (('home', 'postcode', '2'), ('icd10',))
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    return tuple(re.findall(r"[^\W_]+", spaced))


def dates_of(database: Database, column: str) -> DateLook | None:
    """The sampled dates of a column of dates; None without a finite one."""
    database.run(statement("init/sampled_dates.sql", column={"held": column}))
    return _dates(database)[1]


def texts_of(database: Database, column: str) -> TextLook:
    """The looks of a column of text; leaves the temporary table ``sampled_values``."""
    text = 'SELECT DISTINCT CAST("{column}" AS VARCHAR) AS value FROM source_sample WHERE "{column}" IS NOT NULL'
    database.run(temporary_table_of(VALUES, line("init/value_kinds.texts_of", text, column=column)))
    position = POSITIONED if set(words_of(column)) & PLACES else POINTS
    patterns = {"dated": DATED, "addressed": ADDRESSED, "positioned": position, "coded": CODED, "random": RANDOM}
    held, dated, timed, addressed, positioned, codes, digits, zeros, decimals, shapes, randoms, plain, numeric = (
        database.row(statement("init/text_looks.sql"), patterns)
    )
    is_ip, is_position = TaxonomyOptions(ip=True), TaxonomyOptions(geohash=True)
    addresses = _placed(database, is_ip, NOT_AN_ADDRESS) if _almost(addressed, held) else 0
    positions = _placed(database, is_position, NOT_A_POSITION) if _almost(positioned, held) else 0
    asked = _formats(timed=timed > 0) if held and dated == held else ()
    read = {format_: found for format_ in asked for found in [_read(database, format_, held)] if found}
    dates = next(iter(read.values()), None)
    values = line("init/value_kinds.texts_of", "SELECT value FROM sampled_values ORDER BY value")
    few = [value for (value,) in database.rows(values)] if held <= MOST_ORDERED else []
    return TextLook(
        held,
        dated,
        addresses,
        positions,
        codes,
        digits,
        zeros,
        decimals,
        shapes,
        randoms,
        tuple(read),
        dates,
        scale_of(few),
        plain,
        numeric,
    )


def _almost(counted: int, held: int) -> bool:
    return held > 0 and counted >= ALMOST_ALL * held


def _placed(database: Database, options: TaxonomyOptions, not_one: str) -> int:
    """How many of the sampled values the builder of the options knows."""
    database.run(temporary_table_of(LABELS, label_query(options, TEXT, VALUES)))
    query = statement("taxonomy/builders/computed_outside.sql", table={"labelled": LABELS})
    held, outside = database.row(query, {"outside": not_one})
    return int(held - outside)


def _formats(*, timed: bool) -> tuple[str, ...]:
    if not timed:
        return DAYS
    zoned = (day + time for day in DAYS[:2] for time in ZONED_TIMES)
    return (*(day + time for day in DAYS[:NUMERIC_DAYS] for time in TIMES), *zoned)


def _read(database: Database, format_: str, held: int) -> DateLook | None:
    """The values as dates, if all are dates of the format."""
    dated = line("init/value_kinds._read", "SELECT count(try_strptime(value, $format)) FROM sampled_values", "format")
    if database.value(dated, {"format": format_}) < held:
        return None
    database.run(statement("init/sampled_text_dates.sql"), {"format": format_})
    read, dates = _dates(database)
    return dates if read == held else None


def _dates(database: Database) -> tuple[int, DateLook | None]:
    days, read, distinct, *units, last = database.row(statement("init/date_units.sql"))
    found = DateLook(days, distinct, dict(zip(UNITS, units, strict=True)), last) if read else None
    return read, found


# -- ready-made taxonomies ---------------------------------------------------------------------------------------------


def ready_made_of(
    engine: SourceEngine,
    column: str,
    column_type: str,
    distinct: int,
    longest: int,
    texts: TextLook | None,
    *,
    sampled: bool,
) -> ShippedMatch | None:
    """The ready-made taxonomy that knows all values of a column, or most of them, if the column's name hints at it.

    Names of countries, states, months and weekdays need no hint. A name that others than the standard's codes may have
    (job, industry, education) is no hint for numbers. ``sampled`` says that the source holds more than the sample.
    """
    if not FEWEST_LISTED <= distinct <= MOST_LISTED or not is_listable(column_type):
        return None
    numbers = texts is None or texts.digits == texts.held
    hinted = [name for name in HINTS if _hints(name, column, numbers=numbers)]
    named = texts is not None and not numbers and distinct <= MOST_NAMES and longest > FEWEST_LISTED
    asked = [*hinted, *(name for name in UNMISTAKABLE if named and name not in hinted)]
    found = _known(engine, column, asked, sampled=True) if asked else {}
    fitting = {name: one for name, one in found.items() if name in hinted or one.form.name == "names"}
    whole = [name for name, one in fitting.items() if one.known == one.values]
    clear = [name for name in whole if name in hinted] or whole
    if not whole:
        clear = [
            name for name, one in fitting.items() if one.known >= (HINTED if name in hinted else MOST) * one.values
        ]
    if len(clear) != 1:
        return None
    best = _known(engine, column, clear, sampled=False)[clear[0]] if sampled else found[clear[0]]
    return ShippedMatch(clear[0], best.form.name, best.values - best.known)


def _hints(name: str, column: str, *, numbers: bool) -> bool:
    words = words_of(column)
    whole = {"".join(words)} | ({"weekday"} if "day of week" in " ".join(words) else set())
    hints = HINTS_OF_NUMBERS.get(name, HINTS[name]) if numbers else HINTS[name]
    return bool(hints & (set(words) | whole))


def _known(engine: SourceEngine, column: str, names: Sequence[str], *, sampled: bool) -> dict[str, KnownValues]:
    """What the asked taxonomies know of the values of a column, or of the sampled ones."""
    if sampled:
        held = {"column": {"source_value": column}, "table": {"frequency": SAMPLE}}
        engine.database.run(statement("source/shipped_held.sql", **held))
    else:
        engine.values(column)
    return {name: known_values(engine.database, name) for name in names}
