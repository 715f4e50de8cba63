"""How a config describes the taxonomy of a column: one builder, and the options that belong to it.

A builder is a key of TaxonomyOptions here, and a row of ``anonduck.config.builders``, which other modules read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, model_validator

from anonduck.config.builders import BUILDERS, owners

MAX_COUNT = 2**53
"""The largest number of anything that is counted; a float holds it exactly."""


def _name(value: object) -> object:
    if value is None or isinstance(value, bool):
        raise ValueError("a column's name is text; one that is called null, true or false stands in quotes")
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


@dataclass(frozen=True)
class Unit:
    """What the command line calls one value of a setting, in the help of its option: COLUMN, SHARE, SECONDS."""

    name: str


@dataclass(frozen=True)
class NullMeans:
    """Says that a key may be written as null, and what that means; any other key that is left empty is refused."""

    words: str


ColumnName = Annotated[str, BeforeValidator(_name), Field(min_length=1), Unit("COLUMN")]


def _no_blank(text: str) -> str:
    if not text.strip() or "\0" in text:
        raise ValueError("it is empty; write a text, or take the key out")
    return text


Words = Annotated[str, AfterValidator(_no_blank)]
"""A text that says something: not empty, not blanks alone, without the character NUL."""


def _only_true(value: object) -> object:
    if value is not True and value is not None:
        raise ValueError("write `true`, or take the key out")
    return value


OnlyTrue = Annotated[Literal[True], BeforeValidator(_only_true)]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _bound(value: object) -> object:
    if not _is_number(value) and not (isinstance(value, str) and value.strip()):
        raise ValueError("a bound is a number, or a date or time as text")
    return value


def _whole(words: str, lowest: int) -> Any:
    def checked(value: object) -> object:
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= MAX_COUNT:
            raise ValueError(f"{words} is a whole number from {lowest} to {MAX_COUNT}")
        return value

    return BeforeValidator(checked)


def _widths(value: object) -> object:
    widths = value if isinstance(value, (list, tuple)) else [value]
    if not widths or not all(_is_positive(width) for width in widths):
        raise ValueError("width is a number above 0, which doubles from level to level, or a list of such numbers")
    for finer, coarser in pairwise(Decimal(str(width)) for width in widths):
        if coarser <= finer or coarser % finer:
            raise ValueError(f"levels nest: the width {coarser} is not a multiple of {finer}")
    return value


def _quantiles(value: object) -> object:
    numbers = value if isinstance(value, (list, tuple)) else [value]
    if not numbers or not all(isinstance(n, int) and not isinstance(n, bool) and 2 <= n <= MAX_COUNT for n in numbers):
        raise ValueError(f"quantiles is a list of numbers of groups from 2 to {MAX_COUNT}, such as [20, 5]")
    for finer, coarser in pairwise(numbers):
        if coarser >= finer or finer % coarser:
            raise ValueError(
                f"levels nest: {coarser} groups are not made of whole ones of {finer}; name a divisor of {finer}"
            )
    return list(numbers)


def _breaks(value: object) -> object:
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError("breaks is a list of bounds, such as [0, 18, 65], or a list of such lists, the finest first")
    nested = isinstance(value[0], (list, tuple))
    levels = value if nested else [value]
    if not all(isinstance(level, (list, tuple)) and level for level in levels):
        raise ValueError("breaks is a list of bounds or a list of lists of bounds, not both, and none is empty")
    for level in levels:
        for bound in level:
            _bound(bound)
        if len({type(bound) is str for bound in level}) > 1 or list(level) != sorted(set(level)):
            raise ValueError("the bounds of a level ascend, none stands twice, and all are numbers or all are dates")
    for finer, coarser in pairwise(levels):
        if not set(coarser) < set(finer):
            raise ValueError("levels nest: a coarser list of breaks leaves out some of the finer list and adds none")
    return value


def _falling(words: str, lowest: int) -> Any:
    def checked(value: object) -> object:
        numbers = list(value) if isinstance(value, (list, tuple)) else []
        whole = all(isinstance(n, int) and not isinstance(n, bool) and lowest <= n <= MAX_COUNT for n in numbers)
        if not numbers or not whole or numbers != sorted(set(numbers), reverse=True):
            raise ValueError(
                f"{words} is a falling list of whole numbers from {lowest} to {MAX_COUNT}, the finest level first"
            )
        return value

    return BeforeValidator(checked)


def _or_true(words: str, lowest: int) -> Any:
    falling = _falling(words, lowest).func

    def checked(value: object) -> object:
        return value if value is True else falling(value)

    return BeforeValidator(checked)


def _texts(value: object) -> object:
    if not isinstance(value, (list, tuple)) or len(value) < 2 or not all(_is_leaf(item) for item in value):
        raise ValueError(
            "order is a list of two or more values, from the lowest to the highest; one called null stands in quotes"
        )
    texts = [leaf_text(item) for item in value]
    if len(set(texts)) < len(texts):
        raise ValueError("order names a value twice; a value has one place")
    return texts


def _groups(value: object) -> object:
    if not isinstance(value, Mapping) or not value:
        raise ValueError("groups is a mapping of labels to lists of values, or to further mappings")
    depths: set[int] = set()
    leaves: list[str] = []
    tree = _group(value, 1, depths, leaves)
    if len(depths) > 1:
        raise ValueError(
            f"the values stand {' or '.join(str(depth) for depth in sorted(depths))} labels deep; every value has as "
            "many labels above it: repeat a label, or add one"
        )
    if len(set(leaves)) < len(leaves):
        raise ValueError("groups lists a value twice; a value stands under one label")
    return tree


def _group(tree: Mapping[Any, Any], depth: int, depths: set[int], leaves: list[str]) -> dict[str, Any]:
    checked: dict[str, Any] = {}
    for label, below in tree.items():
        text = leaf_text(label)
        if not text or text in checked:
            raise ValueError("a label of groups is empty or stands twice under one label")
        if isinstance(below, Mapping) and below:
            checked[text] = _group(below, depth + 1, depths, leaves)
        elif isinstance(below, (list, tuple)) and below and all(_is_leaf(item) for item in below):
            checked[text] = [leaf_text(item) for item in below]
            leaves.extend(checked[text])
            depths.add(depth)
        else:
            raise ValueError(
                "under a label of groups stands a list of values, or a mapping of further labels; a value called "
                "null stands in quotes"
            )
    return checked


def _is_leaf(value: object) -> bool:
    return isinstance(value, (str, int, float, bool))


def leaf_text(value: object) -> str:
    """A value that a config lists, as text; booleans as DuckDB writes them.

    >>> leaf_text(True), leaf_text(1), leaf_text("a")
    ('true', '1', 'a')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


Bound = Annotated[int | float | str, BeforeValidator(_bound)]


class Strict(BaseModel):
    """A part of the config: keys that are not known are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


DeclaredOrder = Annotated[list[str], BeforeValidator(_texts)]
"""The values of a column from lowest to highest, each once."""


class TaxonomyOptions(Strict):
    """How the taxonomy of one column is made: one builder and its options."""

    intervals: Annotated[int, Field(strict=True, ge=2, le=MAX_COUNT)] | None = Field(
        None, description="ordered, bottom-up: values in groups of this many, then joined in pairs up to one root"
    )
    width: Annotated[int | float | list[int | float], BeforeValidator(_widths)] | None = Field(
        None,
        description="numeric: intervals of this width on a round grid, doubled at each level; or a width per level",
    )
    quantiles: Annotated[list[int], BeforeValidator(_quantiles)] | None = Field(
        None, description="ordered: this many groups of about equally many records, per level, such as [20, 5]"
    )
    log: Annotated[int, _whole("log, the base,", 2)] | None = Field(
        None, description="numeric: intervals between powers of this base, with zero and the two signs apart"
    )
    breaks: Annotated[list[Bound] | list[list[Bound]], BeforeValidator(_breaks)] | None = Field(
        None, description="ordered: intervals between these bounds, or a list of lists, finest level first"
    )
    top: Bound | None = Field(None, description="put all values from here up in one node: `90 and over`")
    bottom: Bound | None = Field(None, description="put all values below in one node: `under 18`")
    clusters: OnlyTrue | None = Field(
        None, description="nominal, top-down: split values by 2-means until nothing is left to split"
    )
    cluster_on: list[ColumnName] | None = Field(
        None,
        description="columns whose values describe those to cluster; default: the other quasi-identifiers",
    )
    order: DeclaredOrder | None = Field(
        None, description="ordinal: the values from lowest to highest, grouped, then joined in pairs up to one root"
    )
    group: Annotated[int, _whole("group", 2)] | None = Field(
        None, description="how many neighbours in `order` form a group at level 1; default: 2"
    )
    groups: Annotated[dict[str, Any], BeforeValidator(_groups)] | None = Field(
        None, description="a hand-written tree: label to a list of values, or to a mapping of further labels"
    )
    mask: Literal["right", "left"] | None = Field(
        None, description="codes: hide characters from this side, more at each level"
    )
    step: Annotated[int, _whole("step", 1)] | None = Field(
        None, description="how many more characters `mask` hides at each level; default: 1"
    )
    length: Annotated[int, _whole("length", 1)] | None = Field(
        None, description="length that `mask` pads codes to before hiding; default: the longest value"
    )
    pad: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="character that pads codes shorter than `length`"
    )
    prefix: Annotated[list[int], _falling("prefix", 1)] | None = Field(
        None, description="codes: how many leading characters to keep, per level, such as [3, 2, 1]"
    )
    dates: Annotated[list[Words], Field(min_length=1)] | None = Field(
        None, description="dates and times: a chain of nested units, such as [month, year, decade]"
    )
    zone: Words | None = Field(None, description="time zone in which `dates` reads timestamps with time zone")
    format: Words | None = Field(None, description="format in which `dates` reads text, such as %d.%m.%Y")
    ip: Annotated[Literal[True] | list[int], _or_true("ip", 0)] | None = Field(
        None, description="IPv4 and IPv6 addresses: these prefix lengths; true: the usual ones"
    )
    email: OnlyTrue | None = Field(None, description="e-mail addresses: domain, then top-level domain")
    geohash: Annotated[Literal[True] | list[int], _or_true("geohash", 1)] | None = Field(
        None, description="latitude and longitude: geohashes of these lengths; true: the usual ones"
    )
    shipped: Words | None = Field(
        None, description="a taxonomy that ships with anonduck; `anonduck taxonomy list` lists them"
    )
    prune: StrictBool = Field(
        False, description="drop levels that do not raise k (ignoring NULL); for taxonomies built from values"
    )
    file: Words | None = Field(None, description="hierarchy file: one column per level, leaf first, or several blocks")
    block: Words | None = Field(None, description="name of the attribute in a file of several blocks")
    sep: str | None = Field(None, description="separator of levels; default: detected")
    header: StrictBool | None = Field(None, description="whether the first line names the levels; default: detected")
    encoding: Words = Field("utf-8", description="encoding of the file; UTF-16 and Windows-1252 are found")

    @property
    def builder(self) -> str:
        """The one builder that is set."""
        return next(name for name in BUILDERS if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _one_way(self) -> TaxonomyOptions:
        ways = [name for name in BUILDERS if getattr(self, name) is not None]
        if len(ways) != 1:
            raise ValueError(f"needs just one of {', '.join(BUILDERS)}; it has {', '.join(ways) or 'none'}")
        (way,) = ways
        self._check_options(way)
        self._check_ends()
        return self

    def _check_options(self, way: str) -> None:
        given = self.model_dump(exclude_defaults=True)
        for name in [name for name in given if name not in BUILDERS[way].options]:
            if name == "prune":
                raise ValueError(
                    f"prune belongs to {_either(owners(name))}; the levels of `{way}` are never renumbered"
                )
            if owners(name):
                raise ValueError(f"{name} belongs to {_either(owners(name))}, not to `{way}`")

    def _check_ends(self) -> None:
        bottom, top = self.bottom, self.top
        if bottom is None or top is None:
            return
        if isinstance(bottom, str) != isinstance(top, str):
            raise ValueError("bottom and top are both numbers or both dates")
        if not isinstance(bottom, str) and not isinstance(top, str) and bottom >= top:
            raise ValueError(f"bottom is under top; it has bottom {bottom} and top {top}")


def _either(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _names_by_text(given: Any) -> Any:
    """Labels and levels as texts, which YAML may have read as numbers."""
    if not isinstance(given, dict):
        return given
    if not given:
        raise ValueError('name at least one group, such as `{"Caucasian and 3 others": others}`')
    return {_key_text(key): _names_by_text(name) if isinstance(name, dict) else name for key, name in given.items()}


def _key_text(key: Any) -> Any:
    return str(key) if isinstance(key, int) and not isinstance(key, bool) else key


GroupName = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
GroupNames = Annotated[dict[str, GroupName | dict[str, GroupName]], BeforeValidator(_names_by_text)]
"""The names that the data owner gives to groups of a taxonomy, by generated label, or such mappings by level."""
