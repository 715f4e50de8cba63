"""The frequency set in memory as node codes, rolled up to any level vector from the smallest finer one that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from anonduck.rules.rule import LevelVector
from anonduck.words import np

LARGEST_KEY = 1 << 62
DENSE_CELLS = 1 << 10  # so many possible combinations, or four for each row, are counted in place; more are sorted
KEPT_CODES = 1 << 25  # node codes in all rolled-up sets that are kept, 128 MB

NODE_CODES = 1 << 23  # node codes of the leaves at all levels, up to which they are kept: 32 MB

STAGED_AFTER = 16
"""Once this many times the rows of the leaves were read, intermediate sets are kept too."""

STAGES = (32, 512)
"""An intermediate set generalizes the attributes with the most values, with at most so many level vectors together."""

STAGED_PARTS = 32
"""Intermediate sets are used only if the leaves take at most this fraction (1 / n) of the codes that may be kept."""

STAGED_IN_VAIN = 32
"""Intermediate sets end once so many more of them were hardly smaller than their source than were useful."""


@dataclass(frozen=True, eq=False)
class RolledFrequencySet:
    """The frequency set at a level vector, its rows in the order of equivalence class, then of the class value.

    ``columns`` holds the node codes of each attribute below its root (None at the root), ``classes`` the class codes if
    the set has the class, ``records`` those of each row, and ``starts`` the first row of each equivalence class. A set
    without the class has one row for each equivalence class.
    """

    levels: LevelVector
    columns: tuple[np.ndarray | None, ...]
    classes: np.ndarray | None
    records: np.ndarray
    starts: np.ndarray | None = None

    @cached_property
    def sizes(self) -> np.ndarray:
        """The records of each equivalence class."""
        if self.starts is None:
            return self.records
        summed: np.ndarray = np.add.reduceat(self.records, self.starts)
        return summed

    @cached_property
    def lengths(self) -> np.ndarray:
        """The rows of each equivalence class."""
        if self.starts is None:
            return np.ones(len(self.records), dtype=np.int64)
        return np.diff(self.starts, append=len(self.records))


class FrequencyTable:
    """The frequency set and the taxonomies as codes.

    ``paths[a][l]`` gives for each leaf code of attribute ``a`` its node code at level ``l`` under the root; code 0 is
    NULL. ``leaves`` are the rows: leaf codes, class codes (or None) and records. The rolled-up sets that are kept hold
    up to ``kept_codes`` node codes.
    """

    def __init__(
        self,
        roots: LevelVector,
        paths: Sequence[Sequence[np.ndarray]],
        leaves: RolledFrequencySet,
        kept_codes: int = KEPT_CODES,
    ) -> None:
        self.roots = roots
        self.paths = paths
        self.leaves = leaves
        self.records = int(leaves.records.sum())
        self.class_values = 1 if leaves.classes is None else int(leaves.classes.max()) + 1
        self._radices = [[int(codes.max()) + 1 for codes in levels] for levels in paths]
        self._steps: dict[tuple[int, int, int], np.ndarray] = {}
        self._nodes: dict[tuple[int, int], np.ndarray] = {}
        self._kept = [leaves]
        self._kept_levels = np.zeros((len(roots), 1), dtype=np.int16)
        self._kept_rows = np.array([len(leaves.records)])
        self._last: RolledFrequencySet | None = None
        self._codes = 0
        self._kept_codes = kept_codes
        self._read = 0  # rows
        self._staged: set[LevelVector] = {(0,) * len(roots)}
        self._in_vain = 0
        staged = STAGED_PARTS * self._codes_of(leaves) <= kept_codes
        values = [levels[0] for levels in self._radices]
        self._stages = [_leading(roots, values, most) for most in STAGES] if staged else []

    def at(self, vector: LevelVector) -> RolledFrequencySet:
        """The frequency set at a level vector; the last one is cached."""
        if self._last is None or self._last.levels != vector:
            self._last = self._rolled(vector)
        return self._last

    def _rolled(self, vector: LevelVector) -> RolledFrequencySet:
        if self._read > STAGED_AFTER * len(self.leaves.records) and self._in_vain < STAGED_IN_VAIN:
            for attributes in self._stages:
                self._stage(tuple(level if a in attributes else 0 for a, level in enumerate(vector)))
        source = self._nearest(vector)
        rolled = self._roll_up(source, vector)
        if 2 * len(rolled.records) <= len(source.records):
            self._keep(rolled, self._kept_codes)
        return rolled

    def rows_read(self, vector: LevelVector) -> int:
        """The rows that ``at`` would read for a level vector."""
        return len(self._nearest(vector).records)

    def classes_of_leaves(self, vector: LevelVector) -> np.ndarray:
        """For each row of ``leaves``, its equivalence class at a level vector."""
        return _ranks(*self._keys(self.leaves, vector)[:2])

    def _stage(self, vector: LevelVector) -> None:
        """Keep the set of a vector on the way to others, unless it is hardly smaller than what it is rolled up from."""
        if vector in self._staged:
            return
        self._staged.add(vector)
        source = self._nearest(vector)
        rolled = self._roll_up(source, vector)
        smaller = 5 * len(rolled.records) <= 4 * len(source.records)
        kept = smaller and self._keep(rolled, self._kept_codes // 2)
        self._in_vain = max(0, self._in_vain - 1) if kept else self._in_vain + 1

    def _nearest(self, vector: LevelVector) -> RolledFrequencySet:
        """The smallest kept set that a vector can be rolled up from."""
        kept, levels = len(self._kept), np.asarray(vector, dtype=np.int16)
        below = np.flatnonzero(levels < np.asarray(self.roots))
        finer = np.flatnonzero((self._kept_levels[below, :kept] <= levels[below, None]).all(axis=0))
        nearest: RolledFrequencySet = self._kept[finer[int(np.argmin(self._kept_rows[finer]))]]
        return nearest

    def _keep(self, rolled: RolledFrequencySet, most: int) -> bool:
        """Keep a set if all kept sets then have at most ``most`` codes; returns whether it was kept."""
        codes = self._codes_of(rolled)
        if self._codes + codes > most:
            return False
        self._codes += codes
        place = len(self._kept)
        if place == len(self._kept_rows):
            self._kept_levels = np.hstack([self._kept_levels, np.zeros_like(self._kept_levels)])
            self._kept_rows = np.hstack([self._kept_rows, np.zeros_like(self._kept_rows)])
        self._kept.append(rolled)
        self._kept_levels[:, place] = rolled.levels
        self._kept_rows[place] = len(rolled.records)
        return True

    def _codes_of(self, rolled: RolledFrequencySet) -> int:
        return len(rolled.records) * (2 + len(self.roots))

    def step(self, attribute: int, level: int, above: int) -> np.ndarray:
        """The code at a level above for each node code at a level of an attribute."""
        key = (attribute, level, above)
        if key not in self._steps:
            lower, upper = self.paths[attribute][level], self.paths[attribute][above]
            codes = np.zeros(int(lower.max()) + 1, dtype=np.int64)
            codes[lower] = upper
            self._steps[key] = codes
        return self._steps[key]

    def _sum_of_leaves(self, vector: LevelVector) -> tuple[np.ndarray, int, dict[int, int]] | None:
        """What ``_keys`` returns of the leaves, from the codes of their nodes at each level, which are kept; None where
        these are too many, or numbers do not fit into 32 bits."""
        below = [a for a, root in enumerate(self.roots) if vector[a] < root]
        radices = [self._radices[a][vector[a]] for a in below]
        if not self._keeps_nodes or prod(radices) * self.class_values >= 1 << 31:
            return None
        keys, weights = np.zeros((2, len(self.leaves.records)), dtype=np.int32)
        counts, size = dict[int, int](), 1
        for attribute, radix in zip(reversed(below), reversed(radices), strict=True):
            np.multiply(self._nodes_of_leaves(attribute, vector[attribute]), np.int32(size), out=weights)
            keys += weights
            counts[attribute] = size
            size *= radix
        return keys, size, counts

    @cached_property
    def _keeps_nodes(self) -> bool:
        there = all(column is not None for column in self.leaves.columns)
        return there and len(self.leaves.records) * sum(self.roots) <= NODE_CODES

    def _nodes_of_leaves(self, attribute: int, level: int) -> np.ndarray:
        """The node code of each row of the leaves at a level of an attribute."""
        key = (attribute, level)
        if key not in self._nodes:
            codes = self.step(attribute, 0, level)[self.leaves.columns[attribute]]
            self._nodes[key] = codes.astype(np.int32)
        return self._nodes[key]

    def _keys(self, source: RolledFrequencySet, vector: LevelVector) -> tuple[np.ndarray, int, dict[int, int]]:
        """A number for the combination of node codes of each row, and how many numbers there may be.

        Also, by attribute, by what number its code counts in these; none where they do not say their codes.
        """
        if source is self.leaves and (found := self._sum_of_leaves(vector)) is not None:
            return found
        keys, size = np.zeros(len(source.records), dtype=np.int64), 1
        weighed: list[tuple[np.ndarray, np.ndarray]] = []
        counts = dict[int, int]()
        for attribute in reversed(range(len(vector))):
            level, column = vector[attribute], source.columns[attribute]
            if level == self.roots[attribute] or column is None:
                continue
            radix = self._radices[attribute][level]
            if size * radix > LARGEST_KEY:
                _, keys = np.unique(_sum(keys, weighed), return_inverse=True)
                weighed, size = [], int(keys.max()) + 1
                counts[-1] = size
            weighed.append((column, self.step(attribute, source.levels[attribute], level) * size))
            counts[attribute] = size
            size *= radix
        return _sum(keys, weighed), size, {} if -1 in counts else counts

    def _keys_of_rows(self, source: RolledFrequencySet, vector: LevelVector) -> tuple[np.ndarray, int, dict[int, int]]:
        """A number for what each row is rolled up to, in the order of the rows, and how many numbers there may be.

        Also what ``_keys`` says of the codes, of a number for the equivalence class.
        """
        keys, size, counts = self._keys(source, vector)
        if source.classes is None:
            return keys, size, counts
        if size * self.class_values > LARGEST_KEY:
            _, keys = np.unique(keys, return_inverse=True)
            size, counts = int(keys.max()) + 1, {}
        keys *= keys.dtype.type(self.class_values)
        keys += source.classes.astype(keys.dtype, copy=False)
        return keys, size * self.class_values, counts

    def _roll_up(self, source: RolledFrequencySet, vector: LevelVector) -> RolledFrequencySet:
        self._read += len(source.records)
        keys, size, counts = self._keys_of_rows(source, vector)
        if counts and size <= max(DENSE_CELLS, 4 * len(keys)):
            found, records = counted(keys, size, self._weights if source is self.leaves else source.records)
            first = None
        else:
            found, first, records = grouped(keys, size, source.records)
        classes, starts, combinations = None, None, found
        if source.classes is not None:
            combinations = found // self.class_values
            classes = (found - combinations * self.class_values).astype(source.classes.dtype)
            starts = np.flatnonzero(first_of_runs(combinations))
        if first is None:
            columns = tuple(self._decoded(combinations, counts, a, vector) for a in range(len(self.roots)))
        else:
            columns = tuple(self._column(source, a, vector, first) for a in range(len(self.roots)))
        return RolledFrequencySet(vector, columns, classes, records, starts)

    @cached_property
    def _weights(self) -> np.ndarray:
        """The records of the leaves, as they are summed: exact while sums are below 2**53."""
        return self.leaves.records.astype(np.float64)

    def _decoded(
        self, combinations: np.ndarray, counts: dict[int, int], attribute: int, vector: LevelVector
    ) -> np.ndarray | None:
        """The codes of an attribute, of numbers in which they count as ``counts`` says."""
        if attribute not in counts:
            return None
        codes = combinations // counts[attribute] % self._radices[attribute][vector[attribute]]
        return codes.astype(np.int32)

    def _column(
        self, source: RolledFrequencySet, attribute: int, vector: LevelVector, rows: np.ndarray
    ) -> np.ndarray | None:
        column, level = source.columns[attribute], vector[attribute]
        if column is None or level == self.roots[attribute]:
            return None
        codes: np.ndarray = column[rows]
        if level != source.levels[attribute]:
            codes = self.step(attribute, source.levels[attribute], level)[codes].astype(np.int32)
        return codes


def _leading(roots: LevelVector, values: Sequence[int], most: int) -> frozenset[int]:
    """The attributes with the most values, as many as have up to so many level vectors together."""
    chosen: list[int] = []
    vectors = 1
    for attribute in sorted(range(len(roots)), key=lambda a: -values[a]):
        vectors *= roots[attribute] + 1
        if vectors > most:
            break
        chosen.append(attribute)
    return frozenset(chosen)


def _sum(keys: np.ndarray, weighed: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """``keys`` with the weight of each row's code in each column added in place."""
    weights = np.empty_like(keys)
    for column, weight in weighed:
        np.take(weight, column, out=weights, mode="clip")  # no code is out of bounds; "raise" would copy
        keys += weights
    return keys


def _ranks(keys: np.ndarray, size: int) -> np.ndarray:
    """For each of the ``keys`` (from 0, under ``size``), how many smaller ones there are among the distinct ones."""
    if size > max(DENSE_CELLS, 4 * len(keys)):
        return np.unique(keys, return_inverse=True)[1]
    there = np.bincount(keys, minlength=size) > 0
    ranks: np.ndarray = (np.cumsum(there) - 1)[keys]
    return ranks


def grouped(keys: np.ndarray, size: int, records: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct ``keys`` (from 0, under ``size``) in their order, a row that has each, and the records of each."""
    if size <= max(DENSE_CELLS, 4 * len(keys)):
        found, counts = counted(keys, size, records)
        rows = np.empty(size, dtype=np.int64)
        rows[keys] = np.arange(len(keys))
        return found, rows[found], counts
    order, ordered = _sorted(keys, size)
    starts = np.flatnonzero(first_of_runs(ordered))
    return ordered[starts], order[starts], np.add.reduceat(records[order], starts)


def counted(keys: np.ndarray, size: int, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ``keys`` (from 0, under ``size``) in their order, and the records of each, counted in place."""
    counts = np.bincount(keys, weights=records, minlength=size)
    found = np.flatnonzero(counts > 0)
    return found, counts[found].astype(np.int64)


def numbered(columns: Sequence[np.ndarray], rows: int) -> tuple[np.ndarray, int]:
    """A number for the combination of codes (from 0) of each of so many ``rows``, in the order of combinations, and how
    many numbers there may be."""
    keys, size = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        radix = int(column.max(initial=0)) + 1
        if size * radix > LARGEST_KEY:
            keys = _ranks(keys, size)
            size = int(keys.max(initial=0)) + 1
        keys, size = keys * radix + column, size * radix
    return keys, size


def distinct(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each distinct combination of codes (from 0), in their order, and the number of the combination
    of each row."""
    keys, size = numbered(columns, len(columns[0]))
    if size > LARGEST_KEY >> len(keys).bit_length():
        keys = _ranks(keys, size)
        size = int(keys.max(initial=0)) + 1
    order, ordered = _sorted(keys, size)
    begins = first_of_runs(ordered)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    return order[begins], group


def first_of_runs(numbers: np.ndarray) -> np.ndarray:
    """Whether each number differs from the one before it; the first is True."""
    first = np.empty(len(numbers), dtype=bool)
    first[:1] = True
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return first


def _sorted(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the order of their keys, and the keys in that order.

    Where both fit into one number, such numbers are sorted, which takes half as long as sorting rows by keys.
    """
    bits = len(keys).bit_length()
    if size > LARGEST_KEY >> bits:
        order = np.argsort(keys)
        return order, keys[order]
    numbers = (keys.astype(np.int64) << bits) | np.arange(len(keys))
    numbers.sort()
    return numbers & ((1 << bits) - 1), numbers >> bits
