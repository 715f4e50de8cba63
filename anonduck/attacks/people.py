"""The attacked people, and the released classes that each may be in, which cover the person in all known columns.

Unless labels are nested, that is one class at most. If a person fits several, a record of a class whose labels cover
few values is more likely the person's than one of a class whose labels cover many, because the release does not say
which of its values a class's record has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.knowledge import ORIGINAL, PLACED, PlacedColumns
from anonduck.database.connection import Database
from anonduck.statements import line, statement

if TYPE_CHECKING:
    import pandas as pd

MOST_COMPARED = 300_000_000  # pairs of an original record and a class; above it records are sampled
STEPS = 100
CONVERGED = 1e-6
LEAST = 1e-300  # keeps a class that fits nobody from dividing by 0


@dataclass(frozen=True, eq=False)
class AttackedPeople:
    """People by the labels and positions of their values, and the classes that they may be in.

    ``rows`` has a line per person. ``classes`` has a line per class, or per person whom no class covers (with the
    rarest labels that cover each value). A pair is a person (``owners``) and a class (``places``); ``weights`` (at most
    1) is how likely one record of that class is the person's, relative to one of the other classes. Each is of shape
    (pairs,).
    """

    rows: pd.DataFrame
    classes: pd.DataFrame
    owners: np.ndarray
    places: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def summed(self, of_classes: np.ndarray) -> np.ndarray:
        """The weighted sum, for each person, of what classes have; ``of_classes`` is of shape (classes, n)."""
        return self._added(of_classes, self.weights)

    def mixed(self, of_classes: np.ndarray, records: np.ndarray) -> np.ndarray:
        """The mean, for each person, of what classes have, by the chance that the person is in each class.

        ``of_classes`` is of shape (classes, n), ``records`` (classes,).
        """
        chances = self._chances(records)
        return self._added(of_classes, chances / np.bincount(self.owners, chances, len(self))[self.owners])

    def likeliest(self, records: np.ndarray) -> np.ndarray:
        """The class that each person is most likely in (people,), the first of ties."""
        order = np.lexsort((np.arange(len(self.owners)), -self._chances(records), self.owners))
        _, first = np.unique(self.owners[order], return_index=True)
        found: np.ndarray = self.places[order][first]
        return found

    def _chances(self, records: np.ndarray) -> np.ndarray:
        """How likely each pair is, relative to the other pairs of its person. A class without records counts as one
        record.
        """
        chances: np.ndarray = self.weights * np.maximum(records[self.places], 1.0)
        return chances

    def _added(self, of_classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        found = np.zeros((len(self), of_classes.shape[1]))
        np.add.at(found, self.owners, weights[:, None] * of_classes[self.places])
        return found


def read_people(work: Database, placed: PlacedColumns) -> AttackedPeople:
    """The people of ``targets`` and the classes that they may be in."""
    rows = work.frame(statement("attacks/labels_of_targets.sql", lists={"attributes": items_of(placed.attributes)}))
    if not placed.nested:
        every = np.arange(len(rows))
        return AttackedPeople(rows, rows, every, every, np.ones(len(rows)))
    return _nested(work, placed.known, rows)


def _nested(work: Database, known: Sequence[AttackedColumn], rows: pd.DataFrame) -> AttackedPeople:
    import pandas as pd

    lists = {"known": items_of(known)}
    work.run(statement("attacks/known_classes.sql", lists=lists))
    pairs = work.frame(statement("attacks/covering_classes.sql", lists=lists))
    owners, widths = pairs["owner"].to_numpy(np.int64), pairs["width"].to_numpy(np.float64)
    used, places = np.unique(pairs["place"].to_numpy(np.int64), return_inverse=True)
    text = "SELECT each(known, c.l_{number}) FROM known_classes AS c ORDER BY c.place"
    classes = work.frame(line("attacks/people._nested", text, **lists)).iloc[used]
    narrowest = np.full(len(rows), np.inf)
    np.minimum.at(narrowest, owners, widths)
    alone = np.flatnonzero(np.isinf(narrowest))
    return AttackedPeople(
        rows,
        pd.concat([classes, rows.iloc[alone]], ignore_index=True),
        np.r_[owners, alone],
        np.r_[places, len(used) + np.arange(len(alone))],
        np.r_[np.exp(narrowest[owners] - widths), np.ones(len(alone))],
    )


@dataclass(frozen=True, eq=False)
class OwnRates:
    """The rates of the ``classes`` of ``released_rows``, by number, that agree with a record of the original.

    A person who fits several classes is in each with a chance of its rate as a share of theirs. ``filled`` is by class
    the chance that a person who would be in it has a row there: less than 1 where more people fit than it has records.
    ``without`` is the share of the original that no row agrees with.
    """

    classes: np.ndarray
    rates: np.ndarray
    filled: np.ndarray
    without: float


def own_rates(work: Database, placed: PlacedColumns) -> OwnRates:
    """The rates of all classes, from at most ``MOST_COMPARED`` pairs of a record and a class if labels are nested."""
    pool, limit = PLACED[ORIGINAL], np.iinfo(np.int64).max
    if any(one.several for one in placed.attributes):
        rows = work.count("released_rows")
        limit = max(MOST_COMPARED // rows, 1)
    lists = {"attributes": items_of(placed.attributes)}
    behind = statement("attacks/people_behind.sql", lists=lists, table={"pool": pool})
    pairs = work.frame(behind, {"limit": int(limit)})
    people, classes = (pairs[name].to_numpy(np.int64) for name in ("person", "class"))
    _, people = np.unique(people, return_inverse=True)
    held, classes = np.unique(classes, return_inverse=True)
    alike, records = np.zeros(people.max(initial=-1) + 1), np.zeros(len(held))
    alike[people], records[classes] = pairs["people"], pairs["records"]
    rates = raked(people, classes, alike, records)
    chances = np.maximum(rates[classes], LEAST)
    chances = chances / np.bincount(people, chances, len(alike))[people]
    expected = np.bincount(classes, chances * alike[people], len(held))
    asked = work.value(statement("attacks/compared_people.sql", table={"pool": pool}), {"limit": int(limit)})
    filled = np.minimum(records / np.maximum(expected, LEAST), 1.0)
    return OwnRates(held, rates, filled, 1.0 - float(alike.sum()) / asked)


def raked(people: np.ndarray, classes: np.ndarray, alike: np.ndarray, records: np.ndarray) -> np.ndarray:
    """The rate of each class (classes,), such that the chances of all people add up to its records.

    Several people may fit a row if labels are nested. Each person has one row and each row one person; of all chances
    that respect this the most even ones are taken, by raking (Deming and Stephan 1940).

    Args:
        people, classes: pairs (pairs,) of a person and a class that fits the person, numbered from 0.
        alike: how many people are like each person (people,).
        records: how many rows each class has (classes,).
    """
    rates = records / np.maximum(np.bincount(classes, alike[people], len(records)), 1)
    for _ in range(STEPS):
        chances = np.maximum(rates[classes], LEAST)
        chances = chances / np.bincount(people, chances, len(alike))[people]
        added = records / np.maximum(np.bincount(classes, alike[people] * chances, len(records)), LEAST)
        added /= added.max(initial=0)
        rates = rates * added
        if (added > 1 - CONVERGED).all():
            break
    found: np.ndarray = rates
    return found
