"""Tables drawn from a release by distributions: each value is under its label, and as often as it should be."""

import json

import numpy as np
import pandas as pd
import pytest

from anonduck.auditing.reconstruction import reconstruct
from anonduck.cli.app import run
from anonduck.errors import AuditError
from anonduck.project import Project

ROWS = 3_000


@pytest.fixture
def release(tmp_path):
    table = pd.DataFrame(
        {
            "age": ["[20, 30)"] * ROWS,
            'an "odd" name': ["south"] * (ROWS // 2) + ["*"] * (ROWS // 2),
            "ill": ['{"yes": 0.25, "no": 0.75}'] * ROWS,
        }
    )
    table.to_csv(tmp_path / "out.csv", index=False)
    return tmp_path / "out.csv"


ORIGINAL = pd.DataFrame(
    {"age": [21, 21, 21, 25, 40], 'an "odd" name': ["a", "a", "b", "c", "c"], "ill": ["yes", "no", "no", "no", "no"]}
)
TREE = pd.DataFrame({"value": ["a", "b", "c", "d"], "level_1": ["south", "south", "north", "north"]})


def shares(values):
    return pd.Series(values).value_counts(normalize=True).round(1).to_dict()


def test_values_are_drawn_as_often_as_they_occur(release):
    tables = reconstruct(release, 2, class_="ill", original=ORIGINAL, taxonomies={'an "odd" name': TREE})
    assert len(tables) == 2
    assert not tables[0].equals(tables[1])
    table = tables[0]
    assert table["age"].dtype.kind == "i"
    assert shares(table["age"]) == pytest.approx({21: 0.75, 25: 0.25}, abs=0.06)
    south, anywhere = table['an "odd" name'][: ROWS // 2], table['an "odd" name'][ROWS // 2 :]
    one, other = sorted([south, anywhere], key=lambda part: part.nunique())
    assert shares(one) == pytest.approx({"a": 0.7, "b": 0.3}, abs=0.06)
    assert shares(other) == pytest.approx({"a": 0.4, "b": 0.2, "c": 0.4}, abs=0.06)
    assert shares(table["ill"]) == pytest.approx({"no": 0.75, "yes": 0.25}, abs=0.06)
    again = reconstruct(release, 1, class_="ill", original=ORIGINAL, taxonomies={'an "odd" name': TREE})
    assert again[0].equals(table)


def test_both_zeros_of_an_original_are_one_value(tmp_path):
    pd.DataFrame({"rate": ["[0, 5)"] * 40, "ill": ['{"yes": 1.0}'] * 40}).to_csv(tmp_path / "out.csv", index=False)
    original = pd.DataFrame({"rate": [-0.0, 0.0, -0.0, 2.5], "ill": ["yes"] * 4})
    (table,) = reconstruct(tmp_path / "out.csv", 1, class_="ill", original=original)
    assert set(table["rate"]) == {0.0, 2.5}
    assert not np.signbit(table["rate"]).any()


def test_the_receipt_tells_class_and_frequencies(release):
    receipt = {
        "columns": [{"name": "age", "role": "quasi-identifier"}, {"name": "ill", "role": "class"}],
        "value_frequencies": {'an "odd" name': {"a": 30, "c": 10}},
    }
    release.with_name("out.csv.receipt.json").write_text(json.dumps(receipt))
    (table,) = reconstruct(release, 1, taxonomies={'an "odd" name': TREE}, seed=4)
    assert set(table["age"]) == set(range(20, 30)), "all numbers of an interval alike"
    assert set(table['an "odd" name']) == {"a", "c"}
    assert set(table["ill"]) == {"yes", "no"}


def test_labels_without_frequencies_become_values_of_their_taxonomy_or_are_refused(release):
    (table,) = reconstruct(release, 1, class_="ill", taxonomies={'an "odd" name': TREE})
    south, anywhere = table['an "odd" name'][: ROWS // 2], table['an "odd" name'][ROWS // 2 :]
    assert sorted((set(south), set(anywhere)), key=len) == [{"a", "b"}, {"a", "b", "c", "d"}]
    release.with_name("out.csv.receipt.json").write_text(
        json.dumps({"columns": [{"name": 'an "odd" name', "role": "quasi-identifier", "groups": ["*", "south"]}]})
    )
    with pytest.raises(AuditError, match=r"column 'an \"odd\" name' shows 2 labels under which no value is known"):
        reconstruct(release, 1, class_="ill")


DICTIONARY = {
    "columns": [
        {
            "name": "job",
            "groups": [
                {"label": "*", "words": "any value"},
                {"label": "clerk or judge", "members": ["clerk", "judge"], "words": "clerk and judge"},
                {"label": "nurse", "words": "this value"},
            ],
        }
    ]
}


def test_labels_become_values_that_the_dictionary_names(tmp_path):
    """Of 8 records, 4 show clerk or judge, 2 nurse: a `*` may be any of the three, each as likely as the others."""
    jobs = ["clerk or judge"] * 400 + ["nurse"] * 200 + ["*"] * 600 + [None] * 3
    pd.DataFrame({"job": jobs, "ill": ['{"yes": 1}'] * len(jobs)}).to_parquet(tmp_path / "out.parquet")
    receipt = {"columns": [{"name": "job", "role": "quasi-identifier", "groups": ["*", "clerk or judge"]}]}
    (tmp_path / "out.parquet.receipt.json").write_text(json.dumps(receipt))
    with pytest.raises(AuditError, match="shows 1 label under which no value is known"):
        reconstruct(tmp_path / "out.parquet", 1, class_="ill")
    (tmp_path / "out.parquet.dictionary.json").write_text(json.dumps(DICTIONARY))
    table, again = reconstruct(tmp_path / "out.parquet", 2, class_="ill", seed=5)
    assert not table.equals(again)
    assert table["job"].isna().sum() == 3
    assert shares(table["job"].dropna()) == {"clerk": 0.3, "judge": 0.3, "nurse": 0.3}
    assert reconstruct(tmp_path / "out.parquet", 1, class_="ill", seed=5)[0].equals(table)
    counted = pd.DataFrame({"job": ["clerk", "judge", "judge", "judge", "nurse"]})
    (table,) = reconstruct(tmp_path / "out.parquet", 1, class_="ill", original=counted)
    assert shares(table["job"].dropna()) == pytest.approx({"clerk": 0.2, "judge": 0.5, "nurse": 0.3}, abs=0.11)


def test_a_root_beside_intervals_is_drawn_as_other_records_are():
    labels = ["[10, 20)"] * 300 + ["[20, 30)"] * 100 + ["45"] * 100 + ["*"] * 500
    (table,) = reconstruct(pd.DataFrame({"age": labels, "ill": ['{"yes": 1}'] * 1000}), 1, class_="ill")
    assert table["age"].dtype.kind == "i"
    bands = pd.cut(table["age"], [9, 19, 29, 44, 45], labels=["tens", "twenties", "none", "45"])
    assert shares(bands.astype(str)) == pytest.approx({"tens": 0.6, "twenties": 0.2, "45": 0.2}, abs=0.05)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["01069", "10115"], "str"),
        (["3", "-2.5"], "float64"),
        (["0", "0.5"], "float64"),
        (["true", "False"], "bool"),
        (["true", None], "boolean"),
        (["2024-02-29", "1999-12-31"], "datetime64"),
        (["2024-02-29", "n/a"], "str"),
    ],
)
def test_a_column_has_its_type_again_where_all_values_are_of_one(tmp_path, values, kind):
    file = tmp_path / "out.parquet"
    pd.DataFrame({"x": pd.array(values, dtype="string"), "c": ['{"u": 1}'] * 2}).to_parquet(file)
    (drawn,) = reconstruct(file, 1, class_="c")
    assert str(drawn["x"].dtype).replace("object", "str").startswith(kind)
    if kind == "str":
        assert sorted(drawn["x"]) == sorted(values)


@pytest.mark.slow
def test_no_label_of_a_release_is_left(tmp_path):
    """With half of the records drawn wrong, all words of a column would still be values."""
    random = np.random.default_rng(1)
    jobs = np.array(["clerk", "judge", "nurse", "baker", "miner", "pilot", "smith"])
    age = random.integers(18, 80, 300)
    source = pd.DataFrame({"age": age, "job": random.choice(jobs, 300), "member": random.random(300) > 0.5})
    source["bought"] = np.where(age + random.normal(0, 10, 300) > 50, "yes", "no")
    with Project(source=source, class_="bought", requirement={"k": 5}) as project:
        project.anonymize("nsvdist", tmp_path / "out.csv")
    assert set(pd.read_csv(tmp_path / "out.csv", dtype=str)["job"]) - set(jobs)
    (table,) = reconstruct(tmp_path / "out.csv", 1)
    assert set(table["job"]) <= set(jobs)
    assert [table[name].dtype.kind for name in ("age", "member")] == ["i", "b"]


def test_null_stays_and_halves_are_numbers(tmp_path):
    table = pd.DataFrame({"x": pd.array([None, "[0.5, 1.5)"], dtype="string"), "c": ['{"u": 1}', '{"u": 1}']})
    table.to_parquet(tmp_path / "out.parquet")
    (drawn,) = reconstruct(tmp_path / "out.parquet", 1, class_="c")
    assert drawn["x"].isna().sum() == 1
    assert drawn["x"].between(0.5, 1.5).sum() == 1
    assert np.issubdtype(drawn["x"].dtype, np.floating)


@pytest.mark.parametrize(
    ("label", "low", "high", "whole"),
    [
        ("under 5", 4, 5, True),
        ("(-inf, 2.5)", 1.5, 2.5, False),
        ("7 and over", 7, 8, True),
        ("[0.5, 3)", 0.5, 3, False),
        ("[1, 2.5)", 1, 2.5, False),
    ],
)
def test_an_open_interval_is_one_wide_and_whole_ends_draw_whole_numbers(label, low, high, whole):
    table = pd.DataFrame({"x": [label] * 40, "c": ['{"u": 1}'] * 40})
    (drawn,) = reconstruct(table, 1, class_="c")
    assert drawn["x"].between(low, high, inclusive="left").all()
    assert (drawn["x"] % 1 == 0).all() == whole


def test_the_command_line_writes_tables(release, capsys):
    folder = release.parent / "drawn"
    TREE.to_csv(release.parent / "tree.csv", index=False)
    taxonomy = f'an "odd" name={release.parent / "tree.csv"}'
    words = ["reconstruct", str(release), "-n", "2", "--class", "ill", "-o", str(folder)]
    assert run([*words, "--taxonomy", taxonomy]) == 0
    assert "wrote 2 tables of 3,000 records" in capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == ["table_1.csv", "table_2.csv"]
    assert len(pd.read_csv(folder / "table_2.csv")) == ROWS


def test_a_class_that_nobody_names_is_refused(release):
    with pytest.raises(AuditError, match="name it with `--class COLUMN`"):
        reconstruct(release, 1)
