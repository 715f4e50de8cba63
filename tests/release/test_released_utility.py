"""What releases by methods lose and what models reach on them: counted over the rows, and beside rules."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from class_oracle import opened, recoded, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, coded, judge_over, records_of, roots_of, tables
from persons import persons, settled
from test_found_cuts import METHOD, shown_by_hand
from test_found_levels import SHARES, left_out
from utility_oracle import by_hand, in_stretches, shown_at

from anonduck import Project
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.frequency.frequency_set import FOLDS
from anonduck.measures.attributes import read_counted_columns
from anonduck.measures.measures import contingency
from anonduck.measures.released_cells import CellColumn, ReleasedCells, ReleaseMeasurer, released_contingency
from anonduck.measures.rule_utility import RuleUtility
from anonduck.models.cross_validation import cross_validate
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rule import RuleSpace
from anonduck.statements import Statement
from anonduck.statements.pipeline.column_names import code_column

EVERY = tuple(UTILITY)
K = 2


# -- over the rows -----------------------------------------------------------------------------------------------------


@st.composite
def assignments(draw):
    names, paths, rows = draw(tables(max_rows=12))
    return names, paths, rows, draw(st.lists(st.sampled_from("abcd"), min_size=len(rows), max_size=len(rows)))


@pytest.mark.slow
@examples(20)
@given(assignments(), st.sampled_from([0.0, 0.5]))
def test_every_measure_equals_its_count_over_the_rows(tmp_path_factory, drawn, suppression):
    names, paths, rows, assigned = drawn
    shown = recoded(names, paths, rows, assigned)
    labels = [tuple(label for _, label in nodes) for nodes in shown]
    sizes = Counter(labels)
    staying = [at for at, label in enumerate(labels) if sizes[label] >= K or not suppression]
    under_root = any(shown[at][i][0] < root for at in staying for i, root in enumerate(roots_of(names, paths)))
    if not under_root or len(rows) - len(staying) > suppression * len(rows):
        return
    required = {"k": K, "suppression": suppression} if suppression else {"k": 1}
    with opened(tmp_path_factory.mktemp("classes"), names, paths, rows, **required) as one:
        one.config = one.config.model_copy(update={"measures": list(EVERY), "models": []})
        table = pd.DataFrame({"key": range(len(rows)), "group": assigned})
        made = one.release(classes=table, dry_run=True)
    found = made.owner["utility"]
    expected = by_hand(names, paths, rows, shown, staying, k=K if suppression else 1)
    assert {"information_gain": found["information_gain"], **found["measures"]} == pytest.approx(expected, abs=1e-9)


def measured_without_models(one, method, **options):
    """``receipt`` of a dry run with every measure; None where the method finds no release."""
    one.config = one.config.model_copy(update={"measures": list(EVERY), "models": []})
    try:
        return one.anonymize(method, dry_run=True, **options).owner
    except (ReleaseError, RequirementNotMet):
        return None


def equals_by_hand(found, expected):
    assert {"information_gain": found["information_gain"], **found["measures"]} == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@examples(15)
@given(tables(max_rows=12), st.integers(1, 3), METHOD, st.sampled_from([0.0, 0.5]))
def test_every_measure_of_cuts_equals_its_count_over_the_rows(tmp_path_factory, drawn, k, method, suppression):
    names, paths, rows = drawn
    with opened(tmp_path_factory.mktemp("cuts"), names, paths, rows, k=k, suppression=suppression) as one:
        receipt = measured_without_models(one, method)
    if receipt is not None:
        shown = shown_by_hand(names, paths, rows, k, method)
        equals_by_hand(receipt["utility"], by_hand(names, paths, rows, shown, range(len(rows)), k=k))


@pytest.mark.slow
@examples(14)
@given(tables(max_rows=12), st.integers(1, 3), SHARES, st.sampled_from(["ola", "incognito", "datafly"]))
def test_every_measure_of_found_levels_equals_its_count_over_the_rows(tmp_path_factory, drawn, k, share, method):
    names, paths, rows = drawn
    with opened(tmp_path_factory.mktemp("levels"), names, paths, rows, k=k, suppression=share) as one:
        receipt = measured_without_models(one, method)
    if receipt is None:
        return
    roots = roots_of(names, paths)
    vector = tuple(receipt["rule"]["levels"].get(name, root) for name, root in zip(names, roots, strict=True))
    shown = shown_at(names, paths, rows, vector)
    gone = left_out(names, paths, rows, vector, k)
    assert sum(gone) == receipt["suppressed"]
    staying = [number for number, out in enumerate(gone) if not out]
    equals_by_hand(receipt["utility"], by_hand(names, paths, rows, shown, staying, k=k))


# -- beside a rule -----------------------------------------------------------------------------------------------------


@st.composite
def rules(draw):
    names, paths, rows = draw(tables())
    return names, paths, rows, draw(st.tuples(*(st.integers(0, root) for root in roots_of(names, paths))))


def at_levels(database, names, taxonomies, vector):
    """The cells of a rule, as those of a release whose records all have its levels; and their folds."""
    leaves = ", ".join('"' + code_column(name, 0).replace('"', '""') + '"' for name in names)
    query = f'SELECT * FROM coded_frequency_set ORDER BY {leaves}, "#class"'
    rows = database.arrays(Statement("cells", query))
    records = rows["#records"].astype(np.int64)
    columns, levels, nodes = [], [], []
    for name, level in zip(names, vector, strict=True):
        (counted,) = read_counted_columns(database, {name: taxonomies[name]}, records.sum())
        loss, ncp = counted.attribute("loss"), counted.attribute("ncp")
        numbers = np.r_[np.nan, sorted(float(value) for value in numbers_of(database, name))]
        columns.append(CellColumn(name, loss, ncp, taxonomies[name].ordered, taxonomies[name].leaves, numbers))
        codes = rows[code_column(name, 0)].astype(np.int64)
        shown = np.where(codes == 0, 0, level) if level < taxonomies[name].root else np.full(len(codes), level)
        levels.append(shown)
        nodes.append(columns[-1].over[codes, shown])
    equivalence = np.unique(np.column_stack(nodes), axis=0, return_inverse=True)[1].ravel()
    leaf_codes = tuple(rows[code_column(name, 0)].astype(np.int64) for name in names)
    classes = rows["#class"].astype(np.int64)
    cells = ReleasedCells(leaf_codes, tuple(levels), classes, equivalence, records, np.ones(len(records), dtype=bool))
    folds = np.column_stack([rows[f"#fold_{number}"] for number in range(FOLDS)]).astype(np.int64)
    return cells, columns, folds


def numbers_of(database, name):
    quoted = name.replace('"', '""')
    return [value for (value,) in database.rows(Statement("values", f'SELECT value FROM lookup."{quoted}"'))]


@pytest.mark.slow
@examples(40)
@given(rules())
def test_a_release_at_the_levels_of_a_rule_measures_as_the_rule(shared, drawn):
    names, paths, rows, vector = drawn
    taxonomies = coded(shared, names, paths, rows)
    cells, columns, _ = at_levels(shared, names, taxonomies, vector)
    measurer = ReleaseMeasurer(cells, columns, k=3, weights={names[0]: 2.5})
    found, detail = measurer(EVERY), measurer.detail()
    assert list(detail) == list(names)
    assert sum(detail.values()) / len(names) == pytest.approx(1 - found["ncp"], abs=1e-9)
    judge = judge_over(shared, RuleSpace(tuple(names), roots_of(names, paths)))
    table, columns = judge.table, records_of(shared, taxonomies, judge).columns
    expected = RuleUtility(columns, table, k=3, weights={names[0]: 2.5})
    assert found == pytest.approx(expected(vector, EVERY), abs=1e-9)


@examples(40)
@given(rules())
def test_a_release_at_the_levels_of_a_rule_scores_as_the_rule(shared, drawn):
    names, paths, rows, vector = drawn
    if len(rows) < 4 or len({row[-1] for row in rows}) < 2 or not all(map(in_stretches, paths.values())):
        return
    taxonomies = coded(shared, names, paths, rows)
    cells, columns, folds = at_levels(shared, names, taxonomies, vector)
    named = {name: at for name, at in zip(names, vector, strict=True) if at < taxonomies[name].root}
    if not named:
        return
    rule = contingency(shared, named, taxonomies)
    table = released_contingency(cells, columns, folds, originals=False)
    assert (table.codes.shape, table.nominal) == (rule.codes.shape, rule.nominal)
    assert table.folds.tolist() == rule.folds.tolist()
    assert (cross_validate(table, "tree").accuracy, cross_validate(table, "tree").roc_auc) == (
        cross_validate(rule, "tree").accuracy,
        cross_validate(rule, "tree").roc_auc,
    )


# -- what models see ---------------------------------------------------------------------------------------------------


def nested(levels, *, ordered=True, originals=False, values=range(8)):
    """Eight records of a column whose taxonomy halves it, each at a level of its own, as a contingency table."""
    from anonduck.measures.numpy_measures import CodedAttribute

    ranks = [np.r_[0, [1 + value // size for value in range(8)]] for size in (1, 2, 4)]
    one = CodedAttribute(tuple(ranks), np.r_[0, np.ones(8, dtype=np.int64)], (np.zeros(9),) * 3)
    column = CellColumn("x", one, one, ordered, 8, np.r_[np.nan, np.arange(8) * 10.0])
    codes = np.array(list(values)) + 1
    count = len(codes)
    cells = ReleasedCells(
        (codes,),
        (np.array(levels),),
        np.arange(count) % 2,
        np.arange(count),
        np.ones(count, dtype=np.int64),
        np.ones(count, dtype=bool),
    )
    folds = np.eye(count, FOLDS, dtype=np.int64)
    return released_contingency(cells, [column], folds, originals=originals)


def test_values_are_numbers_and_stretches_that_do_not_overlap_are_places():
    assert nested([0] * 8).values[:, 0].tolist() == [10.0 * value for value in range(8)]
    apart = nested([0, 0, 1, 1, 2, 2, 2, 2])
    assert sorted({(row[0], value[0]) for row, value in zip(apart.codes, apart.values, strict=True)}) == [
        (place, float(place)) for place in (1, 2, 3, 4)
    ]


def test_nodes_that_overlap_show_both_of_their_ends():
    table = nested([0, 1, 2, 2, 0, 3, 3, 3])
    assert table.codes.shape[1] == 2
    ends = {tuple(row) for row in table.values.tolist()}
    assert ends == {(0.0, 0.0), (0.0, 10.0), (0.0, 30.0), (40.0, 40.0), (0.0, 70.0)}
    assert not any(table.nominal)


def test_a_column_without_an_order_is_told_by_its_nodes():
    table = nested([0, 1, 2, 2, 0, 3, 3, 3], ordered=False)
    assert table.nominal == (True,)
    assert len(set(table.codes[:, 0].tolist())) == 5


def test_nodes_lend_all_values_under_them_where_originals_are_tested():
    table = nested([0, 1, 2, 2, 0, 3, 3, 3], originals=True)
    assert table.codes[:, 0].tolist() == list(range(1, 9))
    (over,) = table.over
    for leaf, shown in zip(table.codes[:, 0], table.nodes[:, 0], strict=True):
        assert shown in over[leaf]
    lenders = {int(node): {leaf for leaf in range(1, 9) if node in over[leaf]} for node in table.nodes[:, 0]}
    assert sorted(map(len, lenders.values())) == [1, 1, 2, 4, 8]


# -- releases ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "tds", "ola"])
def test_the_owners_file_tells_what_a_release_loses(tmp_path, method):
    with Project(**settled()) as one:
        made = one.anonymize(method, tmp_path / "out.parquet")
        rehearsed = one.anonymize(method, dry_run=True)
    told = json.loads((tmp_path / "out.parquet.owner.json").read_text())
    assert told["utility"] == made.as_json()["utility"] == rehearsed.as_json()["utility"]
    assert set(told["utility"]["measures"]) == set(one.config.measures)
    assert set(told["utility"]) == {"information_gain", "measures"}
    assert not {"in_sample", "models", "baseline"} & set(told)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tds", "datafly"])
def test_neither_threads_nor_the_order_of_records_change_what_is_told(method):
    told = []
    for frame, threads in ((persons(), 1), (persons().sample(frac=1, random_state=3), 2)):
        with Project(**settled(source=frame, threads=threads)) as one:
            told.append(one.anonymize(method, dry_run=True).owner["utility"])
    assert told[0]["measures"]
    assert told[0] == told[1]


LEVEL = {"groups": 1, "kind": 0, "sex": 0}


def grouped(folder):
    """Records whose best rule, and cut, is LEVEL: `groups` has four values in each of four groups, too few for k."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame({name: random.integers(0, most, 600) for name, most in (("groups", 16), ("kind", 3))})
    frame["sex"] = random.integers(0, 2, 600)
    scored = frame["groups"] // 4 + 2 * frame["kind"] + 3 * frame["sex"] + random.normal(0, 1, 600)
    frame[CLASS] = np.where(scored > 5, "yes", "no")
    paths = {
        "groups": {value: (f"g{value // 4}", "*") for value in range(16)},
        "kind": dict.fromkeys(range(3), ("*",)),
        "sex": dict.fromkeys(range(2), ("*",)),
    }
    return {"source": frame, "class_": CLASS, "taxonomies": taxonomy_files(folder, list(paths), paths)}


@pytest.mark.slow
@pytest.mark.parametrize("split_by", [None, "day"])
def test_a_cut_at_one_level_and_the_same_levels_found_are_a_discovered_rule(tmp_path, split_by):
    settings = grouped(tmp_path)
    if split_by:
        settings = {**settings, "insensitive": ["day"], "split_by": "day"}
        settings["source"]["day"] = range(600)
    with Project(**settings, requirement={"k": 8}, measures=list(EVERY), holdout=0) as one:
        cut = one.anonymize("tds", dry_run=True).owner
        found = one.anonymize("ola", dry_run=True).owner
        one.discover(time_limit=10)
        rule = next(rule.as_json() for rule in one.discovered().rules if rule.as_json()["levels"] == LEVEL)
    assert found["rule"]["levels"] == LEVEL
    assert {entry["name"]: list(entry["at_levels"]) for entry in cut["columns"] if entry.get("at_levels")} == {
        name: [str(level)] for name, level in LEVEL.items()
    }
    assert cut["utility"] == found["utility"]
    assert found["utility"]["measures"] == pytest.approx(rule["utility"], abs=1e-9)
    assert found["utility"]["information_gain"] == pytest.approx(rule["information_gain"], abs=1e-9)


def test_values_that_a_taxonomy_does_not_know_cost_as_at_its_root(tmp_path):
    """As text at level 0 they show the root label; told by a release whose other records show their values."""
    (tmp_path / "job.csv").write_text("a,*\nb,*\n")
    frame = pd.DataFrame({"job": ["a"] * 10 + ["b"] * 6 + ["new"] * 4, "bought": ["yes", "no"] * 10})
    given = {"taxonomies": {"job": {"file": str(tmp_path / "job.csv"), "header": False}}, "unmapped": "root"}
    with Project(source=frame, class_="bought", **given, requirement={"k": 4}) as one:
        told = {method: one.anonymize(method, dry_run=True).owner["utility"] for method in ("ola", "mondrian")}
    assert told["ola"]["measures"]["loss"] == told["mondrian"]["measures"]["loss"] == pytest.approx(4 / 20)


@pytest.mark.slow
def test_a_rule_has_no_such_measures(tmp_path):
    with Project(**settled()) as one:
        made = one.release("age=1", tmp_path / "out.parquet")
    assert made.owner["utility"] is None


@pytest.mark.slow
def test_nothing_of_the_cells_stays_in_the_decision_database(tmp_path):
    with Project(**settled()) as one:
        one.anonymize("mondrian", tmp_path / "out.parquet")
        held = {name for (name,) in one.database.rows(Statement("tables", "SELECT table_name FROM duckdb_tables()"))}
    assert not [name for name in held if name.startswith("released_")]
