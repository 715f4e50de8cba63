"""Releases: their rows, their order, their bytes, what they refuse and what they leave behind."""

import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from dealing import dealt
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from killing import big_export, releasing
from oracles import beside, people, project, stored_paths

from anonduck import Project, audit
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet, RuleError, SourceError, TaxonomyError
from anonduck.release import release
from anonduck.release.rule_recoder import RuleRecoder
from anonduck.release.target import target_of, unfinished
from anonduck.taxonomy.catalog import stored_taxonomies

RULE = {"age": 1, "job": 1}
HIERARCHY = "clerk,office,*\ncook,kitchen,*\nnurse,care,*\nsmith,works,*\n"


def read(path):
    """The names and rows of a released file, as DuckDB reads it."""
    reader = "read_parquet" if str(path).endswith("parquet") else "read_csv"
    result = duckdb.sql(f"SELECT * FROM {reader}('{path}')")
    return result.columns, result.fetchall()


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def frame():
    return people()


@pytest.fixture
def hierarchy(tmp_path):
    folder = tmp_path / "taxonomies"
    folder.mkdir()
    (folder / "job.csv").write_text(HIERARCHY)
    return {"job": {"file": str(folder / "job.csv")}}


def loose(source, **changes):
    """A project that requires nothing."""
    return project(source, requirement={"k": 1}, **changes)


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb::t"])
@pytest.mark.parametrize("kept", ["sensitive", "insensitive"])
def test_a_quasi_identifier_that_is_null_throughout(out, hierarchy, ending, kept):
    rows = 12
    frame = pd.DataFrame(
        {"job": pd.array([None] * rows, dtype="string"), "s": list("abc") * 4, "class": list("xy") * 6}
    )
    roles = {"identifiers": [], "insensitive": [], kept: ["s"]}
    roles |= {"requirement": {"k": 2, **({"l": 2} if kept == "sensitive" else {})}}
    with project(frame, taxonomies=hierarchy, **roles) as one:
        made = one.release({"job": 1}, out / f"out.{ending}")
    assert (made.rows, made.k) == (rows, rows)
    if ending == "parquet":
        names, released = read(out / "out.parquet")
        assert (names, sorted(released)) == (
            ["job", "s", "class"],
            sorted(zip([None] * rows, frame["s"], frame["class"], strict=True)),
        )


# -- what the rows are -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.fixed_dictionaries({}, optional={"age": st.integers(0, 5), "job": st.integers(0, 2), "rate": st.integers(0, 1)})
)
@examples(5)
def test_rows_are_the_generalized_source(tmp_path_factory, levels):
    frame, folder = people(120), tmp_path_factory.mktemp("release")
    with loose(frame) as one:
        one.build_taxonomies()
        roots = {name: t.root for name, t in stored_taxonomies(one.database).items()}
        assert roots == {"age": 5, "job": 2, "rate": 1}
        named = {name: level for name, level in levels.items() if level < roots[name]}
        if not named:
            with pytest.raises(RuleError, match="names no attribute under its root"):
                one.release(levels, folder / "out.parquet")
            return
        made = one.release(levels, folder / "out.parquet")
        paths = {name: stored_paths(one.database, name) for name in named}
    names, rows = read(folder / "out.parquet")
    assert names == [name for name in frame.columns if name in (*named, "note", "class")]
    expected = []
    for record in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        row = []
        for name in names:
            value, level = record[name], named.get(name, 0)
            row.append(value if value is None or level == 0 else paths[name][value][level - 1])
        expected.append(tuple(row))
    assert Counter(rows) == Counter(expected)
    assert rows == dealt(expected)
    sizes = Counter(tuple(v for n, v in zip(names, row, strict=True) if n in named) for row in expected)
    assert (made.rows, made.classes, made.k) == (len(frame), len(sizes), min(sizes.values()))


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("kept", [["note"], []])
def test_identifiers_and_unnamed_attributes_are_absent(frame, out, ending, kept):
    changes = {"insensitive": kept, "identifiers": ["id", *({"note"} - set(kept))]}
    with loose(frame, **changes) as one:
        one.release({"job": 0}, out / f"out.{ending}")
    names, rows = read(out / f"out.{ending}")
    assert names == ["job", *kept, "class"]
    assert rows == dealt(rows)
    assert len(rows) == len(frame)


@pytest.mark.slow
def test_roots_are_kept_on_request(frame, out, hierarchy):
    with loose(frame, taxonomies=hierarchy) as one:
        one.release({"age": 1}, out / "out.parquet", keep_roots=True)
    names, rows = read(out / "out.parquet")
    assert names == ["age", "job", "rate", "note", "class"]
    assert {row[1:3] for row in rows} == {("*", "*")}


@pytest.mark.slow
def test_level_0_keeps_the_type_and_higher_levels_are_text(out):
    source = duckdb.connect()
    source.execute(
        "CREATE TABLE t AS SELECT (i % 3)::UTINYINT AS a, (i % 2)::DECIMAL(9,2) AS b, "
        "DATE '2020-01-01' + (i % 2)::INT AS c, (i % 2)::FLOAT AS d, i % 2 = 0 AS e, "
        "i % 2 AS class FROM range(60) AS r(i)"
    )
    with Project(source="t", class_="class", connection=source, requirement={"k": 1}) as one:
        one.release(dict.fromkeys("abcde", 0), out / "zero.parquet")
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{out}/zero.parquet'").fetchall()
    assert [row[1] for row in described[:5]] == ["UTINYINT", "DECIMAL(9,2)", "DATE", "FLOAT", "BOOLEAN"]


ODD = ['a "b", c', "select", "x" * 200, "a.b", "имя", "#records", "#repeat", "#id", "value", "w0"]


@pytest.mark.slow
def test_odd_names(out):
    """All of them in one table: none may be taken for another, either."""
    frame = pd.DataFrame({**{name: [1, 2, None, 1] * 5 for name in ODD}, "kept": [1] * 20, "class": ["a", "b"] * 10})
    for kept, ending in ([], "parquet"), (["kept"], "csv"):
        roles = {"insensitive": kept, "identifiers": [] if kept else ["kept"]}
        with Project(source=frame, class_="class", requirement={"k": 1}, sample="all", **roles) as one:
            made = one.release(dict.fromkeys(ODD, 0), out / f"out.{ending}")
        assert (made.k, made.classes) == (5, 3)
        names, rows = read(out / f"out.{ending}")
        assert names == [*ODD, *kept, "class"]
        assert all(len(set(row[: len(ODD)])) == 1 for row in rows)
        assert Counter(row[0] for row in rows) == {1: 10, 2: 5, None: 5}


@pytest.mark.slow
def test_a_class_called_like_a_working_name(out):
    frame = pd.DataFrame({"a": [1, 2] * 10, "#records": ["x", "y", "y", "x"] * 5})
    with Project(source=frame, class_="#records", requirement={"k": 1}) as one:
        one.release("a=0", out / "out.csv")
    assert Counter(read(out / "out.csv")[1]) == Counter(zip(frame["a"], frame["#records"], strict=True))


# -- the same bytes ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("kept", [["note", "weight"], []])
def test_order_and_threads_change_no_byte(out, ending, kept):
    frame = people(5_000)
    frame["weight"] = frame["rate"].astype("float32")
    changes = {"insensitive": kept, "identifiers": ["id", *({"note", "weight"} - set(kept))]}
    digests = set()
    for number, threads in enumerate([1, 2, 4]):
        shuffled = frame.sample(frac=1, random_state=number) if number else frame
        with loose(shuffled, threads=threads, **changes) as one:
            one.release({"age": 1, "rate": 0}, out / f"{number}.{ending}")
        digests.add(hashlib.sha256((out / f"{number}.{ending}").read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.slow
def test_both_zeros_become_one_and_nan_stays(out):
    values = "(VALUES (-0.0::DOUBLE), (0.0), ('nan'::DOUBLE), (NULL), ('inf'::DOUBLE)) AS v(rate)"
    digests = set()
    for order in ("rate", "rate DESC"):
        query = f"SELECT rate, -rate AS kept, 'a' || (i % 2) AS class FROM {values}, range(6) AS r(i)"
        duckdb.sql(f"COPY ({query} ORDER BY {order}, i) TO '{out}/in.parquet'")
        for kept in (["kept"], []):
            roles = {"insensitive": kept, "identifiers": [] if kept else ["kept"]}
            with Project(source=out / "in.parquet", class_="class", **roles) as one:
                made = one.release({"rate": 0}, out / f"{len(kept)}.csv", overwrite=True)
            assert (made.classes, made.k) == (4, 6)
            text = (out / f"{len(kept)}.csv").read_text()
            assert Counter(line.split(",")[0] for line in text.splitlines()[1:]) == {
                "0.0": 12,
                "nan": 6,
                "inf": 6,
                "": 6,
            }
            assert "-0" not in text
            digests.add((len(kept), text))
    assert len(digests) == 2


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb::t"])
def test_a_release_under_the_requirement_leaves_nothing(frame, out, ending):
    with project(frame, requirement={"k": 10}) as one:
        with pytest.raises(RequirementNotMet, match="under the required 10; nothing was written"):
            one.release({"age": 0}, out / f"out.{ending}")
        assert files_in(out) == []
        made = one.release({"job": 0}, out / f"out.{ending}")
        assert made.k >= 10
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        with pytest.raises(RequirementNotMet):
            one.release({"age": 0}, out / f"out.{ending}", overwrite=True)
        assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.slow
def test_an_audit_that_finds_less_leaves_nothing(frame, out, monkeypatch):
    from anonduck.release import release as module

    monkeypatch.setattr(module, "_refuse_under", lambda lines, plan, blocked: None)
    with project(frame, requirement={"k": 10}) as one:
        for ending in ("parquet", "csv", "duckdb::t"):
            with pytest.raises(RequirementNotMet, match="the audit of the written file found k ="):
                one.release({"age": 0}, out / f"out.{ending}")
            assert files_in(out) == []


@pytest.mark.slow
def test_a_requirement_can_be_lowered_and_the_receipt_says_so(frame, out):
    with project(frame, requirement={"k": 100_000}) as one:
        made = one.release({"job": 0}, out / "out.csv", requirement={"k": 3})
        receipt = json.loads((out / "out.csv.receipt.json").read_text())
        for bad in ({"k": 0}, {"beauty": 1}):
            with pytest.raises(ConfigError, match=r"requirement"):
                one.release({"job": 0}, out / "other.csv", requirement=bad)
    (line,) = receipt["requirements"]
    assert line == {
        "name": "k",
        "configured": 100_000,
        "required": 3,
        "reached": made.k,
        "met": True,
        "lowered": True,
    }


@pytest.mark.slow
def test_an_existing_release_is_replaced_only_on_request(frame, out):
    with loose(frame) as one:
        one.release({"job": 0}, out / "out.csv")
        before = (out / "out.csv").read_bytes()
        with pytest.raises(ReleaseError, match="`--overwrite` replaces it"):
            one.release({"job": 1}, out / "out.csv")
        assert (out / "out.csv").read_bytes() == before
        os.chmod(out / "out.csv", 0o640)
        one.release({"job": 1}, out / "out.csv", overwrite=True)
    assert (out / "out.csv").read_bytes() != before
    assert stat.S_IMODE((out / "out.csv").stat().st_mode) == 0o640
    assert json.loads((out / "out.csv.receipt.json").read_text())["rule"]["levels"] == {"job": 1}
    assert files_in(out) == beside("out.csv")


@pytest.mark.slow
def test_dry_run_writes_nothing(frame, out):
    with project(frame, requirement={"k": 10_000}) as one:
        made = one.release({"job": 0}, out / "out.csv", dry_run=True)
        assert one.release({"job": 0}, None, dry_run=True).k == made.k
        with pytest.raises(ConfigError, match="needs a target"):
            one.release({"job": 0}, None)
    assert (made.written, made.as_json()["met"], files_in(out)) == (False, False, [])
    assert made.k == frame["job"].value_counts(dropna=False).min()


# -- the receipt -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_receipt_tells_what_was_done(frame, out, hierarchy):
    with loose(frame, taxonomies=hierarchy) as one:
        made = one.release({"job": 1, "age": 0}, out / "out.parquet")
    receipt = json.loads((out / "out.parquet.receipt.json").read_text())
    assert receipt["rule"] == {"id": None, "levels": {"age": 0, "job": 1}, "literal": "age=0,job=1"}
    assert receipt["file"] == "out.parquet"
    assert receipt["sha256"] == hashlib.sha256((out / "out.parquet").read_bytes()).hexdigest()
    report = audit(out / "out.parquet", ["age", "job"])
    assert (receipt["rows"], receipt["classes"], receipt["k"]) == (report.rows, report.classes, report.k)
    assert (made.rows, made.classes, made.k) == (report.rows, report.classes, report.k)
    columns = {column["name"]: column for column in receipt["columns"]}
    assert list(columns) == ["age", "job", "note", "class"]
    assert columns["job"]["groups"] == ["care", "kitchen", "office", "works"]
    assert set(columns["job"]["labels"]) == {*columns["job"]["groups"], None}
    assert "groups" not in columns["age"]
    assert columns["class"]["role"] == "class"
    assert set(receipt["versions"]) == {"anonduck", "duckdb", "pyarrow", "python"}
    assert set(receipt["fingerprints"]["taxonomies"]) == {"age", "job"}
    assert made.receipt == receipt
    digest = hashlib.sha256(HIERARCHY.encode()).hexdigest()
    assert digest not in json.dumps(receipt)


@pytest.mark.slow
def test_fingerprints_are_keyed_by_the_decision_database(frame, out):
    prints = []
    for number, name in enumerate(["one.duckdb", "one.duckdb", "two.duckdb"]):
        shuffled = frame.sample(frac=1, random_state=number)
        with loose(shuffled, database=out.parent / name) as one:
            prints.append(one.release({"job": 0}, out / f"{number}.csv").receipt["fingerprints"])
    assert prints[0] == prints[1]
    assert prints[0]["source"] != prints[2]["source"]
    assert prints[0]["taxonomies"] != prints[2]["taxonomies"]
    assert stat.S_IMODE((out.parent / "one.duckdb").stat().st_mode) == 0o600


# -- another export ----------------------------------------------------------------------------------------------------


def write(frame, path):
    frame.to_parquet(path)
    return path


@pytest.mark.slow
def test_another_export_with_the_same_taxonomies(frame, out, tmp_path, hierarchy):
    later = people(200, seed=7)
    first, second = write(frame, tmp_path / "first.parquet"), write(later, tmp_path / "second.parquet")
    with loose(first, taxonomies=hierarchy) as one:
        with pytest.raises(TaxonomyError, match="has none yet"):
            one.release(RULE, out / "none.csv", source=second)
        one.release(RULE, out / "first.csv")
        made = one.release(RULE, out / "second.csv", source=second)
        assert made.rows == 200
        assert one.release(RULE, out / "first again.csv").rows == len(frame)
    assert (out / "first.csv").read_bytes() == (out / "first again.csv").read_bytes()
    assert len(read(out / "second.csv")[1]) == 200


@pytest.mark.slow
def test_a_bad_other_export_does_not_take_the_place_of_the_source(frame, out, tmp_path):
    first = write(frame, tmp_path / "first.parquet")
    bad = write(frame.rename(columns={"job": "work"}).head(9), tmp_path / "bad.parquet")
    with loose(first, types={"job": "VARCHAR"}) as one:
        one.release({"job": 0}, out / "one.csv")
        for source in (bad, tmp_path / "none.parquet"):
            with pytest.raises((SourceError, ConfigError)):
                one.release({"job": 0}, out / "bad.csv", source=source)
            assert one.release({"job": 0}, None, dry_run=True).rows == len(frame)
    assert files_in(out) == beside("one.csv")


def unknown(frame):
    later = frame.copy()
    later.loc[later.index[:7], "job"] = "astronaut"
    later.loc[later.index[7:9], "job"] = "falconer"
    return later


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("level", [0, 1])
def test_unknown_values_are_refused_without_telling_them(frame, out, tmp_path, hierarchy, level):
    first, second = write(frame, tmp_path / "first.parquet"), write(unknown(frame), tmp_path / "second.parquet")
    with loose(first, taxonomies=hierarchy) as one:
        one.build_taxonomies()
        with pytest.raises(TaxonomyError, match="lacks 2 of its values, found in 9 records") as error:
            one.release({"job": level}, out / "out.csv", source=second)
        assert "astronaut" not in str(error.value)
        with pytest.raises(TaxonomyError, match=r"'astronaut' \(7\), 'falconer' \(2\)"):
            one.release({"job": level}, out / "out.csv", source=second, show_values=True)
    assert files_in(out) == []


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("kept", [["note"], []])
def test_unknown_values_become_the_root_on_request(frame, out, tmp_path, hierarchy, level, kept):
    later = unknown(frame)
    first, second = write(frame, tmp_path / "first.parquet"), write(later, tmp_path / "second.parquet")
    changes = {"insensitive": kept, "identifiers": ["id", *({"note"} - set(kept))]}
    with loose(first, taxonomies=hierarchy, **changes) as one:
        one.build_taxonomies()
        made = one.release({"job": level}, out / "out.parquet", source=second, unmapped="root")
    assert made.owner["unmapped"] == {"job": {"values": 2, "records": 9}}
    released = Counter(row[0] for row in read(out / "out.parquet")[1])
    words = dict(line.split(",")[:2] for line in HIERARCHY.splitlines())
    expected = Counter(
        None if pd.isna(job) else "*" if job not in words else words[job] if level else job for job in later["job"]
    )
    assert released == expected


@pytest.mark.slow
def test_unseen_values_find_their_interval(frame, out, tmp_path):
    later = frame.head(60).copy()
    later["age"] = pd.array([-5, 0, 17, 70, 200, None] * 10, dtype="Int64")
    first, second = write(frame, tmp_path / "first.parquet"), write(later, tmp_path / "second.parquet")
    with loose(first) as one:
        one.build_taxonomies()
        made = one.release({"age": 1}, out / "out.parquet", source=second)
        labels = [path[0] for _, path in sorted(stored_paths(one.database, "age").items())]
    assert made.owner["unmapped"] == {}
    assert Counter(row[0] for row in read(out / "out.parquet")[1]) == {labels[0]: 30, labels[-1]: 20, None: 10}


# -- tables ------------------------------------------------------------------------------------------------------------


TABLES = [("t", []), ("main.t", ["note"]), ("sales.t", []), ('"my ""odd"" table"', ["note"])]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "kept"), TABLES)
def test_a_table_of_a_duckdb_file(frame, out, table, kept):
    shop = out / "shop.duckdb"
    with duckdb.connect(str(shop)) as connection:
        connection.execute("CREATE SCHEMA sales; CREATE TABLE other AS SELECT 1 AS x")
    changes = {"insensitive": kept, "identifiers": ["id", *({"note"} - set(kept))]}
    with loose(frame, **changes) as one:
        made = one.release(RULE, f"{shop}::{table}")
        one.release(RULE, out / "same.parquet")
        with pytest.raises(ReleaseError, match="`--overwrite` replaces it"):
            one.release({"job": 0}, f"{shop}::{table}")
        again = one.release(RULE, f"{shop}::{table}", overwrite=True)
        receipt = json.loads(Path(made.receipt_path).read_text())
    with duckdb.connect(str(shop)) as connection:
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
        tables = connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall()
    assert rows == read(out / "same.parquet")[1]
    assert tables == [(2,)]
    assert receipt["sha256"] == made.receipt["sha256"] == again.receipt["sha256"]
    assert audit(f"{shop}::{table}", list(RULE)).k == made.k
    assert not [name for name in files_in(out) if "unfinished" in name]


@pytest.mark.slow
def test_a_new_duckdb_file_is_made(frame, out):
    with loose(frame) as one:
        with pytest.raises(ReleaseError, match="no schema 'sales'"):
            one.release(RULE, f"{out}/new.duckdb::sales.t")
        assert files_in(out) == []
        one.release(RULE, f"{out}/new.duckdb::t")
    with duckdb.connect(str(out / "new.duckdb")) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(len(frame),)]


@pytest.mark.slow
def test_a_target_database_that_another_process_holds(frame, out):
    shop = out / "shop.duckdb"
    duckdb.connect(str(shop)).close()
    code = f"import duckdb, time; c = duckdb.connect({str(shop)!r}); print('open', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "open\n"
            with loose(frame) as one, pytest.raises(ReleaseError, match="open in another process"):
                one.release(RULE, f"{shop}::t")
        finally:
            holder.kill()
    assert files_in(out) == ["shop.duckdb"]


# -- what is left behind -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    return big_export(tmp_path_factory.mktemp("big"), 600_000)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_kill_leaves_the_old_release_and_one_temporary_file(frame, out, big, ending):
    target = out / f"out.{ending}"
    with loose(frame) as one:
        one.release(RULE, target)
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        temporary = target_of(target, out).temporary
        with releasing(big, target) as victim:
            limit = time.monotonic() + 60
            while not temporary.exists() and victim.poll() is None and time.monotonic() < limit:
                time.sleep(0.002)
            assert victim.poll() is None, victim.communicate()[1]
            victim.kill()
        assert victim.returncode == -signal.SIGKILL
        assert files_in(out) == sorted([*before, temporary.name])
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        assert {name: (out / name).read_bytes() for name in before} == before
        one.release(RULE, target, overwrite=True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.slow
def test_a_release_that_is_being_written_is_not_written_twice(frame, out):
    """The file and the receipt stay those of the release that was there."""
    target = target_of("out.csv", out)
    with loose(frame) as one:
        with unfinished(target), pytest.raises(ReleaseError, match="another process is writing the same file"):
            one.release(RULE, out / "out.csv")
        assert files_in(out) == []
        one.release(RULE, out / "out.csv")
        with unfinished(target), pytest.raises(ReleaseError, match="another process is writing the same file"):
            one.release({"job": 0}, out / "out.csv", overwrite=True)
    assert files_in(out) == beside("out.csv")
    receipt = json.loads((out / "out.csv.receipt.json").read_text())
    assert receipt["sha256"] == hashlib.sha256((out / "out.csv").read_bytes()).hexdigest()


def test_the_end_of_one_release_does_not_remove_the_file_of_the_next(out):
    target = target_of("out.csv", out)
    with unfinished(target) as first:
        first.rename(target.path)
        first.write_text("of another process")
    assert target.temporary.read_text() == "of another process"


@pytest.fixture
def small_disk(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb::t"])
def test_a_full_disk_leaves_nothing(small_disk, big, ending):
    frame = people(60)
    target = f"{small_disk}/out.{ending}"
    with Project(source=big, class_="class", insensitive=["note"], requirement={"k": 1}) as one:
        with pytest.raises(ReleaseError, match="disk"):
            one.release({"age": 0}, target)
        assert files_in(small_disk) == []
    with loose(frame) as one:
        made = one.release(RULE, target)
        before = files_in(small_disk)
        other = Project(source=big, class_="class", insensitive=["note"], requirement={"k": 1})
        with other, pytest.raises(ReleaseError, match="disk"):
            other.release({"age": 0}, target, overwrite=True)
        assert files_in(small_disk) == before
        assert audit(target, list(RULE)).classes == made.classes
        if "::" not in ending:  # a DuckDB file gives the space that it took back to itself, not to the disk
            assert one.release(RULE, target, overwrite=True).receipt["sha256"] == made.receipt["sha256"]


@pytest.mark.slow
def test_a_query_that_fails_leaves_nothing(frame, out, monkeypatch):
    def broken(*_args, **_kwargs):
        raise KeyboardInterrupt

    from anonduck.release import release as module

    monkeypatch.setattr(module, "_audited", broken)
    with loose(frame) as one:
        for ending in ("csv", "duckdb::t"):
            with pytest.raises(KeyboardInterrupt):
                one.release(RULE, f"{out}/out.{ending}")
    assert files_in(out) == []


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(("place", "step"), [(release, "judge_release"), (RuleRecoder, "rows")])
@pytest.mark.parametrize("suffix", [".csv", ".duckdb::t"])
def test_a_source_that_changes_while_it_is_read_is_noticed(frame, out, tmp_path, monkeypatch, place, step, suffix):
    path = tmp_path / "changing.csv"
    frame.to_csv(path, index=False)
    real = getattr(place, step)

    def late(*arguments, **named):
        frame.iloc[1:].to_csv(path, index=False)
        return real(*arguments, **named)

    monkeypatch.setattr(place, step, late)
    with loose(path) as one, pytest.raises(ReleaseError, match=r"records were read and .* are in"):
        one.release({"age": 0}, f"{out}/late{suffix}")
    assert files_in(out) == []


# -- the bytes of a rule's release stay those of earlier versions ------------------------------------------------------

RECORDS = """id,age,job,rate,note,class
1,21,clerk,0.5,a,x
2,22,clerk,-0.0,b,y
3,23,cook,0.0,a,x
4,24,cook,,c,y
5,31,nurse,0.5,a,x
6,32,nurse,0.5,b,y
7,33,smith,,a,x
8,38,smith,0.0,c,y
9,41,,0.5,a,x
10,42,,0.5,b,y
11,61,clerk,0.0,a,x
12,62,clerk,0.0,"c,d",
"""
WRITTEN = [
    (
        {"identifiers": ["id", "note"], "insensitive": []},
        {"age": 1, "job": 1},
        "817efe9b61573180eff825a54ac3755c5181e0d861b80a02831c68694338a466",
    ),
    (
        {"insensitive": ["note"]},
        {"age": 1, "rate": 0},
        "1fa6baa5276dba098423eaeb8c970ba533a3a3682b1382dd4e29e6b4f2cca978",
    ),
    (
        {"insensitive": ["note"], "requirement": {"k": 2, "suppression": 0.5}},
        {"age": 2, "job": 1},
        "00d3f9b9cb539991bcdb450cf42ffc7d71188e9b11749e3e85c16c13f0090383",
    ),
    (
        {"insensitive": [], "sensitive": ["note"]},
        {"job": 0},
        "98c237b33d88aa56431eed3921197a6109ce0d245010c170f51bc3c25046eb3e",
    ),
]


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(("changes", "rule", "digest"), WRITTEN)
def test_a_rule_writes_the_same_bytes_as_before(tmp_path, out, hierarchy, changes, rule, digest):
    (tmp_path / "records.csv").write_text(RECORDS)
    settings = {"taxonomies": {**hierarchy, "age": {"intervals": 2}}, "requirement": {"k": 1}, **changes}
    with project(tmp_path / "records.csv", **settings) as one:
        made = one.release(rule, out / "out.csv", keep_roots=rule == {"job": 0})
    assert hashlib.sha256((out / "out.csv").read_bytes()).hexdigest() == digest
    assert made.receipt["method"] == {"name": "rule"}
    assert made.receipt["rule"]["levels"] == rule
