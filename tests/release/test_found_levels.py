"""Releases by a method that finds a rule: the rule that trying all finds, and its release."""

import json
from collections import Counter
from itertools import product

import duckdb
import numpy as np
import pytest
from class_oracle import opened, parquet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, generalized, node, roots_of, tables
from test_found_classes import ROLES, persons

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.search.budgets import frequency_rows

# -- by hand -----------------------------------------------------------------------------------------------------------


def left_out(names, paths, rows, vector, k, diverse=None):
    """Which records are in classes that fail."""
    shown = [row[:-1] for row in generalized(names, paths, rows, vector)]
    sizes, values = Counter(shown), Counter(set(zip(shown, diverse, strict=True))) if diverse else None
    held = Counter(one for one, _ in values) if values else None
    return [sizes[one] < k or (held is not None and held[one] < 2) for one in shown]


def meeting(names, paths, rows, k, share, diverse=None):
    """The vectors under the roots that leave out no more than a share of the records, and not all, with who leaves."""
    roots, found = roots_of(names, paths), {}
    for vector in product(*(range(root + 1) for root in roots)):
        gone = left_out(names, paths, rows, vector, k, diverse)
        if vector != roots and sum(gone) <= share * len(rows) + 1e-9 and not all(gone):
            found[vector] = gone
    return found


def loss(names, paths, rows, vector, gone):
    """``loss`` of docs/measures.md; a record that is left out counts as at the roots."""
    roots, total = roots_of(names, paths), 0.0
    for row, out in zip(rows, gone, strict=True):
        for name, value, level, root in zip(names, row, vector, roots, strict=False):
            label = node(paths[name], value, level, root)
            covered = sum(node(paths[name], leaf, level, root) == label for leaf in paths[name])
            at_root = out or level == root
            wide = 0.0 if value is None or len(paths[name]) == 1 else (covered - 1) / (len(paths[name]) - 1)
            total += 1.0 if at_root else wide
    return total / len(rows) / len(names)


def released(names, paths, rows, vector, gone):
    roots = roots_of(names, paths)
    kept = [i for i, level in enumerate(vector) if level < roots[i]]

    def text(i, value):
        return value if value is None or vector[i] == 0 else paths[names[i]][value][vector[i] - 1]

    shown = [(*(text(i, row[i]) for i in kept), row[-1]) for row, out in zip(rows, gone, strict=True) if not out]
    return [names[i] for i in kept] + [CLASS], Counter(shown)


def datafly_by_hand(names, paths, rows, met):
    """The first vector that meets what is required, each step up in the column with most distinct values."""
    roots = roots_of(names, paths)
    ranks = np.random.default_rng(0).permutation(len(names)).tolist()
    vector = [0] * len(names)
    while not met(tuple(vector)):
        left = [i for i, level in enumerate(vector) if level < roots[i]]
        if not left:
            return None
        shown = list(zip(*generalized(names, paths, rows, vector), strict=True))
        vector[min(left, key=lambda i: (-len(set(shown[i])), ranks[i]))] += 1
    return None if tuple(vector) == roots else tuple(vector)


# -- against trying all ------------------------------------------------------------------------------------------------

SHARES = st.sampled_from([0.0, 0.1, 0.3])


def made_by(one, method, folder, **options):
    try:
        return one.anonymize(method, folder / "out.parquet", **options)
    except RequirementNotMet:
        assert not (folder / "out.parquet").exists()
        return None


@pytest.mark.slow
@examples(14)
@given(tables(max_rows=14), st.integers(1, 4), SHARES, st.sampled_from(["ola", "incognito", "datafly"]), st.booleans())
def test_the_rule_is_the_one_that_trying_all_finds(tmp_path_factory, drawn, k, share, method, flag):
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("levels")
    option = {"ola": None, "incognito": "height", "datafly": "suppress"}[method]
    settings = {option: flag} if option else {}
    share_used = {"ola": share, "incognito": 0.0, "datafly": min(1.0, k / len(rows)) if flag else share}[method]
    found = meeting(names, paths, rows, k, share_used)
    with opened(folder, names, paths, rows, k=k, suppression=share) as one:
        made = made_by(one, method, folder, settings=settings)
    if made is None:
        expected = datafly_by_hand(names, paths, rows, found.__contains__) if method == "datafly" else None
        assert expected is None
        assert method == "datafly" or not found
        return
    vector = tuple(
        made.receipt["rule"]["levels"].get(name, root) for name, root in zip(names, roots_of(names, paths), strict=True)
    )
    assert vector in found
    assert made.receipt["method"]["name"] == method
    if method == "datafly":
        roots = roots_of(names, paths)
        whole = not any(left_out(names, paths, rows, roots, k))
        met = lambda one: one in found or (one == roots and whole)  # noqa: E731
        assert vector == datafly_by_hand(names, paths, rows, met)
    else:
        costs = {one: loss(names, paths, rows, one, gone) for one, gone in found.items()}
        if method == "incognito" and flag:
            costs = {one: (sum(one), round(cost, 9)) for one, cost in costs.items()}
            assert (sum(vector), costs[vector][1]) == min(costs.values())
        else:
            assert costs[vector] == pytest.approx(min(costs.values()))
    shown_names, shown = parquet(folder / "out.parquet")
    assert (shown_names, Counter(shown)) == released(names, paths, rows, vector, found[vector])
    assert audit(folder / "out.parquet", shown_names[:-1], class_=CLASS).k == made.k >= k
    assert made.suppressed == sum(found[vector])


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 3), SHARES)
def test_datafly_leaves_out_classes_that_fail_what_else_is_required(tmp_path_factory, drawn, k, share):
    """A class of one sensitive value alone fails, however large it is."""
    names, paths, rows = drawn
    folder = tmp_path_factory.mktemp("levels")
    secrets = [f"s{number % 2}" for number in range(len(rows))]
    found = meeting(names, paths, rows, k, share, secrets)
    with opened(folder, names, paths, rows, k=k) as kept:
        frame = kept.workspace.data.drop(columns="key").assign(secret=secrets)
        taxonomies = {name: one.model_dump(exclude_none=True) for name, one in kept.config.taxonomies.items()}
    roles = {"class_": CLASS, "sensitive": ["secret"], "taxonomies": taxonomies}
    with Project(source=frame, **roles, requirement={"k": k, "l": 2, "suppression": share}) as one:
        made = made_by(one, "datafly", folder)
    roots = roots_of(names, paths)
    gone = left_out(names, paths, rows, roots, k, secrets)
    at_roots = sum(gone) <= share * len(rows) and not all(gone)
    met = lambda one: one in found or (one == roots and at_roots)  # noqa: E731
    expected = datafly_by_hand(names, paths, rows, met)
    assert (made is None) == (expected is None)
    if made is not None:
        assert made.receipt["rule"]["levels"] == {
            name: level for name, level, root in zip(names, expected, roots, strict=True) if level < root
        }
        assert made.suppressed == sum(found[expected])


# -- a table to read ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_release_is_that_of_its_rule(tmp_path):
    """The bytes are those of the rule; the receipt tells the method, and what its rule had to meet."""
    with Project(source=persons(), **ROLES) as one:
        made = one.anonymize("ola", tmp_path / "ola.parquet", k=8)
        again = one.release(made.receipt["rule"]["levels"], tmp_path / "rule.parquet", requirement={"k": 8})
    assert (tmp_path / "ola.parquet").read_bytes() == (tmp_path / "rule.parquet").read_bytes()
    assert made.receipt["method"]["model"] == {"k": 8}
    assert made.receipt["method"]["options"] == {"entropy": False}
    assert "El Emam" in made.receipt["method"]["words"]
    differing = {name for name in made.receipt if made.receipt[name] != again.receipt[name]}
    assert differing <= {"method", "file", "files", "fingerprints"}


@pytest.mark.slow
def test_a_discovery_stays_as_it_is(tmp_path):
    """Its frontier is asked of the same database afterwards."""
    with Project(source=persons(), **ROLES, models=[]) as one:
        one.discover()
        before, tables_before = one.frontier(), frequency_rows(one.database)
        one.anonymize("datafly", tmp_path / "out.csv", k=2)
        one.anonymize("incognito", tmp_path / "other.csv", k=9)
        assert one.frontier().equals(before)
        assert one.stale() == []
        assert frequency_rows(one.database) == tables_before


@pytest.mark.slow
def test_another_export_finds_a_rule_of_its_own(tmp_path):
    persons().to_parquet(tmp_path / "first.parquet")
    persons(rows=90, seed=2).to_parquet(tmp_path / "second.parquet")
    with Project(source=str(tmp_path / "first.parquet"), **ROLES) as one:
        own = one.anonymize("ola", tmp_path / "one.csv")
        other = one.anonymize("ola", tmp_path / "two.csv", source=tmp_path / "second.parquet")
        assert own.rows == 400
        assert other.rows == 90
        assert one.anonymize("ola", dry_run=True).receipt["rule"] == own.receipt["rule"]


def test_what_cannot_be_asked_is_refused(tmp_path):
    with Project(source=persons(40), **ROLES) as one:
        with pytest.raises(ConfigError, match="decides by itself how many records are left out"):
            one.anonymize("incognito", dry_run=True, requirement={"suppression": 0.1})
        with pytest.raises(RequirementNotMet, match="finds no rule"):
            one.anonymize("datafly", dry_run=True, k=41)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_run_finds_a_rule_where_the_config_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    persons().to_parquet("persons.parquet")
    (tmp_path / "anonduck.yml").write_text(
        "source: persons.parquet\nclass: class\nidentifiers: [illness]\nrequirement: {k: 5}\nmethod: datafly\n"
        "methods: {datafly: {suppress: true}}\n"
    )
    assert run(["run", "-o", "out.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["release"]["method"]["name"] == "datafly"
    receipt = json.loads((tmp_path / "out.csv.receipt.json").read_text())
    assert receipt["method"]["options"] == {"suppress": True}
    assert receipt["rule"]["levels"]
    assert receipt["suppressed"] <= 5
    (line,) = (line for line in receipt["requirements"] if line["name"] == "suppression")
    assert line["lowered"]
    counted = duckdb.sql("SELECT count(*) FROM 'out.csv'").fetchall()[0][0]
    assert counted == 400 - receipt["suppressed"]
    assert run(["anonymize", "ola", "-o", "out.csv"]) == 2
    assert "exists" in capsys.readouterr().err
