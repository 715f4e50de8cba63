"""The people who are attacked, and the classes of the release that each may be in: all that cover the person in every
known column.

Where labels are not nested in each other that is one class at most. Where they are, a person may be in several: in the
records of one whose labels cover few values more likely than in as many of one whose labels cover many, since a record
of a class holds each of its values alike, as far as the release tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonduck.attacks.knowledge import ORIGINAL, PLACED, PlacedColumns
from anonduck.database.connection import Database
from anonduck.statements import builder_attack, builder_nested, statement
from anonduck.statements.builder_attack import AttackedColumn

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class AttackedPeople:
    """People by the labels and positions of their values, and the classes that they may be in.

    ``rows`` has a line per person, ``classes`` one per class, or per person whom no class covers, of whom it has the
    rarest labels that cover the values one by one. A pair is a person (``owners``), a class (``places``) and how likely
    one record of that class is the person's, beside one of the others (``weights``, at most 1), each of shape (pairs,).
    """

    rows: pd.DataFrame
    classes: pd.DataFrame
    owners: np.ndarray
    places: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def summed(self, of_classes: np.ndarray) -> np.ndarray:
        """What classes have, of shape (classes, n), added up by weight for each person."""
        return self._added(of_classes, self.weights)

    def mixed(self, of_classes: np.ndarray, records: np.ndarray) -> np.ndarray:
        """The mean of what classes have, of shape (classes, n), by the chance that each person is in each of them.

        ``records`` (classes,) are those of the classes.
        """
        chances = self._chances(records)
        return self._added(of_classes, chances / np.bincount(self.owners, chances, len(self))[self.owners])

    def likeliest(self, records: np.ndarray) -> np.ndarray:
        """The class that each person is in most likely (people,), the first of equals."""
        order = np.lexsort((np.arange(len(self.owners)), -self._chances(records), self.owners))
        _, first = np.unique(self.owners[order], return_index=True)
        found: np.ndarray = self.places[order][first]
        return found

    def _chances(self, records: np.ndarray) -> np.ndarray:
        """How likely each pair is, beside the others of its person; a class without records stands for nobody else."""
        chances: np.ndarray = self.weights * np.maximum(records[self.places], 1.0)
        return chances

    def _added(self, of_classes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        found = np.zeros((len(self), of_classes.shape[1]))
        np.add.at(found, self.owners, weights[:, None] * of_classes[self.places])
        return found


def read_people(work: Database, placed: PlacedColumns) -> AttackedPeople:
    """The people of ``targets`` and the classes that they may be in."""
    rows = work.frame(builder_attack.labels_of_targets(placed.attributes))
    if not placed.nested:
        every = np.arange(len(rows))
        return AttackedPeople(rows, rows, every, every, np.ones(len(rows)))
    return _nested(work, placed.known, rows)


def _nested(work: Database, known: Sequence[AttackedColumn], rows: pd.DataFrame) -> AttackedPeople:
    import pandas as pd

    work.run(builder_nested.known_classes(known))
    pairs = work.frame(builder_nested.covering_classes(known))
    owners, widths = pairs["owner"].to_numpy(np.int64), pairs["width"].to_numpy(np.float64)
    used, places = np.unique(pairs["place"].to_numpy(np.int64), return_inverse=True)
    classes = work.frame(builder_nested.labels_of_classes(known)).iloc[used]
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


MOST_COMPARED = 300_000_000  # pairs of an original record and a class; of more, so many original records at random
STEPS = 100
SETTLED = 1e-6
LEAST = 1e-300  # of what a class is expected to have, so that one that fits nobody divides nothing by 0
RATES = "own_rates"


def register_rates(work: Database, placed: PlacedColumns) -> None:
    """Register ``own_rates``: class, of ``released_rows``, and rate; a person who fits several classes is in each with
    a chance of its rate as a share of theirs.
    """
    import pandas as pd

    query = builder_nested.people_behind(placed.attributes, PLACED[ORIGINAL])
    rows = work.value(statement("attacks/distinct_rows.sql", table={"grouped": "released_rows"}))
    pairs = work.frame(query, {"limit": max(MOST_COMPARED // rows, 1)})
    people, classes = (pairs[name].to_numpy(np.int64) for name in ("person", "class"))
    _, people = np.unique(people, return_inverse=True)
    held, classes = np.unique(classes, return_inverse=True)
    alike, records = np.zeros(people.max(initial=-1) + 1), np.zeros(len(held))
    alike[people], records[classes] = pairs["people"], pairs["records"]
    rates = raked(people, classes, alike, records)
    work.register(RATES, pd.DataFrame({"class": held, "rate": rates}))


def raked(people: np.ndarray, classes: np.ndarray, alike: np.ndarray, records: np.ndarray) -> np.ndarray:
    """The rate of each class (classes,), so that the chances of all people add up to its records.

    A pair says that one person fits one class: ``people`` and ``classes`` (pairs,) from 0. ``alike`` (people,) is how
    many are like this, ``records`` (classes,) how many rows a class has.
    """
    rates = records / np.maximum(np.bincount(classes, alike[people], len(records)), 1)
    for _ in range(STEPS):
        chances = np.maximum(rates[classes], LEAST)
        chances = chances / np.bincount(people, chances, len(alike))[people]
        added = records / np.maximum(np.bincount(classes, alike[people] * chances, len(records)), LEAST)
        added /= added.max(initial=0)
        rates = rates * added
        if (added > 1 - SETTLED).all():
            break
    found: np.ndarray = rates
    return found


def forget_rates(work: Database) -> None:
    """Remove what was registered."""
    work.unregister(RATES)
