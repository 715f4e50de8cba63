"""The one protocol of engines that hold a table: Spark, and warehouses over ADBC. The table stays where it is.

An engine scans, counts and writes. Its answers are small Arrow tables, and everything else happens on them in DuckDB.
If an engine groups more finely than DuckDB, its counts are grouped once more there; ``equality`` refuses an engine that
groups more coarsely. Sources, releases and audits ask it the same questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from anonduck.engines.relation import Place, Relation

RECORDS = "#records"
SOURCE = "anonduck_source"
"""The name of the relation in a query that an engine runs."""

Progress = Callable[[int, int], None]
"""Called with the numbers of finished and of all tasks."""


def no_progress(_done: int, _total: int) -> None:
    """A Progress that shows nothing."""


@dataclass
class Tally:
    """What an engine was asked for so far: scans of a relation, and rows fetched from it."""

    scans: int = 0
    rows: int = 0

    def add(self, rows: int = 0) -> None:
        """Count a scan, and the rows that it fetched."""
        self.scans += 1
        self.rows += rows


@dataclass(frozen=True)
class Profile:
    """The number of records of a relation, and per column the records with a value and the distinct values.

    ``exact``: the distinct values are counted, not estimated.
    """

    records: int
    filled: tuple[int, ...]
    distinct: tuple[int, ...]
    exact: bool


class Engine(Protocol):
    """What holds tables. It raises only AnonduckErrors, whose messages hold no value of a record.

    ``kind`` is the key of the config, ``dialect`` the name of its SQL dialect (see anonduck.statements.dialects),
    ``title`` its name in messages. An engine that ``writes`` can be given lookups, writes releases and audits them;
    others are asked only what stands above ``fetch``. ``tally`` counts scans and fetched rows. ``progress`` is called
    during a scan, if the engine reports how far it is.
    """

    kind: str
    dialect: str
    title: str
    writes: bool
    tally: Tally
    progress: Progress

    def version(self) -> str:
        """The engine's name and version, for receipts."""

    def describe(self, relation: Relation) -> Any:
        """The pyarrow.Schema of a relation; reads no record.

        A column whose values have no Arrow type has the type OPAQUE.
        """

    def sample(self, relation: Relation, records: int, seed: int, columns: Sequence[str] | None = None) -> Any:
        """A pyarrow.Table of at most ``records`` records, drawn at random, by one scan; OPAQUE values are NULL.

        Its columns are ``columns``, in this order, or all.
        """

    def profile(self, relation: Relation, columns: Sequence[str]) -> Profile:
        """A profile of the columns, by one scan."""

    def count_by(self, relation: Relation, columns: Sequence[str], most: int | None = None) -> Any:
        """A pyarrow.Table of each distinct combination of the columns, by one scan.

        The columns come first, in the given order, then RECORDS, the number of records. Read them by position, because
        a column of the relation may have any name. Without columns there is one row with the number of all records.
        Returns None, and fetches no row, if there are more than ``most`` combinations, or no records.
        """

    def histograms(self, relation: Relation, columns: Sequence[str]) -> Any:
        """A pyarrow.Table of each value of each column, with its number of records, by one scan.

        The columns come first, in the given order; each row has a value in one of them and NULL in the others. Then
        comes the number of that column, from 0 (NULL is a value too), and last RECORDS.
        """

    def largest(self, relation: Relation, column: str) -> int:
        """The largest number of records that share a value of a column, NULL being one; 0 without records. One scan."""

    def snapshot(self, relation: Relation) -> str | None:
        """An identifier of the table's state, if the engine keeps versions of it; else None."""

    def equality(self) -> None:
        """Raise SourceError if the engine treats as equal what DuckDB distinguishes. Checked once per engine."""

    def close(self) -> None:
        """Release what the engine opened itself; a caller's session stays open."""

    # -- of an engine that writes: to a staging place, which is audited there, then to its target ----------------------

    def fetch(self, relation: Relation, rows: str, lookups: Mapping[str, Any]) -> Any:
        """The rows of a query as a pyarrow.Table, all of whose columns are whole numbers, by one scan.

        Args:
            relation: what ``rows`` calls SOURCE.
            rows: the query in the engine's dialect.
            lookups: Arrow tables that it also reads, by the names that it uses.
        """

    def group_sizes(self, relation: Relation, kept: Sequence[str], others: Sequence[str], entity: str | None) -> Any:
        """The rows of anonduck.engines.group_sizes as a pyarrow.Table, by one scan."""

    def zeros_apart(self, relation: Relation) -> Relation:
        """A relation without casts, with those floating-point columns cast to text that hold minus zero.

        Engines group minus zero with zero, although a reader sees two values. One scan, or none without such columns.
        """

    def common(self, relation: Relation, column: str, least: int) -> tuple[Any, int]:
        """The values of a column that at least ``least`` records hold, and the number of other values; NULL is a value.

        The values are a pyarrow.Table with the columns ``value`` and RECORDS.
        """

    def unsorted(self, relation: Relation, columns: Sequence[str]) -> tuple[str, ...]:
        """The columns whose values the engine cannot order, so that no release keeps them; reads no record."""

    def write(
        self,
        relation: Relation | None,
        rows: str,
        lookups: Mapping[str, Any],
        target: Place,
        records: int | None = None,
    ) -> None:
        """Write the rows of a query to an empty place.

        Args:
            relation: what ``rows`` calls SOURCE; None if it reads only lookups.
            rows: the query in the engine's dialect.
            lookups: Arrow tables that it also reads, by the names that it uses.
            target: where the rows go.
            records: how many rows of a release these are. An engine that writes in parts then puts them in its order.
                The last columns of a query that reads no relation are the position of the first of equal rows, and how
                many of them there are: it repeats them.
        """

    def rename(self, staging: Place, target: Place) -> None:
        """Move the staged rows to their target, replacing what is there."""

    def drop(self, staging: Place) -> None:
        """Remove the staged rows, if they exist."""

    def exists(self, place: Place) -> bool:
        """Whether there is something at a place."""
