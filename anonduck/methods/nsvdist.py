"""NSVDist (Last, Tassa, Zhmudyak and Shmueli 2014, Algorithm 1): each record shows what it shares with k - 1 others.

The others are chosen one by one: the record with which the closure of all loses least, among records whose class value
was not yet chosen as often as l allows. Ties are broken by an order drawn with the seed. The closure of each record is
chosen independently, so that a record can serve many others. Records equal in all columns and the class form one cell
and share one closure.

``repaired`` extends closures so that k also holds in the other direction (section 4.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from anonduck.methods.closures import ClosureColumn, closure_columns
from anonduck.methods.coded_records import ClassCells, CodedRecords
from anonduck.methods.greedy_choice import FoundClosure, Greedy
from anonduck.methods.method import Progress, no_progress
from anonduck.methods.mondrian import mondrian
from anonduck.methods.regions import summed


@dataclass(frozen=True, eq=False)
class Distributions:
    """A closure and a distribution of the class for each cell, in the order of ``data.cells``.

    Attributes:
        firsts, lasts: (cells, columns) the stretch of places of each closure.
        values: (cells, class values) how many of the k records have each class value.
        losses: (cells,) the loss of the closure, summed over columns.
        starts: (cells + 1,) where the members of each cell start in ``members``.
        members: the chosen cells of each cell, its own among them.
        taken: how many records were taken of each member.
    """

    firsts: np.ndarray
    lasts: np.ndarray
    values: np.ndarray
    losses: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    taken: np.ndarray

    def loss(self, records: np.ndarray, columns: int) -> float:
        """The mean loss of a record, from 0 to 1 where the measure is LM."""
        return float((self.losses * records).sum() / records.sum() / ((1 << 31) // (columns + 1)) / columns)


def most_alike(k: int, l: float) -> int:  # noqa: E741
    """How many of k records may share a class value: floor(k / l), exact for l as a decimal number."""
    return int(Fraction(k) / Fraction(str(l)))


def highest_l(values: np.ndarray, k: int) -> float | None:
    """The highest feasible l for k records, where ``values`` counts the records of each class value; None if too few.

    An l is feasible if and only if at least k records remain when each value counts at most floor(k / l) times.
    """
    if values.sum() < k:
        return None
    enough = np.minimum(values[None, :], np.arange(1, k + 1)[:, None]).sum(axis=1) >= k
    return k / (int(enough.argmax()) + 1)


EXACT = 32_768
"""Up to this many cells are all compared with each other; more are compared within clusters."""
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
    progress: Progress = no_progress,
) -> Distributions:
    """The closure and the distribution of each cell of ``data.cells``.

    Args:
        data: combinations with the records by class; l must be feasible for all of them together.
        k: how many records each closure covers, its own record included.
        diversity: l, at least 1: no class value has more than 1 / l of a distribution.
        loss: ``"lm"`` or ``"entropy"``.
        numbers: for each column the number of each leaf code, if it is covered by intervals; None if by nodes.
        clusters: about how many records are compared with each other; 0 compares all up to EXACT cells, and clusters
            of about CLUSTER records beyond.
        repair: whether each record also covers the records that chose it (see ``repaired``).
        seed: draws the order that breaks ties.
        progress: called with the number of records that have a closure.
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
                progress("closing records", done, data.total)
        parts.append((members, found))
    made = _collected(parts, len(cells.records), len(columns), int(cells.classes.max()) + 1)
    return repaired(made, columns, places, cells) if repair else made


def _clusters(data: CodedRecords, k: int, cap: int, size: int, seed: int) -> np.ndarray:
    """The cluster of each combination: classes of Mondrian (section 4.3) in each of which l is feasible."""
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
    """The results of all clusters, in the order of cells."""
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


def repaired(
    found: Distributions, columns: Sequence[ClosureColumn], places: np.ndarray, cells: ClassCells
) -> Distributions:
    """Extend each closure and distribution by the records that chose it.

    NSVDist makes each released record cover k originals, but an original may be covered by fewer released records, and
    fewer still after an attacker rules out pairs that are in no perfect matching (Last et al. 2014, section 4.5). Where
    covering is symmetric, two records that cover each other can swap places in the true matching, so that each pair is
    in a perfect matching, and k holds in both directions.

    ``places`` (columns, cells) are the places of each cell. Class values are counted over all members.
    """
    chooser = np.repeat(np.arange(len(found.losses)), np.diff(found.starts))
    order = np.lexsort((chooser, found.members))
    chosen, chooser = found.members[order], chooser[order]
    count = len(found.losses)
    new = ~np.isin(chosen * count + chooser, chooser * count + chosen)
    chosen, chooser = chosen[new], chooser[new]
    if not len(chosen):
        return found
    values = found.values.copy()
    np.add.at(values, (chosen, cells.classes[chooser]), cells.records[chooser])
    firsts, lasts, losses = found.firsts.copy(), found.lasts.copy(), np.zeros(len(found.losses), dtype=np.int64)
    grown, starts = np.unique(chosen, return_index=True)
    for number, column in enumerate(columns):
        least = np.minimum.reduceat(places[number][chooser], starts).tolist()
        most = np.maximum.reduceat(places[number][chooser], starts).tolist()
        for cell, low, high in zip(grown.tolist(), least, most, strict=True):
            closure = int(firsts[cell, number]), int(lasts[cell, number])
            firsts[cell, number], lasts[cell, number] = column.joined(column.joined(closure, low), high)
        ends = zip(firsts[:, number].tolist(), lasts[:, number].tolist(), strict=True)
        losses += [column.loss(closure) for closure in ends]
    return replace(found, firsts=firsts, lasts=lasts, values=values, losses=losses)
