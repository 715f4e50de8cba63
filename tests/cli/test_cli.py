"""The command line: exit codes, one JSON document on stdout and nothing else, files that only their owner can read."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from anonduck.cli.app import run
from anonduck.demo.export import write_demo_export
from anonduck.project import Project
from anonduck.rules.dependency import percent

RULE_FIELDS = {
    "id", "levels", "literal", "origin", "origins", "parents", "coverages", "k", "classes", "information_gain",
    "information_gain_corrected", "accuracy", "accuracy_standard_error", "balanced_accuracy", "macro_f1", "roc_auc",
    "utility", "on_frontier", "equal_to", "rfd", "information_kept", "information_kept_overall",
}  # fmt: skip


@pytest.fixture
def folder(prepared, tmp_path, monkeypatch) -> Path:
    """A folder with a small export on which `init` and `discover` have run, as the current one."""
    monkeypatch.chdir(prepared("demo", tmp_path))
    return tmp_path


def documents(capsys, *arguments: str, code: int = 0) -> dict:
    """The JSON document that a command prints; its stdout holds nothing else."""
    capsys.readouterr()
    assert run([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def shell(commands: str, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """The command as a process of its own, of the folder of commands."""
    return subprocess.run(
        [f"{commands}/anonduck", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- init ---------------------------------------------------------------------


def test_init_writes_a_config_and_tells_each_column_s_role(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("name,zip,c\na,1,x\nb,2,y\nc,3,x\n")
    made = documents(
        capsys, "init", "t.csv", "--class", "c", "--identifier", "name", "--sensitive", "zip", "-p", "other.yml"
    )
    assert {column["name"]: column["role"] for column in made["columns"]} == {
        "name": "identifiers",
        "zip": "sensitive",
        "c": "class",
    }
    assert (tmp_path / "other.yml").exists()
    assert not (tmp_path / "anonduck.yml").exists()


@pytest.mark.slow
def test_init_keeps_the_decision_database_out_of_version_control(folder):
    ignored = (folder / ".gitignore").read_text().splitlines()
    assert {"anonduck.duckdb", "anonduck.duckdb.wal", "anonduck.duckdb.tmp/"} <= set(ignored)


@pytest.mark.slow
def test_init_adds_to_a_gitignore_that_is_there_once(folder):
    (folder / ".gitignore").write_text("mine\nanonduck.duckdb\n")
    assert run(["init", "persons.parquet", "--class", "sex", "--overwrite"]) == 0
    assert run(["init", "persons.parquet", "--class", "sex", "--overwrite"]) == 0
    lines = (folder / ".gitignore").read_text().splitlines()
    assert lines[0] == "mine"
    assert len(lines) == len(set(lines))


# -- rules and frontier ---------------------------------------------------------------------


@pytest.mark.slow
def test_discover_prints_rules_and_what_each_coverage_gave(folder, capsys):
    found = documents(capsys, "discover", "--search", "rfd", "--coverage", "0.2", "--min-k", "8", "--sample", "all")
    assert [coverage["coverage"] for coverage in found["coverages"]] == [0.2]
    assert found["rules"]
    assert all(rule["k"] >= 8 for rule in found["rules"])
    assert set(found["frontier"]) == {rule["id"] for rule in found["rules"] if rule["on_frontier"]}


@pytest.mark.slow
def test_a_single_rule_is_one_rule(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{age},{'yes' if age > 40 else 'no'}" for age in (20, 50)] * 40
    Path("people.csv").write_text("\n".join(["age,buys", *rows]))
    assert run(["init", "people.csv", "--class", "buys", "-q", "age"]) == 0
    assert run(["discover", "--model", "none", "--select", "loss"]) == 0
    assert "\n1 rule, 1 on the frontier" in capsys.readouterr().out


@pytest.mark.slow
def test_rules_and_frontier_print_the_fixed_fields(folder, capsys):
    listed = documents(capsys, "rules")
    assert listed["rows"] == 600
    assert 0 < listed["baseline"]["accuracy"]["tree"] < 1
    for rule in listed["rules"]:
        assert set(rule) >= RULE_FIELDS
        assert rule["origin"] in {"lattice", "extracted", "joined"}
        assert rule["k"] >= 5
    front = documents(capsys, "frontier")
    assert {rule["id"] for rule in front["rules"]} == {rule["id"] for rule in listed["rules"] if rule["on_frontier"]}
    assert front["objectives"] == ["k", "accuracy"]


@pytest.mark.slow
def test_frontier_on_other_objectives_is_another_frontier(folder, capsys):
    wanted = ["k", "information_gain"]
    front = documents(capsys, "frontier", "--objective", wanted[0], "--objective", wanted[1])
    points = [(rule["k"], rule["information_gain"]) for rule in front["rules"]]
    assert points
    everything = [(rule["k"], rule["information_gain"]) for rule in documents(capsys, "rules")["rules"]]
    dominated = {p for p in everything if any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in everything)}
    assert set(points) == set(everything) - dominated


@pytest.mark.slow
def test_one_rule_is_shown_whole(folder, capsys):
    listed = documents(capsys, "rules")
    rule = listed["rules"][-1]
    for name in (rule["id"], rule["literal"]):
        assert documents(capsys, "rules", name) == listed | {"rules": [rule]}
    assert run(["rules", rule["id"]]) == 0
    shown = capsys.readouterr().out
    assert f"{rule['id']}: {rule['literal']}\n" in shown
    assert f"as a dependency: {rule['rfd']['notation']}\n" in shown
    assert "  Of the pairs of records that look alike in " in shown
    assert ("  Minimal: " if rule["rfd"]["minimal"] else "  Not minimal: ") in shown
    rows = {line.split("  ")[0]: line.split()[-2:] for line in shown.splitlines() if line.endswith(" %")}
    assert set(rows) == {*rule["information_kept"], "all together"}
    for name, kept in rule["information_kept"].items():
        assert rows[name][0] == percent(kept).removesuffix(" %")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["R99", "sex=7"])
def test_a_rule_that_was_not_found_is_not_shown(folder, capsys, name):
    assert run(["rules", name]) == 2
    assert f"no rule {name}" in capsys.readouterr().err


# -- release, sql, audit, run ---------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.quick
def test_release_writes_a_file_with_its_receipt_and_audits_the_same(folder, capsys):
    rule = documents(capsys, "frontier")["rules"][0]
    made = documents(capsys, "release", rule["id"], "-o", "out.csv")
    assert made["met"]
    assert made["k"] == rule["k"]
    receipt = json.loads((folder / "out.csv.receipt.json").read_text())
    assert receipt["rule"]["levels"] == rule["levels"]
    audited = documents(
        capsys, "audit", "out.csv", "--class", "buys_insurance", "--insensitive", "contact_channel", "--require", "k=5"
    )
    assert audited["k"] == rule["k"]
    assert audited["rows"] == 600
    assert audited["requirements"] == [{"name": "k", "required": 5, "reached": rule["k"], "met": True}]
    assert audited["quasi_identifiers"] == list(rule["levels"])


@pytest.mark.slow
def test_a_lowered_requirement_stands_in_the_receipt(folder, capsys):
    made = documents(capsys, "release", "sex=0", "-o", "out.parquet", "--require", "k=2")
    assert made["requirements"][0] == {
        "name": "k",
        "configured": 5,
        "required": 2,
        "reached": made["k"],
        "met": True,
        "lowered": True,
    }


@pytest.mark.slow
def test_a_dry_run_measures_and_writes_nothing(folder, capsys):
    made = documents(capsys, "release", "sex=0", "--dry-run")
    assert made["met"]
    assert not made["written"]
    under = documents(capsys, "release", "age=0", "-o", "out.csv", "--dry-run", code=1)
    assert not under["met"]
    assert not list(folder.glob("out*"))


def test_an_audit_that_requires_nothing_cannot_fail(folder, capsys):
    (folder / "t.csv").write_text("a,b\n1,x\n1,x\n2,y\n")
    assert documents(capsys, "audit", "t.csv")["k"] == 1
    assert documents(capsys, "audit", "t.csv", "-q", "a", "--require", "k=2", code=1)["met"] is False


@pytest.mark.slow
def test_sql_prints_the_script_and_writes_it_for_its_owner_only(folder, capsys):
    capsys.readouterr()
    assert run(["sql", "sex=0,age=3"]) == 0
    printed = capsys.readouterr().out
    assert "SELECT" in printed
    assert run(["sql", "sex=0,age=3", "-o", "release.sql"]) == 0
    assert (folder / "release.sql").read_text() == printed
    assert mode(folder / "release.sql") == 0o600
    assert run(["sql", "sex=0,age=3", "-o", "release.sql"]) == 2
    assert run(["sql", "sex=0", "--dialect", "cobol"]) == 2


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("by", ["id", "literal"])
def test_another_export_is_released_by_the_same_rule(folder, capsys, by):
    """The rows of the other export, not those of the project's own source."""
    rule = min(documents(capsys, "rules")["rules"], key=lambda rule: rule["classes"])
    write_demo_export(folder / "other.parquet", rows=450, seed=7)
    made = documents(
        capsys,
        "release",
        rule[by],
        "--source",
        "other.parquet",
        "-o",
        "other.csv",
        "--unmapped",
        "root",
        "--require",
        "k=1",
    )
    assert made["rows"] == 450
    assert len((folder / "other.csv").read_text().splitlines()) == 451
    own = documents(capsys, "release", rule[by], "-o", "own.csv")
    assert own["rows"] == 600


@pytest.mark.slow
def test_run_releases_the_best_rule_and_keeps_its_choice(folder, capsys):
    first = documents(capsys, "run", "-o", "first.parquet")
    assert first["met"]
    best = max(rule["accuracy"]["tree"] for rule in documents(capsys, "rules")["rules"])
    assert first["rule"]["accuracy"]["tree"] == best
    again = documents(capsys, "run", "-o", "second.parquet")
    assert again["rule"]["levels"] == first["rule"]["levels"]
    assert "last choice" in again["reason"]
    assert (folder / "first.parquet").read_bytes() == (folder / "second.parquet").read_bytes()


@pytest.mark.slow
def test_run_ends_with_three_when_no_rule_can_meet_the_requirement(folder, capsys):
    config = (folder / "anonduck.yml").read_text()
    (folder / "anonduck.yml").write_text(config.replace("{k: 5}", "{k: 601}"))
    failed = documents(capsys, "run", "-o", "out.parquet", code=3)
    assert failed["exit_code"] == 3
    assert "601" in failed["error"]
    assert not (folder / "out.parquet").exists()


# -- taxonomies ---------------------------------------------------------------------


@pytest.mark.slow
def test_taxonomy_commands_print_one_document(folder, capsys):
    built = documents(capsys, "taxonomy", "build", "sex", "--replace")
    assert [taxonomy["column"] for taxonomy in built["taxonomies"]] == ["sex"]
    assert documents(capsys, "taxonomy", "check") == {"findings": [], "ok": True}
    shown = documents(capsys, "taxonomy", "show", "age", "--level", "1")
    assert shown["column"] == "age"


@pytest.mark.slow
def test_an_exported_taxonomy_is_private_and_comes_back(folder, capsys):
    assert run(["taxonomy", "export", "job", "-o", "job.csv"]) == 0
    assert mode(folder / "job.csv") == 0o600
    imported = documents(capsys, "taxonomy", "import", "job.csv")
    assert imported["taxonomies"][0]["column"] == "job"
    assert imported["taxonomies"][0]["kind"] == "file"


# -- what holds for all ---------------------------------------------------------------------


@pytest.mark.slow
def test_the_decision_database_and_its_log_are_their_owner_s_only(folder):
    before = os.umask(0)
    try:
        with Project(folder / "anonduck.yml") as project:
            project.build_taxonomies(["age"], replace=True)
            assert mode(folder / "anonduck.duckdb.wal") == 0o600
    finally:
        os.umask(before)
    assert mode(folder / "anonduck.duckdb") == 0o600


def test_purge_removes_what_is_as_sensitive_as_the_source(folder, capsys):
    (folder / "anonduck.duckdb.wal").write_text("left behind")
    (folder / "anonduck.duckdb.tmp").mkdir()
    removed = documents(capsys, "purge")["removed"]
    assert {Path(name).name for name in removed} == {
        "anonduck.duckdb",
        "anonduck.duckdb.wal",
        "anonduck.duckdb.tmp",
    }
    assert sorted(path.name for path in folder.iterdir()) == [
        ".gitignore",
        "anonduck.schema.json",
        "anonduck.yml",
        "persons.parquet",
    ]
    assert documents(capsys, "purge") == {"removed": []}


def test_schema_describes_every_key(capsys):
    assert run(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert {"source", "class", "requirement", "taxonomies"} <= set(schema["properties"])
    assert schema["additionalProperties"] is False


@pytest.mark.slow
def test_p_names_a_config_in_another_folder(folder, tmp_path, monkeypatch, capsys):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert documents(capsys, "rules", "-p", "../anonduck.yml")["rows"] == 600
    assert documents(capsys, "-p", "../anonduck.yml", "rules")["rows"] == 600
    assert documents(capsys, "release", "sex=0", "-p", "../anonduck.yml", "-o", "here.csv")["met"]
    assert (elsewhere / "here.csv").exists()


def test_an_error_is_a_document_too(folder, capsys):
    failed = documents(capsys, "release", "no_such=1", "-o", "out.csv", code=2)
    assert set(failed) == {"error", "exit_code"}
    assert failed["exit_code"] == 2


def test_a_bug_ends_with_four_without_the_values_in_its_message(folder, capsys, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret value")

    monkeypatch.setattr("anonduck.init.purge.purge", broken)
    assert run(["purge"]) == 4
    told = capsys.readouterr().err
    assert "RuntimeError" in told
    assert "secret" not in told


@pytest.mark.slow
def test_no_colour_and_no_progress_where_nobody_looks(folder, forked):
    done = shell(forked, folder, "discover", "--search", "rfd", "--coverage", "0.1", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rules"]
    for text in (done.stdout, done.stderr):
        assert "\x1b" not in text
        assert "\r" not in text
        assert "%|" not in text
    for environment in ({}, {"NO_COLOR": "1"}):
        listed = shell(forked, folder, "rules", **environment)
        assert listed.returncode == 0
        assert "\x1b" not in listed.stdout


@pytest.mark.slow
def test_no_color_is_honoured_on_a_terminal(folder, forked):
    """A terminal that asks for no colour gets none, also where progress is drawn."""
    pty = pytest.importorskip("pty")
    reader, writer = pty.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}
    command = [f"{forked}/anonduck", "rules"]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=writer, stderr=subprocess.DEVNULL, check=False)
    os.close(writer)
    printed = os.read(reader, 1 << 16).decode()
    os.close(reader)
    assert done.returncode == 0
    assert "rule" in printed
    assert not [code for code in printed.split("\x1b[")[1:] if code[:2] in {"31", "32", "33", "34", "35", "36"}]


@pytest.mark.slow
@pytest.mark.parametrize("words", ["schema", "rules"])
def test_a_pipe_that_closes_early_is_no_error(folder, words):
    command = [sys.executable, "-m", "anonduck", *words.split()]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.read(1)
        running.stdout.close()
        assert b"Traceback" not in running.stderr.read()
    assert running.returncode == 0


@pytest.mark.slow
def test_the_frontier_lists_what_tells_nothing_when_asked(folder, capsys):
    default, everything = documents(capsys, "frontier")["rules"], documents(capsys, "frontier", "--all")["rules"]
    assert all(rule["on_frontier"] and not rule["tells_nothing"] for rule in default)
    more = [rule for rule in everything if rule["id"] not in {one["id"] for one in default}]
    assert all(rule["tells_nothing"] and not rule["on_frontier"] for rule in more)
    assert len(everything) == len(default) + len(more)
    capsys.readouterr()
    assert run(["frontier"]) == 0
    printed = capsys.readouterr().out
    assert ("frontier --all" in printed) == bool(more)
    assert all(rule["id"] in printed for rule in more)


@pytest.mark.slow
def test_run_selects_within_one_standard_error_when_asked(folder, capsys):
    told = documents(capsys, "run", "-o", "r.parquet", "--within", "1se", "--no-report")
    assert told["reason"].startswith("largest k within one standard error of the best accuracy")
    assert documents(capsys, "run", "-o", "s.parquet", "--select", "loss", "--within", "1se", code=2)[
        "error"
    ].startswith("the options: select: loss has no standard error")
    again = documents(capsys, "run", "-o", "t.parquet", "--select", "k", "--reselect", "--no-report")
    assert again["reason"].startswith("best k among the rules")
