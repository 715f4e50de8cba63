"""What a release reaches, counted in plain Python from its rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from privacy_oracle import linked_people, record_models, sensitive_models

Columns = dict[str, list[str | None]]
Classes = list[list[int]]
OF_SIZES = ("k", "prosecutor_risk", "marketer_risk", "sample_uniqueness")
OF_VALUES = ("l", "entropy_l", "frequency_l", "recursive_l", "alpha", "t", "beta", "homogeneous_classes", "ha", "pd")
LARGER_IS_SAFER = ("k", "l", "entropy_l", "frequency_l", "linked_k", "probabilistic_k")


def classes_of(columns: Columns, quasi: Sequence[str]) -> Classes:
    """The rows of each equivalence class."""
    rows = len(next(iter(columns.values()))) if columns else 0
    found: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for row in range(rows):
        found[tuple(columns[name][row] for name in quasi)].append(row)
    return list(found.values())


def measured(columns: Columns, quasi: Sequence[str], sensitive: Sequence[str]) -> dict[str, float]:
    """What the rows reach, by the names of the models; the worst of several sensitive columns."""
    classes = classes_of(columns, quasi)
    if not classes:
        return {}
    reached: dict[str, float] = {"rows": sum(map(len, classes)), "classes": len(classes)}
    rows = [tuple(columns[name][row] for name in (*quasi, *sensitive)) for held in classes for row in held]
    models = record_models(rows, len(quasi))
    reached |= {name: models[name] for name in OF_SIZES}
    for place in range(len(sensitive)):
        models = sensitive_models(rows, len(quasi), len(quasi) + place)
        for name in OF_VALUES:
            worst = min if name in LARGER_IS_SAFER else max
            reached[name] = worst(reached.get(name, models[name]), models[name])
    return reached


def fewest_persons(classes: Classes, person: Callable[[int], Any]) -> int:
    """The persons of the smallest class."""
    return min(len({person(row) for row in rows}) for rows in classes)


def linked(classes: Classes, person: Callable[[int], Any]) -> int:
    """The fewest persons who have all of their rows in common: each class as often."""
    return min(linked_people((index, person(row)) for index, rows in enumerate(classes) for row in rows))
