"""The order of the rows of a released file: whether it follows from the values alone, and shows no column.

The rows of a release are sorted by all columns, and then dealt to buckets by a hash of their position
(sql/auditing/row_order.sql), so that every stretch of the file is a fair sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonduck.database.connection import Database
from anonduck.statements import builder_audit, statement
from anonduck.words import counted

WrittenAs = Literal["value", "whole", "number"]
"""How a column is sorted: as what the file says, or a text of CSV as the number that it writes."""

MISLEADS = "rows are sorted by their values: shuffle them before a model is cross-validated"


@dataclass(frozen=True)
class RowOrder:
    """How many rows stand where another one should, and how many sort before the row above them."""

    rows: int
    out_of_place: int
    descents: int

    @property
    def dealt(self) -> bool:
        """Whether the order is that of a release."""
        return self.out_of_place == 0

    @property
    def misplaced(self) -> int:
        """The rows that stand neither where a release has them nor where they would be if they were just sorted."""
        return min(self.out_of_place, self.descents)

    @property
    def words(self) -> str:
        """The order as a sentence."""
        if self.dealt:
            return "row order: follows from the values alone, and every stretch of the file is a fair sample"
        if not self.descents:
            return f"row order: {MISLEADS}"
        found = counted(self.out_of_place, "row", "rows")
        return (
            f"row order: {found} of {self.rows:,} not where a release has them; the order may tell that of the source"
        )

    def as_json(self) -> dict[str, Any]:
        """The order as JSON."""
        return {"dealt": self.dealt, "sorted": not self.descents, "out_of_place": self.out_of_place}


def order_of_rows(work: Database, columns: Sequence[str], *, texts: bool) -> RowOrder:
    """The order of the rows of the open view ``release``.

    With ``texts``, as of CSV, a column of numbers may have been sorted as numbers, or as texts, as postal codes are. So
    each in turn is read by whichever makes fewer rows of the columns up to it stand where they should not.
    """
    read: dict[str, WrittenAs] = dict.fromkeys(columns, "value")
    try:
        for place, name in enumerate(columns if texts else (), start=1):
            whole, number = work.row(statement("auditing/written_numbers.sql", column={"written": name}))
            if number:
                so_far = {one: read[one] for one in columns[:place]}
                as_number: dict[str, WrittenAs] = {**so_far, name: "whole" if whole else "number"}
                if _checked(work, as_number).misplaced < _checked(work, so_far).misplaced:
                    read |= as_number
        return _checked(work, read)
    finally:
        work.run(statement("auditing/forget_numbered.sql"))


def _checked(work: Database, read: Mapping[str, WrittenAs]) -> RowOrder:
    work.run(builder_audit.numbered_release(read))
    names = builder_audit.sorted_by(read)
    return RowOrder(*work.row(statement("auditing/row_order.sql", columns={"ordered": names})))
