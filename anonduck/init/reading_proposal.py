"""How a source should be read, where its texts are numbers or dates but for how they are written.

Looked at are all records, for each column whose sampled texts look so. What is proposed are keys of the config: `csv`
(nullstr, decimal_separator, thousands), `dates` and `types`. Nothing is proposed of which two readings are possible.
Sentences hold counts and public markers such as N/A, no other value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anonduck.config.config import Config, CsvOptions
from anonduck.config.dates import DateOptions
from anonduck.init.date_years import DateProposal, dates_proposed
from anonduck.init.number_forms import COMMA, NumberForm, fitting_forms, is_ambiguous, one_form
from anonduck.init.taxonomy_proposal import NAMED_POSTCODE
from anonduck.init.value_kinds import words_of
from anonduck.source.engine import DuckDBSource
from anonduck.source.files import is_csv
from anonduck.source.missing_markers import COUNTED, NumberLook, as_key, number_look, shown_key
from anonduck.statements.column_types import BIGINT, TEXT, is_numeric, is_whole
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.init.profile import ColumnProfile
    from anonduck.source.source import Source

Reopen = Callable[["Config"], "Source"]

SUSPECT = 0.3
"""A column of text is looked at if this share of its sampled texts may be numbers or dates."""

MOST = 0.9
"""Texts that are no numbers are counted aloud where this share of the values are numbers."""

MAY_BE_VALUES = frozenset(
    (
        *("na", "none", "nil", "unknown", "missing", "empty", "blank", "undefined", "not available", "k.a.", "nd"),
        *("not applicable", "-", "--", "---", "\u2013", "\u2014", "?", "??", ".", "..", "...", "*"),
    )
)
"""Markers that are values in another column: NA is Namibia, none is an answer."""


@dataclass(frozen=True)
class ReadingProposal:
    """Keys for the config, why each column is read so, and what a person should know."""

    csv: Mapping[str, Any] = field(default_factory=dict)
    dates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def config_of(self, config: Config) -> Config:
        """The config with these keys, in which those of the user stay."""
        csv = CsvOptions.model_validate({**config.csv.model_dump(exclude_none=True), **self.csv})
        dates = {**{name: DateOptions.model_validate(one) for name, one in self.dates.items()}, **config.dates}
        return config.model_copy(update={"csv": csv, "dates": dates, "types": {**self.types, **config.types}})

    @property
    def changes(self) -> bool:
        """Whether the source is read otherwise by it."""
        return bool(self.csv or self.dates or self.types)

    def without(self, names: Sequence[str]) -> ReadingProposal:
        """The same without what was proposed for columns that it makes neither numbers nor dates."""
        why = {name: text for name, text in self.why.items() if name not in names}
        if any(name in why for name in self.why):
            return ReadingProposal(self.csv, self.dates, self.types, why, self.warnings)
        return ReadingProposal(warnings=self.warnings)


@dataclass(frozen=True)
class _Looked:
    """A column of text, how its values are written, and which forms of numbers fit all of them."""

    name: str
    look: NumberLook
    forms: tuple[NumberForm, ...]
    dates: DateProposal | None

    @property
    def is_plain(self) -> bool:
        return self.look.values > 0 and self.look.plain == self.look.values

    @property
    def is_dated(self) -> bool:
        return self.look.values > 0 and self.look.dated == self.look.values


def propose_reading(
    opened: Source, config: Config, profiles: Sequence[ColumnProfile], reopen: Reopen
) -> ReadingProposal:
    """How the columns of an open source should be read, by their profiles and by all records of those that are in
    doubt.

    ``reopen`` opens the source by another config.
    """
    texts = [one for one in profiles if one.type == TEXT and one.name not in {**config.types, **config.dates}]
    looked = [_looked(opened, one, profiles) for one in texts if _is_suspect(one)]
    csv = is_csv(opened.files)
    types = _whole_postcodes(profiles, config)
    form, numbers, separated = _separators(reopen, config, looked, profiles, is_csv=csv)
    nulls, marked, stray = _markers(opened, config, looked, texts, form, is_csv=csv)
    dated = [one for one in looked if one.dates is not None and (not one.look.marked or one.name in marked)]
    why = dict.fromkeys(types, "whole numbers with a decimal point, as pandas writes them; read without it")
    why |= {one.name: one.dates.text for one in dated if one.dates and one.dates.keys}
    warnings = [f"column {name!r}: {text}" for name, text in why.items()]
    warnings += [f"column {one.name!r}: {one.dates.text}" for one in dated if one.dates and not one.dates.keys]
    why |= numbers
    why |= {name: f"{why[name]}; {text}" if name in why else text for name, text in marked.items()}
    keys = {**({} if form is None else form.keys), **nulls}
    dates = {one.name: one.dates.keys for one in dated if one.dates and one.dates.keys}
    return ReadingProposal(keys, dates, types, why, (*warnings, *separated, *stray, *_strays(looked)))


def _is_suspect(column: ColumnProfile) -> bool:
    texts = column.texts
    if texts is None or not texts.held or texts.digits == texts.held:
        return False
    return texts.numeric + texts.dated >= SUSPECT * texts.held


def _looked(opened: Source, column: ColumnProfile, profiles: Sequence[ColumnProfile]) -> _Looked:
    engine = opened.engine
    look = number_look(engine, column.name)
    forms = fitting_forms(engine, column.name, look) if look.plain < look.values else ()
    here = isinstance(engine, DuckDBSource)
    dates = dates_proposed(opened, column, look, profiles) if here and 0 < look.values == look.dated else None
    engine.database.drop(COUNTED)
    return _Looked(column.name, look, forms, dates)


def _whole_postcodes(profiles: Sequence[ColumnProfile], config: Config) -> dict[str, str]:
    """Postcodes that came as numbers with a point."""
    return {
        one.name: BIGINT
        for one in profiles
        if one.whole and is_numeric(one.type) and set(words_of(one.name)) & NAMED_POSTCODE
        if one.name not in config.types and not is_whole(one.type)
    }


def codes_read_as_text(profiles: Sequence[ColumnProfile]) -> dict[str, str]:
    """The columns of text whose values all look like numbers: codes, which a file without a leading zero would lose."""
    return {
        one.name: TEXT
        for one in profiles
        if one.type == TEXT and one.texts is not None and one.texts.held and one.texts.plain == one.texts.held
    }


# -- separators --------------------------------------------------------------------------------------------------------


def _separators(
    reopen: Reopen, config: Config, looked: Sequence[_Looked], profiles: Sequence[ColumnProfile], *, is_csv: bool
) -> tuple[NumberForm | None, dict[str, str], list[str]]:
    """The form of the numbers that were read as text, which columns it is of, and what to say."""
    fitting = [one for one in looked if one.forms and one.dates is None]
    if not fitting:
        return None, {}, []
    named = ", ".join(repr(one.name) for one in fitting)
    if not is_csv:
        return (
            None,
            {},
            [f"numbers in {named} are written with separators, and so are text; write numbers in the export"],
        )
    given = config.csv.decimal_separator is not None or config.csv.thousands is not None
    sure = [one for one in fitting if not is_ambiguous(one.forms)]
    form = one_form([one.forms for one in sure]) if sure and not given else None
    also = [one for one in fitting if is_ambiguous(one.forms) and (form is None or form not in one.forms)]
    said = [_both_ways(one) for one in also]
    if form is None:
        if sure:
            said.append(_mixed([one.name for one in sure]))
        return None, {}, said
    others = _with_points(reopen, config, profiles) if form.decimals == COMMA else {}
    apart = [name for name, forms in others.items() if form not in forms]
    if apart:
        return None, {}, [*said, _mixed([*(one.name for one in sure), *apart])]
    keys = ", ".join(f'{name}: "{value}"' for name, value in form.keys.items())
    columns = [one for one in fitting if form in one.forms]
    why = {one.name: f"numbers by `csv: {{{keys}}}`" for one in columns}
    listed = ", ".join(repr(one.name) for one in columns)
    said.append(f"the numbers in {listed} are written with separators: `csv: {{{keys}}}` reads them as numbers")
    said += [
        f"column {name!r} was read as numbers with a decimal point, and its points part thousands by that too"
        for name in others
    ]
    return form, why, said


def _both_ways(one: _Looked) -> str:
    return (
        f"column {one.name!r} was read as text: all its numbers have one comma before three digits, so that 1,234 may "
        'be 1234 or 1.234; say which: `csv: {thousands: ","}` or `csv: {decimal_separator: ","}`'
    )


def _mixed(names: Sequence[str]) -> str:
    return (
        f"the columns {', '.join(map(repr, names))} separate decimals and thousands in different ways, and one option "
        "reads all columns of a file: correct the export, so that all are written alike"
    )


def _with_points(
    reopen: Reopen, config: Config, profiles: Sequence[ColumnProfile]
) -> dict[str, tuple[NumberForm, ...]]:
    """The columns that were read as numbers with a decimal point, and the forms that all their texts have."""
    names = [
        one.name for one in profiles if is_numeric(one.type) and not is_whole(one.type) and one.name not in config.types
    ]
    if not names:
        return {}
    found = {}
    engine = reopen(config.model_copy(update={"types": {**dict.fromkeys(names, TEXT), **config.types}})).engine
    for name in names:
        look = number_look(engine, name)
        if look.points:
            found[name] = fitting_forms(engine, name, look)
    engine.database.drop(COUNTED)
    reopen(config)
    return found


# -- markers -----------------------------------------------------------------------------------------------------------


def _markers(
    opened: Source,
    config: Config,
    looked: Sequence[_Looked],
    texts: Sequence[ColumnProfile],
    form: NumberForm | None,
    *,
    is_csv: bool,
) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """What stands for NULL among numbers and dates, in which columns, and what to say."""
    strays = [one for one in looked if one.look.marked and (one.is_plain or one.is_dated or form in one.forms)]
    if not strays:
        return {}, {}, []
    if not is_csv:
        return (
            {},
            {},
            [
                f"column {one.name!r}: {_stray(one)}, and so it was read as text; write NULL in their place in the "
                "export, and give the column a type of numbers or dates"
                for one in strays
            ],
        )
    others = [one.name for one in texts if one.name not in {stray.name for stray in strays}]
    said, taken = list[str](), list[str]()
    for marker in sorted({marker for one in strays for marker in one.look.markers}):
        held = _holding(opened, others, marker)
        where = ", ".join(f"{counted(count, 'value', 'values')} of column {name!r}" for name, count in held.items())
        if held and marker.strip().lower() in MAY_BE_VALUES:
            said.append(
                f"{marker!r} among the numbers would be NULL by `csv: {{nullstr: {shown_key([marker])}}}`, and so "
                f"would {where}, where it may be a value (as NA of Namibia): correct the export, or set it yourself"
            )
            continue
        if held:
            said.append(f"{marker!r} becomes NULL in all columns: {where} too")
        taken.append(marker)
    given = config.csv.nullstr
    key = list(dict.fromkeys([*([given] if isinstance(given, str) else given or []), *taken]))
    solved = [one for one in strays if set(one.look.markers) <= set(taken)]
    if not solved:
        return {}, {}, [*(f"column {one.name!r}: {_stray(one)}, and so it was read as text" for one in strays), *said]
    why = {one.name: f"{_stray(one)}, which are NULL by `csv`" for one in solved}
    said = [
        f"column {one.name!r}: {_stray(one)}: `csv: {{nullstr: {shown_key(key)}}}` makes them NULL" for one in solved
    ] + said
    return {"nullstr": as_key(key)}, why, said


def _stray(one: _Looked) -> str:
    return one.look.no_numbers(one.look.values, "date" if one.is_dated else "number")


def _holding(opened: Source, columns: Sequence[str], marker: str) -> dict[str, int]:
    """The columns that hold a marker, and how many records have it."""
    if not columns or not isinstance(opened.engine, DuckDBSource):
        return {}
    return {name: count for name, count in opened.engine.holding_texts(columns, [marker]).items() if count}


def _strays(looked: Sequence[_Looked]) -> Iterator[str]:
    """Columns that almost all are numbers, but for texts that nobody can name."""
    for one in looked:
        unread = one.look.values - one.look.plain
        if unread and not one.forms and not one.is_dated and one.look.plain >= MOST * one.look.filled:
            yield (
                f"column {one.name!r}: {one.look.no_numbers(one.look.plain)}, and so it was read as text; correct the "
                "export, or, where those texts stand for no value, list them as `csv: {nullstr: [...]}`"
            )
