"""What a release had to meet, as somebody knows who reads its receipt or is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from anonduck.errors import AuditError
from anonduck.privacy.audited_file import listed
from anonduck.privacy.requirement import Criterion, Required, ask

MONDRIAN = "mondrian"
BEYOND_CLASSES = ("k_counts", "entity", "sensitive_values")
"""Keys of a receipt that say that k, or a bound of single values, was not counted by record and value."""


@dataclass(frozen=True)
class KnownRequirement:
    """What each class had to meet: ``k`` records, and the criteria on its sensitive values.

    ``strict`` tells that regions are cut at a median between two values, never through one, ``free`` that numbers are
    cut at medians alone, and shown as any interval. ``method`` is the method that a receipt names.
    """

    k: int
    criteria: tuple[Criterion, ...]
    strict: bool = True
    free: bool = False
    method: str | None = None

    @property
    def bound(self) -> float | None:
        """The largest share of a value that the criteria are named for, 1/l or alpha; None if they have none."""
        shares = [1 / one.required for one in self.criteria if one.model.name in PARTS]
        shares += [one.required for one in self.criteria if one.model.name == "alpha"]
        return min(shares, default=None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is supposed of the method."""
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
    """What is given, or what the receipt beside the release says; raises AuditError if neither tells it, and for what
    cannot be decided by the values of a class.
    """
    receipt = _receipt(release)
    if not sensitive:
        raise AuditError(
            "minimality tells of sensitive values; name the columns that the requirement is on with "
            "`sensitive=[COLUMN]`"
        )
    if given is None:
        _check_receipt(release, receipt, sensitive)
        given = {one["name"]: one["required"] for one in receipt["requirements"] if one["name"] != "suppression"}
    elif "k" not in given:
        raise AuditError(
            "minimality asks which cuts k alone would have allowed; name the k of the release too, with "
            "`requirements={'k': K}`"
        )
    method = receipt.get("method") or {}
    k, criteria = _of_classes(ask(given))
    options = method.get("options", {})
    strict, free = bool(options.get("strict", True)), options.get("numbers") == "intervals"
    name = method.get("name") or ("a rule" if receipt.get("rule") else None)
    return KnownRequirement(k, criteria, strict, free, name)


def _receipt(release: object) -> Mapping[str, Any]:
    """The receipt beside the release; empty if there is none."""
    path = Path(f"{release}.receipt.json") if isinstance(release, str | Path) else None
    if path is None or not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AuditError(f"{path} is no receipt: it is not JSON") from error
    if not isinstance(found, dict) or not isinstance(found.get("requirements"), list):
        raise AuditError(f"{path} is no receipt: it has no requirements")
    return found


def _check_receipt(release: object, receipt: Mapping[str, Any], sensitive: Sequence[str]) -> None:
    if not receipt:
        beside = f" lies beside {release}" if isinstance(release, str | Path) else " comes with a table"
        raise AuditError(
            f"minimality has to know what the release had to meet, and no receipt{beside}; name it with "
            "`requirements={'k': K, 'l': L}`"
        )
    other = [name for name in BEYOND_CLASSES if receipt.get(name)]
    if other:
        raise AuditError(
            f"the receipt has {listed(other)}: what its requirement says of a class cannot be told from records and "
            "values alone, so that minimality cannot be tried"
        )
    named = [one["name"] for one in receipt.get("columns", []) if one.get("role") == "sensitive"]
    if set(named) != set(sensitive):
        raise AuditError(
            f"the receipt says that the requirement is on {listed(named) if named else 'no sensitive column'}, and "
            f"{listed(sensitive)} is named as sensitive; name the same with `sensitive=[COLUMN]`, or what is required "
            "with `requirements={'k': K, 'l': L}`"
        )


def _of_classes(asked: Sequence[Criterion]) -> tuple[int, tuple[Criterion, ...]]:
    """The records that each class must have, and the criteria on its sensitive values.

    Models of all classes together steer no cut. Of LKC-privacy each part of a cut meets its K and its C.
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
class ClassSecrets:
    """A sensitive column of a class: the value of each of its records (records,), as a number from 0, and the share
    ``overall`` (values,) of each of these values in the release, which has so many values ``everywhere``.
    """

    codes: np.ndarray
    overall: np.ndarray
    everywhere: int


Counts = np.ndarray
"""How many records of parts have each value of their class, of shape (..., values)."""


def meets(criteria: Sequence[Criterion], counts: Counts, secrets: ClassSecrets) -> np.ndarray:
    """Whether each part, of shape (...), meets all criteria; a part must have a record."""
    found = np.ones(counts.shape[:-1], dtype=bool)
    for one in criteria:
        (bound,) = one.model.bounds
        found &= one.bound_holds(bound, REACHED[one.model.name](counts, secrets, one.numbers))
    return found


def _shares(counts: Counts) -> np.ndarray:
    shares: np.ndarray = counts / counts.sum(axis=-1, keepdims=True)
    return shares


def _distinct(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.count_nonzero(counts, axis=-1)
    return found


def _entropy(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    shares = _shares(counts)
    found: np.ndarray = np.exp(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=-1))
    return found


def _recursive(counts: Counts, _: ClassSecrets, numbers: Mapping[str, float]) -> np.ndarray:
    ranked = -np.sort(-counts, axis=-1)
    with np.errstate(divide="ignore"):
        found: np.ndarray = ranked[..., 0] / ranked[..., int(numbers["l"]) - 1 :].sum(axis=-1)
    return found


def _frequency(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = counts.sum(axis=-1) / counts.max(axis=-1)
    return found


def _largest(counts: Counts, _: ClassSecrets, __: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = _shares(counts).max(axis=-1)
    return found


def _closeness(counts: Counts, secrets: ClassSecrets, _: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.maximum(_shares(counts) - secrets.overall, 0).sum(axis=-1)
    return found


def _likeness(counts: Counts, secrets: ClassSecrets, _: Mapping[str, float]) -> np.ndarray:
    found: np.ndarray = np.maximum((_shares(counts) / secrets.overall - 1).max(axis=-1), 0)
    return found


def _enhanced(counts: Counts, secrets: ClassSecrets, numbers: Mapping[str, float]) -> np.ndarray:
    over = (_shares(counts) / secrets.overall - 1 > -np.log(secrets.overall) + 1e-12).any(axis=-1)
    return np.where(over, np.inf, _likeness(counts, secrets, numbers))


def _disclosure(counts: Counts, secrets: ClassSecrets, numbers: Mapping[str, float]) -> np.ndarray:
    lacking = (counts == 0).any(axis=-1) | (secrets.everywhere > counts.shape[-1])
    told = np.abs(np.log(np.maximum(_shares(counts), 1e-300) / secrets.overall)).max(axis=-1)
    return np.where(lacking, np.inf, told / np.log(numbers.get("log") or np.e))


REACHED: Mapping[str, Callable[[Counts, ClassSecrets, Mapping[str, float]], np.ndarray]] = {
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
"""The models that a class meets or misses by how many of its records have which value."""
PARTS = frozenset({"l", "entropy_l", "frequency_l"})
"""The models that are named for one l-th: the largest share of a value that they are taken to promise."""
