"""The privacy models once more in plain Python, on rows as tuples, by their definitions and with no regard to speed."""

from collections import Counter, defaultdict
from itertools import combinations
from math import exp, inf, log


def classes(rows, quasi):
    """The records of each equivalence class; the quasi-identifiers are the first ``quasi`` columns."""
    found = defaultdict(list)
    for row in rows:
        found[row[:quasi]].append(row)
    return found


def shares(values):
    counted = Counter(values)
    return {value: count / len(values) for value, count in counted.items()}


def distributions(rows, quasi, column):
    """The shares in each class, and in all records."""
    held = [shares([row[column] for row in found]) for found in classes(rows, quasi).values()]
    return held, shares([row[column] for row in rows])


def counts(rows, quasi, column):
    return [
        sorted(Counter(row[column] for row in found).values(), reverse=True) for found in classes(rows, quasi).values()
    ]


def recursive(rows, quasi, column, least):
    return max(r[0] / sum(r[least - 1 :]) if len(r) >= least else inf for r in counts(rows, quasi, column))


def equal_distance(p, q):
    return sum(abs(p.get(s, 0) - share) for s, share in q.items()) / 2


def ordered_distance(p, q, order):
    values = sorted(q, key=lambda value: (value is None, order(value) if value is not None else 0))
    total = moved = 0.0
    for value in values[:-1]:
        moved += p.get(value, 0) - q[value]
        total += abs(moved)
    return total / max(1, len(values) - 1)


def hierarchical_distance(p, q, paths):
    """Li et al. 2007: for each inner node, min of what its children have in excess and lack, times its height."""
    height = len(next(iter(paths.values()))) - 1
    extra = defaultdict(float)
    children = defaultdict(set)
    for value, path in paths.items():
        for level in range(height + 1):
            extra[path[level:]] += p.get(value, 0) - q.get(value, 0)
            if level:
                children[path[level:]].add(path[level - 1 :])
    cost = 0.0
    for node, below in children.items():
        excess = sum(max(extra[child], 0) for child in below)
        lack = sum(max(-extra[child], 0) for child in below)
        cost += (height + 1 - len(node)) / height * min(excess, lack)
    return cost


def enhanced(p, q):
    gains = {s: (share - q[s]) / q[s] for s, share in p.items()}
    return inf if any(gain > -log(q[s]) + 1e-12 for s, gain in gains.items()) else max(0, *gains.values())


def lkc(rows, quasi, column, least):
    """Over all subsets of at most that many quasi-identifiers, by definition."""
    smallest, surest = len(rows), 0.0
    for size in range(min(least, quasi) + 1):
        for subset in combinations(range(quasi), size):
            groups = defaultdict(list)
            for row in rows:
                groups[tuple(row[i] for i in subset)].append(row[column])
            smallest = min(smallest, *map(len, groups.values()))
            surest = max(surest, *(max(shares(values).values()) for values in groups.values()))
    return {"k": smallest, "c": surest}


def sensitive_models(rows, quasi, column, *, least=2, paths=None, order=None):
    """Each model of one sensitive column; ``least`` is the parameter of recursive l-diversity and LKC."""
    held, q = distributions(rows, quasi, column)
    reached = {
        "l": min(len(p) for p in held),
        "entropy_l": min(exp(-sum(share * log(share) for share in p.values())) for p in held),
        "recursive_l": recursive(rows, quasi, column, least),
        "frequency_l": min(1 / max(p.values()) for p in held),
        "alpha": max(max(p.values()) for p in held),
        "t": max(equal_distance(p, q) for p in held),
        "beta": max(max(0, *((share - q[s]) / q[s] for s, share in p.items())) for p in held),
        "enhanced_beta": max(enhanced(p, q) for p in held),
        "delta_disclosure": max(max(abs(log(p[s] / share)) if s in p else inf for s, share in q.items()) for p in held),
        "lkc": lkc(rows, quasi, column, least),
        "homogeneous_classes": sum(len(p) == 1 for p in held) / len(held),
        "ha": sum(len(found) for found, p in zip(classes(rows, quasi).values(), held, strict=True) if len(p) == 1)
        / len(rows),
        "pd": sum(max(p.values()) for p in held) / len(held),
    }
    if order is not None:
        reached["t_ordered"] = max(ordered_distance(p, q, order) for p in held)
    if paths is not None:
        reached["t_hierarchical"] = max(hierarchical_distance(p, q, paths) for p in held)
    return reached


def record_models(rows, quasi, *, person=None, population=None, threshold=0.2):
    """Each model of class sizes; ``person`` is the column that names persons, ``population`` a list of rows."""
    held = classes(rows, quasi)
    sizes = {key: len(found) if person is None else len({row[person] for row in found}) for key, found in held.items()}
    risks = [1 / sizes[key] for key, found in held.items() for _ in found]
    reached = {
        "k": min(sizes.values()),
        "prosecutor_risk": max(risks),
        "prosecutor_average": sum(risks) / len(risks),
        "prosecutor_at_risk": sum(risk > threshold for risk in risks) / len(risks),
        "sample_uniqueness": sum(len(found) for key, found in held.items() if sizes[key] == 1) / len(rows),
        "marketer_risk": sum(risks) / len(risks),
    }
    if population is not None:
        reached |= _population_models(held, sizes, Counter(row[:quasi] for row in population), len(rows), threshold)
    return reached


def _population_models(held, sizes, known, records, threshold):
    sought = {key: known[key] or sizes[key] for key in held}
    risks = [1 / sought[key] for key, found in held.items() for _ in found]
    average = sum(risks) / records
    presence = [sizes.get(key, 0) / known[key] if known[key] else inf for key in {*held, *known}]
    return {
        "k_map": min(known[key] for key in held),
        "delta_presence": {"min": min(presence), "max": max(presence)},
        "journalist_risk": max(risks),
        "journalist_average": max(len(held) / sum(sought.values()), average),
        "journalist_at_risk": sum(risk > threshold for risk in risks) / records,
        "marketer_risk": average,
    }
