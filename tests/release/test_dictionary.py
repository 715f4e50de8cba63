"""Data dictionaries: each column in words, groups by their members, shares as in the file, and no rare value."""

import json
from collections import Counter
from itertools import combinations

import duckdb
import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import people, project, stored_paths

from anonduck import Project
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.release.dictionary_text import as_markdown, plain_text
from anonduck.release.value_groups import Members, interval_words, member_words
from anonduck.rules.dependency import AlikePairs
from anonduck.taxonomy.catalog import stored_taxonomies

K = 4
GROUPS = {"care": ["nurse", "Zqmidwife", "cook"], "craft": ["smith", "clerk", "Zqcooper"]}
METHODS = ["mondrian", "guided", "sequential", "tds", "datafly", "nsvdist", "probabilistic", "flexible"]


def rare_people(rows=240, seed=3):
    """People of whom some have a job, an age, a diagnosis or a note that hardly anybody has."""
    frame, random = people(rows, seed=seed), np.random.default_rng(seed)
    frame.loc[frame.index[:2], "job"] = "Zqmidwife"
    frame.loc[frame.index[2:3], "job"] = "Zqcooper"
    frame.loc[frame.index[3:4], "age"] = 987
    frame["town"] = random.choice(["Ulm", "Kiel", "Bonn", "Trier"], rows)
    frame.loc[frame.index[4:6], "town"] = "Zqtown"
    frame.loc[frame.index[6:8], "note"] = "Zqnote"
    return frame.drop(columns="rate")


def dictionary_of(path):
    return json.loads(path.with_name(path.name + ".dictionary.json").read_text(encoding="utf-8"))


def text_of(path):
    return path.with_name(path.name + ".dictionary.md").read_text(encoding="utf-8")


def column_of(dictionary, name):
    return next(column for column in dictionary["columns"] if column["name"] == name)


def group_of(dictionary, name, label):
    return next(group for group in column_of(dictionary, name)["groups"] if group["label"] == label)


def labels_of(dictionary, name):
    return [group["label"] for group in column_of(dictionary, name)["groups"]]


def shown(path):
    """The values of each column of a released file, as text, with their records."""
    relation = duckdb.sql(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '{path}'")
    names = [column[0] for column in relation.description]
    return {name: Counter(held) for name, held in zip(names, zip(*relation.fetchall(), strict=True), strict=True)}


@pytest.fixture
def ruled(tmp_path):
    """A release by a rule, in which records of a rare age are left out."""
    settings = {"requirement": {"k": K, "suppression": 0.2}, "taxonomies": {"job": {"groups": GROUPS}}}
    with project(rare_people(), **settings) as one:
        made = one.release({"age": 2, "job": 1, "town": 1}, tmp_path / "out.parquet")
    return made, tmp_path / "out.parquet"


@pytest.mark.slow
def test_groups_are_told_by_their_common_members_and_their_rare_ones_counted(ruled):
    made, path = ruled
    told = dictionary_of(path)
    assert told == made.dictionary
    assert told["file"] == "out.parquet"
    assert told["sha256"] == made.receipt["sha256"]
    assert told["named_from"] == K
    care = group_of(told, "job", "care")
    assert care["members"] == ["cook", "nurse"]
    assert care["words"] == "cook, nurse and any rarer values"
    assert "rarer_values" not in care
    missing = group_of(told, "job", None)
    assert missing["words"] == "no value (NULL)"
    assert {one["name"]: one["role"] for one in told["left_out"]} == {"id": "identifier"}
    assert told["suppressed"]["records"] == made.suppressed > 0
    assert told["suppressed"]["share"] == pytest.approx(made.suppressed / 240)


@pytest.mark.slow
def test_intervals_are_told_by_their_bounds_and_no_value(ruled):
    _, path = ruled
    age = column_of(dictionary_of(path), "age")
    assert all("members" not in group for group in age["groups"])
    words = [group["words"] for group in age["groups"] if group["label"] is not None]
    assert words[0].startswith("under ")
    assert words[-1].endswith(" and over")
    assert age["type"] == "VARCHAR"
    assert "987" not in json.dumps(age) + text_of(path)


@pytest.mark.slow
def test_values_of_a_declared_order_are_listed_in_it(tmp_path):
    towns, jobs = ["Ulm", "Kiel", "Bonn", "Trier"], ["smith", "cook", "clerk", "nurse"]
    orders = {"town": towns, "job": jobs}
    with project(rare_people().iloc[8:], order=orders, sensitive=["town"]) as one:
        rare = one.release({"job": 0}, tmp_path / "values.parquet").dictionary
        groups = one.release({"job": 1}, tmp_path / "groups.parquet").dictionary
    assert labels_of(rare, "town") == towns
    assert labels_of(rare, "job") == [*jobs, None]
    assert labels_of(groups, "job") == ["smith to cook", "clerk to nurse", None]


@pytest.mark.slow
def test_values_that_are_kept_are_named_where_k_records_hold_them(ruled):
    _, path = ruled
    note = column_of(dictionary_of(path), "note")
    assert {group["label"] for group in note["groups"]} <= {"x", "y", None}
    held = shown(path)["note"]["Zqnote"]
    assert note["rarer_values"] == (1 if held else 0)
    assert column_of(dictionary_of(path), "class")["words"] == "kept as it is: 2 values"


@pytest.mark.slow
def test_the_page_tells_what_the_document_tells(ruled):
    made, path = ruled
    text = text_of(path)
    assert text == as_markdown(dictionary_of(path))
    assert f"{made.suppressed} records were left out" in text
    for column in made.dictionary["columns"]:
        assert f"| {plain_text(column['name'])} | {column['role']} |" in text
        for group in column["groups"]:
            assert plain_text(group["words"]) in text or group["words"] == "this value"


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("method", METHODS)
def test_no_method_lets_a_rare_value_into_its_dictionary(tmp_path, method):
    frame, path = rare_people(), tmp_path / "out.parquet"
    kept = [] if method == "nsvdist" else ["note"]
    roles = {"insensitive": kept, "identifiers": ["id", *({"note"} - set(kept))], "models": []}
    with project(frame, requirement={"k": K}, taxonomies={"job": {"groups": GROUPS}}, **roles) as one:
        made = one.anonymize(method, path)
    told = made.dictionary
    assert told == dictionary_of(path)
    assert "Zq" not in json.dumps(told) + text_of(path)
    assert "987" not in json.dumps([group["words"] for column in told["columns"] for group in column.get("groups", [])])
    counts = shown(path)
    for column in told["columns"]:
        for group in column.get("groups", []):
            assert group["label"] is None or group["label"] in counts[column["name"]]
            if "share" in group:
                assert group["records"] == counts[column["name"]][group["label"]]
                assert group["share"] == pytest.approx(group["records"] / made.rows)
    common = {str(value) for value, held in frame["job"].value_counts().items() if held >= K}
    jobs = [group for column in told["columns"] if column["name"] == "job" for group in column["groups"]]
    assert {value for group in jobs for value in group.get("members", [])} <= common


def check_members(made, released, paths, rows, k, level):
    label_of = {value: path_[level - 1] for value, path_ in paths.items()}
    pairs = Counter((label_of.get(a), b) for a, b in rows)
    staying = Counter(a for a, b in rows if pairs[label_of.get(a), b] >= k and a is not None)
    for group in column_of(made.dictionary, "a")["groups"]:
        assert group["records"] == released["a"][group["label"]]
        if group["label"] is None:
            continue
        under = [value for value in staying if label_of[value] == group["label"]]
        assert set(group["members"]) == {value for value in under if staying[value] >= k}
        texts = sorted(value for value, label in label_of.items() if label == group["label"])
        leaves, others = len(texts), f" and {len(texts) - 1} other{'s' if len(texts) > 2 else ''}"
        counted = leaves > 1 and (group["label"].endswith(others) or group["label"] == " or ".join(texts))
        assert group.get("rarer_values") == (leaves - len(group["members"]) if counted else None)
    assert {group["label"] for group in column_of(made.dictionary, "a")["groups"]} == set(released["a"])


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", "d", 'e "q"|', None]), st.sampled_from("uvw")),
        min_size=6,
        max_size=40,
    ),
    st.integers(1, 4),
)
@examples(30)
def test_members_are_those_that_a_count_by_hand_finds(tmp_path_factory, rows, k):
    """At each level under the root of what was built for the table once."""
    frame = pd.DataFrame(rows, columns=["a", "b"]).astype("string")
    frame["class"] = ["xy"[number % 2] for number in range(len(rows))]
    path = tmp_path_factory.mktemp("out") / "out.parquet"
    settings = {"class_": "class", "requirement": {"k": k, "suppression": 0.9}, "models": [], "sample": "all"}
    with Project(source=frame, **settings) as one:
        one.build_taxonomies()
        paths = stored_paths(one.database, "a")
        for level in range(1, stored_taxonomies(one.database)["a"].root):
            try:
                made = one.release({"a": level, "b": 0}, path, overwrite=True)
            except RequirementNotMet:
                continue
            check_members(made, shown(path), paths, rows, k, level)
            check_dependency(made.dictionary["dependency"], path)
            assert made.receipt["dependency"] == made.dictionary["dependency"]


def check_dependency(told, path):
    """Each pair of released records is looked at."""
    rows = [tuple(map(str, row)) for row in duckdb.sql(f"SELECT a, b, class FROM '{path}'").fetchall()]
    alike = [(one[2], other[2]) for one, other in combinations(rows, 2) if one[:2] == other[:2]]
    differing = sum(one != other for one, other in alike)
    assert (told["columns"], told["class"]) == (["a", "b"], "class")
    assert (told["pairs_alike"], told["pairs_differing"]) == (len(alike), differing)
    assert told["share"] == pytest.approx(differing / len(alike) if alike else 0)
    assert told["g1"] == pytest.approx(differing / (len(rows) * (len(rows) - 1) / 2))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            AlikePairs(("age", "job"), "class", 101, 1_000, 31),
            "of the pairs of records that look alike in age and job, 3.1 % differ in class",
        ),
        (
            AlikePairs(("age", "job", "sex", "town", "pay"), "class", 101, 1_000, 31),
            "of the pairs of records that look alike in 5 columns, 3.1 % differ in class",
        ),
        (
            AlikePairs(("age",), "class", 2, 0, 0),
            "no two records look alike, so that nothing is said of their class",
        ),
    ],
)
def test_words_of_the_dependency(found, words):
    assert found.words == words
    assert found.as_json()["words"] == words


@pytest.mark.slow
def test_a_lowered_k_names_no_more_values(tmp_path):
    with project(rare_people(), requirement={"k": 10}) as one:
        told = one.release({"town": 0}, tmp_path / "out.parquet", requirement={"k": 2}).dictionary
    assert told["named_from"] == 10
    town = column_of(told, "town")
    assert {group["label"] for group in town["groups"]} == {"Ulm", "Kiel", "Bonn", "Trier"}
    assert town["rarer_values"] == 1
    assert town["words"] == "the value itself: 4 values that at least 10 records hold each, and 1 rarer"
    assert "1 rarer value is shown but not named here" in text_of(tmp_path / "out.parquet").lower()


@pytest.mark.slow
def test_an_enumeration_does_not_tell_its_values(tmp_path):
    connection = duckdb.connect()
    connection.execute("CREATE TYPE kind AS ENUM ('u', 'v', 'Zqrare')")
    connection.execute(
        "CREATE TABLE t AS SELECT i % 3 AS a, (CASE WHEN i % 2 = 0 THEN 'u' ELSE 'v' END)::kind AS kept, "
        "[i] AS many, i % 2 AS class FROM range(30) AS r(i)"
    )
    kept = {"insensitive": ["kept", "many"], "requirement": {"k": K}}
    with Project(source="t", class_="class", connection=connection, **kept) as one:
        told = one.release({"a": 0}, tmp_path / "out.parquet").dictionary
    assert {group["label"] for group in column_of(told, "kept")["groups"]} == {"u", "v"}
    assert "Zq" not in json.dumps(told)
    assert "groups" not in column_of(told, "many")


# -- beside the release ------------------------------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize("ending", ["csv", "duckdb::people"])
def test_it_stands_beside_the_receipt(tmp_path, ending):
    with project(rare_people(), requirement={"k": K}) as one:
        made = one.release({"town": 1}, tmp_path / f"out.{ending}")
    stem = f"out.{ending}".replace("::", ".")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [f"out.{ending.partition(':')[0]}", *(f"{stem}.{what}" for what in
                                              ("receipt.json", "dictionary.json", "dictionary.md", "owner.json"))]
    )  # fmt: skip
    assert made.dictionary_path == str(tmp_path / f"{stem}.dictionary.json")
    assert made.as_json()["dictionary_file"] == made.dictionary_path


@pytest.mark.slow
def test_a_release_that_fails_leaves_the_old_dictionary(tmp_path, monkeypatch):
    out = tmp_path / "out.csv"
    with project(rare_people(), requirement={"k": K}) as one:
        one.release({"town": 1}, out)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        with pytest.raises(ReleaseError, match="exists"):
            one.release({"town": 0}, out)
        with pytest.raises(RequirementNotMet):
            one.release({"town": 0}, out, overwrite=True)
        monkeypatch.setattr("anonduck.release.release.release_dictionary", failing)
        with pytest.raises(ReleaseError, match="planted"):
            one.release({"town": 1}, out, overwrite=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def failing(*_):
    raise ReleaseError("planted")


def test_a_folder_in_its_place_is_refused_before_any_work(tmp_path):
    (tmp_path / "out.csv.dictionary.md").mkdir()
    with project(rare_people()) as one, pytest.raises(ReleaseError, match="where the data dictionary goes, is a dir"):
        one.release({"town": 1}, tmp_path / "out.csv")


def test_a_dry_run_has_none(tmp_path):
    with project(rare_people(), requirement={"k": K}) as one:
        made = one.release({"town": 1}, dry_run=True)
    assert made.dictionary is None
    assert made.as_json()["dictionary_file"] is None


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("[2020-01-01, 2020-02-01)", "from 2020-01-01 to under 2020-02-01"),
        ("[-5, 0)", "from -5 to under 0"),
        ("(-inf, -5)", "under -5"),
        ("*", "*"),
        ("over 80", "over 80"),
    ],
)
def test_words_of_intervals(label, words):
    assert interval_words(label) == words


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (Members(("a", ""), 2, 0), "a and the empty text"),
        (Members(tuple("abcdefghijklmnop"), 16, 1), "a, b, c, d, e, f, g, h, i, j, k, l, 4 more and 1 rarer value"),
        (Members((), 0, 1), "1 value that fewer than 5 records hold"),
    ],
)
def test_words_of_members(members, words):
    assert member_words(members, False, 5) == words
