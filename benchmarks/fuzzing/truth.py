"""What a release reaches, counted in plain Python from its rows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

Columns = dict[str, list[str | None]]
Classes = list[list[int]]


def classes_of(columns: Columns, quasi: Sequence[str]) -> Classes:
    """The rows of each equivalence class."""
    rows = len(next(iter(columns.values()))) if columns else 0
    found: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for row in range(rows):
        found[tuple(columns[name][row] for name in quasi)].append(row)
    return list(found.values())


def shares(values: Sequence[str | None]) -> dict[str | None, float]:
    """The share of each value."""
    return {value: count / len(values) for value, count in Counter(values).items()}


def recursive(values: Sequence[str | None], l: int = 2) -> float:  # noqa: E741 - as in the papers
    """The most frequent value's count by that of the l-th and all rarer ones."""
    counts = sorted(Counter(values).values(), reverse=True)
    rest = sum(counts[l - 1 :])
    return counts[0] / rest if rest else math.inf


OF_CLASS: dict[str, tuple[Callable[..., float], Callable[..., float]]] = {
    "l": (min, lambda held, _: len(set(held))),
    "entropy_l": (min, lambda held, _: math.exp(-sum(p * math.log(p) for p in shares(held).values()))),
    "frequency_l": (min, lambda held, _: 1 / max(shares(held).values())),
    "recursive_l": (max, lambda held, _: recursive(held)),
    "alpha": (max, lambda held, _: max(shares(held).values())),
    "t": (max, lambda held, all_: sum(abs(shares(held).get(v, 0) - q) for v, q in all_.items()) / 2),
    "beta": (max, lambda held, all_: max((p - all_[v]) / all_[v] for v, p in shares(held).items())),
}
"""Models of sensitive values: which class counts, and what is measured of its values beside the shares of all."""

LARGER_IS_SAFER = ("k", "l", "entropy_l", "frequency_l", "linked_k", "probabilistic_k")


def measured(columns: Columns, quasi: Sequence[str], sensitive: Sequence[str]) -> dict[str, float]:
    """What the rows reach, by the names of the models; the worst of several sensitive columns."""
    classes = classes_of(columns, quasi)
    rows = sum(map(len, classes))
    if not rows:
        return {}
    sizes = [len(rows_) for rows_ in classes]
    reached: dict[str, float] = {
        "rows": rows,
        "classes": len(classes),
        "k": min(sizes),
        "prosecutor_risk": 1 / min(sizes),
        "marketer_risk": len(classes) / rows,
        "sample_uniqueness": sizes.count(1) / rows,
    }
    for name in sensitive:
        for model, value in of_column(columns[name], classes).items():
            worst = min if model in LARGER_IS_SAFER else max
            reached[model] = worst(reached.get(model, value), value)
    return reached


def of_column(values: Sequence[str | None], classes: Classes) -> dict[str, float]:
    """What one sensitive column reaches."""
    held = [[values[row] for row in rows] for rows in classes]
    everywhere = shares(values)
    reached = {name: worst(of(one, everywhere) for one in held) for name, (worst, of) in OF_CLASS.items()}
    alone = [one for one in held if len(set(one)) == 1]
    return reached | {
        "homogeneous_classes": len(alone) / len(held),
        "ha": sum(map(len, alone)) / len(values),
        "pd": sum(max(shares(one).values()) for one in held) / len(held),
    }


def fewest_persons(classes: Classes, person: Callable[[int], Any]) -> int:
    """The persons of the smallest class."""
    return min(len({person(row) for row in rows}) for rows in classes)


def linked(classes: Classes, person: Callable[[int], Any]) -> int:
    """The fewest persons who have all of their rows in common: each class as often."""
    rows_of: dict[Any, Counter[int]] = defaultdict(Counter)
    for index, rows in enumerate(classes):
        for row in rows:
            rows_of[person(row)][index] += 1
    return min(Counter(frozenset(held.items()) for held in rows_of.values()).values())


def smallest_intersection(
    first: Classes, of_first: Sequence[Any], second: Classes, of_second: Sequence[Any]
) -> int | None:
    """The fewest persons whom a class of each release shares, of those that share any; None where none does."""
    places = {of_second[row]: index for index, rows in enumerate(second) for row in rows}
    pairs = Counter(
        (index, places[of_first[row]]) for index, rows in enumerate(first) for row in rows if of_first[row] in places
    )
    return min(pairs.values(), default=None)
