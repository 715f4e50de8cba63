"""Questions to a source with too many distinct combinations: counts by column, a sample, queries that count codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from anonduck.database.connection import Database
from anonduck.statements import Statement, statement
from anonduck.statements.template import DIALECT

FIRST_RECORDS = 1_000_000  # of which half differ, or the frequency set is taken to be small
ENOUGH = 1 << 14
"""Distinct combinations that are counted, of as many as are allowed: the estimate has an error of about 1 %."""
SURELY = 1.1  # an estimate above so many times the limit means more combinations than the limit, whatever its error


def one_in(most: int) -> int:
    """Of how many combinations one is counted where so many are allowed."""
    return max(1, most // ENOUGH)


class FloorEngine(Protocol):
    """What is asked of a source that is counted at a floor; tables are those of ``database``.

    A query calls the source by the name ``source``, and is written in ``dialect``.
    """

    source: ClassVar[str]

    @property
    def database(self) -> Database:
        """The decision database."""

    @property
    def dialect(self) -> str:
        """The dialect of SQL that the source is asked in."""

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """Whether the columns certainly have more than ``most`` distinct combinations; False may be either."""

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """Write the records of each value of each column to ``table``: a row has a value in one column, else NULL."""

    def sample(self, columns: Sequence[str], size: int, records: int, seed: int, table: str) -> None:
        """Write the frequency set of about ``size`` random ones of all ``records``, or of all if there are fewer."""

    def fetch(self, query: Statement, lookups: Sequence[str]) -> Any:
        """The rows of a query, all of whose columns are whole numbers, as an Arrow table, by one scan.

        It also reads ``lookups``, tables of the decision database.
        """


@dataclass(frozen=True, eq=False)
class DuckDBFloors:
    """The FloorEngine of a source that the decision database reads itself, as the temporary view ``source``."""

    database: Database
    dialect: str = DIALECT
    source: ClassVar[str] = "source"

    def exceeds(self, columns: Sequence[str], most: int) -> bool:
        """See FloorEngine. Where the first records already repeat each other, this returns False: to count the
        frequency set itself is then cheapest."""
        counted = {"counted": list(dict.fromkeys(columns))}
        first = statement("source/first_repeats.sql", columns=counted)
        records, distinct = self.database.row(first, {"most": FIRST_RECORDS})
        if distinct * 2 < records or records < min(most, FIRST_RECORDS):
            return False
        estimate = statement("source/combinations.sql", columns=counted)
        return bool(self.database.value(estimate, {"one_in": one_in(most)}) > SURELY * most)

    def value_counts(self, columns: Sequence[str], table: str) -> None:
        """See FloorEngine."""
        self.database.run(statement("source/value_counts.sql", table={"target": table}, lists={"columns": columns}))

    def sample(self, columns: Sequence[str], size: int, records: int, seed: int, table: str) -> None:
        """See FloorEngine; the same records whatever their order."""
        drawn = statement("source/drawn_sample.sql", columns={"counted": columns})
        self.database.run(drawn, {"share": min(1.0, size / records), "seed": seed})
        self.database.run(statement("source/sampled_set.sql", table={"target": table}, lists={"columns": columns}))
        self.database.drop("drawn_sample")

    def fetch(self, query: Statement, lookups: Sequence[str]) -> Any:
        """See FloorEngine."""
        return self.database.arrow(query)
