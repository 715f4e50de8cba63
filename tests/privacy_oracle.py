"""The privacy models once more in plain Python, on rows as tuples, by their definitions and with no regard to speed."""

from collections import Counter, defaultdict
from itertools import combinations
from math import e, exp, inf
from math import log as ln


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
    return inf if any(gain > -ln(q[s]) + 1e-12 for s, gain in gains.items()) else max(0, *gains.values())


def lkc(rows, quasi, column, least, concerns=lambda value: True, person=None):
    """Over all subsets of at most that many quasi-identifiers, by definition."""
    smallest, surest = len(rows), 0.0
    for size in range(min(least, quasi) + 1):
        for subset in combinations(range(quasi), size):
            groups = defaultdict(list)
            for row in rows:
                groups[tuple(row[i] for i in subset)].append(row)
            for group in groups.values():
                members = people(group, person)
                smallest = min(smallest, members)
                for value in {row[column] for row in group if concerns(row[column])}:
                    holders = people([row for row in group if row[column] == value], person)
                    surest = max(surest, holders / members)
    return {"k": smallest, "c": surest}


def value_models(rows, quasi, column, *, concerns=lambda value: True, person=None, least=2, log=e):
    """The models that bound values one by one, over the values that concern; of persons, if a column names them.

    A person counts once for each value in a class, and the share of a value is that of the persons who have it.
    """
    held = classes(rows, quasi)
    members = {key: people(found, person) for key, found in held.items()}
    has = {
        key: Counter(
            value for value, _ in {(row[column], who(row, number, person)) for number, row in enumerate(found)}
        )
        for key, found in held.items()
    }
    total = sum(members.values())
    q = Counter()
    for counted in has.values():
        q.update(counted)
    q = {s: count / total for s, count in q.items() if concerns(s)}
    p = [{s: has[key][s] / members[key] for s in q} for key in held]
    gains = [{s: (share - q[s]) / q[s] for s, share in one.items()} for one in p]
    beta = [max(0, *one.values(), 0) for one in gains]
    allowed = [all(gain <= -ln(q[s]) + 1e-12 for s, gain in one.items()) for one in gains]
    ratios = [abs(ln(share / q[s]) / ln(log)) if share else inf for one in p for s, share in one.items()]
    return {
        "alpha": max(max(one.values(), default=0) for one in p),
        "beta": max(beta),
        "enhanced_beta": max(one if fine else inf for one, fine in zip(beta, allowed, strict=True)),
        "delta_disclosure": max(ratios, default=0),
        "lkc": lkc(rows, quasi, column, least, concerns, person),
    }


def who(row, number, person):
    """Whose record it is; without persons each record is one."""
    return number if person is None else row[person]


def people(rows, person):
    return len({who(row, number, person) for number, row in enumerate(rows)})


def person_models(rows, quasi, column, person, *, least=2, paths=None, order=None):
    """The models of the distribution in a class where a person may have several records.

    Each person is one unit, spread evenly over the person's values in the class; q is that of all such units.
    """
    held = classes(rows, quasi)
    units, reached, right = [], [], []
    for found in held.values():
        values = defaultdict(set)
        for row in found:
            values[row[person]].add(row[column])
        weights = defaultdict(float)
        for own in values.values():
            for value in own:
                weights[value] += 1 / len(own)
        counts = sorted(Counter(v for own in values.values() for v in own).values(), reverse=True)
        reached.append(next(n for n in range(1, len(counts) + 1) if sum(counts[:n]) >= len(values)))
        right.append((counts[0], len(values)))
        units.append((dict(weights), len(values)))
    total = sum(size for _, size in units)
    q = defaultdict(float)
    for weights, _ in units:
        for value, weight in weights.items():
            q[value] += weight / total
    p = [{value: weight / size for value, weight in weights.items()} for weights, size in units]
    ranked = [sorted(one.values(), reverse=True) for one in p]
    found = {
        "l": min(reached),
        "entropy_l": min(exp(-sum(share * ln(share) for share in one.values())) for one in p),
        "recursive_l": max(r[0] / sum(r[least - 1 :]) if len(r) >= least else inf for r in ranked),
        "frequency_l": min(size / most for most, size in right),
        "t": max(equal_distance(one, q) for one in p),
        "homogeneous_classes": sum(most == size for most, size in right) / len(right),
        "ha": sum(size for most, size in right if most == size) / total,
        "pd": sum(most / size for most, size in right) / len(right),
    }
    if order is not None:
        found["t_ordered"] = max(ordered_distance(one, q, order) for one in p)
    if paths is not None:
        found["t_hierarchical"] = max(hierarchical_distance(one, q, paths) for one in p)
    return found


def sensitive_models(rows, quasi, column, *, least=2, paths=None, order=None):
    """Each model of one sensitive column; ``least`` is the parameter of recursive l-diversity and LKC."""
    held, q = distributions(rows, quasi, column)
    reached = {
        "l": min(len(p) for p in held),
        "entropy_l": min(exp(-sum(share * ln(share) for share in p.values())) for p in held),
        "recursive_l": recursive(rows, quasi, column, least),
        "frequency_l": min(1 / max(p.values()) for p in held),
        "alpha": max(max(p.values()) for p in held),
        "t": max(equal_distance(p, q) for p in held),
        "beta": max(max(0, *((share - q[s]) / q[s] for s, share in p.items())) for p in held),
        "enhanced_beta": max(enhanced(p, q) for p in held),
        "delta_disclosure": max(max(abs(ln(p[s] / share)) if s in p else inf for s, share in q.items()) for p in held),
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


def linked_people(rows):
    """For each person, the last value of a row, how many persons have the same multiset of rows."""
    held = defaultdict(Counter)
    for *shown, person in rows:
        held[person][tuple(shown)] += 1
    groups = Counter(frozenset(own.items()) for own in held.values())
    return [groups[frozenset(own.items())] for own in held.values()]
