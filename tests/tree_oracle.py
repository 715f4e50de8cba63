"""Cut trees as one would walk them by hand.

Rows are (node, column, first, last, next); a record begins with its places and how many records it stands for.
"""

from collections import Counter, defaultdict


def reached(rows, closed, record):
    """All nodes that a record comes to; closed sides go on by the nearest open range, of two by the lower."""
    node, path = 0, [0]
    while here := [row for row in rows if row[0] == node]:
        (own,) = [row for row in here if row[2] <= record[0][row[1]] <= row[3]]
        left = [row for row in here if row[4] not in closed]
        if not left:
            break
        if own[4] in closed:
            own = min(left, key=lambda row: (own[2] - row[3] if row[3] < own[2] else row[2] - own[3], row[2]))
        node = own[4]
        path.append(node)
    return path


def by_hand(rows, combinations, k, meets):
    natural = Counter()
    for record in combinations:
        for node in reached(rows, set(), record):
            natural[node] += record[1]
    closed = {row[4] for row in rows if natural[row[4]] < k}
    while True:
        classes = defaultdict(set)
        for at, record in enumerate(combinations):
            classes[reached(rows, closed, record)[-1]].add(at)
        failing = {node for node, own in classes.items() if not meets(own)} - {0}
        if not failing:
            return set(map(frozenset, classes.values()))
        closed |= failing
