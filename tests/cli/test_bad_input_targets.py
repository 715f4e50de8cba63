"""Rules that do not exist, targets where nothing can go, databases that are held, interruptions: nothing is lost."""

import os
import signal
import stat
import subprocess
import sys
import time

import duckdb
import pytest
from bad_inputs import CONFIG, GOOD, OWN, RELEASE, accepted, check_words, contents, laid_out, refused, shell

RULES = [
    ("nope=0", "the rule names 'nope', which is not a quasi-identifier; those are 'age', 'job'"),
    ("age=9", r"gives 'age' level 9; its taxonomy has levels 0 to 2 \(the root\)"),
    ("age=-1", "the level '-1'; a level is a whole number from 0"),
    ("", "the rule is empty"),
    ("age=2", "names no attribute under its root"),
    ("R1", "nothing was discovered yet; run `anonduck discover` first"),
]


@pytest.mark.some(5)
@pytest.mark.parametrize(("rule", "words"), RULES)
def test_rules(capsys, tmp_path, rule, words):
    folder = laid_out(tmp_path, {"s.csv": GOOD})
    refused(capsys, folder, words, "release", rule, "-o", "o.csv", "--require", "k=1")
    refused(capsys, folder, words, "sql", rule)


@pytest.mark.slow
@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("s.csv", "is the source itself, which is never overwritten; name another file"),
        ("link.csv", "is the source itself"),
        ("hard.csv", "is the source itself"),
        ("d.csv/../s.csv", "is the source itself"),
        ("anonduck.duckdb::t", "is the decision database itself"),
        ("anonduck.yml", r"cannot go to anonduck\.yml; write FILE\.parquet, .* or delta:FOLDER"),
        ("o.xlsx", "cannot go to o.xlsx"),
        ("o", "cannot go to o"),
        ("", "--output.*it is empty; write a text"),
        ("/dev/null", "cannot go to /dev/null"),
        ("nope/o.csv", "there is no folder .*nope; make it, or name another target"),
        ("d.csv", "is a directory; name a file in it"),
        ("/proc/o.csv", "cannot be written"),
        ("x" * 300 + ".csv", "a name in it has 304 bytes, and the most is 255"),
        ("x" * 240 + ".csv", "is too long"),
        ("t.duckdb::", "cannot go to t.duckdb::"),
        ('t.duckdb::a b.c"d', "is not a table's name"),
        ("t.duckdb::nope.t", "has no schema 'nope'; make it, or name another"),
        ("text.duckdb::t", "is not a DuckDB database; name another target"),
    ],
)
def test_targets(capsys, tmp_path, target, words):
    folder = laid_out(tmp_path, {"s.csv": GOOD, "d.csv/x": "", "text.duckdb": "text" * 99})
    (folder / "link.csv").symlink_to(folder / "s.csv")
    (folder / "hard.csv").hardlink_to(folder / "s.csv")
    refused(capsys, folder, words, "release", "age=0", "-o", target, "--overwrite", "--require", "k=1")


@pytest.mark.slow
def test_a_target_that_exists(capsys, tmp_path):
    folder = laid_out(tmp_path, {"s.csv": GOOD, "o.csv": "KEEP", "o.csv.receipt.json": "KEEP", "x.sql": "KEEP"})
    text = refused(capsys, folder, "o.csv exists; `--overwrite` replaces it", *RELEASE)
    assert "taxonomy of" not in text
    text = refused(capsys, folder, "o.csv exists; `--overwrite` replaces it", "run", "-o", "o.csv")
    assert "taxonomy of" not in text
    refused(capsys, folder, "x.sql exists; `--overwrite` replaces it", "sql", "age=0", "-o", "x.sql")
    under = ("release", "age=0", "-o", "o.csv", "--require", "k=1000", "--overwrite")
    refused(capsys, folder, "reaches k = 6, under the required 1000; nothing was written", *under, code=1)
    accepted(capsys, folder, *RELEASE, "--overwrite")
    assert (folder / "o.csv").read_text() != "KEEP" != (folder / "o.csv.receipt.json").read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written(capsys, tmp_path):
    folder = laid_out(tmp_path, {"s.csv": GOOD, "d/x": ""})
    (folder / "d").chmod(stat.S_IRUSR | stat.S_IXUSR)
    refused(capsys, folder, "cannot be written; name another target", "release", "age=0", "-o", "d/o.csv")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"anonduck.duckdb/x": "1"}, "the decision database .* is a directory; .*name a file with `database:`"),
        ({"anonduck.duckdb": "garbage" * 999}, "is not a DuckDB database; move it away, or name another"),
        ({"anonduck.duckdb": ""}, "is not a DuckDB database"),
    ],
)
def test_decision_databases_that_are_none(capsys, tmp_path, files, words):
    folder = laid_out(tmp_path, {"s.csv": GOOD, **files})
    for command in (RELEASE, ("discover",), ("rules",), ("run", "-o", "o.csv")):
        refused(capsys, folder, words, *command)
    for name, content in files.items():
        assert (folder / name).read_text() == content


@pytest.mark.slow
def test_a_decision_database_that_another_process_holds(capsys, tmp_path):
    folder = laid_out(tmp_path, {"s.csv": GOOD})
    before = contents(folder)
    with duckdb.connect(str(folder / "anonduck.duckdb")):
        for command in (RELEASE, ("discover",)):
            result = shell(folder, *command)
            assert result.returncode == 6
            check_words(result.stderr.decode(), "open in another process; only one may hold it. Wait for that process")
    assert contents(folder) == before
    accepted(capsys, folder)


@pytest.mark.slow
def test_other_exports(capsys, tmp_path):
    other = GOOD.replace("baker", "ZZSECRET")
    folder = laid_out(
        tmp_path,
        {
            "s.csv": GOOD,
            "o.csv2.csv": other,
            "less.csv": "age,c\n1,a\n2,b\n",
            "j.csv": "baker,a,*\ncook,b,*\nnurse,b,*\n",
        },
        CONFIG + "taxonomies: {job: {file: j.csv}}\n",
    )
    release = ("release", "job=1", "-o", "o.csv", "--require", "k=1", "--source")
    accepted(capsys, folder, "taxonomy", "build")
    words = "lacks 1 of its values, found in 14 records. Add them to the taxonomy, or send them to the root label"
    refused(capsys, folder, words, *release, "o.csv2.csv")
    refused(capsys, folder, "there is no file", *release, "gone.csv")
    refused(capsys, folder, "'job'", *release, "less.csv")
    text = accepted(capsys, folder, *release, "o.csv2.csv", "--unmapped", "root")
    assert "became the root label '*'" in text


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A source of three million records."""
    path = tmp_path_factory.mktemp("many") / "s.parquet"
    columns = "hash(i) % 1000 AS a, hash(i + 1) % 900 AS b, hash(i + 2) % 9 AS kept, hash(i) % 2 AS c"
    duckdb.execute(f"COPY (SELECT {columns} FROM range(3000000) r(i)) TO '{path}'")
    return path


@pytest.fixture
def large(many, tmp_path):
    """A folder whose commands take seconds, with an old release in it."""
    (tmp_path / "s.parquet").hardlink_to(many)
    config = "source: s.parquet\nclass: c\ninsensitive: [kept]\nrequirement: {k: 1}\n"
    return laid_out(tmp_path, {"o.parquet": "KEEP"}, config)


def heed():
    """Take signals as a terminal's process does, also where the tests run without one (nohup)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


DISCOVER, RUN = ("discover",), ("run", "-o", "o.parquet", "--overwrite")
UNDER_WAY = ".o.parquet.anonduck-unfinished.parquet"
RELEASING = ("release", "a=1,b=0", "-o", "o.parquet", "--overwrite")


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("appears", "command", "number"),
    [
        ("s.parquet", DISCOVER, signal.SIGINT),
        ("anonduck.duckdb", DISCOVER, signal.SIGTERM),
        ("anonduck.duckdb", RUN, signal.SIGHUP),
        (UNDER_WAY, RELEASING, signal.SIGINT),
        (UNDER_WAY, RELEASING, signal.SIGTERM),
        (UNDER_WAY, RELEASING, signal.SIGHUP),
    ],
)
def test_an_interrupted_command_ends_cleanly(large, appears, command, number):
    """Each signal where most could be left, and one at each other place: all come through the same handler."""
    before = contents(large)
    arguments = [sys.executable, "-m", "anonduck", *command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(arguments, cwd=large, preexec_fn=heed, **pipes) as process:  # noqa: PLW1509 - no threads here
        wait_for(large / appears)
        process.send_signal(number)
        words = b"".join(process.communicate(timeout=120)).decode()
    if appears == "s.parquet":  # before its own code runs, Python itself ends: as the signal says, or while it starts
        assert process.returncode in (128 + number, -number, 1), words
    else:
        assert process.returncode == 128 + number, words
        check_words(words, "stopped")
    assert contents(large) == before
    assert {path.name for path in large.iterdir()} <= OWN | set(before)


def wait_for(path):
    for _ in range(6000):
        if path.exists():
            time.sleep(0.1)
            return
        time.sleep(0.01)
    pytest.fail(f"{path} did not appear")


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_ignored(large):
    ignoring = "import signal, runpy; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    code = ignoring + "runpy.run_module('anonduck', run_name='__main__')"
    arguments = [sys.executable, "-c", code, "release", "a=1,b=0", "-o", "o.parquet", "--overwrite"]
    with subprocess.Popen(arguments, cwd=large, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(large / "anonduck.duckdb")
        process.send_signal(signal.SIGHUP)
        words = b"".join(process.communicate(timeout=120)).decode()
    assert process.returncode == 0, words
    assert (large / "o.parquet").read_bytes()[:4] == b"PAR1"


# -- what killed processes left ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_a_killed_writer_left_goes_with_the_next(capsys, tmp_path):
    left = [
        ".o.csv.anonduck-unfinished.csv",
        ".o.csv.receipt.json.77.anonduck-unfinished",
        ".x.sql.anonduck-unfinished",
    ]
    left += [".age.csv.anonduck-unfinished", ".m.parquet.anonduck-unfinished"]
    folder = laid_out(tmp_path, {"s.csv": GOOD, **dict.fromkeys(left, "a value of the source")})
    accepted(capsys, folder, *RELEASE)
    accepted(capsys, folder, "sql", "age=0", "-o", "x.sql")
    accepted(capsys, folder, "taxonomy", "export", "age", "-o", "age.csv")
    accepted(capsys, folder, "taxonomy", "mapping", "age=0", "-o", "m.parquet")
    assert [path.name for path in folder.iterdir() if "unfinished" in path.name] == []


@pytest.mark.slow
def test_exports_leave_one_file_that_the_next_removes(capsys, tmp_path, monkeypatch):
    """Whatever name DuckDB or anonduck gives a file under way, it is the one that the next run knows."""
    folder = laid_out(tmp_path, {"s.csv": GOOD, "age.csv": "KEEP", "age.parquet": "KEEP"})
    accepted(capsys, folder, "taxonomy", "build")
    seen = []
    replaced = os.replace

    def watched(*arguments):
        seen.append(sorted(path.name for path in folder.iterdir() if path.name not in known))
        replaced(*arguments)

    known = {path.name for path in folder.iterdir()} | {"anonduck.duckdb.wal", "anonduck.duckdb.tmp"}
    monkeypatch.setattr(os, "replace", watched)
    for name, form in (("age.csv", "csv"), ("age.parquet", "parquet")):
        accepted(capsys, folder, "taxonomy", "export", "age", "--format", form, "-o", name, "--overwrite")
    assert seen == [[".age.csv.anonduck-unfinished"], [".age.parquet.anonduck-unfinished"]]


def test_a_receipt_that_cannot_be_written_leaves_the_old_release(capsys, tmp_path):
    folder = laid_out(tmp_path, {"s.csv": GOOD, "o.csv": "KEEP", "o.csv.receipt.json/x": ""})
    refused(capsys, folder, "where the receipt goes, is a directory", *RELEASE, "--overwrite")


# -- purge -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("command", [("purge",), ("demo", ".", "--overwrite")])
def test_nothing_is_removed_under_a_process_that_holds_it(capsys, tmp_path, command):
    config = "source: persons.parquet\nclass: buys_insurance\ninsensitive: [contact_channel]\n"
    folder = laid_out(tmp_path, {"anonduck.duckdb.tmp/spilled": "KEEP"}, config)
    database = folder / "anonduck.duckdb"
    duckdb.connect(str(database)).close()
    words = "open in another process or session, and nothing was removed. Wait for"
    hold = f"import duckdb; c = duckdb.connect({str(database)!r}); print('open', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, stdin=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"open\n"
        before = database.stat().st_ino
        refused(capsys, folder, words, *command, code=6)
        assert database.stat().st_ino == before
        holder.communicate(b"\n")
    with duckdb.connect(str(database)) as connection:
        refused(capsys, folder, words, *command, code=6)
        connection.execute("CREATE TABLE still_there AS SELECT 1 AS x")
    accepted(capsys, folder, "purge")
    assert sorted(path.name for path in folder.iterdir()) == ["anonduck.yml"]


@pytest.mark.parametrize(
    ("database", "words"),
    [
        ("s.csv", "is the source itself"),
        ("anonduck.yml", "is the config itself"),
        ("notes.txt", "is not a DuckDB database and was not removed"),
        ("folder", "is a directory and was not removed"),
        (".", "is a directory and was not removed"),
    ],
)
def test_purge_removes_nothing_but_a_database(capsys, tmp_path, database, words):
    folder = laid_out(tmp_path, {"s.csv": GOOD, "notes.txt": "KEEP, for years", "folder/x": "KEEP"})
    (folder / "anonduck.yml").write_text(CONFIG + f"database: {database}\n")
    refused(capsys, folder, words, "purge")
