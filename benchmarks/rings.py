"""Rings: records in an order in which any l that follow one another, the first after the last, have l values.

The order is greedy: next comes the record with which the views that are still open lose least, a view being the closure
of a record and the l - 1 after it. Its value is not one of the l - 1 before it, and leaves an order for the rest. That
is tried greedily too, so some records that would do may be passed over; an order that is known is kept at all times, so
that none ever ends without one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from anonduck.errors import RequirementNotMet
from anonduck.methods.closures import ClosureColumn

Closures = list[tuple[int, int]]


def ring_order(
    columns: Sequence[ClosureColumn], places: np.ndarray, values: Sequence[int], diversity: int
) -> list[int]:
    """The records of a cluster in a ring, from the first one on; any l that follow one another have l values."""
    rest = any_ring(values, diversity)
    begin = rest.index(values[0])
    rest = rest[begin + 1 :] + rest[:begin]
    ring, laid = [0], [values[0]]
    open_views = [[column.single(int(place)) for column, place in zip(columns, places[:, 0], strict=True)]]
    slots = [column.slots[place] for column, place in zip(columns, places, strict=True)]
    left = np.ones(len(values), dtype=bool)
    left[0] = False
    while rest:
        open_views = open_views[-(diversity - 1) :] if diversity > 1 else []
        losses = sum((_losses_with(columns, places, slots, one) for one in open_views), np.zeros(len(values)))
        record, rest = _next(
            np.flatnonzero(left)[np.argsort(losses[left], kind="stable")], values, laid, rest, diversity
        )
        ring.append(record)
        laid.append(values[record])
        left[record] = False
        at = places[:, record].tolist()
        open_views = [[c.joined(*one) for c, *one in zip(columns, view, at, strict=True)] for view in open_views]
        open_views.append([column.single(place) for column, place in zip(columns, at, strict=True)])
    return ring


def _losses_with(
    columns: Sequence[ClosureColumn], places: np.ndarray, slots: Sequence[np.ndarray], view: Closures
) -> np.ndarray:
    """What a view loses with each record of the cluster."""
    losses = np.zeros(places.shape[1])
    for column, closure, place, slot in zip(columns, view, places, slots, strict=True):
        losses += column.row(closure)[slot]
        losses[place == closure[0]] -= column.own_slot_loss(closure)
    return losses


def _next(
    records: np.ndarray,
    values: Sequence[int],
    laid: list[int],
    rest: list[int],
    diversity: int,
) -> tuple[int, list[int]]:
    """The first of some records that leaves an order for the others, and the values of such an order."""
    orders: dict[int, list[int] | None] = {rest[0]: rest[1:]}
    for record in records.tolist():
        value = values[record]
        if value not in orders:
            orders[value] = _moved_up(laid, value, rest, diversity) or _completed(laid, value, rest, diversity)
        order = orders[value]
        if order is not None:
            return record, order
    raise AssertionError("the value of the order that is known is always left")


def any_ring(values: Sequence[int], diversity: int) -> list[int]:
    """These values in a ring in which any l that follow one another differ.

    There is one if and only if no value is there more than floor(n / l) times. The values are dealt to so many parts of
    l places or more, one to each in turn and the most frequent ones first. So equal ones come to parts that follow one
    another, and in none before the place that they had in the one before.

    >>> any_ring([1, 2, 2, 3, 1], 2)
    [1, 2, 3, 1, 2]
    """
    counts = np.bincount(values)
    parts = len(values) // diversity
    if not parts or counts.max() > parts:
        raise RequirementNotMet(
            f"{counts.max()} of {len(values)} records have the same value, more than one in {diversity}"
        )
    dealt = [int(value) for value in np.argsort(-counts, kind="stable") for _ in range(counts[value])]
    return [value for part in range(parts) for value in dealt[part::parts]]


def _moved_up(laid: list[int], value: int, rest: list[int], diversity: int) -> list[int] | None:
    """The values of ``rest`` with ``value`` first and then left out; None where that is no ring with what is laid."""
    at, place = rest.index(value), len(laid)
    ring = [*laid, value, *rest[:at], *rest[at + 1 :]]
    begins = [*range(place - diversity + 1, place + 1), *range(place + at - diversity + 2, place + at + 1)]
    for begin in begins:
        if len({ring[(begin + step) % len(ring)] for step in range(diversity)}) < diversity:
            return None
    return ring[place + 1 :]


def _completed(laid: list[int], value: int, rest: list[int], diversity: int) -> list[int] | None:
    """The values of ``rest`` but for ``value``, in an order that makes a ring of what is laid, ``value`` and them.

    Each time that value comes whose next one is due first. None where that finds no order, or ``value`` is too close to
    another one of the same before it; that it is not too close to the first, around the end, ``rest`` tells, in which
    it comes later.
    """
    size, at = len(laid) + len(rest), len(laid)
    if value in laid[max(at - diversity + 1, 0) :]:
        return None
    ring, left = [*laid, value], Counter(rest)
    left[value] -= 1
    ends = dict.fromkeys(left, size - 1)  # the last place that a value can have
    for place, one in reversed(list(enumerate(ring))):
        ends[one] = min(size - 1, place + size - diversity)
    ready = {one: place + diversity for place, one in enumerate(ring)}
    due = {one: ends[one] - (count - 1) * diversity for one, count in left.items() if count}
    for place in range(len(ring), size):
        free = [one for one in due if ready.get(one, 0) <= place]
        if not free or min(due.values()) < place:
            return None
        chosen = min(free, key=lambda one: (due[one], one))
        ring.append(chosen)
        if chosen not in ready:  # the first of its value bounds the last
            last = min(size - 1, place + size - diversity)
            due[chosen] += last - ends[chosen]
        ready[chosen] = place + diversity
        left[chosen] -= 1
        due[chosen] += diversity
        if not left[chosen]:
            del due[chosen]
    return ring[at + 1 :]
