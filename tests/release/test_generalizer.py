"""Rules applied to records: a release as a table, and a transformer that shows each record as a release does."""

import pickle
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project

from anonduck.auditing.audit import audit
from anonduck.errors import ConfigError, RequirementNotMet, RuleError, SourceError, TaxonomyError
from anonduck.project import Project

ODD = 'an "odd", name'
BUILT = {
    "age": {"intervals": 3},
    "when": {"dates": ["month", "year"]},
    "zip": {"mask": "right"},
    ODD: {"clusters": True},
}


def mixed(rows=120, seed=1):
    """Numbers with two zeros, NaN and NULL; dates, masked text with NULL, an odd name; a class."""
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": pd.array(random.integers(18, 70, rows), dtype="Int64"),
            "rate": random.choice([-0.0, 0.0, 1.5, np.nan, 2.25, np.inf], rows),
            "when": [date(2020 + n % 3, 1 + n % 12, 5) if n else None for n in random.integers(0, 40, rows).tolist()],
            "zip": random.choice(["0123", "0124", "9", None], rows),
            ODD: random.choice(["a", "b", "", None, "it's"], rows),
            "class": random.choice(["yes", "no"], rows),
        }
    )  # fmt: skip


def mixed_project(source, **settings):
    given = {"class_": "class", "taxonomies": BUILT, "requirement": {"k": 1}, "models": [], **settings}
    from anonduck import Project

    return Project(source=source, **given)


def lines(table):
    """The rows of a table as sortable texts, a missing value as one and the two zeros told apart."""
    return sorted(repr(tuple(None if pd.isna(one) else one for one in row)) for row in table.itertuples(index=False))


@pytest.fixture(scope="module")
def trained():
    with mixed_project(mixed()) as one:
        one.build_taxonomies()
        yield one


def shown_alike(trained, levels):
    """Hold what the transformer shows of the source's own records, together and one by one, against their release."""
    source = mixed()
    released, generalizer = trained.apply(levels), trained.generalizer(levels)
    shown = generalizer.fit_transform(source.sample(frac=1, random_state=3))
    assert shown.columns.tolist() == [name for name in source.columns if name in levels]
    assert lines(shown) == lines(released[shown.columns])
    assert dict(shown.dtypes) == dict(released[shown.columns].dtypes)
    shown = shown.sort_index()
    assert shown.index.equals(source.index)
    one_by_one = pd.concat([generalizer.transform(source.iloc[[place]]) for place in range(3)])
    assert lines(one_by_one) == lines(shown.iloc[:3])


@pytest.mark.slow
def test_each_record_is_shown_as_a_release_shows_it(trained):
    shown_alike(trained, {"age": 1, "rate": 0, "when": 1, "zip": 1, ODD: 0})


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*BUILT, "rate"]), st.integers(0, 3), min_size=1))
@examples(12)
def test_so_it_is_by_any_rule(trained, levels):
    shown_alike(trained, {name: min(level, trained.taxonomies[name].root - 1) for name, level in levels.items()})


@pytest.mark.slow
def test_records_that_a_release_leaves_out_have_labels_too():
    source = people(150)
    with project(source, requirement={"k": 8, "suppression": 0.2}, models=[]) as one:
        released, shown = one.apply({"age": 3, "job": 0}), one.generalizer({"age": 3, "job": 0}).transform(source)
    assert 0 < released.attrs["receipt"]["suppressed"] == len(source) - len(released)
    sizes = shown.assign(n=1).groupby(["age", "job"], dropna=False)["n"].transform("size")
    assert lines(shown[sizes >= 8]) == lines(released[["age", "job"]])


@pytest.mark.slow
def test_it_is_a_transformer_of_scikit_learn():
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    source = people(200)
    with project(source, models=[]) as one:
        generalizer = one.generalizer({"job": 0, "age": 2})
    copied = pickle.loads(pickle.dumps(clone(generalizer)))  # noqa: S301 - what was just pickled
    assert generalizer.fit(source).get_feature_names_out().tolist() == ["age", "job"]
    assert generalizer.feature_names_in_.tolist() == source.columns.tolist()
    assert copied.fit(source).transform(source).equals(generalizer.transform(source))
    assert "clerk" not in repr(copied)
    pipeline = make_pipeline(copied, OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier(random_state=0))
    later = people(50, seed=9)
    assert set(pipeline.fit(source, source["class"]).predict(later)) <= {"yes", "no"}
    assert generalizer.set_output(transform="pandas").fit_transform(source).columns.tolist() == ["age", "job"]


@pytest.mark.slow
def test_a_pickle_of_three_columns_with_thousands_of_values_is_small():
    random = np.random.default_rng(4)
    table = pd.DataFrame(
        {
            "weight": random.normal(70, 12, 1_500).round(3),
            "height": random.normal(170, 9, 1_500).round(3),
            "zip": [f"{one:05d}" for one in random.integers(0, 3_000, 1_500)],
            "class": random.choice(["yes", "no"], 1_500),
        }
    )
    with mixed_project(table, taxonomies={"zip": {"mask": "right"}}) as wide:
        generalizer = wide.generalizer({"weight": 3, "height": 4, "zip": 2})
    packed = pickle.dumps(generalizer)
    assert len(packed) <= 35_000
    assert pickle.loads(packed).transform(table).equals(generalizer.transform(table))  # noqa: S301 - its own


def test_a_pickle_stores_a_mask_of_thousands_of_codes_once():
    codes = [f"{one:05d}" for one in np.random.default_rng(4).permutation(6_000)[:3_000]]
    table = pd.DataFrame({"zip": codes, "class": ["yes", "no"] * 1_500})
    with Project(source=table, class_="class", taxonomies={"zip": {"mask": "right"}}) as one:
        generalizer = one.generalizer({"zip": 2})
    packed = pickle.dumps(generalizer)
    assert len(packed) <= 15_000  # 33 kB with each label in each row
    assert pickle.loads(packed).transform(table).equals(generalizer.transform(table))  # noqa: S301 - its own


@pytest.mark.slow
def test_new_values_find_their_place_or_are_refused(trained):
    new = pd.DataFrame(
        {"age": [3, 240], "zip": ["0199", None], "when": [date(1890, 1, 1), None], ODD: ["new one", "a"]}
    )
    released = trained.apply({"age": 1})["age"].unique()
    known = trained.generalizer({"age": 1, "zip": 2, "when": 2})
    shown = known.transform(new)
    assert set(shown["age"]) <= set(released), "what lies beyond all intervals is in the outermost ones"
    assert shown["zip"].fillna("none").tolist() == ["01**", "none"]
    assert shown["when"].fillna("none").tolist() == ["1890", "none"]
    unknown = trained.generalizer({ODD: 0})
    with pytest.raises(TaxonomyError, match="lacks 1 of its values, found in 1 records") as refused:
        unknown.transform(new)
    assert "new one" not in str(refused.value)
    assert unknown.set_params(unmapped="root").transform(new)[ODD].tolist() == ["*", "a"]


def test_values_are_read_as_the_source_has_them(trained):
    ages = trained.generalizer({"age": 0})
    assert ages.transform(pd.DataFrame({"age": [20.0, np.nan]}))["age"].tolist() == [20, pd.NA]
    by_interval = trained.generalizer({"age": 1})
    texts, numbers = pd.DataFrame({"age": ["20", "21"]}), pd.DataFrame({"age": [20.0, 21.5]})
    assert by_interval.transform(texts)["age"].iloc[0] == by_interval.transform(numbers)["age"].iloc[0]
    with pytest.raises(SourceError, match="'age' is BIGINT in the source; 1 value of the records cannot be") as refused:
        by_interval.transform(pd.DataFrame({"age": ["20", "twenty"]}))
    assert "twenty" not in str(refused.value)
    with pytest.raises(SourceError, match="'zip' is text in the source and DOUBLE in the records"):
        trained.generalizer({"zip": 1}).transform(pd.DataFrame({"zip": [123.0]}))
    with pytest.raises(SourceError, match="'when' is DATE in the source; 1 value"):
        trained.generalizer({"when": 1}).transform(pd.DataFrame({"when": [datetime(2020, 1, 1, 12)]}))
    nothing = pd.DataFrame({"zip": [None, None]})
    assert trained.generalizer({"zip": 1}).transform(nothing)["zip"].isna().all()
    assert len(by_interval.transform(pd.DataFrame({"age": []}))) == 0


def test_what_cannot_be_applied_is_refused_by_name(trained):
    with pytest.raises(RuleError, match="mondrian is a method"):
        trained.generalizer("mondrian")
    with pytest.raises(RuleError, match="not a quasi-identifier"):
        trained.generalizer({"nope": 1})
    with pytest.raises(RuleError, match="names no attribute under its root"):
        trained.generalizer({"age": trained.taxonomies["age"].root})
    generalizer = trained.generalizer({"age": 1})
    with pytest.raises(SourceError, match=r"no column 'age'.*existing columns: 'aged'.*did you mean 'aged'"):
        generalizer.fit(pd.DataFrame({"aged": [1]}))
    with pytest.raises(SourceError, match=r"numpy.ndarray; give a pandas"):
        generalizer.transform(np.zeros((2, 2)))
    with pytest.raises(ConfigError, match="`unmapped` is 'ignore'; choose among refuse, root"):
        generalizer.set_params(unmapped="ignore").fit(mixed())


def test_null_is_refused_where_the_config_refuses_it():
    source = mixed().dropna()
    with mixed_project(source, nulls="reject") as one:
        generalizer = one.generalizer({"age": 1})
    with pytest.raises(SourceError, match=r"'age' is NULL in 1 records and the config says `nulls: reject`"):
        generalizer.transform(pd.DataFrame({"age": pd.array([20, None], dtype="Int64")}))


# -- a release as a table ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_release_comes_back_as_the_rows_of_its_file(tmp_path):
    with project(people(200), requirement={"k": 3, "suppression": 0.3}, models=[]) as one:
        release = one.release({"age": 2, "job": 0}, tmp_path / "r.parquet")
        table = one.apply({"age": 2, "job": 0})
        kept = one.apply({"age": 2, "job": 0}, keep_roots=True)
    written = pd.read_parquet(tmp_path / "r.parquet")
    assert lines(table) == lines(written)
    assert table.columns.tolist() == written.columns.tolist()
    assert table.map(lambda one: None if pd.isna(one) else one).equals(
        written.map(lambda one: None if pd.isna(one) else one)
    )
    told = table.attrs["receipt"]
    assert (told["rows"], told["k"], told["suppressed"]) == (release.rows, release.k, release.suppressed)
    assert "sha256" not in told
    assert audit(table, ["age", "job"], insensitive=["note"], class_="class").k == release.k
    assert set(kept["rate"]) == {"*"}
    table.to_parquet(tmp_path / "again.parquet")


@pytest.mark.slow
def test_whole_numbers_with_null_stay_whole():
    with project(people(200), requirement={"k": 1}, models=[]) as one:
        table = one.apply({"age": 0})
    assert table["age"].isna().any()
    assert str(table["age"].dtype) == "Int64"


@pytest.mark.slow
def test_a_table_is_refused_as_a_release_is():
    with project(people(60), requirement={"k": 30}, models=[]) as one:
        with pytest.raises(RequirementNotMet, match="under the required 30; nothing was written"):
            one.apply({"age": 0, "job": 0})
        assert one.apply({"job": 1}, requirement={"k": 2}).attrs["receipt"]["k"] >= 2
        with pytest.raises(RuleError, match="not a quasi-identifier"):
            one.apply({"note": 0})
