"""Which taxonomy fits a column, and why: the paper's intervals and clusters, unless its values suggest a better one.

Reasons hold counts, never values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from anonduck.init.column_words import counts_or_ranks
from anonduck.init.profile import FEWEST_VALUES, ColumnProfile
from anonduck.init.value_kinds import ALMOST_ALL, DateLook, TextLook, words_of
from anonduck.source.columns import Column
from anonduck.statements.column_types import DATE, INTEGERS, TEXT, ZONED
from anonduck.taxonomy.builders.clusters import MOST_VALUES

GROUP = 5  # section 6.1: ordered leaves in groups of five
FEW_ORDERED = 20  # of which smaller groups keep more (benchmarks/few_values.py of commit 51c8afa8)
SMALL_GROUPS = (2, 3)
MANY_VALUES = 1_000
MOST_CATEGORIES = 10  # whole numbers, such as 1 to 9 of a race
LONGEST_CATEGORY = 2  # in characters
MOST_LEVELS = 8  # of a mask
HANDFUL = 20
HANDFUL_OF_CODES = 5  # where the name says that they are codes
MOST_SHAPES = 8
SHORTEST_DIGITS = 4
LONGEST_CODE = 16
NAMED_POSTCODE = frozenset(("zip", "zipcode", "postcode", "postcodes", "postal", "plz", "postleitzahl"))
NAMED_CODE = NAMED_POSTCODE | frozenset(
    ("code", "codes", "icd", "icd10", "nace", "naics", "sic", "soc", "isco", "isco08", "nuts", "fips")
)
READY_MADE: Mapping[str, str] = {
    "country": "countries (ISO 3166, {form})",
    "us_state": "US states ({form})",
    "us_zip": "US ZIP codes, by their first three digits; if they are from another country, use `mask: right`",
    "education": "levels of education (ISCED 2011, {form})",
    "occupation": "occupations (ISCO-08, {form})",
    "industry": "industries (NACE Rev. 2, {form})",
    "diagnosis": "diagnoses (ICD-10, {form})",
    "month": "months ({form}), by quarter and half-year",
    "weekday": "weekdays ({form}; 1 is Monday)",
}


@dataclass(frozen=True)
class TaxonomyFit:
    """The options of a taxonomy, and why they fit."""

    taxonomy: Mapping[str, Any]
    reason: str


def fit(column: ColumnProfile) -> TaxonomyFit:
    """The taxonomy that fits a quasi-identifier."""
    if column.distinct == 1:
        return TaxonomyFit(_default(column), "the same value wherever there is one")
    scale = () if column.texts is None else column.texts.scale
    coded = None if scale else _codes(column)
    coded = coded and replace(coded, reason=coded.reason + _nearly_ready_made(column))
    found = _dates(column) or _text_dates(column) or _places(column) or _ready_made(column) or coded
    if found is not None:
        return found
    if column.order:
        why = "their words or numbers say" if column.order == scale else "their type declares"
        words = f"{len(column.order)} values in the order that {why}"
        return TaxonomyFit({"order": list(column.order)}, f"{words}; if that means nothing, `clusters: true`")
    if _numbered_categories(column):
        words = f"few whole numbers ({column.distinct:,}), read as codes of categories and clustered by co-occurrence"
        return TaxonomyFit(
            {"clusters": True}, f"{words}; if their order means something, `intervals: {group_of(column.distinct)}`"
        )
    other = _ordered(column) if Column(column.name, column.type).ordered else _nominal(column)
    return replace(other, reason=other.reason + _nearly_ready_made(column))


def _numbered_categories(column: ColumnProfile) -> bool:
    """Whether a column's numbers are codes, as 1 and 2 of a sex: few whole ones, of up to two digits, that count
    nothing by their name."""
    few = column.distinct <= MOST_CATEGORIES and (column.longest or 0) <= LONGEST_CATEGORY
    return column.holds_whole and few and column.filled >= FEWEST_VALUES and not counts_or_ranks(column.name)


def _default(column: ColumnProfile) -> dict[str, Any]:
    ordered = Column(column.name, column.type).ordered
    return {"intervals": group_of(column.distinct)} if ordered else {"clusters": True}


def group_of(values: int) -> int:
    """How many neighbours of so many ordered values stand in a group: five, of few values two or three, whichever parts
    them more evenly where the last two groups of pairs meet.

    >>> [group_of(values) for values in (4, 7, 10, 15, 20, 21)]
    [2, 2, 3, 2, 3, 5]
    """
    if values > FEW_ORDERED:
        return GROUP

    def unevenness(group: int) -> int:
        lower = group
        while 2 * lower < values:
            lower *= 2
        return abs(2 * lower - values)

    return min(SMALL_GROUPS, key=unevenness)


def _ordered(column: ColumnProfile) -> TaxonomyFit:
    remark = "; nearly unique, like a measurement, so only intervals can be shared" if column.nearly_unique else ""
    return TaxonomyFit(_default(column), f"ordered values, generalized to intervals{remark}")


def _nominal(column: ColumnProfile) -> TaxonomyFit:
    if column.is_text and column.distinct > MOST_VALUES:
        most = f"more categories than clustering takes ({MOST_VALUES:,}), cut to their first letters"
        return TaxonomyFit({"prefix": [3, 2, 1]}, f"{most}; a taxonomy file suits so many better")
    remark = "; a taxonomy file suits so many values better" if column.distinct > MANY_VALUES else ""
    if column.texts and both_ways(column.texts):
        remark += "; may be dates, but the order of day and month is unclear: set `dates` and `format`"
    return TaxonomyFit({"clusters": True}, f"categories, clustered by co-occurrence{remark}")


# -- dates -------------------------------------------------------------------------------------------------------------


def is_date(column: ColumnProfile) -> bool:
    """Whether a column's texts are all dates of one format."""
    return column.texts is not None and bool(column.texts.formats) and not both_ways(column.texts)


def both_ways(texts: TextLook) -> bool:
    """Whether all texts are dates with the day before the month, and also with the month before the day."""
    return any(
        re.match(r"%d[/-]%m", format_) and f"%m{format_[2]}%d{format_[5:]}" in texts.formats
        for format_ in texts.formats
    )


def _dates(column: ColumnProfile) -> TaxonomyFit | None:
    if column.dates is None:
        return None
    chain = _chain(column.dates, timed=column.type != DATE)
    if not chain:
        return None
    words = f"dates over {_span(column.dates.days)}, by {_listed(chain)}"
    if column.type != ZONED:
        return TaxonomyFit({"dates": chain}, words)
    return TaxonomyFit(
        {"dates": chain, "zone": "UTC"}, f"{words}; set `zone` to the time zone that counts, such as Europe/Rome"
    )


def _text_dates(column: ColumnProfile) -> TaxonomyFit | None:
    if column.texts is None or column.texts.dates is None or not is_date(column):
        return None
    format_ = column.texts.formats[0]
    chain = _chain(column.texts.dates, timed="%H" in format_)
    if not chain:
        return None
    words = f"dates as text over {_span(column.texts.dates.days)}, all in one format, by {_listed(chain)}"
    taxonomy = {"dates": chain, "format": format_}
    if "%z" not in format_:
        return TaxonomyFit(taxonomy, words)
    return TaxonomyFit(
        {**taxonomy, "zone": "UTC"}, f"{words}; set `zone` to the time zone that counts, such as Europe/Rome"
    )


def _chain(dates: DateLook, *, timed: bool) -> list[str]:
    """The units for a span of dates that are coarser than the one before, and hold more than one node."""
    chain: list[str] = []
    nodes = dates.distinct
    for unit in _units(dates.days, timed=timed):
        if 1 < dates.units[unit] < nodes:
            chain.append(unit)
            nodes = dates.units[unit]
    return chain


def _units(days: int, *, timed: bool) -> tuple[str, ...]:
    """Units that nest, for a span of days.

    >>> _units(40, timed=False), _units(5_000, timed=False)
    (('week',), ('month', 'quarter', 'year'))
    """
    if timed and days <= 92:
        return ("minute", "hour", "day") if days <= 3 else ("hour", "day", "week")
    if days <= 92:
        return ("week",) if days >= 14 else ()
    first = ("day",) if timed and days <= 730 else ()
    years = ("year",) if days > 365 else ()
    decades = ("five-year", "decade") if days > 7_305 else ()
    centuries = ("century",) if days > 73_050 else ()
    return (*first, "month", "quarter", *years, *decades, *centuries)


def _span(days: int) -> str:
    for most, length, unit in ((60, 1, "day"), (730, 30.44, "month")):
        if days < most:
            count = max(round(days / length), 1)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{round(days / 365.25):,} years"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# -- places, lists, codes ----------------------------------------------------------------------------------------------


def is_address(column: ColumnProfile) -> bool:
    """Whether almost all of a column's texts are IP addresses."""
    return column.texts is not None and _almost_all(column.texts.addresses, column.texts)


def is_position(column: ColumnProfile) -> bool:
    """Whether almost all of a column's texts are latitudes and longitudes."""
    return column.texts is not None and _almost_all(column.texts.positions, column.texts)


def _almost_all(counted: int, texts: TextLook) -> bool:
    return texts.held > 0 and counted >= ALMOST_ALL * texts.held


def _places(column: ColumnProfile) -> TaxonomyFit | None:
    if column.texts is None:
        return None
    held = column.texts.held
    if is_address(column):
        return TaxonomyFit(
            {"ip": True}, f"{column.texts.addresses / held:.0%} of its values are IP addresses, generalized to networks"
        )
    if is_position(column):
        share = f"{column.texts.positions / held:.0%}"
        return TaxonomyFit(
            {"geohash": True}, f"{share} of its values are latitude and longitude, generalized to geohash cells"
        )
    return None


def _ready_made(column: ColumnProfile) -> TaxonomyFit | None:
    if column.ready_made is None or column.ready_made.unknown:
        return None
    known = READY_MADE[column.ready_made.name].format(form=column.ready_made.form)
    return TaxonomyFit({"shipped": column.ready_made.name}, f"all {column.distinct:,} values are {known}")


def _nearly_ready_made(column: ColumnProfile) -> str:
    """What a ready-made taxonomy that knows most of a column's values lacks, and where those values would go."""
    if column.ready_made is None:
        return ""
    listed = READY_MADE[column.ready_made.name].format(form=column.ready_made.form)
    others = column.ready_made.unknown
    are, them = ("is", "it") if others == 1 else ("are", "them")
    otherwise = f"a release refuses {them}, or `unmapped: root` generalizes {them} to the root"
    known = f"{column.distinct - others:,} of {column.distinct:,} values are {listed}, {others:,} {are} not"
    return f"; {known}: with `shipped: {column.ready_made.name}` {otherwise}"


def _codes(column: ColumnProfile) -> TaxonomyFit | None:
    if column.texts is None:
        return _whole_codes(column)
    if not _are_codes(column, column.texts):
        return None
    return TaxonomyFit(_mask(column), f"codes of {_lengths(column)}, masked from the right")


def _are_codes(column: ColumnProfile, texts: TextLook) -> bool:
    like_dates = texts.dated > max(texts.held / 2, texts.digits)
    if both_ways(texts) or like_dates or not texts.held or texts.codes < ALMOST_ALL * texts.held:
        return False
    if set(words_of(column.name)) & NAMED_CODE:
        return column.distinct > HANDFUL_OF_CODES
    longest = column.longest or 0
    if column.distinct <= HANDFUL or texts.shapes > MOST_SHAPES or longest > LONGEST_CODE or texts.decimals:
        return False
    whole = column.shortest == longest and longest >= SHORTEST_DIGITS
    return texts.digits < texts.held or texts.zeros > 0 or whole


def _whole_codes(column: ColumnProfile) -> TaxonomyFit | None:
    """Postcodes that came as integers, whose leading zeros may be lost."""
    named = set(words_of(column.name)) & NAMED_POSTCODE
    if not named or column.type not in INTEGERS or column.distinct <= HANDFUL_OF_CODES:
        return None
    pad = {} if column.shortest == column.longest else {"pad": "0"}
    advice = f"if leading zeros are lost, read it as text with `types: {{{column.name}: {TEXT}}}`"
    return TaxonomyFit({**_mask(column), **pad}, f"codes of {_lengths(column)}, masked from the right; {advice}")


def _mask(column: ColumnProfile) -> dict[str, Any]:
    longest = column.longest or 1
    step = {"step": -(-longest // MOST_LEVELS)} if longest > MOST_LEVELS else {}
    length = {"length": longest} if column.sampled else {}
    return {"mask": "right", **step, **length}


def _lengths(column: ColumnProfile) -> str:
    if column.shortest == column.longest:
        return f"{column.longest} characters"
    return f"{column.shortest} to {column.longest} characters"
