"""What a certificate says can be inferred: by the file alone, and, on the owner's page, beside unseen people."""

import html
import json
import re

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people

from anonduck import Project
from anonduck.report.inferred import inferred_in

TABLE = [
    *[("a", "x", "yes")] * 3,
    *[("b", "x", "yes")] * 2,
    ("b", None, "no"),
    *[(None, None, "no")] * 2,
]
"""Groups a and NULL have one class, group NULL one illness too."""


def written(folder, rows):
    path = folder / "out.parquet"
    pd.DataFrame(rows, columns=["town", "ill", "class"]).astype("string").to_parquet(path)
    return str(path)


def receipt(*sensitive):
    roles = {"town": "quasi-identifier", "class": "class"} | dict.fromkeys(sensitive, "sensitive")
    return {"columns": [{"name": name, "role": role} for name, role in roles.items()]}


def test_groups_of_one_value_and_the_largest_gain_are_those_of_a_table_by_hand(tmp_path):
    """Of 8 records, 3 have the class no and an illness of NULL: both always hold in the group NULL."""
    found = inferred_in(written(tmp_path, TABLE), receipt("ill"))
    told = {"classes": 2, "records": 5, "alike": 0.625, "gain": 0.625}
    assert found == {"class": told, "ill": told}
    assert inferred_in(written(tmp_path, TABLE), receipt()) == {"class": told}
    swapped = {**receipt(), "method": {"model": {"probabilistic_k": 3}}}
    assert inferred_in(written(tmp_path, TABLE), swapped) == {}


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from("xy"), st.sampled_from("pqr")), min_size=1)
)
@examples(20)
def test_it_is_what_a_count_finds(tmp_path_factory, rows):
    found = inferred_in(written(tmp_path_factory.mktemp("out"), rows), receipt("ill"))
    frame = pd.DataFrame(rows, columns=["town", "ill", "class"]).fillna("none")
    for name in ("ill", "class"):
        groups = [group[name] for _, group in frame.groupby("town")]
        alike = [len(group) for group in groups if group.nunique() == 1]
        overall = frame[name].value_counts(normalize=True)
        gain = max((group.value_counts(normalize=True) - overall).max() for group in groups)
        assert found[name] == {
            "classes": len(alike),
            "records": sum(alike),
            "alike": pytest.approx(sum(alike) / len(frame)),
            "gain": pytest.approx(gain, abs=1e-6),
        }


def words_of(path):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", path.read_text().partition("</head>")[2])).split())


@pytest.mark.slow
def test_the_certificate_says_it_beside_k_and_the_owners_page_what_was_measured_on_unseen_people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(600).drop(columns="id").to_parquet("people.parquet")
    settings = {"class_": "class", "insensitive": ["note"], "models": ["tree"], "requirement": {"k": 5}}
    with Project(source="people.parquet", database=tmp_path / "d.duckdb", methods=["mondrian"], **settings) as one:
        one.run(tmp_path / "out.parquet")
        public = one.certificate(tmp_path / "out.parquet", tmp_path / "public.html")
        owner = one.certificate(tmp_path / "out.parquet", tmp_path / "owner.html", owner=True)
        document = json.loads(one.certificate(tmp_path / "out.parquet", tmp_path / "o.json", owner=True).read_text())
        offer = one.candidates().set_index("id")
    inference = offer.loc[identifier(tmp_path), "inference"]
    told = document["inferred"]["class"]
    assert f"k = {document['k']} In groups of one value class {100 * told['alike']:.1f} % of the records" in words_of(
        public
    )
    assert f"class {100 * told['gain']:.1f} points" in words_of(public)
    assert document["inference_gain"] == inference
    share = f"{100 * inference['control']:.1f} % of people who are not in it"
    assert share in words_of(owner)
    assert "who are not in it" not in words_of(public)


def identifier(folder):
    return json.loads((folder / "out.parquet.owner.json").read_text())["recoding"]["id"]
