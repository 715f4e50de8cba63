"""Flexible generalization by usefulness and uncertainty (Majeed and Hwang 2023).

Classes are of similar records (Algorithm 1, anonduck.methods.similar_classes). The uncertainty of a class is the
entropy of its sensitive values (Algorithm 2). Where it is above a threshold, useful columns stay near their values;
where it is not, all columns go to the upper half of their taxonomies (Algorithm 3, whose levels the paper leaves open):

- above it to ceil(share * root / 2), else to ceil((1/2 + share/2) * root), the share being 0, 1/3 and 2/3 for columns
  of high, medium and low usefulness, and the root the level of the taxonomy's root;
- and never below the lowest level at which the records of the class are alike, so that each class has k records.

Classes that are shown alike are one in the release. Where such a one still has a single sensitive value, as many that
are alike in it may, the paper leaves it: here the classes that it is of join the most similar ones of others, and get
their levels anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonduck.methods.coded_records import WHOLE, ClassCells, CodedRecords, PlacedColumn
from anonduck.methods.method import Meets, RaisedClasses, Tell, untold
from anonduck.methods.regions import summed
from anonduck.methods.similar_classes import SimilarClasses

QUARTILE = "quartile"
DIGITS = 12  # of an entropy, so that equal shares in another order have the same one


def flexible(
    data: CodedRecords,
    k: int,
    meets: Meets | None = None,
    *,
    seed: int = 0,
    tell: Tell = untold,
    weights: str = "paper",
    levels: str = "rule",
    threshold: float | str = QUARTILE,
    join: bool = True,
) -> RaisedClasses:
    """The classes, and the least level of each in each column: 0 with ``levels="least"``.

    ``data`` has how useful its columns are, of which ``weights`` names a reading, and its sensitive values. ``told``
    says what the uncertainty of the classes is, and the distortion by each reading. ``join`` is about classes that
    would have one sensitive value as they are shown by the rule.
    """
    found = SimilarClasses(data, k)
    found.form(tell)
    _meet(found, meets)
    formed = uncertainty(data.secrets, found.classes)
    limit = float(_first_quartile(formed) if threshold == QUARTILE else threshold)
    grades = data.grades[weights] if levels == "rule" else None
    raised = _raised(data, formed > limit, grades)
    joined = 0
    while join and grades is not None and found.put_together(_certain(data, found.classes, raised)):
        _meet(found, meets)
        raised = _raised(data, uncertainty(data.secrets, found.classes) > limit, grades)
        joined = len(formed) - len(raised[0])
    told = {
        "uncertainty": _described(formed, limit) | {"joined": joined},
        "distortion": {
            reading: distortion(data, found.classes, raised, shares) for reading, shares in data.weights.items()
        },
    }
    return RaisedClasses(found.classes, raised, told)


def _meet(found: SimilarClasses, meets: Meets | None) -> None:
    """Put classes together until all meet what is required, or are one."""
    while meets is not None:
        classes = found.classes
        if not found.put_together(~meets(np.arange(len(classes)), classes, int(classes.max(initial=-1)) + 1)):
            return


def _raised(data: CodedRecords, above: np.ndarray, grades: Sequence[int] | None) -> tuple[np.ndarray, ...]:
    """The least level of each class, by column."""
    if grades is None:
        return tuple(np.zeros(len(above), dtype=np.int64) for _ in data.columns)
    return tuple(
        rule_levels(above, grade, len(column.nodes) - 1) for column, grade in zip(data.columns, grades, strict=True)
    )


def _certain(data: CodedRecords, classes: np.ndarray, raised: Sequence[np.ndarray]) -> np.ndarray:
    """Whether each class, with all others that show the same nodes, has one sensitive value."""
    keys = []
    for column, places, least in zip(data.columns, data.places, raised, strict=True):
        levels = shown_levels(column, places, classes, least)[classes]
        keys += [levels, column.nodes[levels, places]]
    shown = np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel()
    certain = np.zeros(len(raised[0]), dtype=bool)
    certain[classes] = uncertainty(data.secrets, shown)[shown] == 0
    return certain


def rule_levels(above: np.ndarray, grade: int, root: int) -> np.ndarray:
    """The level of each class in a column, by whether its uncertainty is above the threshold."""
    low, high = -(-grade * root // 6), -(-(3 + grade) * root // 6)
    return np.where(above, low, high).astype(np.int64)


def uncertainty(secrets: Sequence[ClassCells], classes: np.ndarray) -> np.ndarray:
    """The entropy of each class in bits (equations 16 and 17); of several sensitive columns the least one."""
    count = int(classes.max(initial=-1)) + 1
    found: np.ndarray = np.min([_entropy(cells, classes, count) for cells in secrets], axis=0)
    return found


def _entropy(cells: ClassCells, classes: np.ndarray, count: int) -> np.ndarray:
    width = int(cells.classes.max(initial=0)) + 1
    keys, part = np.unique(classes[cells.combinations] * width + cells.classes, return_inverse=True)
    records, of_part = summed(part, cells.records, len(keys)), keys // width
    shares = records / summed(of_part, records, count)[of_part]
    bits = np.bincount(of_part, weights=-shares * np.log2(shares), minlength=count)
    found: np.ndarray = np.abs(bits.round(DIGITS))
    return found


def _first_quartile(uncertain: np.ndarray) -> np.ndarray:
    """The least uncertainty that a quarter of the classes do not exceed."""
    found: np.ndarray = np.quantile(uncertain, 0.25, method="inverted_cdf")
    return found


def _described(uncertain: np.ndarray, limit: float) -> dict[str, Any]:
    return {
        "threshold": limit,
        "mean": round(float(uncertain.mean()), 6),
        "classes": len(uncertain),
        "above": int((uncertain > limit).sum()),
        "certain": int((uncertain == 0).sum()),
    }


def shown_levels(column: PlacedColumn, places: np.ndarray, classes: np.ndarray, raised: np.ndarray) -> np.ndarray:
    """The level of each class in a column: the least one, or the lowest at which its records are alike.

    NULL is shown as it is under the root, and what the taxonomy does not know at the root.
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
    """DM (equation 18) as a mean over records: level by root, times the weight of the column; 1 if all is at roots."""
    sizes = summed(classes, data.records, int(classes.max()) + 1)
    found = 0.0
    for column, places, least, weight in zip(data.columns, data.places, raised, weights, strict=True):
        levels = shown_levels(column, places, classes, least)
        found += weight * float((sizes * levels).sum()) / (data.total * max(len(column.nodes) - 1, 1))
    return round(found, 6)
