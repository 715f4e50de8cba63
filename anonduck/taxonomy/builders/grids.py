"""Ordered taxonomies on bounds that do not depend on the values: grids of a width, powers of a base, breaks by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.statements.column_types import LARGEST, decimals_of, is_numeric
from anonduck.taxonomy.bounds import EXACT, OpenEnds, exact, number_end, read_bounds
from anonduck.taxonomy.builders.intervals import (
    CutOptions,
    apply_ends,
    doublings,
    kept_levels,
    level_nodes,
    make_leaves,
    rank_of,
    write_cuts,
)

MOST_INTERVALS = 250_000
LARGEST_MULTIPLE = 2**63 - 2
LARGEST_BOUND = 2**127 - 1
LEAST_OF_FLOATS = Decimal("1e-307")
Number = int | float
Break = Number | str


@dataclass(frozen=True)
class LeafRange:
    """Where the finite leaves of a column lie; None where there is none of the kind."""

    lowest: Decimal | None
    highest: Decimal | None
    under_zero: Decimal | None
    over_zero: Decimal | None


def build_width(
    database: Database,
    column: str,
    column_type: str,
    width: Number | Sequence[Number],
    *,
    frequency: str,
    ends: OpenEnds,
) -> int:
    """Write the taxonomy and the bounds of a grid whose bounds are multiples of the width; returns the root's level.

    One width doubles from level to level, where that merges values; a list is the width of each level. The grid reaches
    to the next bounds of the coarsest level beyond the values. Raises TaxonomyError for columns that are no numbers,
    for a width finer than the column's decimals, and for more than 250,000 intervals.
    """
    _check_numeric(column, column_type, "width")
    make_leaves(database, column, column_type, frequency=frequency, builder="width")
    widths = [exact(w) for w in width] if isinstance(width, Sequence) else [exact(width)]
    _check_places(column, column_type, widths[0])
    first, last = _grid_range(_leaf_range(database), ends, widths[0])
    _check_count(column, widths[0], first, last)
    if isinstance(width, Sequence):
        multiples = [int(w / widths[0]) for w in widths]
    else:
        candidates = doublings(last - first + 2)
        _write_grid(database, column_type, widths[0], first, last, candidates)
        apply_ends(database, CutOptions(ends, gapped=False, implied=True, words=True))
        multiples = [candidates[level - 1] for level in kept_levels(level_nodes(database), implied=True)]
    coarsest = multiples[-1] if multiples else 1
    first, last = first // coarsest * coarsest, -(-last // coarsest) * coarsest
    _check_count(column, widths[0], first, last)
    _write_grid(database, column_type, widths[0], first, last, multiples)
    return write_cuts(database, column, column_type, CutOptions(ends, gapped=False, implied=False, words=True))


def build_log(database: Database, column: str, column_type: str, base: int, *, frequency: str, ends: OpenEnds) -> int:
    """Write the taxonomy and the bounds between powers of a base; returns the root's level.

    The exponent doubles from level to level, where that merges values. Zero is a bound of every level; negative values
    are cut at the powers' mirror images. The powers reach to the next ones of the coarsest level beyond the values, as
    far as the column's type has them, so that no bound discloses where the outermost values lie. Raises TaxonomyError
    for columns that are no numbers.
    """
    _check_numeric(column, column_type, "log")
    make_leaves(database, column, column_type, frequency=frequency, builder="log")
    leaves = _leaf_range(database)
    powers = _powers(leaves, base, column_type)
    candidates = doublings(max((abs(exponent) for exponent, _ in powers), default=0) + 1)
    _write_listed(database, column_type, powers, candidates)
    apply_ends(database, CutOptions(ends, gapped=False, implied=True, words=True))
    multiples = [candidates[level - 1] for level in kept_levels(level_nodes(database), implied=True)]
    _write_listed(database, column_type, _powers(leaves, base, column_type, multiples[-1:]), multiples)
    return write_cuts(database, column, column_type, CutOptions(ends, gapped=False, implied=False, words=True))


def build_breaks(
    database: Database,
    column: str,
    column_type: str,
    breaks: Sequence[Break] | Sequence[Sequence[Break]],
    *,
    frequency: str,
    ends: OpenEnds,
) -> int:
    """Write the taxonomy and the bounds that the owner listed; returns the root's level.

    A list of lists names the bounds of each level, the finest first; above one list, neighbours are paired until one
    root. Raises TaxonomyError for bounds of another type than the column's.
    """
    make_leaves(database, column, column_type, frequency=frequency, builder="breaks")
    nested = isinstance(breaks[0], (list, tuple))
    levels: list[list[Break]] = [list(level) for level in breaks] if nested else [list(breaks)]  # type: ignore[arg-type]
    bounds = read_bounds(database, column, column_type, levels[0], key="breaks")
    multiples = doublings(len(bounds) + 1)
    ranks = [
        sum(bound in level for level in levels) if nested else rank_of(number, multiples)
        for number, bound in enumerate(levels[0], 1)
    ]
    binds = {"texts": [end.text for end in bounds], "lowers": [end.lower for end in bounds], "ranks": ranks}
    database.run(statement("taxonomy/builders/cuts_listed.sql"), binds)
    return write_cuts(database, column, column_type, CutOptions(ends, gapped=False, implied=not nested, words=True))


def _check_numeric(column: str, column_type: str, builder: str) -> None:
    if not is_numeric(column_type):
        raise TaxonomyError(
            f"the column {column} is {column_type}; {builder} needs numbers. For dates and times use `dates`, "
            f"`quantiles` or `breaks`; for a text that holds numbers set its type in `types`"
        )


def _check_places(column: str, column_type: str, width: Decimal) -> None:
    places = decimals_of(column_type)
    if places is not None and width.quantize(Decimal(1).scaleb(-places), context=EXACT) != width:
        raise TaxonomyError(
            f"the width {width} of {column} is finer than its type {column_type}, which has {places} decimals; "
            f"name a multiple of {Decimal(1).scaleb(-places):f}"
        )


def _check_count(column: str, width: Decimal, first: int, last: int) -> None:
    if last - first + 2 > MOST_INTERVALS:
        raise TaxonomyError(
            f"the width {width} makes {last - first + 2:,} intervals of the values of {column}; allowed are up to "
            f"{MOST_INTERVALS:,}. Use a larger width, open ends with `top` and `bottom`, or use `log` or `quantiles`"
        )
    farthest, (digits, _) = max(-first, last), _digits_of(width)
    if farthest > LARGEST_MULTIPLE or farthest * digits > LARGEST_BOUND:
        raise TaxonomyError(
            f"the column {column} holds values that are too far from zero for bounds of the width {width}: multiples "
            f"of it are counted up to 2^63, and bounds up to 2^127. Use a larger width, or use `log` or `breaks`"
        )


def _leaf_range(database: Database) -> LeafRange:
    row = database.row(statement("taxonomy/builders/leaf_range.sql"))
    return LeafRange(*(None if text is None else Decimal(text) for text in row))


def _grid_range(leaves: LeafRange, ends: OpenEnds, width: Decimal) -> tuple[int, int]:
    """The multiples of the width just under the lowest leaf inside the ends and just over the highest one."""
    bottom = Decimal(ends.bottom.lower) if ends.bottom else None
    top = Decimal(ends.top.lower) if ends.top else None
    if leaves.lowest is None or leaves.highest is None:
        return 1, 0
    lowest = leaves.lowest if bottom is None else max(bottom, leaves.lowest)
    highest = leaves.highest if top is None else min(top, leaves.highest)
    first, last = floor(EXACT.divide(lowest, width)), floor(EXACT.divide(highest, width)) + 1
    return (first, last) if first <= last else (first, first - 1)


def _digits_of(width: Decimal) -> tuple[int, int]:
    """A width as a whole number and the power of ten that it is multiplied by."""
    _, digits, exponent = width.normalize(EXACT).as_tuple()
    assert isinstance(exponent, int)
    number = int("".join(map(str, digits)))
    return (number * 10**exponent, 0) if 0 < exponent <= 20 else (number, exponent)


def _write_grid(
    database: Database, column_type: str, width: Decimal, first: int, last: int, multiples: Sequence[int]
) -> None:
    number, exponent = _digits_of(width)
    binds = {
        "first": first,
        "last": last,
        "digits": number,
        "scale": max(-exponent, 0),
        "exponent": max(exponent, 0),
        "decimals": decimals_of(column_type) or 0,
        "multiples": list(multiples),
    }
    database.run(statement("taxonomy/builders/cuts_width.sql"), binds)


def _powers(leaves: LeafRange, base: int, column_type: str, coarsest: Sequence[int] = ()) -> list[tuple[int, Decimal]]:
    """Zero and the powers of the base that the values reach, with their exponents (0 for zero), by exponent.

    With ``coarsest``, up to those whose exponent it divides.
    """
    found: list[tuple[int, Decimal]] = [(0, Decimal(0))]
    step = coarsest[0] if coarsest else 1
    if leaves.over_zero is not None and leaves.highest is not None:
        found += _reached(leaves.over_zero, leaves.highest, base, column_type, step)
    if leaves.under_zero is not None and leaves.lowest is not None:
        mirrored = _reached(-leaves.under_zero, -leaves.lowest, base, column_type, step)
        found += [(at, -power) for at, power in mirrored]
    return found


def _reached(least: Decimal, greatest: Decimal, base: int, column_type: str, step: int) -> list[tuple[int, Decimal]]:
    """The powers from the last that is not above ``least`` to the first that is above ``greatest``, and further to
    exponents that ``step`` divides, as far as the type has them."""
    places, most = decimals_of(column_type), Decimal(LARGEST.get(column_type, "Infinity"))
    number, power, exponent = Decimal(base), Decimal(1), 0
    while EXACT.multiply(power, number) <= least:
        exponent, power = exponent + 1, EXACT.multiply(power, number)
    while power > least or exponent % step:
        lower = EXACT.divide(power, number)
        if not (_fits(lower, places) if places is not None else lower >= LEAST_OF_FLOATS):
            break
        exponent, power = exponent - 1, lower
    found = [(exponent, power)]
    while (power <= greatest or exponent % step) and EXACT.multiply(power, number) <= most:
        exponent, power = exponent + 1, EXACT.multiply(power, number)
        found.append((exponent, power))
    return found


def _fits(number: Decimal, places: int) -> bool:
    return number == number.quantize(Decimal(1).scaleb(-places), context=EXACT)


def _write_listed(
    database: Database, column_type: str, powers: Sequence[tuple[int, Decimal]], multiples: Sequence[int]
) -> None:
    ends = [number_end(_shown(power, decimals_of(column_type)), column_type) for _, power in powers]
    ranks = [rank_of(exponent, multiples) for exponent, _ in powers]
    binds = {"texts": [end.text for end in ends], "lowers": [end.lower for end in ends], "ranks": ranks}
    database.run(statement("taxonomy/builders/cuts_listed.sql"), binds)


def _shown(power: Decimal, places: int | None) -> str:
    """A power as text: exactly where it has few digits, else as the nearest floating-point number is written."""
    few = len(power.normalize(EXACT).as_tuple().digits) <= 17
    return str(power) if few or places is not None else repr(float(power))
