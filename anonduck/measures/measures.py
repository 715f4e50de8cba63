"""The source before any rule, and the contingency table of a rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import FOLDS, UNGENERALIZED, read_numbers
from anonduck.rules.measure_names import GENERALIZED, ORIGINAL
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import CLASS, code_column

if TYPE_CHECKING:
    import numpy as np

    from anonduck.models.contingency import Contingency, SuppressedRecords
    from anonduck.taxonomy.catalog import Taxonomy

CODED = "coded_frequency_set"


@dataclass(frozen=True)
class ClassTotals:
    """Records, class values, records of the majority class, and the entropy of the class in bits."""

    records: int
    class_values: int
    majority: int
    entropy: float

    @property
    def pairs(self) -> int:
        """Pairs of records."""
        return self.records * (self.records - 1) // 2

    @property
    def majority_share(self) -> float:
        """The accuracy of always predicting the majority class."""
        return self.majority / self.records


def totals_of(records: np.ndarray) -> ClassTotals:
    """What records come to before any rule; ``records`` (class values,) are those of each."""
    import numpy as np

    held = records[records > 0].astype(np.int64)
    total = int(held.sum())
    return ClassTotals(
        records=total,
        class_values=len(held),
        majority=int(held.max()),
        entropy=float(np.log2(total) - (held * np.log2(held)).sum() / total),
    )


def measure_totals(database: Database) -> ClassTotals:
    """Measure the source before any rule."""
    (totals,) = database.rows(statement("measures/totals.sql", table={"coded": CODED}))
    return ClassTotals(*totals)


def contingency(
    database: Database,
    levels: Mapping[str, int],
    taxonomies: Mapping[str, Taxonomy],
    *,
    test_on: str = GENERALIZED,
    rows: str = CODED,
) -> Contingency:
    """The contingency table of a rule, on the stored folds; nominal attributes and orders as their taxonomies say.

    ``rows`` is the coded frequency set, or the part of it that stays; what does not is ``left_out`` of the table. Or it
    is the sample of ungeneralized records, which leaves none out.

    With ``test_on="original"`` its cells are the original values of the attributes that the rule names, beside the
    nodes that the rule shows (Last et al. 2014, section 5.1). Ordered attributes at level 0 come with their numbers,
    which a release shows too.
    """
    import numpy as np

    shown = [code_column(name, level) for name, level in levels.items()]
    tested = [code_column(name, 0) for name in levels] if test_on == ORIGINAL else shown
    grouped = list(dict.fromkeys([*tested, *shown]))
    columns = database.arrays(
        statement("measures/contingency.sql", columns={"attributes": grouped}, table={"coded": rows})
    )
    codes = np.column_stack([columns[name] for name in tested])
    folds = np.column_stack([columns[f"fold_{number}"] for number in range(FOLDS)])
    gone = None if rows in (CODED, UNGENERALIZED) else _left_out(database, rows)
    ordered = {name for name in levels if taxonomies[name].ordered}

    def counted(at: Mapping[str, int], codes: np.ndarray) -> Contingency:
        numbers = read_numbers(database, [name for name in ordered if at[name] == 0])
        return contingency_of(at, ordered, numbers, codes, columns[CLASS], folds, gone)

    if test_on != ORIGINAL:
        return counted(levels, codes)
    table = counted(dict.fromkeys(levels, 0), codes)
    sampled = folds.sum(axis=1) > 0
    return replace(table, nodes=np.column_stack([columns[name] for name in shown])[sampled].astype(np.int32))


def contingency_of(
    levels: Mapping[str, int],
    ordered: Collection[str],
    numbers: Mapping[str, np.ndarray],
    codes: np.ndarray,
    classes: np.ndarray,
    folds: np.ndarray,
    left_out: SuppressedRecords | None = None,
) -> Contingency:
    """The contingency table of cells; cells of no fold are left out.

    Args:
        levels: the shown levels of the attributes, in their order.
        ordered: the attributes whose codes are in an order.
        numbers: by ordered attribute at level 0, the number behind each leaf code, NaN for NULL's code 0.
        codes: (cells, attributes), node codes at these levels.
        classes: (cells,), class codes.
        folds: (cells, folds), the records of each cell by fold.
        left_out: the records that are left out.
    """
    import numpy as np

    from anonduck.models.contingency import Contingency

    sampled = folds.sum(axis=1) > 0
    held = codes[sampled].astype(np.int32)
    values = held.astype(np.float64)
    for position, (name, level) in enumerate(levels.items()):
        if name in ordered and level == 0:
            values[:, position] = numbers[name][held[:, position]]
    return Contingency(
        codes=held,
        nominal=tuple(name not in ordered for name in levels),
        sizes=tuple(int(largest) for largest in codes.max(axis=0)),
        classes=classes[sampled].astype(np.int64),
        folds=folds[sampled].astype(np.int64),
        values=values,
        left_out=left_out,
    )


def _left_out(database: Database, rows: str) -> SuppressedRecords:
    """The records that are not among ``rows``, by class and fold."""
    import numpy as np

    from anonduck.models.contingency import SuppressedRecords

    columns = database.arrays(statement("measures/left_out.sql", table={"coded": rows}))
    folds = np.column_stack([columns[f"fold_{number}"] for number in range(FOLDS)])
    return SuppressedRecords(columns[CLASS].astype(np.int64), folds.astype(np.int64))


def baseline_contingency(
    database: Database, roots: Mapping[str, int], taxonomies: Mapping[str, Taxonomy], *, rows: str = CODED
) -> Contingency:
    """The contingency table of the ungeneralized data: that of the rule with every attribute at level 0."""
    return contingency(database, dict.fromkeys(roots, 0), taxonomies, rows=rows)
