"""Lines of a CSV file that are counted before they are read: the same records as one by one, or none at all."""

from __future__ import annotations

import csv
import json
import random
import stat
from collections import Counter
from pathlib import Path

import pytest

from anonduck import Project, audit
from anonduck.database import csv_lines, file_states
from anonduck.database.connection import Database
from anonduck.database.csv_lines import RECORDS, distinct_lines
from anonduck.errors import AuditError

HEADER = ["age", "job", "ill"]
CELLS = ["", "a", "b c", 'q"t', "x,y", "é", "7", " 8", "''"]


@pytest.fixture
def by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_lines, "_repeats", lambda path: True)


def written(path: Path, rows: list[list[str]], quoting: int = csv.QUOTE_MINIMAL, end: str = "\n") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=quoting, lineterminator=end).writerows([HEADER, *rows])
    return path


@pytest.mark.parametrize("seed", range(6))
def test_distinct_lines_are_the_records_with_their_numbers(tmp_path: Path, by_line: None, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    cells = draw.sample(CELLS, 4)
    rows = [draw.choices(cells, k=3) for _ in range(60)]
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    path = written(tmp_path / "a.csv", rows, quoting, draw.choice(["\n", "\r\n"]))
    work = Database()
    try:
        with distinct_lines(work, path, ",") as lines:
            assert lines is not None
            assert stat.S_IMODE(lines.parent.stat().st_mode) == 0o700
            first, *found = csv.reader(lines.read_text(encoding="utf-8").splitlines())
        assert not lines.parent.exists()
    finally:
        work.close()
    assert first == [*HEADER, RECORDS]
    assert Counter({tuple(one[:-1]): int(one[-1]) for one in found}) == Counter(map(tuple, rows))
    assert len(found) == len({tuple(one) for one in rows})


@pytest.mark.parametrize(
    "text",
    [
        'age,job,ill\n1,"a\nb",c\n',
        'age,job,ill\n1,"a\r\nb",c\n',
        "age,job,ill\n1,a,c\n\n2,a,c\n",
        'age,job,ill\n1,a"b,c\n',
        'age,job,ill\n1,"a"b,c\n',
        'age,job,ill\n1,a,"c\n',
        'age,"jo\nb",ill\n1,a,c\n',
        "age,job,ill\n1,\x01,c\n",
        "age,job,ill\n1,\udce4,c\n",
        "age,job,ill\udce4\n1,a,c\n",
    ],
)
def test_a_line_that_may_be_no_record_is_left_to_the_reader(tmp_path: Path, by_line: None, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(errors="surrogateescape"))
    work = Database()
    try:
        with distinct_lines(work, path, ",") as lines:
            assert lines is None
    finally:
        work.close()


def test_more_distinct_lines_than_memory_should_hold_are_left_to_the_reader(
    tmp_path: Path, by_line: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.csv", [[str(one), "a", "b"] for one in range(5)])
    work = Database()
    try:
        for most, some in ((5, True), (4, False)):
            monkeypatch.setattr(csv_lines, "MOST_LINES", most)
            with distinct_lines(work, path, ",") as lines:
                assert (lines is not None) == some
    finally:
        work.close()


@pytest.mark.parametrize(("alone", "found"), [(0, True), (40, True), (1_000, False), (4_000, False)])
def test_lines_repeat_where_few_are_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: int, found: bool
) -> None:
    draw = random.Random(3)  # noqa: S311
    rows = [[str(draw.randrange(30)), "a", "b"] for _ in range(4_000 - alone)]
    rows += [[str(1_000 + one), "a", "b"] for one in range(alone)]
    draw.shuffle(rows)
    path = written(tmp_path / "a.csv", rows)
    assert not csv_lines._repeats(path)  # it is small
    monkeypatch.setattr(csv_lines, "LEAST_BYTES", 0)
    monkeypatch.setattr(csv_lines, "LOOKED_AT", 2)
    assert csv_lines._repeats(path) == found
    assert not csv_lines._repeats(tmp_path / "none.csv")


def table(seed: int) -> list[list[str]]:
    draw = random.Random(seed)  # noqa: S311
    return [[draw.choice(["[20, 30)", "", "40"]), draw.choice(['q"t', "é", ""]), draw.choice("abc")] for _ in range(90)]


def test_an_audit_by_line_is_the_audit_by_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.csv", table(1))
    path.write_text(path.read_text(encoding="utf-8").replace(",,a", ',"",a', 7), encoding="utf-8")  # texts, no NULL
    roles = [
        {"quasi_identifiers": ["age", "job"]},
        {"quasi_identifiers": ["age"], "class_": "ill", "sensitive": ["job"]},
        {"quasi_identifiers": ["age"], "entity": "job", "insensitive": ["ill"]},
        {"quasi_identifiers": ["age", "job"], "insensitive": ["ill"], "row_order": True, "against": path},
    ]
    by_record = [audit(path, **one).as_json() for one in roles]  # type: ignore[arg-type]
    monkeypatch.setattr(csv_lines, "_repeats", lambda path: True)
    asked: list[str] = []
    by_line = [audit(path, **one, tracer=asked.append).as_json() for one in roles]  # type: ignore[arg-type]
    assert json.dumps(by_line, default=str) == json.dumps(by_record, default=str)
    assert sum("TABLE counted_rows AS" in one for one in asked) >= len(roles)


def test_a_broken_file_is_refused_by_its_own_line(tmp_path: Path, by_line: None) -> None:
    path = written(tmp_path / "a.csv", table(1))
    path.write_text(path.read_text(encoding="utf-8") + "1,2\n", encoding="utf-8")
    with pytest.raises(AuditError, match="line 92"):
        audit(path, quasi_identifiers=["age"])


def frequencies(source: Path, **config: object) -> tuple[Counter[tuple[object, ...]], int, list[str]]:
    asked: list[str] = []
    with Project(source=source, class_="ill", tracer=asked.append, **config) as one:  # type: ignore[arg-type]
        engine = one.workspace.source.engine
        engine.frequency_set(["age", "job", "ill"])
        return _rows(engine.database), engine.count(), asked


def _rows(database: Database) -> Counter[tuple[object, ...]]:
    from anonduck.statements.template import Statement

    found = database.rows(Statement("test", "SELECT * FROM frequency_set"))
    return Counter({row[:-1]: row[-1] for row in found})


@pytest.mark.parametrize(
    ("config", "lines"),
    [
        ({}, True),
        ({"types": {"age": "VARCHAR"}}, True),
        ({"where": "age > 30"}, False),
        ({"csv": {"nullstr": "a"}}, True),
        ({"csv": {"nullstr": "3"}}, False),  # which may be how often a line comes
        ({"csv": {"nullstr": ["NA", "2", "4"]}}, False),
    ],
)
def test_a_source_by_line_is_the_source_by_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: dict[str, object], lines: bool
) -> None:
    draw = random.Random(2)  # noqa: S311
    rows = [
        [draw.choice(["-1.5", "0", "41.25", ""]), draw.choice(['q"t', "é", ""]), draw.choice("abc")] for _ in range(90)
    ]
    path = written(tmp_path / "a.csv", rows)
    expected, records, _ = frequencies(path, **config)
    monkeypatch.setattr(csv_lines, "_repeats", lambda path: True)
    monkeypatch.setattr(file_states, "SETTLED", -60.0)
    found, counted, asked = frequencies(path, **config)
    assert (found, counted) == (expected, records)
    assert any("lines.csv" in one for one in asked) == lines
    assert any("COUNT(*) AS records\nFROM source" in one for one in asked) != lines
