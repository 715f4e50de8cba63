"""What the release had to meet, as the attacker knows it, and whether parts of a class meet it.

The formulas are written from the publications that ``anonduck.privacy.models`` lists, independent of the code that
makes a release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from anonduck.errors import AuditError
from anonduck.privacy.audited_file import listed, read_receipt
from anonduck.privacy.requirement import Criterion, Required, ask

MONDRIAN = "mondrian"
BEYOND_CLASSES = ("entity", "sensitive_values")
"""Keys of a receipt whose k, or bound of single values, does not follow from records and values of a class."""
PARTS = frozenset({"l", "entropy_l", "frequency_l"})
"""The models taken to promise that no value has a larger share than 1/l."""


@dataclass(frozen=True)
class KnownRequirement:
    """What each class had to meet: ``k`` records, and the criteria on its sensitive values.

    ``strict``: Mondrian's median cuts fall between two values, never through one. ``free``: numbers are cut at medians
    only, and shown as any interval. ``method`` is the method named in the receipt.
    """

    k: int
    criteria: tuple[Criterion, ...]
    strict: bool = True
    free: bool = False
    method: str | None = None

    @property
    def bound(self) -> float | None:
        """The largest share of a value that the criteria promise, 1/l or alpha; None if no criterion names one."""
        shares = [1 / one.required for one in self.criteria if one.model.name in PARTS]
        shares += [one.required for one in self.criteria if one.model.name == "alpha"]
        return min(shares, default=None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is assumed about the method."""
        if self.method == MONDRIAN:
            return ()
        made = "no receipt says by which method the release was made" if self.method is None else (
            f"the release was made by {self.method}"
        )  # fmt: skip
        return (
            f"{made}; what follows from cuts that were not made is measured as if Mondrian had left each class whole",
        )


def known_requirement(
    release: object, given: Mapping[str, Required] | None, sensitive: Sequence[str]
) -> KnownRequirement:
    """The given requirement, or that of the receipt beside the release.

    Raises AuditError if neither names one, or if it cannot be decided from the values of a class.
    """
    receipt = read_receipt(release)
    if not sensitive:
        raise AuditError(
            "minimality is about sensitive values; name the columns that the requirement is on with "
            "`--sensitive COLUMN`"
        )
    if given is None:
        _check_receipt(release, receipt, sensitive)
        given = {one["name"]: one["required"] for one in receipt["requirements"] if one["name"] != "suppression"}
    elif "k" not in given:
        raise AuditError(
            "minimality asks which cuts k alone would have allowed; name the k of the release too, with `--require k=K`"
        )
    method = receipt.get("method") or {}
    k, criteria = _of_classes(ask(given))
    options = method.get("options", {})
    strict, free = bool(options.get("strict", True)), options.get("numbers") == "intervals"
    name = method.get("name") or ("a rule" if receipt.get("rule") else None)
    return KnownRequirement(k, criteria, strict, free, name)


def _check_receipt(release: object, receipt: Mapping[str, Any], sensitive: Sequence[str]) -> None:
    if not receipt:
        beside = f" lies beside {release}" if isinstance(release, str | Path) else " comes with a table"
        raise AuditError(
            f"minimality has to know what the release had to meet, and no receipt{beside}; name it with "
            "`--require k=K --require l=L`"
        )
    if not isinstance(receipt.get("requirements"), list):
        raise AuditError(f"{release}.receipt.json is no receipt: it has no requirements")
    other = [name for name in BEYOND_CLASSES if receipt.get(name)]
    if other:
        raise AuditError(
            f"the receipt has {listed(other)}: what its requirement says of a class does not follow from records and "
            "values alone, so that minimality cannot be tried"
        )
    named = [one["name"] for one in receipt.get("columns", []) if one.get("role") == "sensitive"]
    if set(named) != set(sensitive):
        raise AuditError(
            f"the receipt says that the requirement is on {listed(named) if named else 'no sensitive column'}, and "
            f"{listed(sensitive)} is named as sensitive; name the same with `--sensitive COLUMN`, or what is required "
            "with `--require k=K --require l=L`"
        )


def _of_classes(asked: Sequence[Criterion]) -> tuple[int, tuple[Criterion, ...]]:
    """The k and the criteria on sensitive values that each class must meet.

    Models that look at all classes together decide no cut, so they are ignored. LKC-privacy asks each part for K and C.
    """
    k, criteria = 1, list[Criterion]()
    for one in asked:
        name = one.model.name
        if name == "k":
            k = max(k, int(one.required))
        elif name == "lkc":
            k = max(k, int(one.numbers["k"]))
            criteria += ask({"alpha": one.numbers["c"]})
        elif name == "prosecutor_risk":
            k = max(k, ceil(1 / one.required - 1e-9) if one.required else 1)
        elif name in REACHED:
            criteria.append(one)
        elif one.model.class_wise:
            raise AuditError(
                f"minimality cannot be tried where {name} is required; what it weighs is k, prosecutor_risk, lkc, "
                f"{', '.join(REACHED)}"
            )
    return k, tuple(criteria)


@dataclass(frozen=True, eq=False)
class ClassValues:
    """A sensitive column of a class.

    ``codes`` (records,) numbers the value of each record from 0, ``overall`` (values,) is the share of each of these
    values in the release, and ``values_in_release`` the number of distinct values in the release.
    """

    codes: np.ndarray
    overall: np.ndarray
    values_in_release: int


Counts = np.ndarray
"""How many records of parts have each value of their class, of shape (..., values)."""


def meets(criteria: Sequence[Criterion], counts: Counts, sensitive_values: ClassValues) -> np.ndarray:
    """Whether each part, of shape (...), meets all criteria. Each part must have a record."""
    found = np.ones(counts.shape[:-1], dtype=bool)
    for one in criteria:
        (bound,) = one.model.bounds
        found &= one.bound_holds(bound, REACHED[one.model.name](counts, sensitive_values, one.numbers))
    return found


def _shares(counts: Counts) -> np.ndarray:
    shares: np.ndarray = counts / counts.sum(axis=-1, keepdims=True)
    return shares


def _distinct(counts: Counts, _: ClassValues, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.count_nonzero(counts, axis=-1)
    return found


def _entropy(counts: Counts, _: ClassValues, __: Mapping[str, float]) -> np.ndarray:
    shares = _shares(counts)
    found: np.ndarray = np.exp(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))
    return found


def _recursive(counts: Counts, _: ClassValues, numbers: Mapping[str, float]) -> np.ndarray:
    ranked = -np.sort(-counts, axis=-1)
    with np.errstate(divide="ignore"):
        found: np.ndarray = ranked[..., 0] / ranked[..., int(numbers["l"]) - 1 :].sum(axis=-1)
    return found


def _frequency(counts: Counts, _: ClassValues, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = counts.sum(axis=-1) / counts.max(axis=-1)
    return found


def _largest(counts: Counts, _: ClassValues, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = _shares(counts).max(axis=-1)
    return found


def _closeness(counts: Counts, sensitive_values: ClassValues, _: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.maximum(_shares(counts) - sensitive_values.overall, 0).sum(axis=-1)
    return found


def _likeness(counts: Counts, sensitive_values: ClassValues, _: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.maximum((_shares(counts) / sensitive_values.overall - 1).max(axis=-1), 0)
    return found


def _enhanced(counts: Counts, sensitive_values: ClassValues, numbers: Mapping[str, float]) -> np.ndarray:
    over = (_shares(counts) / sensitive_values.overall - 1 > -np.log(sensitive_values.overall) + 1e-12).any(axis=-1)
    return np.where(over, np.inf, _likeness(counts, sensitive_values, numbers))


def _disclosure(counts: Counts, sensitive_values: ClassValues, numbers: Mapping[str, float]) -> np.ndarray:
    lacking = (counts == 0).any(axis=-1) | (sensitive_values.values_in_release > counts.shape[-1])
    distance = np.abs(np.log(np.maximum(_shares(counts), 1e-300) / sensitive_values.overall)).max(axis=-1)
    return np.where(lacking, np.inf, distance / np.log(numbers.get("log") or np.e))


REACHED: Mapping[str, Callable[[Counts, ClassValues, Mapping[str, float]], np.ndarray]] = {
    "l": _distinct,
    "entropy_l": _entropy,
    "recursive_l": _recursive,
    "frequency_l": _frequency,
    "alpha": _largest,
    "t": _closeness,
    "beta": _likeness,
    "enhanced_beta": _enhanced,
    "delta_disclosure": _disclosure,
}
"""The models that can be decided from the records of each value in a class, with what a part of a class reaches."""
