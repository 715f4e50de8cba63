"""Classes that show typical values: the written file against a query by hand, what is refused, what is told of it."""

import json
import math
from collections import Counter, defaultdict
from datetime import date, timedelta

import duckdb
import numpy as np
import pandas as pd
import pytest

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.statements.template import Statement

QUASI = ["age", "pay", "born", "job", 'an "odd" name']
K = 5


def people(rows=400, seed=0):
    """A table with whole numbers, decimals of which none occurs twice, dates, NULL everywhere, and an id."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 60, rows)
    job = random.choice(["cook", "nurse", "smith", "clerk", "baker"], rows, p=[0.4, 0.3, 0.2, 0.08, 0.02])
    born = [date(1990, 1, 1) + timedelta(days=int(one) * 11) for one in random.integers(0, 60, rows)]
    frame = pd.DataFrame(
        {
            "id": np.arange(rows),
            "age": pd.array(age, dtype="Int64"),
            "pay": 900.0 + random.permutation(rows) * 7.25,
            "born": pd.Series(born, dtype=object),
            "job": pd.Series(job, dtype=object),
            'an "odd" name': pd.Series(random.choice(["x", "y"], rows), dtype=object),
            "class": np.where(age + random.normal(0, 8, rows) > 40, "yes", "no"),
        }
    )
    for name in ("age", "job", "born"):
        frame.loc[random.random(rows) < 0.08, name] = None
    return frame


def project(folder, frame, **keys):
    """A project on a table, whose ids are kept so that its records can be told apart."""
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(
            "COPY (SELECT * REPLACE (CAST(age AS INTEGER) AS age, CAST(born AS DATE) AS born) FROM frame) TO "
            f"'{folder}/people.parquet'"
        )
    given = {"class_": "class", "insensitive": ["id"], "models": [], "requirement": {"k": K}, **keys}
    return Project(source=f"{folder}/people.parquet", **given)


def rows_of(path):
    result = duckdb.sql(f"SELECT * FROM '{path}'")
    names = result.columns
    return {row[names.index("id")]: dict(zip(names, row, strict=True)) for row in result.fetchall()}


def by_hand(values, held, k):
    """What a class shows of a column; None with False where no value may be shown."""
    known = sorted(one for one in values if one is not None)
    if len(set(values)) == 1:
        return True, values[0]
    if not isinstance(known[0], str):
        if len(values) - len(known) > len(known) and held[None] >= k:
            return True, None
        median = known[(len(known) - 1) // 2]
        near = [one for one in held if one is not None and known[0] <= one <= known[-1] and held[one] >= k]
        return (True, min(near, key=lambda one: (abs(one - median), one))) if near else (False, median)
    common = Counter(one for one in values if held[one] >= k)
    most = [one for one in common if common[one] == max(common.values())]
    return (True, most) if most else (False, None)


def finest_labels(project, name):
    """The finest interval of each value."""
    return dict(project.workspace.database.rows(Statement("cells", f'SELECT value, level_1 FROM taxonomy."{name}"')))


def outer_labels(cells, released):
    """The intervals that the least and the largest released value lie in."""
    known = sorted(one for one in released if one is not None)
    return cells[known[0]], cells[known[-1]]


def stands_for(label, outer, kind):
    """The middle of an interval of numbers, the begin of one of dates; where that is open, its other end."""
    text = label.strip("[()").removesuffix(" and later").removeprefix("before ")
    ends = text.split(", ") if ", " in text else ["-inf", text] if label.startswith("before") else [text, "inf"]
    lower = None if ends[0] == "-inf" or label == outer[0] else ends[0]
    upper = None if ends[1] == "inf" or label == outer[1] else ends[1]
    if kind is date:
        return date.fromisoformat(lower or upper)
    middle = (float(lower) + float(upper)) / 2 if lower and upper else float(lower or upper)
    return math.floor(middle) if kind is int else middle


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "guided", "sequential", "topdown"])
@pytest.mark.parametrize("keys", [{}, {"requirement": {"k": K, "l": 2, "suppression": 0.3}, "sensitive": ["class"]}])
def test_each_class_shows_its_typical_values(tmp_path, method, keys):
    frame = people()
    if keys:
        frame["group"] = frame["class"]
        keys = {**keys, "sensitive": ["group"]}
    with project(tmp_path, frame, **keys) as one:
        one.anonymize(method, tmp_path / "ranges.parquet")
        made = one.anonymize(method, tmp_path / "typical.parquet", show="typical")
        cells = {name: finest_labels(one, name) for name in ("age", "pay", "born")}
    source, ranges, typical = (rows_of(tmp_path / f"{name}.parquet") for name in ("people", "ranges", "typical"))
    assert set(ranges) == set(typical)
    shown = [name for name in QUASI if name in next(iter(ranges.values()))]
    classes, held = defaultdict(list), {name: Counter(source[at][name] for at in ranges) for name in shown}
    for at, row in ranges.items():
        classes[tuple(row[name] for name in shown)].append(at)
    outer = {name: outer_labels(cells[name], [source[at][name] for at in ranges]) for name in cells if name in shown}
    made_values = 0
    for members in classes.values():
        for name in shown:
            found = {typical[at][name] for at in members}
            assert len(found) == 1
            is_shown, expected = by_hand([source[at][name] for at in members], held[name], K)
            value = found.pop()
            if isinstance(expected, list):
                assert value in expected
            elif is_shown:
                assert value == expected
            else:
                made_values += 1
                assert value == stands_for(cells[name][expected], outer[name], type(expected))
    sizes = Counter(tuple(row[name] for name in shown) for row in typical.values())
    assert min(sizes.values()) == made.k >= K
    assert made.classes == len(sizes) <= len(classes)
    assert made_values  # no pay is held by two
