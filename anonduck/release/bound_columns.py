"""Ranges as two columns: of a quasi-identifier the ends of what is shown, in its type.

``age_from`` and ``age_to`` have the type of ``age`` and say between which values it lies, both included: of
``[20, 30)`` they are 20 and 29 where values are whole numbers. Decimals and times have no last value under a bound, so
that the bound itself is shown. An open end is NULL, and so are both ends of a value that is missing: a record of which
nothing is shown and one without a value are alike. Classes that are alike by that become one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from anonduck.config.config import Config
from anonduck.config.ways import BOUND_COLUMNS, BOUND_TEXT
from anonduck.database.connection import Database
from anonduck.engines.arrow import pa
from anonduck.errors import ConfigError
from anonduck.statements import statement
from anonduck.statements.column_types import DATE, is_whole
from anonduck.statements.expansion import Expression
from anonduck.statements.pipeline.builder_release import NodeColumn, RuleColumn
from anonduck.taxonomy.interval_cells import APART, OpenLabels

GIVEN = "given_bounds"
End = Literal["from", "to"]
FROM: End = "from"
TO: End = "to"
ENDS = (FROM, TO)
WORDS = {
    FROM: "the least value that the record may have, NULL where that is open or it has none",
    TO: "the largest value that the record may have, NULL where that is open or it has none",
}


@dataclass(frozen=True)
class BoundColumn:
    """An end of what is shown of a quasi-identifier: the least, or the largest, value that a record may have."""

    shown: NodeColumn | RuleColumn
    end: End

    generalized = True
    distinguishes = True
    typed = True

    @property
    def name(self) -> str:
        """The column's name in the release."""
        return f"{self.of}_{self.end}"

    @property
    def of(self) -> str:
        """The quasi-identifier."""
        return self.shown.name

    @property
    def itself(self) -> bool:
        """Whether each record shows its value, which is both ends."""
        return self.shown.values if isinstance(self.shown, NodeColumn) else self.shown.typed


def bounds_asked(asked: str | None, config: Config) -> str:
    """How ranges are written: as asked for, or as the config says; raises ConfigError for what is no way of it."""
    if asked not in (None, BOUND_TEXT, BOUND_COLUMNS):
        raise ConfigError(f"ranges are written as {BOUND_TEXT} or {BOUND_COLUMNS} (`bounds`); got {asked[:40]!r}")
    return asked or config.bounds


def refuse_bounds(bounds: str, what: str) -> None:
    """Raise ConfigError where ends of ranges are asked for as columns; ``what`` shows them as texts."""
    if bounds == BOUND_COLUMNS:
        raise ConfigError(
            f"{what} shows ranges as texts, and `bounds: {BOUND_COLUMNS}` is asked for; release to FILE.parquet or "
            f"FILE.csv, or take `bounds: {BOUND_TEXT}`"
        )


def ends_of(label: str | None, root_label: str, written: OpenLabels, *, whole: bool) -> tuple[str | None, str | None]:
    """The ends of a label as texts, None where they are open; of a value that is itself, and of whole numbers the last
    ones in the interval.

    >>> intervals = OpenLabels(low=True, high=True, words=None)
    >>> ends_of("[20, 30)", "*", intervals, whole=True), ends_of("[20, 30)", "*", intervals, whole=False)
    (('20', '29'), ('20', '30'))
    >>> ends_of("(-inf, 20)", "*", intervals, whole=True), ends_of("25", "*", intervals, whole=True)
    ((None, '19'), ('25', '25'))
    """
    if label is None or label == root_label:
        return None, None
    lower, upper = written.bounds(label)
    if lower is None and upper is None:
        return label, label
    if not whole:
        return lower, upper
    least = None if lower is None else str(math.ceil(Fraction(lower)))
    return least, None if upper is None else str(math.ceil(Fraction(upper)) - 1)


def write_bounds(
    database: Database, table: str, labels: Sequence[str], root_label: str, written: OpenLabels, kind: str
) -> None:
    """Write the ends of the ``labels`` that a column of a type shows, beside these, into the table of what it shows."""
    rows = [
        (label, *ends_of(label, root_label, written, whole=is_whole(kind)), _is_value(label, root_label, written))
        for label in [None, *labels]
    ]
    given = dict(zip(("label", "lower", "upper", "is_value"), zip(*rows, strict=True), strict=True))
    types = {"label": pa.string(), "lower": pa.string(), "upper": pa.string(), "is_value": pa.bool_()}
    with database.registered(GIVEN, pa.table({name: pa.array(held, types[name]) for name, held in given.items()})):
        dates: Sequence[dict[str, str]] = [{}] if kind == DATE else []
        lists, fields = {"dates": dates}, {"kind": Expression(kind)}
        database.run(statement("release/shown_bounds.sql", table={"shown": table}, lists=lists, fields=fields))


def _is_value(label: str | None, root_label: str, written: OpenLabels) -> bool:
    """Whether a label is a value itself."""
    if label is None or label == root_label:
        return False
    return label in APART or written.bounds(label) == (None, None)
