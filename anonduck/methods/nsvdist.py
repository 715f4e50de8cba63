"""NSVDist (Last, Tassa, Zhmudyak and Shmueli 2014, Algorithm 1): records show what they share with k - 1 others.

The others are chosen one by one: each time the one with which the closure of all loses least, among those whose value
of the class was not yet chosen as often as l allows. Of equal ones the first goes, in an order that the seed draws.
Closures of different records are chosen each for itself, so records serve many others.

Records that are equal in all columns and the class make one cell, and have one closure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anonduck.methods.closures import closure_columns
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.distributions import Distributions, most_alike
from anonduck.methods.greedy_choice import FoundClosure, Greedy
from anonduck.methods.method import Tell, untold
from anonduck.methods.mondrian import mondrian
from anonduck.methods.regions import summed
from anonduck.methods.repair import repaired

EXACT = 32_768
"""So many cells are compared each with each; more of them in clusters."""
CLUSTER = 3_000


def nsvdist(
    data: CodedRecords,
    k: int,
    *,
    diversity: float = 1.0,
    loss: str = "lm",
    numbers: Sequence[np.ndarray | None] | None = None,
    clusters: int = 0,
    repair: bool = False,
    seed: int = 0,
    tell: Tell = untold,
) -> Distributions:
    """The closure and the distribution of each cell of ``data.cells``.

    Args:
        data: combinations with the records of each class; all together allow l.
        k: how many records each closure is of, the own one among them.
        diversity: l, from 1 on.
        loss: ``"lm"`` or ``"entropy"``.
        numbers: for each column the number of each leaf code, where it is covered by runs of cells of k records; None
            where it is covered by nodes.
        clusters: about how many records are compared with each other; 0 for all, as long as they are EXACT cells at
            most, else CLUSTER.
        repair: whether each record also covers those that chose it (see anonduck.methods.repair).
        seed: draws the order of equal ones.
        tell: hears how many records have a closure.
    """
    assert data.cells is not None
    cells = data.cells
    columns = closure_columns(data, k, loss=loss, numbers=numbers or [None] * len(data.columns))
    size = clusters or (0 if len(cells.records) <= EXACT else CLUSTER)
    cap = most_alike(k, diversity)
    places = np.ascontiguousarray(np.vstack(data.places)[:, cells.combinations])
    rank = np.random.default_rng(seed).permutation(len(cells.records))
    of_cell = _clusters(data, k, cap, size, seed)[cells.combinations]
    monotone = loss == "lm"
    parts, done = [], 0
    for members in _groups(of_cell, rank):
        greedy = Greedy(columns, places[:, members], cells.classes[members], cells.records[members], k, cap, monotone)
        found = []
        for cell in greedy.order():
            found.append((members[cell], greedy.closure(cell)))
            done += int(cells.records[members[cell]])
            if len(found) % 64 == 0 or done == data.total:
                tell("closing records", done, data.total)
        parts.append((members, found))
    made = _collected(parts, len(cells.records), len(columns), int(cells.classes.max()) + 1)
    return repaired(made, columns, places, cells) if repair else made


def _clusters(data: CodedRecords, k: int, cap: int, size: int, seed: int) -> np.ndarray:
    """The cluster of each combination: those of Mondrian (section 4.3), which allow l each."""
    if not size:
        return np.zeros(len(data.records), dtype=np.int64)
    assert data.cells is not None
    cells = data.cells
    width = int(cells.classes.max()) + 1
    by_class = np.zeros((len(data.records), width), dtype=np.int64)
    by_class[cells.combinations, cells.classes] = cells.records

    def meets(rows: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
        held = np.vstack([summed(groups, by_class[rows, value], count) for value in range(width)])
        found: np.ndarray = np.minimum(held, cap).sum(axis=0) >= k
        return found

    return mondrian(data, max(k, size // 2), meets, seed=seed)


def _groups(of_cell: np.ndarray, rank: np.ndarray) -> Iterator[np.ndarray]:
    """The cells of each cluster, in the order of their ranks."""
    order = np.lexsort((rank, of_cell))
    yield from np.split(order, np.flatnonzero(np.diff(of_cell[order])) + 1)


def _collected(
    parts: list[tuple[np.ndarray, list[tuple[int, FoundClosure]]]], cells: int, columns: int, width: int
) -> Distributions:
    """What was found of all clusters, in the order of cells."""
    closures = np.zeros((cells, columns, 2), dtype=np.int64)
    values, losses = np.zeros((cells, width), dtype=np.int64), np.zeros(cells, dtype=np.int64)
    members: list[np.ndarray] = [np.zeros(0, dtype=np.int64)] * cells
    taken = list(members)
    for numbers, found in parts:
        for cell, (closure, held, loss, chosen) in found:
            closures[cell] = closure
            values[cell, : len(held)] = held
            losses[cell] = loss
            members[cell], taken[cell] = numbers[list(chosen)], np.array(list(chosen.values()))
    lengths = np.array([len(one) for one in members])
    return Distributions(
        firsts=closures[:, :, 0],
        lasts=closures[:, :, 1],
        values=values,
        losses=losses,
        starts=np.r_[0, np.cumsum(lengths)],
        members=np.concatenate(members),
        taken=np.concatenate(taken),
    )
