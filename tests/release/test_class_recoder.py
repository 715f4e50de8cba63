"""Releases by classes that were assigned elsewhere: their nodes, what is refused, and what a release tells."""

import csv
import json
from collections import Counter
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest
from class_oracle import opened, parquet, recoded, released
from dealing import dealt
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, tables

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet, SourceError, TaxonomyError

# -- the smallest common node, by brute force --------------------------------------------------------------------------


@st.composite
def assignments(draw):
    names, paths, rows = draw(tables(max_rows=10))
    assigned = draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    return names, paths, rows, assigned, draw(st.permutations(range(len(rows))))


def class_table(assigned, order):
    return pd.DataFrame({"key": order, "group": [assigned[at] for at in order]})


@pytest.mark.slow
@examples(10)
@given(assignments())
def test_each_class_shows_its_smallest_common_nodes(tmp_path_factory, drawn):
    names, paths, rows, assigned, order = drawn
    folder = tmp_path_factory.mktemp("classes")
    shown = recoded(names, paths, rows, assigned)
    expected_names, expected = released(names, paths, rows, shown)
    with opened(folder, names, paths, rows, k=1) as one:
        table = class_table(assigned, order)
        if expected_names == [CLASS]:
            with pytest.raises(ReleaseError, match="no node under the root in any column"):
                one.release(classes=table, path=folder / "out.parquet")
            return
        made = one.release(classes=table, path=folder / "out.parquet")
    found_names, found = parquet(folder / "out.parquet")
    assert found_names == expected_names
    assert found == dealt(expected)
    sizes = Counter(row[:-1] for row in expected)
    assert (made.rows, made.classes, made.k) == (len(rows), len(sizes), min(sizes.values()))


@pytest.mark.slow
def test_a_column_of_which_only_nan_and_infinities_are_released_has_no_ends(tmp_path):
    """One class shows NaN and the other, of NaN and inf, the root; finite values are in none that stays."""
    texts = ["nan", "nan", "nan", "inf"]
    with duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT unnest({texts})::DOUBLE AS size, unnest(range(4)) AS id, 1 AS class"
        )
        connection.execute(f"COPY people TO '{tmp_path}/people.parquet'")
    table = pd.DataFrame({"id": range(4), "group": ["a", "a", "b", "b"]})
    keys = {"class_": "class", "identifiers": ["id"], "models": [], "requirement": {"k": 2}}
    with Project(source=f"{tmp_path}/people.parquet", **keys) as one:
        made = one.release(classes=table, path=tmp_path / "out.csv")
    assert (made.rows, made.classes, made.k) == (4, 2, 2)
    assert sorted((tmp_path / "out.csv").read_text().splitlines()[1:]) == ["*,1", "*,1", "nan,1", "nan,1"]


@pytest.mark.slow
@examples(10)
@given(assignments(), st.sampled_from([(), ("kept",)]))
def test_whole_released_classes_are_left_out(tmp_path_factory, drawn, more):
    names, paths, rows, assigned, order = drawn
    folder = tmp_path_factory.mktemp("classes")
    shown = recoded(names, paths, rows, assigned)
    sizes = Counter(shown)
    staying = [at for at, nodes in enumerate(shown) if sizes[tuple(nodes)] >= 2]
    few = 10 * (len(rows) - len(staying)) <= 5 * len(rows)
    rest = (
        released(names, paths, [rows[at] for at in staying], [shown[at] for at in staying])
        if staying
        else ([CLASS], [])
    )
    with opened(folder, names, paths, rows, more, k=2, suppression=0.5) as one:
        kept = {"classes": class_table(assigned, order), "path": folder / "out.parquet"}
        if not few or rest[0] == [CLASS]:
            with pytest.raises((RequirementNotMet, ReleaseError)):
                one.release(**kept)
            assert not (folder / "out.parquet").exists()
            return
        made = one.release(**kept)
    expected = [(*row, *("n" for _ in more)) for row in dealt(rest[1])]
    assert parquet(folder / "out.parquet") == ([*rest[0], *more], expected)
    assert made.suppressed == len(rows) - len(staying)


# -- a table to read ---------------------------------------------------------------------------------------------------

PEOPLE = """id,age,job,rate,note,class
1,21,clerk,0.5,a,x
2,22,clerk,-0.0,b,y
3,23,cook,0.0,a,x
4,24,nurse,0.0,c,y
5,31,nurse,0.5,a,x
6,28,nurse,0.5,b,y
7,33,smith,,a,x
8,38,,,c,y
9,41,,0.5,a,x
10,42,,0.5,b,y
11,61,clerk,0.0,a,x
12,62,cook,-0.0,"c,d",
"""
JOBS = "clerk,office,*\ncook,kitchen,*\nnurse,care,*\nsmith,works,*\n"
PAIRS = "aabbccddeeff"
GROUPED = """age,job,rate,class
"(-inf, 30)",clerk,*,x
"(-inf, 30)",clerk,*,y
"(-inf, 30)",*,0.0,x
"(-inf, 30)",*,0.0,y
"[30, 40)",*,,x
"[30, 40)",*,,y
"(-inf, 40)",nurse,0.5,x
"(-inf, 40)",nurse,0.5,y
"[40, 50)",,0.5,x
"[40, 50)",,0.5,y
"[50, inf)",*,0.0,x
"[50, inf)",*,0.0,
"""


def lines(text):
    """The header, and the records in any order."""
    head, *records = text.splitlines()
    return head, sorted(records)


def write(path, text):
    path.write_text(text)
    return path


def class_csv(path, groups=PAIRS, key="id"):
    return write(path, f"{key},group\n" + "".join(f"{at},{group}\n" for at, group in enumerate(groups, 1)))


def people(folder, source=None, **changes):
    """A project over the table above: ages in groups of two, jobs by a file."""
    settings = {"class_": "class", "identifiers": ["id", "note"], "requirement": {"k": 2}}
    settings["taxonomies"] = {"age": {"intervals": 2}, "job": {"file": str(write(folder / "jobs.csv", JOBS))}}
    if source is None:
        source = write(folder / "people.csv", PEOPLE)
    return Project(source=source, **settings | changes)


def alike(folder):
    """A source in which each of six pairs has one age, and rates have nothing in common."""
    head, *records = (line.split(",") for line in PEOPLE.splitlines())
    rows = [[one[0], str(20 + at // 2), one[2], str(at), "n", "x" if at % 2 else "y"] for at, one in enumerate(records)]
    return write(folder / "alike.csv", "\n".join(",".join(row) for row in [head, *rows]) + "\n")


@pytest.mark.slow
def test_a_table_by_hand(tmp_path, out):
    with people(tmp_path) as one:
        made = one.release(classes=class_csv(tmp_path / "classes.csv"), path=out / "out.csv")
    assert lines((out / "out.csv").read_text()) == lines(GROUPED)
    assert (made.rows, made.classes, made.k, made.suppressed) == (12, 6, 2, 0)
    assert audit(out / "out.csv", class_="class").k == 2
    receipt = json.loads((out / "out.csv.receipt.json").read_text())
    assert receipt["rule"] is None
    assert made.owner["expected"] is None
    assert {name: made.owner["method"][name] for name in ("name", "classes")} == {"name": "classes", "classes": 6}
    assert [one["name"] for one in receipt["columns"]] == ["age", "job", "rate", "class"]
    age, job, rate, _ = receipt["columns"]
    assert (age["level"], age["at_levels"]) == (None, {"1": 5, "3": 1})
    assert age["labels"] == ["(-inf, 30)", "(-inf, 40)", "[30, 40)", "[40, 50)", "[50, inf)"]
    assert (job["groups"], set(job["labels"])) == (["*"], {"*", "clerk", "nurse", None})
    assert (job["at_levels"], rate["at_levels"]) == ({"0": 3, "root": 3}, {"0": 5, "root": 1})
    assert rate["groups"] == ["*"]
    assert sum(rate["label_records"]) == 12
    assert set(receipt["fingerprints"]["taxonomies"]) == {"age", "job", "rate"}


@pytest.mark.slow
def test_kept_columns_come_with_their_records(tmp_path, out):
    with people(tmp_path, identifiers=["id"], insensitive=["note"]) as one:
        one.release(classes=class_csv(tmp_path / "classes.csv"), path=out / "out.csv")
    head, *released = csv.reader((out / "out.csv").read_text().splitlines())
    assert head == ["age", "job", "rate", "note", "class"]
    assert released == [
        [value or "" for value in row] for row in dealt([[value or None for value in row] for row in released])
    ]
    without = [[*row[:3], row[4]] for row in released]
    assert sorted(without) == sorted(list(csv.reader(GROUPED.splitlines()))[1:])
    assert Counter((row[3], row[4]) for row in released) == {
        ("a", "x"): 6,
        ("b", "y"): 3,
        ("c", "y"): 2,
        ("c,d", ""): 1,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kept", [[], ["note"]])
def test_a_class_that_is_left_out_takes_its_bounds_with_it(tmp_path, out, kept):
    """Only the classes g and f have two records: no bound tells that there are ages under 31, or over 49."""
    changes = {"insensitive": kept, "identifiers": ["id"] if kept else ["id", "note"]}
    classes = class_csv(tmp_path / "classes.csv", "abcdexggffhi")
    with people(tmp_path, requirement={"k": 2, "suppression": 0.7}, **changes) as one:
        made = one.release(classes=classes, path=out / "out.csv")
        again = one.release(classes=classes, dry_run=True)
    with (out / "out.csv").open(newline="") as file:
        rows = [{name: row[name] for name in row if name != "note"} for row in csv.DictReader(file)]
    expected = [("(-inf, 40)", "*", "", "x"), ("(-inf, 40)", "*", "", "y"), ("[40, inf)", "", "0.5", "x")]
    expected += [("[40, inf)", "", "0.5", "y")]
    assert sorted(tuple(row[name] for name in ("age", "job", "rate", "class")) for row in rows) == expected
    assert (made.rows, made.suppressed, made.owner["method"]["classes"]) == (4, 8, 2)
    assert again.receipt["columns"] == made.receipt["columns"]
    assert not again.written


# -- forms of the table ------------------------------------------------------------------------------------------------


def forms(folder):
    frame = pd.read_csv(class_csv(folder / "classes.csv"))
    yield folder / "classes.csv"
    yield str(folder / "classes.csv")
    yield frame
    yield frame.sample(frac=1, random_state=1)[["group", "id"]]
    yield pl.from_pandas(frame).with_columns(pl.col("id").cast(pl.Int16))
    yield frame.astype({"id": str})
    frame.astype({"id": float}).to_parquet(folder / "classes.parquet")
    yield folder / "classes.parquet"
    write(folder / "padded.csv", "group;id\n" + "".join(f"{group};{at:04}\n" for at, group in enumerate(PAIRS, 1)))
    yield folder / "padded.csv"
    with duckdb.connect(str(folder / "shop.duckdb")) as shop:
        shop.execute("CREATE TABLE people AS FROM read_csv(?)", [str(folder / "people.csv")])
        shop.execute("CREATE TABLE classes AS FROM frame")
    yield f"{folder}/shop.duckdb::classes"


@pytest.mark.slow
def test_every_form_of_the_table_gives_the_same_bytes(tmp_path, out):
    with people(tmp_path) as one:
        for classes in forms(tmp_path):
            one.release(classes=classes, path=out / "out.csv", overwrite=True)
            found = (out / "out.csv").read_bytes()
            assert lines(found.decode()) == lines(GROUPED)
    with people(tmp_path, source=f"{tmp_path}/shop.duckdb::people") as one:
        one.release(classes=f"{tmp_path}/shop.duckdb::classes", path=out / "table.csv")
    assert (out / "table.csv").read_bytes() == found


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_neither_order_nor_threads_nor_names_of_classes_change_bytes(tmp_path, out, ending):
    head, *records = PEOPLE.splitlines()
    (tmp_path / "turned").mkdir()
    turned = write(tmp_path / "turned" / "people.csv", "\n".join([head, *reversed(records)]) + "\n")
    changes = {"identifiers": ["id"], "insensitive": ["note"]}
    with people(tmp_path, **changes, threads=1) as one:
        one.release(classes=class_csv(tmp_path / "classes.csv"), path=out / f"one.{ending}")
    with people(tmp_path, source=turned, **changes, threads=2) as one:
        named = [f"z{ord('z') - ord(group)}" for group in PAIRS]
        one.release(classes=class_csv(tmp_path / "classes.csv", named), path=out / f"two.{ending}")
    assert (out / f"one.{ending}").read_bytes() == (out / f"two.{ending}").read_bytes()


@pytest.mark.slow
def test_a_key_that_is_no_identifier_is_named(tmp_path, out):
    classes = class_csv(tmp_path / "classes.csv", key="note")
    with people(tmp_path) as one:
        with pytest.raises(ReleaseError, match=r"12 of its keys are those of no record.* 3 keys are those of more"):
            one.release(classes=classes, path=out / "out.csv")
        classes = class_csv(tmp_path / "classes.csv")
    with people(tmp_path, identifiers=["note"], insensitive=["id"]) as one:
        with pytest.raises(ReleaseError, match=r"none of them is an identifier of the source .'note'.*`--key"):
            one.release(classes=classes, path=out / "out.csv")
        one.release(classes=classes, key="id", path=out / "out.csv")
    assert "id" in (out / "out.csv").read_text().splitlines()[0]


@pytest.mark.slow
def test_a_column_of_values_alone_keeps_its_type(tmp_path, out):
    with people(tmp_path, source=alike(tmp_path)) as one:
        made = one.release(classes=class_csv(tmp_path / "classes.csv"), path=out / "out.parquet")
    described = duckdb.sql(f"DESCRIBE FROM read_parquet('{out}/out.parquet')").fetchall()
    assert {row[0]: row[1] for row in described} == dict.fromkeys(["job", "rate", "class"], "VARCHAR") | {
        "age": "BIGINT"
    }
    assert made.receipt["columns"][0]["words"] == "the value itself"


# -- what is refused ---------------------------------------------------------------------------------------------------

FAULTS = {
    "twice": ("1,a\n", "1 key stands in more than one line"),
    "stranger": ("77,a\nZq,b\n", "2 of its keys are those of no record"),
    "no key": (",a\n", "1 of its lines has no key"),
    "no class": ("13,\n", "1 of its lines has no class"),
}


@pytest.mark.some(1)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_table_that_does_not_fit_is_refused_with_counts(tmp_path, out, fault):
    more, words = FAULTS[fault]
    classes = class_csv(tmp_path / "classes.csv")
    classes.write_text(classes.read_text() + more)
    with people(tmp_path) as one, pytest.raises(ReleaseError) as error:
        one.release(classes=classes, path=out / "out.csv")
    assert words in str(error.value)
    assert "Zq" not in str(error.value)
    assert list(out.iterdir()) == []


SOURCES = {
    "without class": (PEOPLE + "Zq,30,cook,1,a,x\n", "1 record of the source has no class"),
    "same key": (PEOPLE + "1,30,cook,1,a,x\n1,30,cook,1,a,x\n", "1 key is that of more than one record"),
    "no key": (PEOPLE + ",30,cook,1,a,x\n", "1 record of the source has no value in 'id'"),
}


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("fault", SOURCES)
def test_a_source_that_does_not_fit_is_refused_with_counts(tmp_path, out, fault):
    text, words = SOURCES[fault]
    classes = class_csv(tmp_path / "classes.csv")
    with people(tmp_path, source=write(tmp_path / "other.csv", text)) as one, pytest.raises(ReleaseError) as error:
        one.release(classes=classes, path=out / "out.csv")
    assert words in str(error.value)
    assert "Zq" not in str(error.value)


@pytest.mark.slow
def test_what_is_no_class_table_is_refused(tmp_path, out):
    wide = write(tmp_path / "wide.csv", "id,group,more\n1,a,b\n")
    with people(tmp_path) as one:
        for classes, words in [
            (wide, "has 3 columns; it needs two"),
            (write(tmp_path / "narrow.csv", "id\n1\n"), "has 1 column; it needs two"),
            (tmp_path / "none.csv", "there is no file"),
            (tmp_path / "people.xlsx", "there is no file"),
            (write(tmp_path / "text.md", "id,group\n"), "does not tell its format"),
            (3, "the class table cannot be used"),
        ]:
            with pytest.raises(ReleaseError, match=words):
                one.release(classes=classes, path=out / "out.csv")
        classes = class_csv(tmp_path / "classes.csv")
        with pytest.raises(ReleaseError, match="has no column 'age'; it has 'id', 'group'"):
            one.release(classes=classes, key="age", path=out / "out.csv")
        with pytest.raises(SourceError, match="has no column 'group'"):
            one.release(classes=classes, key="group", path=out / "out.csv")
        with pytest.raises(ReleaseError, match="itself, which is never overwritten"):
            one.release(classes=classes, path=classes, overwrite=True)
        for wrong in ({}, {"rule": {"age": 1}, "classes": classes}, {"rule": {"age": 1}, "key": "id"}):
            with pytest.raises(ConfigError, match=r"by a rule or by classes|the column of keys of `classes`"):
                one.release(**wrong, path=out / "out.csv")
    assert list(out.iterdir()) == []


def test_a_given_table_is_called_so(tmp_path, out):
    with people(tmp_path) as one:
        wide = pd.DataFrame({"id": [1], "group": ["a"], "more": ["b"]})
        classes = pd.DataFrame({"id": range(1, 13), "group": list("abccddeeffgg")})
        for given, words in [
            (wide, "the given class table has 3 columns"),
            (classes[:11], "the given class table does not give each record of the source one class: 1 record of"),
            (classes.rename(columns={"id": "who"}), "the given class table has the columns 'who', 'group'"),
            (classes, "the release of the given classes reaches k = 1"),
            ([], "the class table cannot be used: the table is a builtins.list"),
        ]:
            with pytest.raises((ReleaseError, RequirementNotMet), match=words):
                one.release(classes=given, path=out / "out.csv")


def test_a_file_that_cannot_be_read_is_told_without_words_of_an_audit(tmp_path, out):
    (tmp_path / "dos.csv").write_bytes("id,gr\xfcppe\n1,a\n".encode("cp850"))
    with people(tmp_path) as one:
        for classes, words in [
            (tmp_path / "dos.csv", "is not UTF-8, UTF-16 or Windows-1252; save it as UTF-8"),
            (write(tmp_path / "torn.csv", "id,group\n1,a,b,c\n"), "header and separator .found in its first lines"),
            (tmp_path, "is a directory; name the file in it"),
        ]:
            with pytest.raises(ReleaseError, match=words) as error:
                one.release(classes=classes, path=out / "out.csv")
            assert not any(word in str(error.value) for word in ("delim", "audit", "release"))


@pytest.mark.slow
def test_a_release_under_the_requirement_is_refused(tmp_path, out):
    classes = class_csv(tmp_path / "classes.csv", "abccddeeffgg")
    with people(tmp_path) as one:
        with pytest.raises(RequirementNotMet, match=r"the classes of .*csv reaches k = 1, .*Assign larger classes"):
            one.release(classes=classes, path=out / "out.csv")
        assert list(out.iterdir()) == []
        made = one.release(classes=classes, requirement={"k": 1}, path=out / "out.csv")
        assert made.receipt["requirements"][0]["lowered"]
        with pytest.raises(RequirementNotMet, match="suppression"):
            one.release(classes=classes, requirement={"suppression": 0.1}, path=out / "less.csv")


@pytest.mark.slow
def test_other_requirements_hold_too(tmp_path, out):
    """The class of the records 3 and 4 has the notes a and b, that of 7 and 8 twice the note a."""
    alike = write(tmp_path / "alike.csv", PEOPLE.replace(",c,", ",b,").replace("8,38,,,b", "8,38,,,a"))
    classes = class_csv(tmp_path / "classes.csv")
    settings = {"identifiers": ["id"], "sensitive": ["note"]}
    with people(tmp_path, source=alike, **settings, requirement={"k": 2, "l": 2}) as one:
        with pytest.raises(RequirementNotMet, match="reaches l = 1"):
            one.release(classes=classes, path=out / "out.csv")
        made = one.release(classes=classes, path=out / "out.csv", requirement={"suppression": 0.2})
    assert (made.rows, made.suppressed, made.classes) == (10, 2, 5)
    assert "[30, 40)" not in (out / "out.csv").read_text()


@pytest.mark.slow
def test_the_connection_of_a_caller_is_left_as_it_was(tmp_path, out):
    write(tmp_path / "people.csv", PEOPLE)
    with duckdb.connect() as held:
        held.execute("CREATE TABLE class_table AS SELECT 1 AS mine")
        held.execute("CREATE TABLE persons AS FROM read_csv(?)", [str(tmp_path / "people.csv")])
        with people(tmp_path, source="persons", connection=held) as one:
            one.release(classes=class_csv(tmp_path / "classes.csv"), path=out / "out.csv")
        assert held.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == [
            ("class_table",),
            ("persons",),
        ]
        assert held.execute("FROM class_table").fetchall() == [(1,)]
    assert lines((out / "out.csv").read_text()) == lines(GROUPED)


@pytest.mark.slow
def test_nothing_of_the_assignments_stays_in_the_decision_database(tmp_path, out):
    with people(tmp_path, database=tmp_path / "d.duckdb") as one:
        for groups in (PAIRS, "abccddeeffgg"):
            classes = class_csv(tmp_path / "classes.csv", [f"Zq{group}" for group in groups])
            one.release(classes=classes, dry_run=True)
    with duckdb.connect(str(tmp_path / "d.duckdb")) as held:
        names = [row[0] for row in held.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        assert not [name for name in names if "assigned" in name or name == "id nodes"]
    assert b"Zq" not in (tmp_path / "d.duckdb").read_bytes()


# -- options -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_values_that_a_taxonomy_does_not_know_stand_under_the_root(tmp_path, out):
    settings = {"taxonomies": {"job": {"file": str(write(tmp_path / "few.csv", JOBS.replace("nurse,care,*\n", "")))}}}
    classes = class_csv(tmp_path / "classes.csv")
    with people(tmp_path, **settings) as one:
        with pytest.raises(TaxonomyError, match="lacks 1 of its values, found in 3 records"):
            one.release(classes=classes, path=out / "out.csv")
        made = one.release(classes=classes, path=out / "out.csv", unmapped="root")
    with (out / "out.csv").open(newline="") as file:
        assert Counter(row["job"] for row in csv.DictReader(file)) == {"clerk": 2, "*": 8, "": 2}
    assert made.owner["unmapped"] == {"job": {"values": 1, "records": 3}}


@pytest.mark.slow
def test_roots_are_kept_on_request(tmp_path, out):
    classes = class_csv(tmp_path / "classes.csv", "aabbbbbbbbab")
    for keep_roots, names in ((False, ["job", "class"]), (True, ["age", "job", "rate", "class"])):
        with people(tmp_path) as one:
            one.release(classes=classes, path=out / "out.csv", keep_roots=keep_roots, overwrite=True)
        assert (out / "out.csv").read_text().splitlines()[0].split(",") == names


@pytest.mark.slow
def test_another_export_by_the_same_taxonomies(tmp_path, out):
    other = write(tmp_path / "other.csv", "id,age,job,rate,note,class\n7,19,cook,0.5,a,x\n8,35,cook,0.5,a,y\n")
    with people(tmp_path) as one:
        classes = write(tmp_path / "classes.csv", "id,c\n8,1\n7,1\n")
        with pytest.raises(TaxonomyError, match="build them from the project's source first"):
            one.release(classes=classes, path=out / "out.csv", source=other)
        one.build_taxonomies()
        one.release(classes=classes, path=out / "out.csv", source=other)
    assert lines((out / "out.csv").read_text()) == ("age,job,rate,class", ["*,cook,0.5,x", "*,cook,0.5,y"])


@pytest.mark.slow
def test_labels_are_made_for_the_k_that_is_required(tmp_path, out):
    classes = class_csv(tmp_path / "classes.csv", "aaaaccaaccaa")
    with people(tmp_path, requirement={"k": 1}) as one:
        made = one.release(classes=classes, requirement={"k": 4}, path=out / "for_once.csv")
    with people(tmp_path, requirement={"k": 4}) as one:
        one.release(classes=classes, path=out / "configured.csv")
    assert made.k == 4
    assert (out / "for_once.csv").read_bytes() == (out / "configured.csv").read_bytes()


@pytest.mark.slow
def test_the_certificate_tells_of_classes(tmp_path, out):
    with people(tmp_path) as one:
        one.release(classes=class_csv(tmp_path / "classes.csv"), path=out / "out.csv")
        words = one.certificate(out / "out.csv", out / "certificate.html").read_text()
    assert "classes assigned elsewhere, each generalized to its smallest common node in every column" in words
    assert "no single query does again" in words
    assert "0, root" in words
    assert "the value itself" not in words


# -- the command -------------------------------------------------------------------------------------------------------

CONFIG = """source: people.csv
class: class
identifiers: [id, note]
requirement: {k: 2}
taxonomies: {age: {intervals: 2}, job: {file: jobs.csv}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in {"people.csv": PEOPLE, "jobs.csv": JOBS, "anonduck.yml": CONFIG}.items():
        write(tmp_path / name, text)
    class_csv(tmp_path / "classes.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_command_releases_by_classes(folder, capsys):
    assert run(["release", "--classes", "classes.csv", "-o", "out.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["rule"], document["k"], document["written"]) == (None, 2, True)
    assert lines(Path("out.csv").read_text()) == lines(GROUPED)
    assert run(["release", "--classes", "classes.csv", "-o", "out.csv"]) == 2
    assert run(["audit", "out.csv", "--class", "class", "--require", "k=2"]) == 0


@pytest.mark.slow
def test_the_command_takes_the_options_of_other_releases(folder):
    assert run(["release", "--classes", "classes.csv", "-o", "out.csv"]) == 0
    assert run(["release", "--classes", "classes.csv", "--key", "id", "-o", "out.csv", "--overwrite"]) == 0
    assert run(["release", "--classes", "classes.csv", "--dry-run", "--require", "k=3"]) == 1
    assert run(["release", "--classes", "classes.csv", "-o", "new.csv", "--require", "k=3"]) == 1
    assert not Path("new.csv").exists()


def test_the_command_takes_a_rule_or_classes(folder, capsys):
    assert run(["release", "-o", "out.csv"]) == 2
    assert "name what the release is made by" in capsys.readouterr().err
    assert run(["release", "age=1", "--classes", "classes.csv", "-o", "out.csv"]) == 2
    assert run(["release", "age=1", "--key", "id", "-o", "out.csv"]) == 2
    assert "--key names the column of keys" in capsys.readouterr().err
