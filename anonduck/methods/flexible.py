"""Flexible generalization by usefulness and uncertainty (Majeed and Hwang 2023).

Classes are formed of similar records (Algorithm 1, anonduck.methods.similar_classes). The uncertainty of a class is the
entropy of its sensitive values (Algorithm 2). In classes above a threshold, useful columns are generalized little; in
all others, every column goes to the upper half of its taxonomy (Algorithm 3). The paper leaves the levels open; here:

- above the threshold the level is ceil(share * root / 2), else ceil((1/2 + share/2) * root). The share is 0, 1/3 and
  2/3 for columns of high, medium and low usefulness, and ``root`` is the level of the taxonomy's root;
- no level is below the lowest one at which the records of the class are equal, so that each class has k records.

Classes with equal labels are one class in the release. Such a class can still have a single sensitive value, which the
paper accepts. Here its parts join the most similar classes outside it, and levels are chosen again. A sensitive column
with one value in all records is left out, because no class can be less certain of it.

Whoever knows the method and everybody's quasi-identifiers knows the classes too, and can read from the level of a class
whether it was raised. The receipt therefore states how many records of raised classes have one sensitive value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonduck.methods.coded_records import WHOLE, ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import Meets, Progress, RaisedClasses, no_progress
from anonduck.methods.regions import summed
from anonduck.methods.settings import QUARTILE, READING_OF, TABLE_5
from anonduck.methods.similar_classes import SimilarClasses

DIGITS = 12  # entropies are rounded, so that the same shares in another order have the same entropy


def flexible(
    data: CodedRecords,
    k: int,
    meets: Meets | None = None,
    *,
    seed: int = 0,
    progress: Progress = no_progress,
    weights: str = TABLE_5,
    levels: str = "rule",
    threshold: float | str = QUARTILE,
    join: bool = True,
) -> RaisedClasses:
    """The classes, and the lowest level at which each is shown in each column (0 with ``levels="least"``).

    Args:
        data: combinations with their sensitive values and, for ``levels="rule"``, the usefulness of columns.
        k: the least number of records in a class.
        meets: whether classes meet what is required besides k.
        seed: not used; the method draws nothing.
        progress: called with the number of records that are in a class.
        weights: which reading of usefulness grades the columns: ``"table-5"`` or ``"equation-8"``.
        levels: ``"rule"`` for Algorithm 3, ``"least"`` for the smallest common nodes.
        threshold: bits of entropy above which a class is uncertain, or ``"quartile"``.
        join: join classes that the rule would show with a single sensitive value to similar ones.
    """
    sensitive = [cells for cells in data.sensitive if varied(cells)]
    found = SimilarClasses(data, k)
    found.form(progress)
    _meet(found, meets)
    formed = uncertainty(sensitive, found.classes)
    limit = float(first_quartile(formed) if threshold == QUARTILE else threshold)
    grades = data.grades[READING_OF[weights]] if levels == "rule" else None
    raised = _raised(data, formed > limit, grades)
    joined = 0
    while join and grades is not None and found.put_together(_certain(data, sensitive, found.classes, raised)):
        _meet(found, meets)
        raised = _raised(data, uncertainty(sensitive, found.classes) > limit, grades)
        joined = len(formed) - len(raised[0])
    seen = _seen(data, found.classes, raised, grades)
    receipt = {
        "uncertainty": _described(formed, None if grades is None else limit)
        | {"joined": joined, "raised": int(data.records[seen[found.classes]].sum())},
        "distortion": {
            reading: distortion(data, found.classes, raised, shares) for reading, shares in data.weights.items()
        },
    }
    return RaisedClasses(found.classes, raised, receipt, revealed(data, found.classes, seen))


def _meet(found: SimilarClasses, meets: Meets | None) -> None:
    """Merge classes until all meet the requirement or only one is left."""
    while meets is not None:
        classes = found.classes
        if not found.put_together(~meets(np.arange(len(classes)), classes, int(classes.max(initial=-1)) + 1)):
            return


def _raised(data: CodedRecords, above: np.ndarray, grades: Sequence[int] | None) -> tuple[np.ndarray, ...]:
    """For each column the lowest level at which each class is shown."""
    if grades is None:
        return tuple(np.zeros(len(above), dtype=np.int64) for _ in data.columns)
    return tuple(
        rule_levels(above, grade, len(column.nodes) - 1) for column, grade in zip(data.columns, grades, strict=True)
    )


def _seen(
    data: CodedRecords, classes: np.ndarray, raised: Sequence[np.ndarray], grades: Sequence[int] | None
) -> np.ndarray:
    """Whether the labels of each class differ from those it would have above the threshold."""
    seen = np.zeros(len(raised[0]), dtype=bool)
    if grades is None:
        return seen
    unraised = _raised(data, np.ones(len(seen), dtype=bool), grades)
    for column, places, least, lowest in zip(data.columns, data.places, raised, unraised, strict=True):
        seen |= shown_levels(column, places, classes, least) != shown_levels(column, places, classes, lowest)
    return seen


def revealed(data: CodedRecords, classes: np.ndarray, seen: np.ndarray) -> tuple[float, ...]:
    """For each sensitive column the share of all records whose value the raised levels reveal.

    These are the records of classes with one value whose levels visibly (``seen``) are raised. 0 for a column that has
    the same value in all records.
    """
    shares = []
    for cells in data.sensitive:
        certain = seen & (uncertainty([cells], classes) == 0) & varied(cells)
        shares.append(float(data.records[certain[classes]].sum()) / data.total)
    return tuple(shares)


def _certain(
    data: CodedRecords, sensitive: Sequence[ClassCells], classes: np.ndarray, raised: Sequence[np.ndarray]
) -> np.ndarray:
    """Whether each class, merged with all classes of equal labels, has a single sensitive value."""
    keys = []
    for column, places, least in zip(data.columns, data.places, raised, strict=True):
        levels = shown_levels(column, places, classes, least)[classes]
        keys += [levels, column.nodes[levels, places]]
    shown = np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel()
    certain = np.zeros(len(raised[0]), dtype=bool)
    certain[classes] = uncertainty(sensitive, shown)[shown] == 0
    return certain


def rule_levels(above: np.ndarray, grade: int, root: int) -> np.ndarray:
    """The level of each class in a column, by whether its uncertainty is above the threshold."""
    low, high = -(-grade * root // 6), -(-(3 + grade) * root // 6)
    return np.where(above, low, high).astype(np.int64)


def uncertainty(sensitive: Sequence[ClassCells], classes: np.ndarray) -> np.ndarray:
    """The entropy of each class in bits (equations 16 and 17), the smallest one over the sensitive columns.

    Infinite without sensitive columns: no class is certain then.
    """
    count = int(classes.max(initial=-1)) + 1
    entropies = [_entropy(cells, classes, count) for cells in sensitive]
    found: np.ndarray = np.min([np.full(count, np.inf), *entropies], axis=0)
    return found


def varied(cells: ClassCells) -> bool:
    """Whether a sensitive column has more than one value."""
    return bool((cells.classes != cells.classes[:1]).any())


def _entropy(cells: ClassCells, classes: np.ndarray, count: int) -> np.ndarray:
    width = int(cells.classes.max(initial=0)) + 1
    keys, part = np.unique(classes[cells.combinations] * width + cells.classes, return_inverse=True)
    records, of_part = summed(part, cells.records, len(keys)), keys // width
    shares = records / summed(of_part, records, count)[of_part]
    bits = np.bincount(of_part, weights=-shares * np.log2(shares), minlength=count)
    found: np.ndarray = np.abs(bits.round(DIGITS))
    return found


def first_quartile(uncertain: np.ndarray) -> float:
    """The first quartile: the smallest uncertainty that a quarter of the classes do not exceed.

    If no class exceeds it, the next smaller uncertainty, or 0. So the most uncertain classes are not raised, unless all
    classes are certain.
    """
    ordered = np.sort(uncertain)
    found = ordered[-(-len(ordered) // 4) - 1]
    return float(found if found < ordered[-1] else ordered[ordered < found].max(initial=0.0))


def _described(uncertain: np.ndarray, limit: float | None) -> dict[str, Any]:
    mean = float(uncertain.mean())
    return {
        "threshold": limit,
        "mean": round(mean, 6) if np.isfinite(mean) else None,
        "classes": len(uncertain),
        "above": None if limit is None else int((uncertain > limit).sum()),
        "certain": int((uncertain == 0).sum()),
    }


def shown_levels(column: PlacedColumn, places: np.ndarray, classes: np.ndarray, raised: np.ndarray) -> np.ndarray:
    """The level of each class in a column: ``raised``, or the lowest level at which its records are equal if higher.

    NULL is shown as NULL unless raised to the root; values that the taxonomy does not know are shown at the root.
    """
    least, largest = np.full(len(raised), places.max(initial=0)), np.zeros(len(raised), dtype=np.int64)
    np.minimum.at(least, classes, places)
    np.maximum.at(largest, classes, places)
    root = len(column.nodes) - 1
    levels = np.maximum(raised, column.common_levels(least, largest))
    missing = (least == largest) & (least == column.place[0])
    levels = np.where(missing & (raised < root), 0, levels)
    found: np.ndarray = np.where(column.widths[0, least] == WHOLE, root, levels)
    return found


def distortion(
    data: CodedRecords, classes: np.ndarray, raised: Sequence[np.ndarray], weights: Sequence[float]
) -> float:
    """DM (equation 18) as a mean over records: level / root times the weight of the column; 1 if all is at the root."""
    sizes = summed(classes, data.records, int(classes.max()) + 1)
    found = 0.0
    for column, places, least, weight in zip(data.columns, data.places, raised, weights, strict=True):
        levels = shown_levels(column, places, classes, least)
        found += weight * float((sizes * levels).sum()) / (data.total * max(len(column.nodes) - 1, 1))
    return round(found, 6)
