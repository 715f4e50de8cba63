"""The demo export: the same bytes for the same seed, and columns that depend on each other."""

import os
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from anonduck.demo.export import CLASS, write_demo_export
from anonduck.errors import ConfigError, SourceError


@pytest.fixture(scope="module")
def persons(tmp_path_factory) -> pd.DataFrame:
    path = tmp_path_factory.mktemp("demo") / "persons.parquet"
    write_demo_export(path)
    with duckdb.connect() as connection:
        return connection.execute(f"FROM '{path}'").df()


def cramers_v(left: pd.Series, right: pd.Series) -> float:
    table = pd.crosstab(left, right)
    statistic = chi2_contingency(table).statistic
    return float(np.sqrt(statistic / table.to_numpy().sum() / (min(table.shape) - 1)))


@pytest.mark.slow
def test_same_seed_same_bytes_also_in_another_process(tmp_path):
    write_demo_export(tmp_path / "a.parquet", rows=3_000, seed=7)
    write_demo_export(tmp_path / "other seed.parquet", rows=3_000, seed=8)
    code = "import sys, pathlib as p; from anonduck.demo.export import write_demo_export as write; "
    code += "write(p.Path(sys.argv[1]), rows=3000, seed=7)"
    command = [sys.executable, "-c", code, str(tmp_path / "b.parquet")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": "1"})
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert (tmp_path / "a.parquet").read_bytes() != (tmp_path / "other seed.parquet").read_bytes()


@pytest.mark.slow
def test_a_large_export_is_the_same_too(tmp_path):
    for name in ("a", "b"):
        write_demo_export(tmp_path / name, rows=260_000)  # more than two row groups
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
def test_columns_and_types(persons):
    assert list(persons) == [
        *("person_id", "email", "age", "sex", "postcode", "job", "education", "marital_status", "income"),
        *("contact_channel", CLASS),
    ]
    assert len(persons) == 50_000
    assert persons["person_id"].is_unique
    assert persons["email"].is_unique
    assert persons["email"].str.endswith("@example.org").all()
    assert persons["postcode"].dropna().str.fullmatch(r"\d{5}").all()
    assert persons["age"].between(18, 95).all()
    assert set(persons[CLASS]) == {"yes", "no"}


@pytest.mark.slow
def test_a_null_here_and_there(persons):
    shares = persons.isna().mean()
    assert set(shares[shares > 0].index) == {"postcode", "job", "marital_status", "income"}
    assert shares[shares > 0].between(0.005, 0.015).all()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("education", "job"),
        ("sex", "job"),
        ("age", "marital_status"),
        ("age", "contact_channel"),
        ("job", "income"),
        ("age", CLASS),
    ],
)
def test_columns_depend_on_each_other(persons, left, right):
    cut = {name: pd.cut(persons[name].astype(float), 8) for name in ("age", "income")}
    columns = [cut.get(name, persons[name]) for name in (left, right)]
    shuffled = columns[1].sample(frac=1, random_state=0).reset_index(drop=True)
    assert cramers_v(*columns) > 0.2
    assert cramers_v(columns[0], shuffled) < 0.05


def test_neither_number_nor_order_tells_about_a_person(persons):
    assert abs(persons["person_id"].corr(persons["income"].astype(float))) < 0.02
    assert abs(pd.Series(range(len(persons))).corr(persons["age"])) < 0.02


@pytest.mark.slow
def test_a_tree_beats_the_majority_by_ten_points(persons):
    kept = persons.drop(columns=["person_id", "email", "postcode", CLASS])
    features = pd.get_dummies(kept, dummy_na=True, dtype=float).fillna(-1)
    majority = persons[CLASS].value_counts(normalize=True).max()
    tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=5e-4, random_state=0)
    accuracy = cross_val_score(tree, features, persons[CLASS], cv=3).mean()
    assert 0.5 < majority < 0.7
    assert accuracy > majority + 0.1


def test_bad_requests(tmp_path):
    with pytest.raises(ConfigError, match="at least one person; it was asked for 0"):
        write_demo_export(tmp_path / "p.parquet", rows=0)
    with pytest.raises(SourceError):
        write_demo_export(tmp_path / "no folder" / "p.parquet", rows=5)
