"""Groups of the rare values of a column: values that fewer than k records hold, which k or more hold together.

Where values stay as they are, as swapping leaves them, a rare one shows who is in the data. What stands for a group
stands for k records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonduck.evaluation.typical import NONE, TypicalColumn, TypicalValues, typical_values

NULL = 0


class RareGroup(NamedTuple):
    """The leaf codes of some values, and the level of the node over all of them; NULL is under the root alone."""

    codes: tuple[int, ...]
    level: int


def groups_in_order(held: np.ndarray, k: int) -> list[tuple[int, ...]]:
    """Rare values in runs of their order, each as short as k records allow.

    What is left at the end is in the last run, and so is NULL where it is rare. A single run may have fewer than k.

    Args:
        held: (leaf codes,), the records of each value, in their order; 0 is NULL.
        k: how many records make a value common.
    """
    rare = [code for code in rare_codes(held, k) if code != NULL]
    runs: list[list[int]] = []
    total = k
    for code in rare:
        if total >= k:
            runs.append([])
            total = 0
        runs[-1].append(code)
        total += int(held[code])
    if len(runs) > 1 and total < k:
        last = runs.pop()
        runs[-1].extend(last)
    if 0 < held[NULL] < k:
        runs = runs or [[]]
        runs[-1].insert(0, NULL)
    return [tuple(run) for run in runs]


def groups_by_taxonomy(paths: Sequence[np.ndarray], held: np.ndarray, k: int) -> list[RareGroup]:
    """Rare values by the lowest node over k records with rare values, of those that no lower node is over.

    What is left stands under the root; where that is fewer than k records, the values and the groups with the fewest
    records go there with it, the first of equals.

    Args:
        paths: by level under the root, the node of each leaf code, from level 0 on; 0 for a value that is not known.
        held: (leaf codes,), the records of each value; 0 is NULL.
        k: how many records make a value common.
    """
    left, groups, root = rare_codes(held, k), [], len(paths)
    for level, path in enumerate(paths[1:], start=1):
        nodes: dict[int, list[int]] = {}
        for code in left:
            if path[code]:
                nodes.setdefault(int(path[code]), []).append(code)
        made = [codes for codes in nodes.values() if held[codes].sum() >= k]
        groups += [RareGroup(tuple(codes), level) for codes in made]
        taken = {code for codes in made for code in codes}
        left = [code for code in left if code not in taken]
    common = [RareGroup((int(code),), 0) for code in np.flatnonzero(held >= k)]
    units = sorted([*common, *groups], key=lambda one: (int(held[list(one.codes)].sum()), one.codes))
    while left and held[left].sum() < k and units:
        least = units.pop(0)
        groups = [one for one in groups if one != least]
        left = sorted([*left, *least.codes])
    return [*groups, RareGroup(tuple(left), root)] if left else groups


def rare_codes(held: np.ndarray, k: int) -> list[int]:
    """The leaf codes of values that some records hold, and fewer than k."""
    return [int(code) for code in np.flatnonzero((held > 0) & (held < k))]


def typical_of_groups(
    groups: Sequence[tuple[int, ...]], held: np.ndarray, numbers: np.ndarray, k: int
) -> TypicalValues:
    """The value that stands for each group of rare values in an order, by leaf code: a common one that is nearest.

    Args:
        groups: the leaf codes of each, as ``groups_in_order`` finds them.
        held: (leaf codes,), the records of each value; 0 is NULL, which stands for no other value.
        numbers: (leaf codes,), by which two values are compared for nearness.
        k: how many records make a value common.
    """
    leaves = np.concatenate([np.array(group, dtype=np.int64) for group in groups])
    of_group, common = np.repeat(np.arange(len(groups)), [len(group) for group in groups]), held >= k
    common[NULL] = False
    column = TypicalColumn(True, common, np.ones(len(held), dtype=bool), numbers)
    found = typical_values(column, of_group, leaves, held[leaves])
    few = np.array([held[list(group)].sum() < k for group in groups])
    found.codes[few] = _nearest_common(column, found.medians[few])
    return found


def _nearest_common(column: TypicalColumn, medians: np.ndarray) -> np.ndarray:
    """The common value that is nearest to each median, wherever it lies; the first one where NULL alone is rare."""
    common = np.flatnonzero(column.common)
    if not len(common):
        return np.full(len(medians), NONE)
    apart = np.abs(column.numbers[common][None, :] - column.numbers[medians][:, None])
    nearest: np.ndarray = common[np.where(np.isnan(apart), np.inf, apart).argmin(axis=1)]
    return nearest
