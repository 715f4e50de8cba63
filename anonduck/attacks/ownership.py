"""Whose a released row is, where several people fit it: the chances that agree with what can be counted.

Where labels are nested in each other, a row that covers a person in all that is released may be somebody else's: more
people fit a class than it has records. Each person has one row and each row one person. Of all chances that respect
this the most even ones are taken, by raking (Deming and Stephan 1940).
"""

from __future__ import annotations

import numpy as np

from anonduck.attacks.knowledge import ORIGINAL, PLACED, PlacedColumns
from anonduck.database.connection import Database
from anonduck.statements import builder_nested, statement

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
    rows = work.value(statement("attacks/distinct_rows.sql"))
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
