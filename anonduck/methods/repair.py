"""Closures that cover in both directions: each record also covers all those that chose it.

NSVDist lets a record cover k originals, but few released records may cover an original, and fewer after pairs in no
perfect matching are ruled out (Last et al. 2014, section 4.5). Where covering is symmetric, any two records that cover
each other can swap places in the matching that leads each released record to its own original. So each pair is in a
perfect matching, and k holds in both directions, after matching too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anonduck.methods.closures import ClosureColumn
from anonduck.methods.coded_records import ClassCells
from anonduck.methods.distributions import Distributions


def repaired(
    found: Distributions, columns: Sequence[ClosureColumn], places: np.ndarray, cells: ClassCells
) -> Distributions:
    """The closures and distributions of records, those that chose them among their members.

    ``places`` are those of each cell, by column. Values of the class are counted among all members.
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
