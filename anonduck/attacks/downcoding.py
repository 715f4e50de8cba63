"""Downcoding: what a label reveals about the finer nodes under it, if it is the smallest node over its class's records.

After Cohen (2022), "Attacks on Deidentification's Defenses": if records are generalized no more than necessary, a label
says that the records of its class do *not* all lie in one of the finer nodes under it. An attacker who knows how
frequent these nodes are in the population concludes more. In a class of five whose label covers a node of 98 % and one
of 2 %, most likely just one record lies in the rare node. Two claims follow:

- predicate singling-out: just one person fits the class's labels with one label refined to a finer node;
- refinement: how many records of a class lie in each finer node under its label in a column.

Both start from the chances of a class of n records whose values are drawn independently, column by column, by their
shares in the original. The attacker excludes the case that all records lie in one node; the plain guess does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.knowledge import CONTROL, ORIGINAL, PlacedColumns, sized_classes
from anonduck.attacks.rates import Rate
from anonduck.attacks.report import DOWNCODING, REFINEMENT, SINGLING_OUT, Attempt
from anonduck.database.connection import Database
from anonduck.privacy.relations import forget
from anonduck.statements import statement

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CANDIDATES = 2  # how many claims per guess are checked against the records of other classes
MOST_CHILDREN = 256  # a label with more finer nodes is not refined
REMEMBERED = 4096  # cached labels
PART = 200  # claims checked at once, to bound memory


@dataclass(frozen=True, eq=False)
class ColumnNodes:
    """A column: the share of each value in the original (values,), and which values each label and taxonomy node
    covers.

    ``labels`` (labels + 1, values) and ``nodes`` (nodes + 1, values) are incidence matrices; their first row is empty.
    """

    shares: np.ndarray
    labels: csr_array
    nodes: csr_array

    def covers(self, label: int) -> np.ndarray:
        """Whether a label covers each value (values,)."""
        found = np.zeros(len(self.shares), dtype=bool)
        found[self._behind(label)] = True
        return found

    def children(self, label: int) -> np.ndarray:
        """The child of a label that each value (values,) lies in, numbered from 0; -1 for values that the label does
        not cover.

        A child is the largest node over the value that covers some of the label's values and no others, or the value
        itself if there is none. A label of one value has no child.
        """
        inside, behind = self.covers(label), self._behind(label)
        held = self.nodes @ inside.astype(np.float64)
        finer = np.flatnonzero((held > 0) & (held == self._sizes) & (held < len(behind)))
        child, left = np.full(len(inside), -1), len(behind)
        for node in finer[np.argsort(self._sizes[finer], kind="stable")][::-1]:
            under = self.nodes.indices[self.nodes.indptr[node] : self.nodes.indptr[node + 1]]
            fresh = under[child[under] < 0]
            child[fresh] = node
            left -= len(fresh)
            if not left:
                break
        alone = behind[child[behind] < 0]
        child[alone] = len(self._sizes) + alone
        child[behind] = np.unique(child[behind], return_inverse=True)[1]
        return child if len(behind) > 1 else np.full(len(inside), -1)

    def _behind(self, label: int) -> np.ndarray:
        found: np.ndarray = self.labels.indices[self.labels.indptr[label] : self.labels.indptr[label + 1]]
        return found

    @cached_property
    def _sizes(self) -> np.ndarray:
        sizes: np.ndarray = np.diff(self.nodes.indptr)
        return sizes


def read_nodes(work: Database, known: Sequence[AttackedColumn]) -> list[ColumnNodes]:
    """The nodes of each known column; makes ``numbered_values``."""
    work.run(statement("attacks/numbered_values.sql"))
    values = work.frame(statement("attacks/values.sql"))
    behind = work.frame(statement("attacks/behind.sql"))
    found = []
    for one in known:
        held = values.loc[values["attribute"] == one.number, "records"].to_numpy(np.float64)
        here = behind[behind["attribute"] == one.number]
        labels, nodes = (_incidence(here[here["released"] == released], len(held)) for released in (True, False))
        found.append(ColumnNodes(held / held.sum(), labels, nodes))
    return found


def numbered(work: Database, known: Sequence[AttackedColumn], source: str) -> tuple[np.ndarray, np.ndarray]:
    """The distinct records of a grouped table: value numbers of shape (columns, rows), and numbers of
    records (rows,).
    """
    table = work.frame(
        statement("attacks/numbered_rows.sql", table={"records_of": source}, lists={"known": items_of(known)})
    )
    return table[[f"v_{one.number}" for one in known]].to_numpy(np.int64).T, table["records"].to_numpy(np.int64)


def _incidence(table: object, values: int) -> csr_array:
    from scipy.sparse import csr_array

    node, number = (table[name].to_numpy(np.int64) for name in ("node", "number"))  # type: ignore[index]
    shape = (int(node.max(initial=0)) + 1, values)
    return csr_array((np.ones(len(node)), (node, number)), shape=shape)


@dataclass(frozen=True, eq=False)
class Predicates:
    """Claims that just one person fits a class with its label in one column refined to a child of that label.

    ``classes``, ``columns`` and ``children`` (claims,) are numbers. ``plain`` and ``minimal`` (claims,) are the chances
    that just one record of the class fits, without and with the knowledge that labels are smallest nodes.
    """

    classes: np.ndarray
    columns: np.ndarray
    children: np.ndarray
    plain: np.ndarray
    minimal: np.ndarray

    def at(self, places: np.ndarray) -> Predicates:
        """The claims at these places."""
        return Predicates(*(getattr(self, name)[places] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Downcoded:
    """The result of downcoding.

    ``single`` and ``control`` rate the claims about just one person, in the original and in the control group;
    ``expected`` is the share expected without minimality. ``refined`` rates refined columns of classes, ``plain`` the
    plain guess about the same ones. Of the ``classes`` that were examined, ``unchecked`` fit another number of people
    than they have records, so that a refinement cannot be checked.
    """

    single: Rate
    control: Rate | None
    expected: float
    refined: Rate
    plain: Rate
    classes: int
    unchecked: int

    @property
    def attempts(self) -> Iterator[Attempt]:
        """The claims that were made, as attacks."""
        if self.single.tried:
            yield Attempt(SINGLING_OUT, DOWNCODING, None, self.single, self.control, self.expected)
        if self.refined.tried:
            yield Attempt(REFINEMENT, DOWNCODING, None, self.refined, None, self.plain.share, guessed=self.plain)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what was not tried or cannot be checked."""
        if not self.single.tried:
            return ("downcoding was not tried, because no label has several finer nodes under it",)
        if not self.unchecked:
            return ()
        return (
            f"{self.unchecked:,} of {self.classes:,} classes do not fit just as many people as they have records: what "
            "their labels reveal about their own records cannot be checked, and is not counted as refinement",
        )


def downcode(work: Database, placed: PlacedColumns, guesses: int, seed: int, *, control: bool) -> Downcoded:
    """Make at most ``guesses`` claims about just one person, and refine as many classes."""
    downcoding = Downcoding(work, placed)
    claims = downcoding.predicates(guesses)
    single = downcoding.isolating(work, claims, ORIGINAL)
    other = downcoding.isolating(work, claims, CONTROL) if control else None
    drawn = np.random.default_rng(seed).permutation(len(downcoding.records))[:guesses]
    refined, plain, unchecked = downcoding.refined(work, drawn)
    forget(work, ["numbered_values"])
    expected = float(claims.plain.mean()) if len(claims.plain) else 0.0
    return Downcoded(single, other, expected, refined, plain, len(drawn), unchecked)


class Downcoding:
    """The classes of a release, and the nodes under their labels.

    ``labels`` (columns, classes) are the numbers of the labels, ``records`` (classes,) the numbers of records.
    """

    def __init__(self, work: Database, placed: PlacedColumns) -> None:
        self._known = placed.known
        self._nodes: Sequence[ColumnNodes] = read_nodes(work, self._known)
        table = work.frame(sized_classes(self._known))
        self.labels = table[[f"l_{one.number}" for one in self._known]].to_numpy(np.int64).T
        self.records = table["records"].to_numpy(np.int64)
        self._children = lru_cache(REMEMBERED)(lambda column, label: self._nodes[column].children(label))
        self._covers = lru_cache(REMEMBERED)(lambda column, label: self._nodes[column].covers(label))

    # -- singling out --------------------------------------------------------------------------------------------------

    def predicates(self, guesses: int) -> Predicates:
        """The most likely claims, by minimality and by how many records of other classes may fit them."""
        parts = [part for column in range(len(self._nodes)) for part in self._of_column(column)]
        if not parts:
            none = np.zeros(0, dtype=np.int64)
            return Predicates(none, none, none, np.zeros(0), np.zeros(0))
        claims = Predicates(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        claims = claims.at(np.argsort(-np.round(claims.minimal, 9), kind="stable")[: CANDIDATES * guesses])
        nobody = np.exp(-self._others(claims))
        claims = replace(claims, plain=claims.plain * nobody, minimal=claims.minimal * nobody)
        return claims.at(np.argsort(-np.round(claims.minimal, 9), kind="stable")[:guesses])

    def _of_column(self, column: int) -> Iterator[tuple[np.ndarray, ...]]:
        """For each label, the best child to claim in each class that has the label."""
        for label in np.unique(self.labels[column]):
            shares = self._shares(column, label)
            if np.count_nonzero(shares) < 2:
                continue
            classes = np.flatnonzero((self.labels[column] == label) & (self.records > 1))
            records = self.records[classes][:, None]
            one = records * shares * (1 - shares) ** (records - 1)
            best = one.argmax(axis=1)
            plain = one[np.arange(len(classes)), best]
            minimal = plain / (1 - (shares**records).sum(axis=1))
            yield classes, np.full(len(classes), column), best, plain, minimal

    def _shares(self, column: int, label: int) -> np.ndarray:
        """The share of each child under a label; empty if it has none, or too many."""
        children, nodes = self._children(column, label), self._nodes[column]
        behind = children >= 0
        if children.max(initial=-1) >= MOST_CHILDREN:
            return np.zeros(0)
        held = np.bincount(children[behind], nodes.shares[behind])
        found: np.ndarray = held / held.sum() if held.any() else held
        return found

    def _others(self, claims: Predicates) -> np.ndarray:
        """The expected number of records of other classes that fit each claim, if values are drawn independently."""
        found = np.zeros(len(claims.classes))
        for start in range(0, len(found), PART):
            part = claims.at(np.arange(start, min(start + PART, len(found))))
            fitting = np.tile(self.records.astype(np.float64), (len(part.classes), 1))
            for column, nodes in enumerate(self._nodes):
                asked = np.vstack([self._asked(part, column, claim) for claim in range(len(part.classes))])
                mass = np.maximum(nodes.labels @ nodes.shares, 1e-300)
                inside = (nodes.labels @ (asked * nodes.shares).T).T / mass
                fitting *= inside[:, self.labels[column]]
            fitting[np.arange(len(part.classes)), part.classes] = 0.0
            found[start : start + PART] = fitting.sum(axis=1)
        return found

    def _asked(self, claims: Predicates, column: int, claim: int) -> np.ndarray:
        """Whether each value of a column (values,) fits a claim."""
        label = int(self.labels[column, claims.classes[claim]])
        if claims.columns[claim] == column:
            fits: np.ndarray = self._children(column, label) == claims.children[claim]
            return fits
        covered: np.ndarray = self._covers(column, label)
        return covered

    def isolating(self, work: Database, claims: Predicates, table: str) -> Rate:
        """How many claims hold for exactly one record of a grouped table."""
        values, records = numbered(work, self._known, table)
        right = sum(self._fitting(values, records, claims, claim) == 1 for claim in range(len(claims.classes)))
        return Rate(right, len(claims.classes))

    def _fitting(self, values: np.ndarray, records: np.ndarray, claims: Predicates, claim: int) -> int:
        left = np.arange(len(records))
        for column in np.argsort(np.arange(len(values)) != claims.columns[claim], kind="stable"):
            left = left[self._asked(claims, column, claim)[values[column, left]]]
        return int(records[left].sum())

    # -- refinement ----------------------------------------------------------------------------------------------------

    def refined(self, work: Database, drawn: np.ndarray) -> tuple[Rate, Rate, int]:
        """Refine the classes ``drawn``.

        Returns the rates of columns refined rightly with and without minimality, and the number of classes that cannot
        be checked because another number of people fits them than they have records.
        """
        values, records = numbered(work, self._known, ORIGINAL)
        tried = right = plainly = unchecked = 0
        for one in drawn:
            inside = self._inside(values, one)
            if records[inside].sum() != self.records[one]:
                unchecked += 1
                continue
            for minimal, plain in self._compared(values[:, inside], records[inside], one):
                tried, right, plainly = tried + 1, right + minimal, plainly + plain
        return Rate(right, tried), Rate(plainly, tried), unchecked

    def _inside(self, values: np.ndarray, one: int) -> np.ndarray:
        """The original records that fit a class."""
        left = np.arange(values.shape[1])
        for column in range(len(values)):
            left = left[self._covers(column, int(self.labels[column, one]))[values[column, left]]]
        return left

    def _compared(self, values: np.ndarray, records: np.ndarray, one: int) -> Iterator[tuple[bool, bool]]:
        """For each column with children, whether each guess has the right number of records in every child."""
        for column in range(len(values)):
            label = int(self.labels[column, one])
            shares = self._shares(column, label)
            if np.count_nonzero(shares) > 1 and records.sum() > 1:
                truth = np.bincount(self._children(column, label)[values[column]], records, len(shares))
                minimal, plain = (likeliest(int(records.sum()), shares, minimal=known) for known in (True, False))
                yield bool((minimal == truth).all()), bool((plain == truth).all())


def likeliest(records: int, shares: np.ndarray, *, minimal: bool) -> np.ndarray:
    """The likeliest numbers of records in each child, given the children's ``shares``; with ``minimal`` not all in one
    child.

    This is the mode of the multinomial distribution, the first of ties: start from the whole parts of the expected
    numbers and give record after record to the child that raises the chance most (Feller 1968, VI.10, problem 28). With
    ``minimal``, if one child has all records, one record moves to the next child.
    """
    counts = np.floor(np.maximum(records * shares - 1e-9, 0.0))
    for _ in range(records - int(counts.sum())):
        counts[(shares / (counts + 1)).argmax()] += 1
    if minimal and counts.max() == records > 1:
        first = int(counts.argmax())
        rest = np.where(np.arange(len(shares)) == first, -1.0, shares)
        counts[[first, int(rest.argmax())]] += [-1, 1]
    return counts
