"""The one protocol of engines: what is asked of a table that stays where it is.

An engine scans, counts and writes; what it answers is small, and all thinking happens on that in DuckDB. Answers are
Arrow tables. Whatever an engine groups more finely than DuckDB does is grouped once more there; ``equality`` refuses
one that groups more coarsely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from anonduck.engines.relation import Place, Relation

RECORDS = "#records"
SOURCE = "anonduck_source"
"""What a query that an engine is given to write calls the relation that it reads."""

Progress = Callable[[int, int], None]
"""Is told how many of how many tasks are done."""


def unseen(_done: int, _total: int) -> None:
    """The Progress of who is not told."""


@dataclass
class Tally:
    """What an engine was asked for by now: scans of a relation, and the rows that were fetched from it."""

    scans: int = 0
    rows: int = 0

    def add(self, rows: int = 0) -> None:
        """Count a scan, and the rows that it left here."""
        self.scans += 1
        self.rows += rows


@dataclass(frozen=True)
class Profile:
    """How many records a relation has, and per column how many have a value and how many values differ.

    ``exact`` tells whether the numbers of different values are counts, or estimates.
    """

    records: int
    filled: tuple[int, ...]
    distinct: tuple[int, ...]
    exact: bool


class TableEngine(Protocol):
    """An engine that reads. All errors are AnonduckErrors whose words hold no value of a record.

    ``kind`` is the key of the config, ``dialect`` the name of its dialect (see anonduck.statements.pipeline.engines),
    ``title`` what messages call it, ``looks_up`` whether it can be given lookups. ``tally`` counts what was scanned and
    fetched, ``progress`` is told how far a scan is, if the engine knows.
    """

    kind: str
    dialect: str
    title: str
    looks_up: bool
    tally: Tally
    progress: Progress

    def version(self) -> str:
        """The engine's name and version, for receipts."""

    def describe(self, relation: Relation) -> Any:
        """The pyarrow.Schema of a relation; no record is read.

        A column whose values have no Arrow type is of type OPAQUE.
        """

    def sample(self, relation: Relation, records: int, seed: int, columns: Sequence[str] | None = None) -> Any:
        """A pyarrow.Table of that many records at most, drawn at random, by one scan; OPAQUE values are NULL.

        Its columns are those asked for, in this order, or all.
        """

    def profile(self, relation: Relation, columns: Sequence[str]) -> Profile:
        """What the columns hold, by one scan."""

    def count_by(self, relation: Relation, columns: Sequence[str], most: int | None = None) -> Any:
        """A pyarrow.Table of each distinct combination of different columns, by one scan.

        None, and no row is fetched, if there are more than ``most``, or if there is no record to be one.

        The columns come first, in the order asked for, then RECORDS, which counts their records. Read them by their
        positions: a column of the relation may have any name. Without columns it is one row, the number of all records.
        """

    def histograms(self, relation: Relation, columns: Sequence[str]) -> Any:
        """A pyarrow.Table of each value of each of different columns, with its number of records, by one scan.

        The columns come first, in the order asked for, of which each row has a value of one and NULL in all others.
        Then comes which one it is, from 0, for NULL is a value too, and last RECORDS.
        """

    def fetch(self, relation: Relation, rows: str, lookups: Mapping[str, Any]) -> Any:
        """The rows of a query as a pyarrow.Table, all of whose columns are whole numbers, by one scan.

        Args:
            relation: what ``rows`` calls SOURCE.
            rows: the query in the engine's own dialect.
            lookups: what else it reads, Arrow tables by the names that it calls them.
        """

    def largest(self, relation: Relation, column: str) -> int:
        """The most records that share a value of a column, NULL being one; 0 where there is no record. One scan."""

    def snapshot(self, relation: Relation) -> str | None:
        """What identifies the state of a table, where the engine keeps versions of it; None where it does not."""

    def equality(self) -> None:
        """Raise SourceError if the engine takes for equal what DuckDB tells apart. It is asked once."""

    def close(self) -> None:
        """Give back what the engine opened itself; a session of the caller's stays open."""


@runtime_checkable
class WritingEngine(TableEngine, Protocol):
    """An engine that writes too: to a staging place first, which is audited there, then put in place."""

    def group_sizes(self, relation: Relation, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """The rows of anonduck.statements.builder_kept as a pyarrow.Table, by one scan."""

    def zeros_apart(self, relation: Relation) -> Relation:
        """A relation without casts, in which those columns of floating-point numbers are text that hold minus zero.

        Engines group minus zero with zero, and a reader tells them apart. One scan, or none without such numbers.
        """

    def common(self, relation: Relation, column: str, least: int) -> tuple[Any, int]:
        """The values of a column that at least so many records hold, and how many others there are; NULL is a value.

        The values are a pyarrow.Table of the columns ``value`` and RECORDS.
        """

    def unsorted(self, relation: Relation, columns: Sequence[str]) -> tuple[str, ...]:
        """Those of the columns whose values it cannot order, so that no release keeps them; no record is read."""

    def write(self, relation: Relation | None, rows: str, lookups: Mapping[str, Any], target: Place) -> None:
        """Write the rows of a query to a place where nothing is.

        Args:
            relation: what ``rows`` calls SOURCE; None where it reads lookups alone.
            rows: the query in the engine's own dialect.
            lookups: what else it reads, Arrow tables by the names that it calls them.
            target: where the rows go.
        """

    def rename(self, staging: Place, target: Place) -> None:
        """Put what was written in place, instead of what may be there."""

    def drop(self, staging: Place) -> None:
        """Remove what was written, if it is there."""

    def exists(self, place: Place) -> bool:
        """Whether there is something at a place."""
