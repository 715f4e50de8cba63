"""Utility measures against the same numbers counted over the rows themselves, and against ARX's known answers."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import CLASS, coded, judge_over, records_of, roots_of, tables
from utility_oracle import by_hand, shown_at

from anonduck import Project
from anonduck.measures.released_cells import ReleaseMeasurer
from anonduck.measures.rule_utility import RuleUtility
from anonduck.rules.measure_names import DEFAULT_UTILITY, UTILITY
from anonduck.rules.rule import RuleSpace
from anonduck.taxonomy.catalog import register

EVERY = tuple(UTILITY)
K = 3


@st.composite
def rules(draw):
    names, paths, rows = draw(tables())
    vectors = st.tuples(*(st.integers(0, root) for root in roots_of(names, paths)))
    return names, paths, rows, draw(vectors), draw(st.booleans())


# -- equality ----------------------------------------------------------------------------------------------------------


def measurer(database, names, paths, rows, *, ordered=True, **options):
    taxonomies = coded(database, names, paths, rows)
    if not ordered:
        taxonomies = {
            name: register(database, name, kind="file", ordered=False, origin="a test", options={}) for name in names
        }
    return by_levels(database, names, taxonomies, k=K, **options)


def by_levels(database, names, taxonomies, **options):
    """What measures the utility of levels by name; ``left_out`` says which equivalence classes are."""
    space = RuleSpace(tuple(names), tuple(taxonomies[name].root for name in names))
    chosen = {name: taxonomies[name] for name in names}
    judge = judge_over(database, space)
    utility = RuleUtility(records_of(database, chosen, judge).columns, judge.table, **options)

    def measure(levels, wanted, left_out=None):
        return utility(space.vector(levels), wanted, None if left_out is None else np.array(left_out))

    return measure


@pytest.mark.slow
@given(rules())
@example(
    (['a "b", c', "select"], {'a "b", c': {0: ("*",)}, "select": {0: ("*",)}}, [(None, 0, None)] * 2, (0, 1), True)
)
@examples(25)
def test_every_measure_equals_its_count_over_the_rows(shared, case):
    names, paths, rows, vector, ordered = case
    weights = {names[0]: 2.5}
    measure = measurer(shared, names, paths, rows, ordered=ordered, weights=weights)
    found = measure(dict(zip(names, vector, strict=True)), EVERY)
    shown = shown_at(names, paths, rows, vector)
    expected = by_hand(names, paths, rows, shown, range(len(rows)), k=K, ordered=ordered, weights=weights)
    assert found == pytest.approx({name: expected[name] for name in EVERY}, abs=1e-9)


def test_an_attribute_that_is_left_out_is_at_its_root(database):
    rows = [(1, 7, "a"), (2, 7, "b"), (2, None, "b")]
    flat = {"x": {1: ("*",), 2: ("*",)}, "y": {7: ("*",), 8: ("*",)}}
    measure = measurer(database, ["x", "y"], flat, rows)
    assert measure({"x": 0}, EVERY) == measure({"x": 0, "y": 1}, EVERY)


def test_suppressed_records_are_charged_as_roots(database):
    rows = [(1, "a"), (1, "b"), (2, "b"), (2, "b"), (3, "a")]
    paths = {"x": {1: ("low", "*"), 2: ("low", "*"), 3: ("high", "*")}}
    taxonomies = coded(database, ["x"], paths, rows)
    found = by_levels(database, ["x"], taxonomies, k=2)({"x": 1}, EVERY, left_out=[False, True])
    assert found["loss"] == pytest.approx((4 * 0.5 + 1) / 5)
    assert found["precision"] == pytest.approx(1 - (4 * 0.5 + 1) / 5)
    assert found["distortion"] == pytest.approx(4 * 0.5 + 1)
    assert found["discernibility"] == 16 + 5
    assert found["classification_metric"] == pytest.approx((1 + 1) / 5)
    assert found["average_class_size"] == 2.0
    assert found["nonuniform_entropy"] == pytest.approx(4.0)


def test_no_record_is_no_error(database):
    taxonomies = coded(database, ["x"], {"x": {1: ("*",)}}, [(1, "a"), (1, "b")])
    found = by_levels(database, ["x"], taxonomies, k=2)({"x": 0}, EVERY, left_out=[True])
    assert (found["loss"], found["discernibility"], found["classification_metric"]) == (1.0, 4.0, 1.0)
    assert (found["kl_divergence"], found["mutual_information_loss"], found["average_class_size"]) == (0.0, 0.0, 0.0)


def test_a_value_that_the_taxonomy_lacks_shows_the_root(database):
    taxonomies = coded(
        database, ["x"], {"x": {1: ("a", "*"), 2: ("a", "*")}}, [(1, "a"), (2, "b"), (5, "b"), (None, "a")]
    )
    found = by_levels(database, ["x"], taxonomies, k=2)({"x": 1}, ["loss", "ncp", "precision"])
    assert found == pytest.approx({"loss": 3 / 4, "ncp": 3 / 4, "precision": 1 - (0.5 + 0.5 + 1) / 4})


def test_the_cheap_measures_are_the_default():
    on_request = {"average_class_size", "classification_metric", "kl_divergence", "mutual_information_loss"}
    assert set(EVERY) - set(DEFAULT_UTILITY) == on_request


# -- ARX ---------------------------------------------------------------------------------------------------------------

NINE = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]
WITHOUT_OCCUPATION = [name for name in NINE if name != "occupation"]
WITHOUT_SALARY = NINE[:-1]


@pytest.fixture(scope="module")
def arx(data_dir):
    """ARX's Adult with ARX's hierarchies; occupation once more as the class, so that all nine are attributes."""
    frame = pd.read_csv(data_dir / "arx" / "adult.csv", sep=";")
    frame[CLASS] = frame["occupation"]
    with Project(source=frame, class_=CLASS, requirement={"k": 1}) as project:
        for name in NINE:
            project.import_taxonomies(data_dir / "arx" / f"adult_hierarchy_{name}.csv", column=name)
        yield project, prepared(project)


def prepared(project):
    from anonduck.frequency.preparation import prepare

    return prepare(project.database, project.config, project.folder, project.source, project.roles, label_k=1)


def arx_measures(arx, names, levels, wanted, left_out=None):
    project, taxonomies = arx
    measure = by_levels(project.database, names, taxonomies, k=5)
    return measure(dict(zip(names, levels, strict=True)), wanted, left_out)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "levels", "bits"),
    [
        (NINE, [1, 2, 1, 1, 3, 2, 2, 1, 1], 407289.538894),
        (NINE, [0, 4, 1, 1, 3, 2, 2, 1, 1], 453196.8932458743),
        (WITHOUT_OCCUPATION, [1, 1, 1, 1, 3, 2, 2, 1], 324620.5269918692),
    ],
)
def test_nonuniform_entropy_is_that_of_arx(arx, names, levels, bits):
    found = arx_measures(arx, names, levels, ["nonuniform_entropy"])
    assert found["nonuniform_entropy"] == pytest.approx(bits, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("levels", "loss"), [([0, 4, 0, 2, 3, 2, 2, 1], 0.6608), ([0, 4, 1, 1, 3, 2, 2, 1], 0.7150)])
def test_loss_is_that_of_arx(arx, levels, loss):
    assert arx_measures(arx, WITHOUT_SALARY, levels, ["loss"])["loss"] == pytest.approx(loss, abs=5e-5)


@pytest.mark.slow
def test_discernibility_with_suppressed_records_is_that_of_arx(arx):
    """0.2-closeness by the equal distance and k = 5 leave 848 records out; each is charged the size of the table."""
    levels = [1, 4, 1, 0, 3, 2, 2, 1]
    whole = arx_measures(arx, WITHOUT_OCCUPATION, levels, ["discernibility"])
    assert whole["discernibility"] == 311880088
    roots = tuple(arx[1][name].root for name in WITHOUT_OCCUPATION)
    rolled = judge_over(arx[0].database, RuleSpace(tuple(WITHOUT_OCCUPATION), roots)).table.at(tuple(levels))
    far = (distances(rolled) > 0.2) | (rolled.sizes < 5)
    assert rolled.sizes[far].sum() == 848
    kept = arx_measures(arx, WITHOUT_OCCUPATION, levels, ["discernibility"], far)
    assert kept["discernibility"] == 336773094


def distances(rolled):
    """How far the class values of each equivalence class are from those of all records, by the equal distance."""
    overall = np.bincount(rolled.classes, weights=rolled.records) / rolled.records.sum()
    found = []
    for rows in np.split(np.arange(len(rolled.records)), rolled.starts[1:]):
        shares = np.zeros(len(overall))
        shares[rolled.classes[rows]] = rolled.records[rows] / rolled.records[rows].sum()
        found.append(np.abs(shares - overall).sum() / 2)
    return np.array(found)


def test_pairs_of_columns_are_asked_once(database, monkeypatch):
    rows = [(1, 7, "a"), (2, 8, "b"), (2, 7, "b")]
    measure = measurer(database, ["x", "y"], {"x": {1: ("*",), 2: ("*",)}, "y": {7: ("*",), 8: ("*",)}}, rows)
    counted = []
    count = ReleaseMeasurer.information
    monkeypatch.setattr(
        ReleaseMeasurer, "information", lambda *given, **more: counted.append(given) or count(*given, **more)
    )
    for levels in ({"x": 0}, {"y": 0}, {"x": 0, "y": 0}):
        measure(levels, ["mutual_information_loss"])
    assert len(counted) == len(list(combinations(["x", "y", CLASS], 2))) + 4  # those of x or y at its root beside


@pytest.mark.slow
def test_dates_are_weighed_by_their_range_and_dates_as_text_by_their_leaves():
    days = ["2020-01-01", "2020-01-31", "2020-02-05", "2020-04-10", None]  # of 100 days, 30 in January
    frame = pd.DataFrame({"day": days * 4, "class": list("xxyy") * 5})
    weighed = {}
    for kind, options in (("DATE", {}), ("VARCHAR", {"format": "%Y-%m-%d"})):
        settings = {"types": {"day": kind}, "taxonomies": {"day": {"dates": ["month", "year"], **options}}}
        with Project(source=frame, class_="class", requirement={"k": 1}, models=[], **settings) as one:
            one.discover()
            weighed[kind] = by_levels(one.database, ["day"], one.taxonomies, k=1)({"day": 1}, ["ncp"])["ncp"]
    assert weighed["DATE"] == pytest.approx(2 * 0.3 / 5)
    assert weighed["VARCHAR"] == pytest.approx(2 * (2 / 4) / 5)
