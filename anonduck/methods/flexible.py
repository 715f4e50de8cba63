"""Flexible generalization by usefulness and uncertainty (Majeed and Hwang 2023).

Classes are of similar records (Algorithm 1, anonduck.methods.similar_classes). The uncertainty of a class is the
entropy of its sensitive values (Algorithm 2). Where it is above a threshold, useful columns stay near their values;
where it is not, all columns go to the upper half of their taxonomies (Algorithm 3, whose levels the paper leaves open):

- above it to ceil(share * root / 2), else to ceil((1/2 + share/2) * root), the share being 0, 1/3 and 2/3 for columns
  of high, medium and low usefulness, and the root the level of the taxonomy's root;
- and never below the lowest level at which the records of the class are alike, so that each class has k records.

Classes that are shown alike are one in the release. Where such a one still has a single sensitive value, as many that
are alike in it may, the paper leaves it: here the classes that it is of join the most similar ones of others, and get
their levels anew. A sensitive column with one value in all records is left out: no class can be less certain of it.

Who knows the method and everybody's quasi-identifiers knows the classes too, and reads from the level of one whether it
was raised. How many records of raised classes have one sensitive value is therefore told beside the rest.
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
IMPUTE = "impute"
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

    ``data`` has its sensitive values, and for the rule how useful its columns are, of which ``weights`` names a
    reading. ``told`` says what the uncertainty of the classes is, and the distortion by each reading. ``join`` is about
    classes that would have one sensitive value as they are shown by the rule.
    """
    secrets = [cells for cells in data.secrets if varied(cells)]
    found = SimilarClasses(data, k)
    found.form(tell)
    _meet(found, meets)
    formed = uncertainty(secrets, found.classes)
    limit = float(first_quartile(formed) if threshold == QUARTILE else threshold)
    grades = data.grades[weights] if levels == "rule" else None
    raised = _raised(data, formed > limit, grades)
    joined = 0
    while join and grades is not None and found.put_together(_certain(data, secrets, found.classes, raised)):
        _meet(found, meets)
        raised = _raised(data, uncertainty(secrets, found.classes) > limit, grades)
        joined = len(formed) - len(raised[0])
    seen = _seen(data, found.classes, raised, grades)
    told = {
        "uncertainty": _described(formed, None if grades is None else limit)
        | {"joined": joined, "raised": int(data.records[seen[found.classes]].sum())},
        "distortion": {
            reading: distortion(data, found.classes, raised, shares) for reading, shares in data.weights.items()
        },
    }
    return RaisedClasses(found.classes, raised, told, revealed(data, found.classes, seen))


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


def _seen(
    data: CodedRecords, classes: np.ndarray, raised: Sequence[np.ndarray], grades: Sequence[int] | None
) -> np.ndarray:
    """Whether each class is shown otherwise than it would be above the threshold."""
    seen = np.zeros(len(raised[0]), dtype=bool)
    if grades is None:
        return seen
    unraised = _raised(data, np.ones(len(seen), dtype=bool), grades)
    for column, places, least, lowest in zip(data.columns, data.places, raised, unraised, strict=True):
        seen |= shown_levels(column, places, classes, least) != shown_levels(column, places, classes, lowest)
    return seen


def revealed(data: CodedRecords, classes: np.ndarray, seen: np.ndarray) -> tuple[float, ...]:
    """By sensitive column the share of all records in classes with one value of it whose levels are ``seen`` raised.

    0 where all records have the same value.
    """
    shares = []
    for cells in data.secrets:
        certain = seen & (uncertainty([cells], classes) == 0) & varied(cells)
        shares.append(float(data.records[certain[classes]].sum()) / data.total)
    return tuple(shares)


def _certain(
    data: CodedRecords, secrets: Sequence[ClassCells], classes: np.ndarray, raised: Sequence[np.ndarray]
) -> np.ndarray:
    """Whether each class, with all others that show the same nodes, has one sensitive value."""
    keys = []
    for column, places, least in zip(data.columns, data.places, raised, strict=True):
        levels = shown_levels(column, places, classes, least)[classes]
        keys += [levels, column.nodes[levels, places]]
    shown = np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel()
    certain = np.zeros(len(raised[0]), dtype=bool)
    certain[classes] = uncertainty(secrets, shown)[shown] == 0
    return certain


def rule_levels(above: np.ndarray, grade: int, root: int) -> np.ndarray:
    """The level of each class in a column, by whether its uncertainty is above the threshold."""
    low, high = -(-grade * root // 6), -(-(3 + grade) * root // 6)
    return np.where(above, low, high).astype(np.int64)


def uncertainty(secrets: Sequence[ClassCells], classes: np.ndarray) -> np.ndarray:
    """The entropy of each class in bits (equations 16 and 17); of several sensitive columns the least one.

    Infinite without any: no class is certain then.
    """
    count = int(classes.max(initial=-1)) + 1
    entropies = [_entropy(cells, classes, count) for cells in secrets]
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
    """The least uncertainty that a quarter of the classes do not exceed.

    Where no class exceeds it, the largest one under it, or 0: classes that are as uncertain as any are not raised,
    unless all are certain.
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
