"""Columns with odd names, types and values: all the way through, or refused with a message of its own."""

import json

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asking import quoted
from bad_inputs import SECRETS, accepted, laid_out, refused, told

pytestmark = pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")

NAMES = [
    ('qu"ote', "it's", "with space", "a.b.c", "select"),
    (" lead", "from", "名前", "колонка", "x" * 200),
    ("value", "code_0", "level_1", "#records", "n"),
    ("id", "source", "rowid", "#repeat", "records"),
    ("a@b", "a=b", "a,b", "a;b--", "lookup"),
    ("a@value", "b@1", "a@0", "#cell", "#fold_0"),
    ("column", "*", "a\\b", "a\nb", "$p"),
    ("{x}", "?", "lower", "code_1", "class"),
]
ROWS = 120
CLASSES = ["the class", "value", "#class", "#records", "a@1", "é", "class", "n"]


LIMITS = "requirement: {k: 1}\nbudget: 100\ncoverage: [0.2]\nholdout: 0\nmax_rfds: 10\nmax_rules: 10\n"


def export(folder, columns, class_name="c", *, rows=ROWS, table=False):
    """An export of hashed values (SQL expressions over i, by name) and its config."""
    selected = [f"{expression} AS {quoted(name)}" for name, expression in columns.items()]
    query = f"SELECT {', '.join(selected)}, 'c' || hash(i) % 2 AS {quoted(class_name)} FROM range({rows}) r(i)"
    with duckdb.connect(str(folder / "s.duckdb") if table else ":memory:") as connection:
        connection.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
        connection.execute(f"CREATE TABLE t AS {query}" if table else f"COPY ({query}) TO '{folder}/s.parquet'")
    source = "s.duckdb::t" if table else "s.parquet"
    config = f"source: {source}\nclass: {json.dumps(class_name)}\n"
    return laid_out(folder, {}, config + LIMITS)


def literal(names, level):
    return ",".join(f"{quoted(name)}={level}" for name in names)


def end_to_end(capsys, folder, rule, class_name="c", *, ending="parquet"):
    """Everything that can be done with a rule; the released rows are those of its script run in plain DuckDB."""
    file = f"o.{ending}"
    accepted(capsys, folder, "taxonomy", "build")
    told(capsys, folder, "taxonomy", "check")
    words = accepted(capsys, folder, "discover")
    words += accepted(capsys, folder, "rules") + accepted(capsys, folder, "release", rule, "-o", file)
    words += accepted(capsys, folder, "audit", file, "--class", class_name, "--require", "k=1")
    accepted(capsys, folder, "sql", rule, "-o", "o.sql")
    released = rows_of(f"SELECT * FROM read_{ending}('{folder}/{file}')")
    assert len(released) == ROWS
    if ending == "parquet":
        assert rows_of((folder / "o.sql").read_bytes().decode()) == released
    code, text = told(capsys, folder, "run", "-o", f"run.{ending}")
    assert code in (0, 3), text
    return words + text


def rows_of(sql):
    """The rows of a script's last statement as text, in one order."""
    with duckdb.connect() as connection:
        connection.register("found", connection.execute(sql).to_arrow_table())
        return sorted(connection.execute("SELECT COLUMNS(*)::VARCHAR FROM found").fetchall(), key=repr)


@pytest.mark.some(0, 2)
@pytest.mark.slow
@pytest.mark.parametrize(("names", "class_name"), list(zip(NAMES, CLASSES, strict=True)))
def test_odd_names_work(capsys, tmp_path, names, class_name):
    """Columns of text and of numbers by turns; a search repeated without some of the records works too."""
    kinds = {name: "'v' || " if at % 2 else "" for at, name in enumerate(names)}
    columns = {name: f"{kinds[name]}(hash(i + {at}) % {3 + at % 2})::INTEGER" for at, name in enumerate(names)}
    folder = export(tmp_path, columns, class_name)
    config = folder / "anonduck.yml"
    config.write_text(config.read_text().replace("holdout: 0", "holdout: 0.2"))
    rule = ",".join(f"{quoted(name)}={int(bool(kinds[name]))}" for name in names)
    end_to_end(capsys, folder, rule, class_name)


X = "(hash(i) % 4)::INTEGER"
VALUES = {
    "timestamp with zone": f"TIMESTAMPTZ '2024-03-31 00:30:00+00' + to_days({X})",
    "decimal": f"({X} + 0.0000000001)::DECIMAL(38, 10)",
    "large decimal": f"({X}::HUGEINT * 1000000000000000000000000000)::DECIMAL(38, 10)",
    "boolean": f"{X} > 1",
    "yes and no": f"CASE WHEN {X} > 1 THEN 'yes' ELSE 'no' END",
    "unsigned": f"18446744073709551615::UBIGINT - {X}::UBIGINT",
    "not a number": f"CASE {X} WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' ELSE 1.5 END",
    "extreme": "CASE hash(i) % 20 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' WHEN 3 THEN -0.0 "
    "WHEN 4 THEN 1e308 WHEN 5 THEN -1e308 WHEN 6 THEN 5e-324 ELSE hash(i) % 20 END",
    "float": f"({X} * 0.1)::FLOAT",
    "date": f"DATE '2024-02-28' + {X}",
    "date without end": f"CASE {X} WHEN 0 THEN DATE 'infinity' WHEN 1 THEN DATE '-infinity' ELSE DATE '2024-01-01' END",
    "date before Christ": f"CASE {X} WHEN 0 THEN '0044-03-15 (BC)'::DATE ELSE DATE '9999-12-31' END",
    "time": f"TIME '10:00:00' + to_hours({X})",
    "nanoseconds": f"(TIMESTAMP '2024-01-01' + to_hours({X}))::TIMESTAMP_NS",
    "uuid": f"('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1' || {X})::UUID",
    "enum": f"(['sad', 'ok', 'happy'])[1 + {X} % 3]::mood",
    "blob": f"('ab\\x00\\xFF' || {X})::BLOB",
    "interval": f"to_days({X})",
    "all NULL": "NULL::INTEGER",
    "constant": "'only'",
    "empty and NULL": f"CASE {X} WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN ' ' ELSE 'a' END",
    "SQL": f"CASE {X} WHEN 0 THEN '''; DROP TABLE source; --' WHEN 1 THEN '\"; DROP TABLE x; --' ELSE '$value' END",
    "control": f"'a' || chr(10) || 'b' || chr(13) || 'c' || chr(1) || {X}",
    "labels": f"CASE {X} WHEN 0 THEN '*' WHEN 1 THEN 'NULL' WHEN 2 THEN 'null' ELSE '*1' END",
    "marks": f"CASE {X} WHEN 0 THEN 'é' WHEN 1 THEN 'e' || chr(769) WHEN 2 THEN 'É' ELSE 'E' END",
}


@pytest.mark.some(0, 3)
@pytest.mark.slow
@pytest.mark.parametrize("names", [list(VALUES)[at : at + 3] for at in range(0, len(VALUES), 3)], ids=", ".join)
def test_odd_values_work(capsys, tmp_path, names):
    columns = {name: VALUES[name] for name in names}
    folder = export(tmp_path, {**columns, "other": "(hash(i + 5) % 3)::INTEGER"})
    end_to_end(capsys, folder, literal([*names, "other"], 0))


@pytest.mark.some(0, 2)
@pytest.mark.slow
@pytest.mark.parametrize("names", [list(VALUES)[at::5] for at in range(5)], ids=", ".join)
def test_odd_values_of_a_table_work(capsys, tmp_path, names):
    folder = export(tmp_path, {name: VALUES[name] for name in names}, table=True)
    end_to_end(capsys, folder, literal(names, 0))


@pytest.mark.slow
@pytest.mark.parametrize("text", [f"'ZZSECRET' || {X}", f"repeat('ZZSECRET', 40000) || {X}", f"98765432123 + {X}"])
def test_no_message_of_the_way_names_a_value(capsys, tmp_path, text):
    words = end_to_end(capsys, export(tmp_path, {"q": text, "other": "(hash(i + 5) % 3)::INTEGER"}), "q=0,other=0")
    for secret in SECRETS:
        assert secret not in words


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("name", "expression", "kind"),
    [
        ("list", "[i % 3]", r"BIGINT\[\]"),
        ("struct", "{'a': i % 3}", r"STRUCT\(a BIGINT\)"),
        ("map", "MAP {'a': i % 3}", r"MAP\(VARCHAR, BIGINT\)"),
    ],
)
def test_nested_values_are_refused(capsys, tmp_path, name, expression, kind):
    folder = export(tmp_path, {name: expression, "other": "i % 3"})
    words = f"column '{name}' is a quasi-identifier of type {kind}; a nested value cannot be generalized. Unpack it"
    refused(capsys, folder, words, "discover")
    (folder / "anonduck.yml").write_text(f"source: s.parquet\nclass: c\nidentifiers: [{name}]\n")
    accepted(capsys, folder, "discover")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["HUGEINT", "UHUGEINT"])
def test_integers_that_parquet_cannot_hold(capsys, tmp_path, kind):
    folder = export(tmp_path, {"q": f"170141183460469231731687303715884105727::{kind} - ({X})::{kind}"}, table=True)
    words = rf"column 'q' is {kind}, which Parquet cannot hold; release to CSV or a table, or .*types: \{{q: VARCHAR\}}"
    refused(capsys, folder, words, "release", "q=0", "-o", "o.parquet")
    end_to_end(capsys, folder, "q=0", ending="csv")
    assert "170141183460469231731687303715884105724" in (folder / "o.csv").read_text()


@pytest.mark.slow
def test_values_that_are_only_null_or_only_one_are_said(capsys, tmp_path):
    folder = export(tmp_path, {"none": "NULL::VARCHAR", "one": "'x'", "other": "(hash(i + 5) % 3)::INTEGER"})
    text = accepted(capsys, folder, "discover")
    assert "column 'none' holds only NULL" in text
    assert "column 'one' holds a single value" in text


def test_text_with_too_many_values_is_refused_with_advice(capsys, tmp_path):
    folder = export(tmp_path, {"q": "'ZZSECRET' || i", "other": "i % 3"}, rows=6000)
    words = "the column q has 6,000 distinct values; clusters take at most 5,000. Give it a taxonomy of your own .*role"
    refused(capsys, folder, words, "discover")
    refused(capsys, folder, words, "release", "q=1", "-o", "o.csv")


@pytest.mark.slow
def test_names_do_not_command_the_terminal(capsys, tmp_path):
    names = ("\x1b[2Jage", "a\x9b31mge", "ag\x07e\x7f", "\u202eega", "age\nk >= 5: met (99)")
    held = {name: ([1, 2, None, 4] * 14)[at : at + 48] for at, name in enumerate(names)}
    pq.write_table(pa.table({**held, "job": list("abcd") * 12, "c": list("ab") * 24}), tmp_path / "s.parquet")
    words = accepted(capsys, tmp_path, "init", "s.parquet", "--class", "c", "--identifier", "job")
    for command in (
        ("discover", "--coverage", "0.5", "--min-k", "1", "--model", "none"),
        ("rules",),
        ("frontier",),
        ("release", literal(names, 0), "-o", "o.csv", "--require", "k=1"),
        *(("taxonomy", "show", name) for name in names),
        ("taxonomy", "check"),
        ("rules", "--json"),
        ("audit", "o.csv", "--class", "c"),
    ):
        words += accepted(capsys, tmp_path, *command)
    shown = json.loads(told(capsys, tmp_path, "rules", "--json")[1])
    assert set() < {column for rule in shown["rules"] for column in rule["levels"]} <= set(names)
    for name in names:
        words += refused(capsys, tmp_path, "", "audit", "o.csv", "-q", name + "?")
    assert [letter for letter in words if not letter.isprintable() and letter not in "\n\t"] == []
    assert [line for line in words.splitlines() if line.strip().startswith("k >= 5: met (99)")] == []
