"""Releases by swapping: marginals, blocks that move together, bytes by seed, refusals, and that nothing stays."""

import contextlib
import json
from collections import Counter
from itertools import combinations
from math import log2

import duckdb
import numpy as np
import pandas as pd
import pytest
from class_oracle import parquet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from probabilistic_oracle import binned
from test_found_classes import ROLES, persons

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.database.connection import Database
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.release import swap_recoder
from anonduck.release.swapped_records import codes_of, handed_over, make_codes, read_together
from anonduck.source.columns import Column
from anonduck.statements import Statement

BLOCKS = ["age", 'in "euro"'], ["job", "since"]
TEXT = json.dumps(BLOCKS)


def made(folder, frame=None, name="made.parquet", settings=None, **changes):
    """The released rows by column, and the release."""
    frame = persons(60) if frame is None else frame
    with Project(source=frame, **(ROLES | {"models": [], "seed": 7} | changes)) as project:
        release = project.anonymize("probabilistic", folder / name, settings={"blocks": TEXT} | (settings or {}))
    names, rows = parquet(folder / name)
    return pd.DataFrame(rows, columns=names), release


def counted(frame, names):
    rows = frame[list(names)].astype(object).where(frame[list(names)].notna(), None)
    return Counter(map(tuple, rows.itertuples(index=False)))


@pytest.mark.recoding
@pytest.mark.slow
@examples(12)
@given(st.integers(3, 12), st.integers(15, 40), st.integers(1, 1000), st.sampled_from(["gower", "ahmad-dey"]))
def test_columns_keep_their_values_and_blocks_move_together(tmp_path_factory, k, rows, seed, dissimilarity):
    frame = persons(rows, seed)
    settings = {"dissimilarity": dissimilarity}
    found, release = made(tmp_path_factory.mktemp("m"), frame, settings=settings, requirement={"k": k}, seed=seed)
    assert list(found) == list(frame)
    for names in (*BLOCKS, ["illness", "class"]):
        assert counted(found, names) == counted(frame, names)
    method = release.owner["method"]
    assert k <= method["smallest"] <= method["largest"] < 2 * k
    assert method["clusters"] == rows // k
    assert method["blocks"] == [list(block) for block in BLOCKS]
    (line,) = (one for one in release.receipt["requirements"] if one["name"] == "probabilistic_k")
    asked = {"name": "probabilistic_k", "configured": k, "required": k, "met": True, "lowered": False}
    assert line == {**asked, "reached": k, "at_least": True}
    (line,) = (one for one in release.owner["requirements"] if one["name"] == "probabilistic_k")
    assert line == {**asked, "reached": method["smallest"], "by_original": True}


@pytest.mark.slow
def test_values_are_swapped_and_the_order_of_rows_tells_nothing(tmp_path):
    frame = persons(60)
    found, release = made(tmp_path, frame)
    assert counted(found, list(frame)) != counted(frame, list(frame))
    assert audit(tmp_path / "made.parquet", ["age"], row_order=True).row_order.dealt
    assert release.receipt["proven_by"] == "receipt and original"
    assert release.rows == 60


def test_a_cluster_of_all_records_that_are_alike_stays_as_it_is(tmp_path):
    frame = pd.DataFrame({"a": [1] * 5 + [9] * 5, "b": ["x"] * 5 + ["y"] * 5, "class": ["p", "q"] * 5})
    with Project(source=frame, class_="class", requirement={"k": 5}, models=[]) as project:
        release = project.anonymize("probabilistic", tmp_path / "made.csv")
    method = release.owner["method"]
    assert (method["clusters"], method["unchanged"], method["homogeneous"], method["one_class"]) == (2, 2, 2, 0)
    assert any("2 of 2 clusters are unchanged in all blocks" in words for words in release.warnings)
    assert sorted((tmp_path / "made.csv").read_text().split()[1:]) == sorted(
        ",".join(map(str, row)) for row in frame.itertuples(index=False)
    )


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_none_gives_others(tmp_path):
    frame = persons(80)
    written = []
    for number, (rows, changes) in enumerate(
        [
            (frame, {"threads": 1}),
            (frame, {"threads": 2}),
            (frame.sample(frac=1, random_state=1, ignore_index=True), {}),
            (frame, {"seed": 8}),
            *[(frame, {"seed": 0})] * 2,
        ]
    ):
        _, release = made(tmp_path, rows, f"{number}.parquet", **changes)
        written.append((tmp_path / f"{number}.parquet").read_bytes())
        assert any("by the config's seed" in words for words in release.warnings) == (changes.get("seed") != 0)
    assert written[0] == written[1] == written[2]
    assert len(set(written)) == 4


@pytest.mark.slow
def test_nothing_of_the_swaps_stays_in_the_decision_database(tmp_path):
    database = tmp_path / "decision.duckdb"
    made(tmp_path, database=str(database))
    with duckdb.connect(str(database)) as work:
        tables = {name for (name,) in work.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert not {name for name in tables if "swap" in name}
    receipt = json.loads((tmp_path / "made.parquet.receipt.json").read_text())
    assert "seed" not in receipt["method"]


@pytest.mark.parametrize(
    ("changes", "settings", "words"),
    [
        ({"requirement": {"k": 2}}, {}, "takes a k of 3 or more, not 2"),
        ({"requirement": {"k": 5, "l": 2}}, {}, "cannot meet l"),
        ({}, {"blocks": "age"}, "no block holds"),
        ({}, {"blocks": "[1"}, "no JSON"),
        ({}, {"blocks": "[1]"}, "lists blocks of names"),
        ({}, {"top": "job=3"}, "'job' holds no numbers"),
        ({}, {"top": "illness=3"}, "'illness' is no quasi-identifier"),
        ({}, {"top": "age"}, "COLUMN=NUMBER"),
        ({}, {"top": "age=old"}, "'age' is no number"),
        ({}, {"levels": "age=0"}, "level of 'age' is a whole number from 1"),
        ({}, {"levels": "age=1", "top": "age=3"}, "both a largest number and a level"),
        ({}, {"dissimilarity": "euclid"}, "gower or ahmad-dey"),
        ({}, {"top": 3}, "is text, not 3"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, changes, settings, words):
    with pytest.raises(ConfigError, match=words):
        made(tmp_path, persons(20), settings=settings, **changes)
    assert not list(tmp_path.iterdir())


def test_too_few_records_are_refused(tmp_path):
    with pytest.raises(RequirementNotMet, match="4 records, fewer than the required k = 5"):
        made(tmp_path, persons(4))


@pytest.mark.slow
def test_values_of_one_record_are_counted_coded_and_refused(tmp_path):
    frame = persons(60)
    frame.loc[3, 'in "euro"'] = 999_999.0
    _, release = made(tmp_path, frame)
    entry = next(one for one in release.receipt["columns"] if one["name"] == 'in "euro"')
    assert entry["unique"] == (frame['in "euro"'].value_counts() == 1).sum()
    assert any("999" not in words and "in one record alone" in words for words in release.warnings)
    with pytest.raises(RequirementNotMet, match="none is to be shown"):
        made(tmp_path, frame, "other.parquet", {"unique": False})
    settings = {"top": json.dumps({'in "euro"': 20_000}), "levels": "age=1"}
    found, release = made(tmp_path, frame, "top.parquet", settings)
    assert found['in "euro"'].max() == 20_000
    assert (found['in "euro"'] == 20_000).sum() == (frame['in "euro"'] >= 20_000).sum()
    assert found['in "euro"'].dtype == float
    assert counted(found, ["job", "since"]) == counted(frame, ["job", "since"])
    age = next(one for one in release.receipt["columns"] if one["name"] == "age")
    assert age["level"] == 1
    assert set(found["age"].dropna()) <= set(age["labels"])


@pytest.mark.slow
def test_what_swaps_lose_of_mutual_information_is_counted(tmp_path):
    frame = persons(120)
    with Project(source=frame, **(ROLES | {"measures": ["mutual_information_loss"]})) as one:
        release = one.anonymize("probabilistic", tmp_path / "made.parquet")
        with pytest.raises(ConfigError, match="a release by probabilistic has no script"):
            one.sql("probabilistic")
    utility = release.owner["utility"]
    names, rows = parquet(tmp_path / "made.parquet")
    quasi = ["age", 'in "euro"', "job", "since", "class"]
    pairs = list(combinations(quasi, 2))
    lost = [information(frame, pair) - information(pd.DataFrame(rows, columns=names), pair) for pair in pairs]
    assert utility["measures"]["mutual_information_loss"] == pytest.approx(sum(lost) / len(pairs))


def information(frame, pair):
    """The mutual information of two columns, in bits."""
    one, other, both = (counted(frame, names) for names in ([pair[0]], [pair[1]], pair))
    return sum(n * log2(n * len(frame) / (one[a,] * other[b,])) for (a, b), n in both.items()) / len(frame)


def test_swapping_nothing_loses_nothing(tmp_path):
    frame = pd.DataFrame({"a": [1, 1, 1, 2, 2, 2], "b": list("xxxyyy"), "class": list("pqpqpq")})
    with Project(
        source=frame, class_="class", requirement={"k": 3}, models=["tree"], measures=["mutual_information_loss"]
    ) as one:
        utility = one.anonymize("probabilistic", tmp_path / "made.parquet").owner["utility"]
    assert utility["measures"]["mutual_information_loss"] == 0


@pytest.mark.slow
def test_the_command_takes_blocks_and_the_config_the_method(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = persons(60).rename(columns={'in "euro"': "euro"})
    frame.to_parquet("persons.parquet")
    config = "source: persons.parquet\nclass: class\nsensitive: [illness]\nrequirement: {k: 5}\nmodels: []\n"
    (tmp_path / "anonduck.yml").write_text(config)
    arguments = ["anonymize", "probabilistic", "-k", "4", "--block", "age+euro+job", "--block", "since"]
    assert run([*arguments, "-o", "made.parquet", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"]["blocks"] == [["age", "euro", "job"], ["since"]]
    assert document["requirements"][-1]["lowered"]
    assert run(["anonymize", "probabilistic", "-k", "2", "-o", "made2.parquet"]) == 2
    assert run(["sql", "probabilistic"]) == 2
    (tmp_path / "anonduck.yml").write_text(
        config + "method: probabilistic\nmethods: {probabilistic: {dissimilarity: ahmad-dey}}\n"
    )
    assert run(["run", "-o", "run.parquet"]) == 0
    receipt = json.loads((tmp_path / "run.parquet.receipt.json").read_text())
    assert receipt["method"]["options"]["dissimilarity"] == "ahmad-dey"


@examples(20)
@given(
    st.lists(st.none() | st.integers(-5, 5) | st.sampled_from([np.inf, -np.inf]), min_size=1, max_size=12),
    st.lists(st.sampled_from(["x", "y", None]), min_size=12, max_size=12),
)
def test_codes_and_bins_are_those_of_the_oracle(numbers, texts):
    finite = [one for one in numbers if one is not None and np.isfinite(one)] or [0]
    near = [None if one is None else int(min(max(one, min(finite)), max(finite))) for one in numbers]
    expected = [0 if one is None else one + 1 for one in (binned(near) if any(n is not None for n in near) else near)]
    rows = list(zip(range(len(numbers)), numbers, texts, strict=False))
    with_names = pd.DataFrame(rows, columns=["#row", "n@value", "t@value"]).assign(**{"#records": 2})
    with_names["n@value"] = with_names["n@value"].astype(float)
    with_names["t@value"] = with_names["t@value"].astype("string")
    with contextlib.closing(Database()) as work:
        work.register("swap_set", with_names)
        make_codes(work, "n", Column("n", "DOUBLE"))
        make_codes(work, "t", None)
        read = work.arrays(codes_of("t"))
        together = read_together(work, "n", "t")
    kinds = sorted({one for one in texts[: len(numbers)] if one is not None})
    coded = [0 if one is None else kinds.index(one) + 1 for one in texts[: len(numbers)]]
    assert read["code"].tolist() == coded
    counts = np.zeros_like(together)
    np.add.at(counts, (expected, coded), 2)
    assert together.tolist() == counts.tolist()


@pytest.mark.slow
def test_a_release_over_another_is_refused(tmp_path):
    made(tmp_path)
    with pytest.raises(ReleaseError, match="exists"):
        made(tmp_path)


def test_a_release_that_changed_how_often_values_occur_is_not_kept(tmp_path, monkeypatch):
    def broken(records, found):
        table = handed_over(records, found)
        return table.set_column(1, "b0", table.column("b0").take([0] * table.num_rows))

    monkeypatch.setattr(swap_recoder, "handed_over", broken)
    with pytest.raises(ReleaseError, match="changed how often column 'age'"):
        made(tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_certificate_says_what_clusters_promise(tmp_path):
    frame = persons(30)
    with Project(source=frame, **(ROLES | {"models": []})) as project:
        project.anonymize("probabilistic", tmp_path / "made.parquet")
        project.certificate(tmp_path / "made.parquet", tmp_path / "made.html")
    text = (tmp_path / "made.html").read_text()
    assert "in clusters of at least 5" in text
    assert "of at least 5 records" in text
    assert "can pick it out" not in text
    assert "can be singled out" not in text


@pytest.mark.slow
def test_records_alone_in_the_file_are_not_said_to_be_singled_out_but_by_an_audit_of_the_file(tmp_path):
    frame = persons(30)
    _, release = made(tmp_path, frame)
    audited = audit(
        tmp_path / "made.parquet", ["age", *BLOCKS[0][1:], *BLOCKS[1]], sensitive=["illness"], class_="class"
    )
    alone = audited.sizes.alone
    assert alone
    assert f"k is 1: {alone} of 30 records are alone in their class and can be singled out" in audited.warnings
    for told in (release.warnings, release.receipt["warnings"]):
        assert [words for words in told if words.startswith(f"k is 1 in the file: {alone} of 30 records")]
        assert not [words for words in told if "singled out" in words]


@pytest.mark.slow
def test_what_a_receipt_keeps_is_written_neither_for_python_nor_for_a_shell(tmp_path):
    frame = persons(30)
    frame.loc[3, 'in "euro"'] = 999_999.0
    _, release = made(tmp_path, frame)
    (words,) = (one for one in release.receipt["warnings"] if "in one record alone" in one)
    assert "the option `top`" in words
    assert not [one for one in release.receipt["warnings"] if "settings=" in one or "--set" in one]


def test_dates_without_end_have_the_nearest_one():
    dates = ["-infinity", "2020-01-01", "2020-01-11", "infinity", None]
    with contextlib.closing(Database()) as work:
        work.register("swap_dates", pd.DataFrame({"#row": range(5), "#records": 1, "text": pd.array(dates, "string")}))
        work.run(
            Statement("swap_set", 'CREATE TEMP VIEW swap_set AS SELECT *, "text"::DATE AS "d@value" FROM swap_dates')
        )
        make_codes(work, "d", Column("d", "DATE"))
        read = work.arrays(codes_of("d"))
        bins = work.rows(Statement("bins", 'SELECT bin FROM "d swap codes" ORDER BY "#row"'))
    first, last = 1577836800, 1577836800 + 10 * 86400
    assert np.ma.filled(read["number"], -1).tolist() == [first, first, last, last, -1]
    assert read["code"].tolist() == [1, 2, 3, 4, 0]
    assert [one for (one,) in bins] == [1, 1, 5, 5, 0]
