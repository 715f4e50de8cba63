"""Strict Mondrian in plain Python, and the release that it leads to: nodes of hierarchies, nested in each other."""

from collections.abc import Mapping, Sequence

Paths = Mapping[str, Sequence[str]]  # by leaf, in the order of the leaves: its labels from level 1 to the root


def classes(rows: Sequence[Sequence[str]], paths: Sequence[Paths], k: int) -> list[list[int]]:
    """The places of the rows of each class: halves at the median of the widest column that leaves ``k`` on each side
    (LeFevre, DeWitt and Ramakrishnan 2006).

    A row has a leaf for each of the ``paths``, and maybe more.
    """
    orders = [{leaf: place for place, leaf in enumerate(one)} for one in paths]
    waiting, done = [list(range(len(rows)))], []
    while waiting:
        group = waiting.pop()
        held = [sorted(order[rows[at][j]] for at in group) for j, order in enumerate(orders)]
        widest = sorted(range(len(paths)), key=lambda j: (held[j][0] - held[j][-1]) / len(orders[j]))
        sides = next((found for j in widest if (found := _halves(group, rows, orders[j], j, held[j], k))), None)
        (done.append(group) if sides is None else waiting.extend(sides))
    return done


def released(rows: Sequence[Sequence[str]], paths: Sequence[Paths], groups: Sequence[Sequence[int]]) -> list[tuple]:
    """What each row shows: the smallest common node of its class in each column of ``paths``, the rest as it is."""
    shown: list[tuple] = [()] * len(rows)
    for group in groups:
        labels = [common(one, {rows[at][j] for at in group}) for j, one in enumerate(paths)]
        for at in group:
            shown[at] = (*labels, *rows[at][len(paths) :])
    return shown


def common(paths: Paths, leaves: set[str]) -> str:
    """The label of the smallest node over all these leaves."""
    levels = zip(*((leaf, *paths[leaf]) for leaf in leaves), strict=True)
    return next(labels[0] for labels in levels if len(set(labels)) == 1)


def _halves(group, rows, order, j, held, k):
    """Two sides of at least ``k`` rows, cut after the median or before it, or None."""
    median = held[len(held) // 2]
    for below in (lambda place: place < median, lambda place: place <= median):
        left = [at for at in group if below(order[rows[at][j]])]
        if k <= len(left) <= len(group) - k:
            right = [at for at in group if not below(order[rows[at][j]])]
            return [left, right]
    return None
