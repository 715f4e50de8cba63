"""Utility measures counted over the rows themselves: what each record shows, and what stays of a release."""

from collections import Counter, defaultdict
from itertools import groupby
from math import log2

from class_oracle import labels_of
from oracles import entropy


def in_stretches(paths):
    """Whether each node covers values that follow one another, without which the taxonomy of a file has no order."""
    at_levels = [[node for node, _ in groupby(level)] for level in zip(*paths.values(), strict=True)]
    return all(len(nodes) == len(set(nodes)) for nodes in at_levels)


def covered(paths, level, value):
    """How many leaves the node of a value at a level stands for."""
    if value is None:
        return 1
    label = labels_of(paths, value)[level]
    return sum(labels_of(paths, leaf)[level] == label for leaf in paths)


def cell_costs(paths, level, value, ordered):
    """By loss, NCP and height; numbers that are ``ordered`` have a range."""
    root, leaves = len(next(iter(paths.values()))), len(paths)
    if level == root:
        return 1.0, 1.0, 1.0
    if value is None:
        return 0.0, 0.0, 0.0
    under = covered(paths, level, value)
    loss = (under - 1) / max(1, leaves - 1)
    if not ordered:
        return loss, under / leaves if under > 1 else 0.0, level / root
    spanned = [leaf for leaf in paths if labels_of(paths, leaf)[level] == labels_of(paths, value)[level]]
    return loss, (max(spanned) - min(spanned)) / max(1, max(paths) - min(paths)), level / root


def shown_at(names, paths, rows, vector):
    """Level and label of each record in each column where a rule shows them; NULL under the root is as it came."""
    roots = [len(next(iter(paths[name].values()))) for name in names]
    found = []
    for row in rows:
        levels = [0 if value is None and at < root else at for value, at, root in zip(row, vector, roots, strict=False)]
        found.append(
            tuple((at, labels_of(paths[name], value)[at]) for name, value, at in zip(names, row, levels, strict=False))
        )
    return found


def by_hand(names, paths, rows, shown, staying, *, k, ordered=None, weights=None):
    """All measures and the gain of the records that stay, from the rows; ``shown`` are levels and labels.

    Where ``ordered`` is not said, numbers have a range where those under each node of a file follow each other.
    """
    heavy = [(weights or {}).get(name, 1.0) for name in names]
    ranged = [in_stretches(paths[name]) if ordered is None else ordered for name in names]
    costs = [
        cell_costs(paths[name], shown[at][i][0], rows[at][i], ranged[i]) if at in staying else (1.0, 1.0, 1.0)
        for at in range(len(rows))
        for i, name in enumerate(names)
    ]
    gone, cells = len(rows) - len(staying), len(costs)
    kept = [rows[at] for at in staying]
    labels = [tuple(label for _, label in shown[at]) for at in staying]
    groups = defaultdict(list)
    for label, row in zip(labels, kept, strict=True):
        groups[label].append(row[-1])
    prior = Counter(row[-1] for row in rows)
    told = sum(n * log2(n / len(g) * len(rows) / prior[c]) for g in groups.values() for c, n in Counter(g).items())
    loss, ncp, height = (sum(cost) for cost in zip(*costs, strict=True))
    return {
        "information_gain": max(0.0, told / len(rows)),
        "loss": loss / cells,
        "ncp": ncp / cells,
        "precision": 1 - height / cells,
        "distortion": sum(heavy[place % len(names)] * cost[2] for place, cost in enumerate(costs)),
        "nonuniform_entropy": bits_lost(names, paths, kept, [shown[at] for at in staying]),
        "discernibility": sum(len(g) ** 2 for g in groups.values()) + gone * len(rows),
        "average_class_size": len(kept) / len(groups) / k,
        "classification_metric": (sum(len(g) - max(Counter(g).values()) for g in groups.values()) + gone) / len(rows),
        "kl_divergence": divergence(names, paths, kept, [shown[at] for at in staying]),
        "mutual_information_loss": mean_information(kept)
        - mean_information([(*nodes, row[-1]) for row, nodes in zip(kept, (shown[at] for at in staying), strict=True)]),
    }


def bits_lost(names, paths, rows, shown):
    total = 0.0
    for i, name in enumerate(names):
        values = Counter(row[i] for row in rows)
        for row, nodes in zip(rows, shown, strict=True):
            level, label = nodes[i]
            under = sum(n for value, n in values.items() if labels_of(paths[name], value)[level] == label)
            total += log2(under / values[row[i]])
    return total


def divergence(names, paths, rows, shown):
    original, total = Counter(rows), 0.0
    classes = Counter((tuple(label for _, label in nodes), row[-1]) for row, nodes in zip(rows, shown, strict=True))
    for row, nodes in zip(rows, shown, strict=True):
        share = classes[tuple(label for _, label in nodes), row[-1]] / len(rows)
        for i, name in enumerate(names):
            level, root = nodes[i][0], len(next(iter(paths[name].values())))
            extra = any(other[i] is None for other in rows)
            share /= len(paths[name]) + extra if level == root else covered(paths[name], level, row[i])
        total += log2(original[row] / len(rows) / share)
    return total / len(rows)


def mean_information(table):
    columns = list(zip(*table, strict=True))
    pairs = [(one, other) for i, one in enumerate(columns) for other in columns[:i]]

    def bits(values):
        return entropy(Counter(values).values())

    found = [bits(one) + bits(other) - bits(list(zip(one, other, strict=True))) for one, other in pairs]
    return sum(found) / len(pairs)
