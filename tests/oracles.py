"""What anonduck computes in SQL, once more in plain Python, and small random tables to compare the two on."""

from collections import Counter, defaultdict
from itertools import combinations, product
from math import ceil, log, log2

import pandas as pd
from hypothesis import strategies as st

from anonduck import Project
from anonduck.frequency.frequency_set import make_coded, make_lookup
from anonduck.measures.judge import RuleJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement
from anonduck.models.contingency import SuppressedRecords
from anonduck.privacy.requirement import ask
from anonduck.rules.rule import RuleSpace
from anonduck.search.score_goals import SCORES
from anonduck.search.searched_records import StoredRecords
from anonduck.source.engine import DuckDBSource
from anonduck.source.source import Roles
from anonduck.statements import Statement
from anonduck.taxonomy.catalog import register

CLASS = "the class"
ODD_NAMES = ["age", 'a "b", c', "select", "имя.дом", "#class", "x@0", "class"]


# -- tables ------------------------------------------------------------------------------------------------------------


@st.composite
def trees(draw, leaves):
    """The paths of some leaves: per leaf its labels at levels 1 to the root, nested, the root last."""
    root = draw(st.integers(1, 3))
    groups = list(range(leaves))
    levels = []
    for level in range(1, root):
        merged = {group: draw(st.integers(0, max(groups))) for group in sorted(set(groups))}
        groups = [merged[group] for group in groups]
        levels.append([f"{level}:{group}" for group in groups])
    levels.append(["*"] * leaves)
    return list(zip(*levels, strict=True))


@st.composite
def tables(draw, max_rows=16, max_attributes=3, max_values=4, max_classes=3, nulls=True):
    """A small table with duplicates and NULLs: attribute names, the path of each value, rows with the class last."""
    count = draw(st.integers(1, max_attributes))
    names = draw(st.permutations(ODD_NAMES))[:count]
    paths = {}
    for name in names:
        values = draw(st.integers(1, max_values))
        paths[name] = dict(enumerate(draw(trees(values))))
    columns = [st.sampled_from([*paths[name], *([None] if nulls else [])]) for name in names]
    classes = st.sampled_from([*"abcd"[:max_classes], *([None] if nulls else [])])
    rows = draw(st.lists(st.tuples(*columns, classes), min_size=2, max_size=max_rows))
    rows += draw(st.lists(st.sampled_from(rows), max_size=4))
    return list(names), paths, rows


def coded(database, names, paths, rows, seed=0):
    """Write the coded frequency set of a table; returns its taxonomies."""
    frame = pd.DataFrame({name: pd.array([row[i] for row in rows], dtype="Int64") for i, name in enumerate(names)})
    frame[CLASS] = pd.array([row[-1] for row in rows], dtype="string")
    database.register("given_rows", frame)
    database.run(Statement("source", "CREATE OR REPLACE TEMP TABLE source AS FROM given_rows"))
    database.unregister("given_rows")
    DuckDBSource(database).frequency_set([*names, CLASS])
    taxonomies = {}
    for name in names:
        write_taxonomy(database, name, paths[name])
        taxonomies[name] = register(database, name, kind="file", ordered=True, origin="a test", options={})
        make_lookup(database, taxonomies[name])
    make_coded(database, Roles(CLASS, tuple(names)), taxonomies, seed)
    return taxonomies


def write_taxonomy(database, name, paths):
    """The table ``taxonomy."<column>"`` from the path of each leaf."""
    root = len(next(iter(paths.values())))
    data = {"value": list(paths)}
    for level in range(1, root + 1):
        data[f"level_{level}"] = [path[level - 1] for path in paths.values()]
    for level in range(root + 1):
        labels = data["value" if level == 0 else f"level_{level}"]
        order = {label: number for number, label in enumerate(dict.fromkeys(labels), start=1)}
        data[f"code_{level}"] = [order[label] for label in labels]
    database.run(Statement("schema", "CREATE SCHEMA IF NOT EXISTS taxonomy"))
    database.register("given_taxonomy", pd.DataFrame(data))
    quoted = '"' + name.replace('"', '""') + '"'
    database.run(Statement("taxonomy", f"CREATE OR REPLACE TABLE taxonomy.{quoted} AS FROM given_taxonomy"))
    database.unregister("given_taxonomy")


def stored_paths(database, name):
    """The path of each leaf of a stored taxonomy."""
    quoted = '"' + name.replace('"', '""') + '"'
    rows = database.records(Statement("taxonomy", f"SELECT * FROM taxonomy.{quoted}"))
    levels = sorted((n for n in rows[0] if n.startswith("level_")), key=lambda n: int(n[6:])) if rows else []
    return {row["value"]: tuple(row[level] for level in levels) for row in rows}


def as_measure(name, cost):
    """The measure that a cost of a search stands for: gain and scores have their sign turned, precision is 1 less."""
    if name in ("information_gain", *SCORES):
        return -cost
    return 1.0 - cost if name == "precision" else cost


def roots_of(names, paths):
    """The root level of each attribute."""
    return tuple(len(next(iter(paths[name].values()))) for name in names)


# -- generalization and measures ---------------------------------------------------------------------------------------


def node(path_of, value, level, root):
    """The node of a value at a level: NULL is a value of its own under the root."""
    if level == root:
        return "the root"
    if value is None:
        return None
    return (level, value if level == 0 else path_of[value][level - 1])


def generalized(names, paths, rows, vector):
    """The rows as a rule shows them, the class last."""
    roots = roots_of(names, paths)
    return [
        (*(node(paths[n], v, at, root) for n, v, at, root in zip(names, row, vector, roots, strict=False)), row[-1])
        for row in rows
    ]


def entropy(counts):
    """Entropy of counts, in bits."""
    total = sum(counts)
    return -sum(n / total * log2(n / total) for n in counts if n)


def measured(names, paths, rows, vector):
    """k, classes, information gain, its Miller-Madow correction, and violating pairs, from the rows themselves."""
    groups = defaultdict(list)
    for row in generalized(names, paths, rows, vector):
        groups[row[:-1]].append(row[-1])
    total = len(rows)
    classes = Counter(row[-1] for row in rows)
    conditional = sum(len(g) / total * entropy(Counter(g).values()) for g in groups.values())
    gain = entropy(classes.values()) - conditional
    cells = sum(len(set(g)) for g in groups.values())

    def bias(symbols):
        return (symbols - 1) / (2 * total * log(2))

    corrected = gain + bias(len(classes)) - bias(cells) + bias(len(groups))
    violating = sum(a != b for g in groups.values() for a, b in combinations(g, 2))
    return min(map(len, groups.values())), len(groups), gain, corrected, violating


def told_of_all(names, paths, rows, stays, vector):
    """The information gain over all rows where those of the numbers ``stays`` alone tell anything of their class."""
    seen = generalized(names, paths, rows, vector)
    kept = [seen[number] for number in stays]
    prior, sizes, cells = Counter(row[-1] for row in rows), Counter(row[:-1] for row in kept), Counter(kept)
    told = sum(log2(cells[row] / sizes[row[:-1]] / (prior[row[-1]] / len(rows))) for row in kept)
    return max(0.0, told / len(rows))


# -- patterns, RFDs, joins ---------------------------------------------------------------------------------------------


def histogram(names, paths, rows):
    """The pairs of rows by distance pattern: (distances, whether the class differs) -> pairs."""
    roots = roots_of(names, paths)
    counts = Counter()
    for one, other in combinations(rows, 2):
        distances = []
        for position, name in enumerate(names):
            together = [
                level
                for level in range(roots[position] + 1)
                if node(paths[name], one[position], level, roots[position])
                == node(paths[name], other[position], level, roots[position])
            ]
            distances.append(min(together))
        counts[(tuple(distances), one[-1] != other[-1])] += 1
    return counts


def covering(counts, coverage, over):
    """The most frequent patterns that cover a share of the pairs, those tied with the last included."""
    items = [(p, n) for p, n in counts.items() if over == "pairs" or p[1]]
    needed = ceil(round(coverage * sum(n for _, n in items), 9))
    items.sort(key=lambda item: -item[1])
    covered = 0
    for _, n in items:
        covered += n
        if covered >= needed:
            return {p: m for p, m in items if m >= n}
    return {}


def maximal_vectors(patterns, roots):
    """All maximal level vectors that admit no pattern; the vector of roots is none."""
    admits = [
        v
        for v in product(*(range(r + 1) for r in roots))
        if not any(all(d <= at for d, at in zip(p, v, strict=True)) for p in patterns)
    ]
    safe = set(admits)
    found = set()
    for v in admits:
        raised = [(*v[:i], at + 1, *v[i + 1 :]) for i, at in enumerate(v) if at < roots[i]]
        if v != tuple(roots) and not any(r in safe for r in raised):
            found.add(v)
    return found


def joins(extracted, roots, reaches):
    """Algorithm 1: the rules that joins add, by round; only the rules of the last round are joined."""
    known, last, rounds = set(extracted), list(extracted), []
    while True:
        fresh = []
        for one, other in combinations(last, 2):
            if any(a != b and root not in {a, b} for a, b, root in zip(one, other, roots, strict=True)):
                continue
            joined = tuple(min(a, b) for a, b in zip(one, other, strict=True))
            if joined not in known and reaches(joined):
                known.add(joined)
                fresh.append(joined)
        rounds.append(fresh)
        if not fresh:
            return rounds
        last = fresh


# -- the whole ---------------------------------------------------------------------------------------------------------


def measurer(database, names, paths):
    """anonduck's own measures of level vectors."""
    return judge_over(database, RuleSpace(tuple(names), roots_of(names, paths))).whole


def judge_over(database, space, requirement=None):
    """The judge of level vectors on the coded frequency set, by default of k >= 1."""
    return RuleJudge(database, space, requirement or Requirement(ask({"k": 1})), measure_totals(database))


def records_of(database, taxonomies, judge):
    """The records of the coded frequency set, by the attributes of a judge."""
    return StoredRecords(database, {name: taxonomies[name] for name in judge.space.attributes}, judge.records)


def people(rows=400, seed=1):
    """A table with an order, categories, NULLs, floats with both zeros, and a class that depends on them."""
    import numpy as np

    random = np.random.default_rng(seed)
    age = random.integers(18, 70, rows)
    job = random.choice(["clerk", "cook", "nurse", "smith", None], rows)
    rate = random.choice([-0.0, 0.0, 1.5, 2.25, float("inf")], rows)
    later = random.random(rows) < 0.1 + (age > 40) * 0.5 + (job == "nurse") * 0.3
    frame = pd.DataFrame({"id": np.arange(rows), "age": pd.array(age, dtype="Int64"), "job": job, "rate": rate})
    frame.loc[random.random(rows) < 0.05, "age"] = pd.NA
    frame["note"] = random.choice(["x", "y", None], rows)
    frame["class"] = np.where(later, "yes", "no")
    return frame


def project(source, **settings):
    """A project over a table of people."""
    settings = {"class_": "class", "identifiers": ["id"], "insensitive": ["note"], "sample": "all", **settings}
    return Project(source=source, **settings)


# -- files -------------------------------------------------------------------------------------------------------------


def documents(name):
    """The files beside a release that tell of it."""
    return [f"{name}.{what}" for what in ("dictionary.json", "dictionary.md", "owner.json", "receipt.json")]


def beside(name):
    """A release and what stands beside it, sorted."""
    return [name, *documents(name)]


def best_by_hand(table, balanced):
    """The best score of any model: for each cell and fold, the class that adds most to it, one by one; of those left
    out, the majority."""
    left_out = table.left_out or SuppressedRecords(table.classes[:0], table.folds[:0])
    counts = {
        c: table.folds[table.classes == c].sum(axis=0) for c in {*table.classes.tolist(), *left_out.classes.tolist()}
    }
    gone = {c: left_out.folds[left_out.classes == c].sum(axis=0) for c in counts}
    every = {c: counts[c] + gone[c] for c in sorted(counts)}
    totals = {c: n.sum() for c, n in every.items()}
    held = [c for c, n in totals.items() if n]
    if not held:
        return 0.0
    worth = {c: 1 / (len(held) * totals[c]) if balanced else 1 / sum(totals.values()) for c in held}
    best = 0.0
    for fold in range(table.folds.shape[1]):
        guess = max(held, key=lambda c: totals[c] - every[c][fold])
        best += gone[guess][fold] * worth[guess]
    for cell in {tuple(codes) for codes in table.codes.tolist()}:
        rows = (table.codes == cell).all(axis=1)
        for fold in range(table.folds.shape[1]):
            best += max(table.folds[rows & (table.classes == c), fold].sum() * worth[c] for c in held)
    return best
