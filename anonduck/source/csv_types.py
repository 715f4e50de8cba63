"""The types of a CSV file's columns: decided on all its records, and text wherever a number would lose what it says.

A first look at some records says which form each column may have; one scan of all texts (sql/source/text_forms.sql)
counts those that have it, and a column whose form does not hold is asked about the next wider one. A number is what its
text says and nothing else would: no leading zeros, no plus sign, no more digits than its type holds, and no two texts
that are one number, as 10.1 and 10.10 or 1e2 and 100. Values with one fixed number of decimals are DECIMAL, those that
end with other decimals than zeros (18.5, 19, 20.25) or are written as floating point prints them (19.0) are DOUBLE.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from anonduck.database.connection import Database
from anonduck.statements import relations, statement
from anonduck.statements.column_types import BIGINT, DATE, DECIMAL, DOUBLE, HUGEINT, STAMP, TEXT, TIME, ZONED
from anonduck.statements.expansion import Expression, Lists, expression, quoted

TEXTS = "csv_texts"
LOOKED_AT = 100  # records that say which form to ask about; those that do not have it are asked again
BLOCK = 50  # columns asked about at a time
SAFE, MOST = 18, 38  # digits that a BIGINT, and a HUGEINT or DECIMAL, hold in any case
IN_DOUBLE = 15  # digits that a DOUBLE holds in any case

DAYS = {"ymd": "%Y-%m-%d", "ydot": "%Y-%m-%d", "dmy": "%d-%m-%Y", "mdy": "%m-%d-%Y"}
MOMENTS = {
    "dmystamp": "%d-%m-%Y %H:%M:%S",
    "mdystamp": "%m-%d-%Y %I:%M:%S %p",
    "mdyclock": "%m-%d-%Y %H:%M:%S",
}
PLAIN_TIMES = {"stamp": STAMP, "zoned": ZONED, "time": TIME}
GIVEN = {"given": DATE, "givenstamp": STAMP}
FORMS = {"whole": 2, "fixed": 5, "plain": 8, "odd": 6, "iso": 2}
FORMS |= {**dict.fromkeys((*DAYS, *MOMENTS), 4), **dict.fromkeys((*PLAIN_TIMES, *GIVEN), 2)}
"""How many counts the query has of each form, in its order."""

WIDER = {"whole": "plain", "fixed": "plain", "plain": "odd", "iso": "ymd"}
"""What a column is asked about next that has not the form it seemed to have."""

_DAY, _MONTH = "(0?[1-9]|[12][0-9]|3[01])", "(0?[1-9]|1[0-2])"
_SHAPES = {
    "ymd": rf"\d{{4}}[-/]{_MONTH}[-/]{_DAY}",
    "ydot": rf"\d{{4}}[.]{_MONTH}[.]{_DAY}",
    "dmy": rf"{_DAY}[-/.]{_MONTH}[-/.]\d{{4}}",
    "mdy": rf"{_MONTH}[-/.]{_DAY}[-/.]\d{{4}}",
    "dmystamp": rf"{_DAY}[-/.]{_MONTH}[-/.]\d{{4}} \d{{1,2}}:\d\d:\d\d",
    "mdystamp": rf"{_MONTH}[-/.]{_DAY}[-/.]\d{{4}} \d{{1,2}}:\d\d:\d\d [AaPp][Mm]",
    "mdyclock": rf"{_MONTH}[-/.]{_DAY}[-/.]\d{{4}} \d{{1,2}}:\d\d:\d\d",
    "stamp": r"\d{4}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d\d(:\d\d(\.\d{1,6})?)?( UTC)?",
    "zoned": r"\d{4}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?| [A-Z][A-Za-z]+(/\w+)*)",
    "time": r"\d{1,2}:\d\d(:\d\d(\.\d{1,6})?)?",
}
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_SHAPED = {form: re.compile(shape) for form, shape in _SHAPES.items()}
_DIGITS = re.compile(r"[0-9]{6,8}")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_LEADING = re.compile(r"[+-]?0[0-9].*|\+.*", flags=re.DOTALL)

LEADING = "leading zeros or plus signs"
LONG = "more digits than a number holds"
TRAILING = "decimals that end with zeros in some values only"
ALIKE = "several texts for one number"
EITHER = "the day first, though it may be the month"
SEVERAL_DAYS = "dates that are written in several ways"


@dataclass(frozen=True)
class Writing:
    """How a file writes numbers and dates: the separators of ``decimals`` and ``thousands``, and the formats that the
    config gives for dates and timestamps."""

    decimals: str = "."
    thousands: str = ""
    dates: str | None = None
    stamps: str | None = None

    @property
    def plain(self) -> str:
        """A regular expression of plain numbers, whose digits say what they are."""
        return f"{self._whole}({self._decimals})?"

    @property
    def fixed(self) -> str:
        """A regular expression of plain numbers that have decimals."""
        return self._whole + self._decimals

    @property
    def _whole(self) -> str:
        grouped = rf"[1-9][0-9]{{0,2}}({re.escape(self.thousands)}[0-9]{{3}})*|" if self.thousands else ""
        return f"-?(0|{grouped}[1-9][0-9]*)"

    @property
    def _decimals(self) -> str:
        return f"{re.escape(self.decimals)}[0-9]+"

    @property
    def loose(self) -> str:
        """A regular expression of all other numbers."""
        if self.thousands:
            return self.plain
        apart = re.escape(self.decimals)
        return rf"-?([0-9]+({apart}[0-9]*)?|{apart}[0-9]+)([eE][+-]?[0-9]+)?"


@dataclass(frozen=True)
class Taken:
    """The ``type`` that a column is read as; ``why``, where its texts say more than that; and the ``format`` of dates
    and of moments that are not written as the standard has them, with the ``other`` one that all of them have too."""

    type: str
    why: str = ""
    format: str | None = None
    other: str | None = None


def types_taken(
    database: Database, relation: Expression, columns: Sequence[str], asked: Collection[str], writing: Writing
) -> dict[str, Taken]:
    """What the columns of a relation of texts that are ``asked`` about are read as; decided on all its records."""
    first = database.rows(relations.relation_of(relation, LOOKED_AT))
    places = {name: at for at, name in enumerate(columns) if name in asked}
    texts = {name: [row[at] for row in first if row[at] is not None] for name, at in places.items()}
    values = {name: [text.strip(" ") for text in held] for name, held in texts.items()}
    blank = {name for name, held in texts.items() if held != values[name]}
    found: dict[str, Taken] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    for name, held in values.items():
        forms, why = first_look(held, writing)
        if forms:
            wanted[name] = forms
        else:
            found[name] = Taken(TEXT, why)
    while wanted:
        counted = _counted(database, relation, wanted, blank, writing)
        further: dict[str, tuple[str, ...]] = {}
        for name, forms in wanted.items():
            fitting = [taken for form in forms if (taken := _judged(form, counted[name, form], writing)) is not None]
            if fitting:
                found[name] = _first_of(fitting)
            elif wider := [WIDER[form] for form in forms if form in WIDER]:
                further[name] = (wider[-1],)
            else:
                found[name] = Taken(TEXT)
        wanted = further
    return {name: _told(database, relation, name, found[name], writing) for name in places}


def _first_of(fitting: Sequence[Taken]) -> Taken:
    """What a column is taken as by the first of its forms that fits, and which order of day and month does too."""
    first, *others = fitting
    other = next((one.format for one in others if one.type == first.type and one.format != first.format), None)
    return first if other is None else replace(first, other=other, why=EITHER)


def first_look(held: Sequence[str], writing: Writing) -> tuple[tuple[str, ...], str]:
    """The forms that a column may have whose first texts are ``held``; none for text, with the reason if they look like
    numbers.

    >>> first_look(["1", "20"], Writing()), first_look(["01069", "1069"], Writing())
    ((('whole',), ''), ((), 'leading zeros or plus signs'))
    >>> [first_look([text], Writing())[0] for text in ("1.50", "1/2/2024", "x")]
    [('fixed',), ('dmy', 'mdy'), ()]
    """
    if not held:
        given = tuple(GIVEN) if writing.dates or writing.stamps else ()
        return ("whole", "plain", "odd", *_SHAPES, *given), ""
    if writing.dates and all(map(_DIGITS.fullmatch, held)) and _readable(held, writing.dates):
        return ("given", "whole"), ""
    if all(map(_WHOLE.fullmatch, held)) and not writing.thousands:
        return ("whole",), ""
    if all(map(re.compile(writing.plain).fullmatch, held)):
        decimals = {len(text) - text.rfind(writing.decimals) for text in held}
        fixed = len(decimals) == 1 and all(map(re.compile(writing.fixed).fullmatch, held))
        return ("fixed" if fixed else "plain",), ""
    loose = re.compile(writing.loose)
    if all(loose.fullmatch(text.removeprefix("+")) or text.lower() == "nan" for text in held):
        return ((), LEADING) if any(map(_LEADING.fullmatch, held)) else (("odd",), "")
    forms = [form for form, shape in _SHAPED.items() if all(map(shape.fullmatch, held))]
    if writing.dates and set(forms) <= set(DAYS):
        forms = ["given"] if _readable(held, writing.dates) else []
    elif writing.stamps and set(forms) <= {*MOMENTS, "stamp"}:
        forms = ["givenstamp"] if _readable(held, writing.stamps) else []
    if forms == ["ymd"] and all(map(_ISO.fullmatch, held)):
        forms = ["iso"]
    return tuple(forms), ""


def _readable(held: Sequence[str], form: str) -> bool:
    """Whether texts may be dates in a format: a format that Python does not know may be one."""
    try:
        for text in held:
            datetime.strptime(text, form)
    except ValueError as error:
        return "format" in str(error) and "does not match" not in str(error)
    return True


# -- counts of all records ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A column of texts, and the form that it may have, with or without blanks at its ends."""

    column: str
    form: str
    trimmed: bool = True

    @property
    def text(self) -> Expression:
        """The text that is looked at; the reader takes no other white space than blanks off a number."""
        return expression("trim(\"{name}\", ' ')", name=self.column) if self.trimmed else quoted(self.column)


@contextlib.contextmanager
def _texts(database: Database, relation: Expression, asked: Sequence[Asked]) -> Iterator[None]:
    places = Counter[str]()
    texts = []
    for one in asked:
        texts.append({"text": one.text, "form": one.form, "place": places[one.form]})
        places[one.form] += 1
    lists: Lists = {"files": [{"reader": relation}], "forms": list(FORMS), "asked": texts}
    database.run(statement("source/csv_texts.sql", table={"texts": TEXTS}, lists=lists))
    try:
        yield
    finally:
        database.drop_view(TEXTS)


def _counted(
    database: Database,
    relation: Expression,
    wanted: Mapping[str, Sequence[str]],
    blank: Collection[str],
    writing: Writing,
) -> dict[tuple[str, str], tuple[int, ...]]:
    """The counts of the query for each column and form that is asked about, by scans of some columns at a time.

    Columns that are ``blank`` may have blanks at the ends of their texts, which are no part of a number or date.
    """
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    names = list(wanted)
    given = {
        "fixed": writing.fixed,
        "plain": writing.plain,
        "loose": writing.loose,
        "decimal": writing.decimals,
        "thousands": writing.thousands,
        "dateformat": writing.dates,
        "timestampformat": writing.stamps,
    }
    for start in range(0, len(names), BLOCK):
        asked = [
            Asked(name, form, trimmed=form == "odd" or name in blank)
            for name in names[start : start + BLOCK]
            for form in wanted[name]
        ]
        with _texts(database, relation, asked):
            row = iter(database.row(statement("source/text_forms.sql", table={"texts": TEXTS}), given))
        for form, counts in FORMS.items():
            of_form = [one.column for one in asked if one.form == form]
            by_count = [[next(row) for _ in range(1 + len(of_form))][1:] for _ in range(counts)]
            found |= {(name, form): tuple(one[at] for one in by_count) for at, name in enumerate(of_form)}
    return found


def _judged(form: str, counts: Sequence[int], writing: Writing) -> Taken | None:
    """What a column is taken as by the counts of one form; None where it has that form not."""
    filled, *further = counts
    if form in NUMBERS:
        return NUMBERS[form](filled, *further) if filled else None
    if not filled or further[0] != filled:
        return None
    if form in PLAIN_TIMES:
        return Taken(PLAIN_TIMES[form])
    if form == "iso":
        return Taken(DATE, format=DAYS["ymd"])
    if form in GIVEN:
        return Taken(GIVEN[form], format=writing.dates if form == "given" else writing.stamps)
    return _dated(form, filled, *further[1:])


def _dated(form: str, filled: int, slashes: int, dots: int) -> Taken:
    if not {slashes, dots} <= {0, filled} or (slashes and dots):
        return Taken(TEXT, SEVERAL_DAYS)
    written = {**DAYS, **MOMENTS}[form].replace("-", "/" if slashes else "." if dots else "-")
    return Taken(DATE if form in DAYS else STAMP, format=written)


def _whole(filled: int, fitting: int) -> Taken | None:
    return Taken(BIGINT) if fitting == filled else None


def _fixed(filled: int, fitting: int, least: int, most: int, longest: int) -> Taken | None:
    if fitting != filled or least != most or longest > MOST:
        return None
    plural = "decimal" if most == 1 else "decimals"
    return Taken(f"{DECIMAL}({SAFE if longest <= SAFE else MOST},{most})", f"{most} {plural} in each value")


def _plain(
    filled: int, plain: int, parted: int, least: int, most: int, longest: int, zeros: int, only_zeros: int
) -> Taken | None:
    if plain != filled:
        return None
    if not parted:
        return Taken(BIGINT if longest <= SAFE else HUGEINT) if longest <= MOST else Taken(TEXT, LONG)
    if fixed := _fixed(filled, parted, least, most, longest):
        return fixed
    if zeros and (parted < filled or zeros != only_zeros):
        return Taken(TEXT, TRAILING)
    return Taken(DOUBLE) if longest <= IN_DOUBLE else None


def _odd(filled: int, loose: int, nan: int, leading: int, held: int, printed: int) -> Taken | None:
    if nan == filled or loose + nan + leading < filled:
        return None
    if leading:
        return Taken(TEXT, LEADING)
    if held < filled:
        return Taken(TEXT, LONG)
    return Taken(DOUBLE, "" if printed == filled else ALIKE)


NUMBERS: Mapping[str, Callable[..., Taken | None]] = {"whole": _whole, "fixed": _fixed, "plain": _plain, "odd": _odd}


def _told(database: Database, relation: Expression, name: str, taken: Taken, writing: Writing) -> Taken:
    """A number that is written in several ways is one where no two texts are the same number."""
    if taken.why != ALIKE:
        return taken
    given = {"decimal": writing.decimals, "thousands": writing.thousands}
    with _texts(database, relation, [Asked(name, "odd")]):
        query = statement("source/text_collisions.sql", table={"texts": TEXTS}, column={"value": "odd_0"})
        texts, numbers = database.row(query, given)
    return Taken(DOUBLE) if texts == numbers else Taken(TEXT, ALIKE)
