"""The bounds that labels may show: functions of values that k records hold, and of counts that k records stand behind.

A value is common if ``label_k`` records hold it, else rare. Between two neighbouring common values one bound may fall,
the roundest number (or moment) there: it depends on those two alone, whatever rare values lie between. Where so many
rare values lie in a row that a round number has ``label_k`` records on either side within one step of its grid, bounds
separate them: multiples of 1 or 5 times a power of ten, or starts of calendar units. Each step divides the next, so
that between any two bounds lies a common value, or as many records of rare ones as would make one. So no bound
discloses where a rare value lies. Rare values that no bound separates do not count when groups of equally many leaves
are made, so that they move no group either.
"""

from __future__ import annotations

from collections.abc import Iterator

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.statements import line, statement
from anonduck.statements.column_types import DATE, FLOATS, LARGEST, TIME, decimals_of, has_order, is_temporal
from anonduck.statements.template import temporary_table_of
from anonduck.taxonomy.bounds import OpenEnds
from anonduck.words import np

PLAIN_DIGITS_OF_FLOATS = 21
PLAIN_DIGITS = 40
MONTHS = (12_000, 1_200, 120, 12, 3, 1)
DAY = 86_400_000_000
GIVEN = "given_gaps"
NO_SPLITS = """
SELECT code_1, below, above, 0::HUGEINT AS number, 0 AS power, 0::BIGINT AS moment
FROM gaps
WHERE FALSE"""
MICROSECONDS = (DAY, DAY // 2, DAY // 24, DAY // 1_440, DAY // 86_400, 1_000, 1)


def find_bounds(database: Database, column_type: str, label_k: int) -> bool:
    """Write the bounds that labels may show, ``placed_cuts``, and ``counted_leaves``; returns whether there is a bound.

    Reads the temporary table ``leaves``.
    """
    database.run(statement("taxonomy/builders/stretches.sql"), {"label_k": label_k})
    database.run(statement("taxonomy/builders/splits.sql"))
    if has_order(column_type):
        (split_moments if is_temporal(column_type) else split_numbers)(database, column_type, label_k)
    for name in ("counted_leaves", "gaps_of_common", "numbered_splits"):
        database.run(statement(f"taxonomy/builders/{name}.sql"))
    gaps = database.count("gaps") + database.count("numbered_splits")
    if not gaps or not has_order(column_type):
        database.run(statement("taxonomy/builders/cuts_listed.sql"), {"texts": [], "lowers": [], "ranks": []})
        return False
    (_cut_moments if is_temporal(column_type) else _cut_numbers)(database, column_type)
    database.run(statement("taxonomy/builders/cuts_placed.sql"))
    return True


def bounds_between(
    database: Database, column_type: str, lookup: tuple[str, str], below: np.ndarray, above: np.ndarray
) -> list[tuple[int, str, int]]:
    """A round bound for each gap between two leaf codes of a column's lookup, whose value above is not under it.

    Returns the number of the gap, its bound as text, and the number of that among all bounds, from 0.
    """
    gaps = arrow_table({"code_1": np.arange(len(below)), "code_below": below, "code_above": above})
    table: dict[str, str | tuple[str, ...]] = {"lookup": lookup, "given": GIVEN}
    with database.registered(GIVEN, gaps):
        database.run(statement("taxonomy/builders/gaps_between.sql", table=table))
        database.run(temporary_table_of("numbered_splits", line("taxonomy/builders/round_bounds.NO_SPLITS", NO_SPLITS)))
        (_cut_moments if is_temporal(column_type) else _cut_numbers)(database, column_type)
        least = "-" + LARGEST.get(column_type, "0")
        return database.rows(statement("taxonomy/builders/bounds_between.sql", table=table), {"least": least})


def cut_partings(database: Database, *, ends: OpenEnds, by_records: bool) -> None:
    """Write ``ranked_cuts``: for each row of the temporary table ``partings`` the nearest of ``placed_cuts``.

    Nearness counts records or leaves.
    """
    database.run(statement("taxonomy/builders/cuts_of_gaps.sql"), {"by_records": by_records, **ends.binds})


def split_numbers(database: Database, column_type: str, label_k: int) -> None:
    """Fill ``splits`` with the round numbers that separate rare ones, from the coarsest step to the column's decimals.

    Numbers that a step is larger than are counted all at once, so that each number is looked at only on the steps that
    its own digits reach, however many steps the column has.
    """
    database.run(statement("taxonomy/builders/splitting_numbers.sql"), {"label_k": label_k})
    database.run(statement("taxonomy/builders/splitting_small.sql"))
    text = "SELECT stretch, value, records, digits, scale FROM rare_numbers WHERE FALSE"  # none at first
    database.run(temporary_table_of("splitting", line("taxonomy/builders/round_bounds.split_numbers", text)))
    places = decimals_of(column_type)
    last = power = _next_power(database, label_k, None)
    while power is not None and (places is None or power >= -places):
        entering = {"power": power, "last_power": last, "label_k": label_k}
        database.run(statement("taxonomy/builders/splitting_enters.sql"), entering)
        database.run(statement("taxonomy/builders/split_cells_of_numbers.sql"), {"power": power})
        database.run(statement("taxonomy/builders/split_counts_of_numbers.sql"), {"power": power})
        _keep_splits(database, label_k, power=power)
        last, power = power, _next_power(database, label_k, power)


def _next_power(database: Database, label_k: int, power: int | None) -> int | None:
    found: int | None = database.value(
        statement("taxonomy/builders/splitting_power.sql"), {"power": power, "label_k": label_k}
    )
    return found


def split_moments(database: Database, column_type: str, label_k: int) -> None:
    """Fill ``splits`` with the starts of units that separate rare dates or times, from the coarsest unit to the
    finest."""
    database.run(statement("taxonomy/builders/splitting_moments.sql"), {"label_k": label_k})
    for months, micros in _units(column_type):
        if database.count("splitting") == 0:
            return
        database.run(statement("taxonomy/builders/split_cells_of_moments.sql"), {"months": months, "micros": micros})
        text = (
            "SELECT 1 AS multiple, stretch, cell, sum(records) AS records, min(value) AS first_value, "
            "max(value) AS last_value FROM split_cells GROUP BY stretch, cell"
        )
        database.run(temporary_table_of("counted_cells", line("taxonomy/builders/round_bounds.split_moments", text)))
        _keep_splits(database, label_k, months=months, micros=micros)


def _units(column_type: str) -> Iterator[tuple[int, int]]:
    """Months and microseconds of each unit, one of the two 0, from the coarsest unit that the type has."""
    if column_type != TIME:
        yield from ((months, 0) for months in MONTHS)
    yield from ((0, micros) for micros in MICROSECONDS if micros == DAY or column_type != DATE)


def _keep_splits(database: Database, label_k: int, *, power: int = 0, months: int = 0, micros: int = 0) -> None:
    step = {"power": power, "months": months, "micros": micros}
    database.run(statement("taxonomy/builders/splits_found.sql"), {"label_k": label_k, **step})
    database.run(statement("taxonomy/builders/splits_go_on.sql"), {"label_k": label_k})


def _cut_numbers(database: Database, column_type: str) -> None:
    for name in ("bounds_numeric_scaled", "bounds_numeric_round"):
        database.run(statement(f"taxonomy/builders/{name}.sql"))
    plain = PLAIN_DIGITS_OF_FLOATS if column_type in FLOATS else PLAIN_DIGITS
    database.run(statement("taxonomy/builders/bounds_numeric.sql"), {"plain": plain})


def _cut_moments(database: Database, column_type: str) -> None:
    for name in ("bounds_temporal_ends", "bounds_temporal"):
        database.run(statement(f"taxonomy/builders/{name}.sql"))
