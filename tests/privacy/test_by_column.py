"""The sizes of value groups that are counted column by column, against counts in plain Python."""

import re
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import audit
from anonduck.engines.group_sizes import ALL_COLUMNS
from anonduck.privacy import audited_engine, by_column, relations
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.statements import Statement

NAMES = ['odd "A', "b", "c"]
TYPES = [pa.string(), pa.float64(), pa.int64()]
CELLS = [st.sampled_from(["", "x", "NULL", None]), st.sampled_from([0.0, float("inf"), None]), st.integers(0, 40)]
VIEW = Statement("view", "CREATE OR REPLACE TEMP VIEW release AS FROM given_rows")


def counted(rows, columns):
    """The rows of ``sizes_of``, by a loop; the place of all columns together is that of the first, if it is alone."""
    of = {place: [row[place] for row in rows] for place in range(columns)}
    if len(NAMES) > 1:
        of[ALL_COLUMNS] = rows
    return {
        (place, holders, held, holders * held)
        for place, values in of.items()
        for holders, held in Counter(Counter(values).values()).items()
    }


@pytest.mark.parametrize("most", [1 << 22, 2], ids=["sorted", "grouped"])
@examples(40)
@given(rows=st.lists(st.tuples(*CELLS), min_size=1, max_size=30), kept=st.integers(1, 3))
def test_they_are_those_of_a_loop(shared, most, rows, kept):
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), TYPES, strict=True)]
    before, by_column.MOST_VALUES = by_column.MOST_VALUES, most
    try:
        with shared.registered("given_rows", pa.table(columns, NAMES)):
            shared.run(VIEW)
            found = by_column.sizes_by_column(shared, NAMES[:kept], NAMES[kept:], len(rows))
    finally:
        by_column.MOST_VALUES = before
        shared.drop_view("release")
    assert len(found) == len(set(found))
    assert set(found) == counted(rows, kept)


@pytest.fixture
def combinations(monkeypatch):
    """Whether the combinations of columns, whose number this holds, were sorted by their numbers."""
    asked, sizes = [], by_column.combination_sizes

    def counted(work, columns, records):
        found = sizes(work, columns, records)
        asked.append((len(columns), found is not None))
        return found

    monkeypatch.setattr(by_column, "combination_sizes", counted)
    return asked


def table(**more):
    return pa.table({"age": [1, 1, 2, 2], "ill": ["x", "x", "y", None], "paid": [0.5, 0.5, 0.5, 1.5], **more})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "sorted_"),
    [
        ({}, [(1, True), (3, True)]),
        ({"id": [1, 2, 3, 4]}, [(1, True)]),  # all combinations differ, then
        ({f"n{place}": [1, 1, 2, 3] for place in range(41)}, [(1, True), (44, False)]),  # more than 64 bits
    ],
)
def test_an_audit_of_a_large_file_finds_what_that_of_a_small_one_does(
    tmp_path, monkeypatch, combinations, more, sorted_
):
    path = tmp_path / "out.parquet"
    pq.write_table(table(**more), path)
    small = audit(path, ["age"])
    assert not combinations
    monkeypatch.setattr(audited_engine, "LARGE", 4)
    large = audit(path, ["age"])
    assert combinations == sorted_
    assert large.as_json() == small.as_json()
    assert large.kept.unique == (2 if "id" not in more else 4)


@pytest.mark.parametrize(
    "roles",
    [
        {"sensitive": ["ill"]},
        {"sensitive": ["ill", "paid"], "class_": "kind", "sensitive_values": {"ill": ["x"]}},
        {"sensitive": ["ill", "paid"], "multiple_sensitive": "joint"},
        {"sensitive": ["ill"], "taxonomies": {"ill": [["x", "*"], ["y", "*"], ["z", "*"]]}},
        {"sensitive": ["ill"], "population": pa.table({"age": [1.0, None] * 30, "zip": ["a", "b", None] * 20})},
        {"quasi_identifiers": [], "sensitive": ["ill"]},
    ],
    ids=["one", "two", "joint", "taxonomy", "population", "no classes"],
)
def test_classes_of_a_large_file_are_numbered_as_they_are_grouped(tmp_path, monkeypatch, roles):
    """NULL and minus zero are values of their own in both."""
    if "taxonomies" in roles:
        (tmp_path / "ill.csv").write_text("\n".join(",".join(row) for row in roles["taxonomies"]["ill"]) + "\n")
        roles = {**roles, "taxonomies": {"ill": tmp_path / "ill.csv"}}
    ages, zips, ills = [1.0, None, 0.0, -0.0], ["a", "b", None], ["x", "y", "z", "z"]
    cells = [(ages[n % 4], zips[n % 3], ills[n * n % 7 % 4], n // 9, "ab"[n % 2]) for n in range(60)]
    if "population" in roles:
        cells = [(age, zip_, *rest) for age, zip_, *rest in cells if age != 0]
    names, path, asked = ["age", "zip", "ill", "paid", "kind"], tmp_path / "out.parquet", []
    pq.write_table(pa.table(dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))), path)
    given_roles = {"quasi_identifiers": ["age", "zip"], "insensitive": ["paid", "kind"], **roles}
    kept = {*given_roles["sensitive"], given_roles.get("class_")}
    given_roles["insensitive"] = [name for name in given_roles["insensitive"] if name not in kept]
    small = audit(path, **given_roles)
    monkeypatch.setattr(audited_engine, "LARGE", 4)
    monkeypatch.setattr(by_column, "repeats", lambda *_: False)
    large = audit(path, **given_roles, tracer=asked.append)
    assert large.as_json() == small.as_json()
    numbered = [one for one in asked if re.search(r"\bprivacy/packed_(cells|names)\.sql", one)]
    assert len(numbered) == (2 if set(roles) <= {"sensitive", "class_", "sensitive_values", "taxonomies"} else 0)


def test_of_a_large_file_of_few_distinct_rows_all_is_counted_at_once(tmp_path, monkeypatch, combinations):
    path, asked = tmp_path / "out.parquet", []
    pq.write_table(pa.concat_tables([table(), table(), table().slice(1, 2)]), path)
    roles = [{}, {"sensitive": ["ill"]}, {"entity": "paid"}, {"class_": "ill", "insensitive": ["paid"]}]
    small = [audit(path, ["age"], **one) for one in roles]
    monkeypatch.setattr(audited_engine, "LARGE", 10)
    large = [audit(path, ["age"], **one, tracer=asked.append) for one in roles]
    assert [one.as_json() for one in large] == [one.as_json() for one in small]
    made = [
        place for place, one in enumerate(asked) if "CREATE" in one and "privacy/audited_engine.py (_count_rows)" in one
    ]
    assert len(made) == len(roles)
    assert not [one for one in asked[made[-1] + 1 :] if "FROM release" in one]
    assert not combinations


def test_combinations_that_many_records_have_are_grouped(database, monkeypatch):
    """So say the first records, where they have fewer combinations than half of their number."""
    monkeypatch.setattr(by_column, "SAMPLE", 10)
    for alike, counted in ((10, False), (7, False), (6, True), (1, True)):
        values = [*range(10 - alike + 1), *[0] * (alike - 1), *range(100)]
        with database.registered("given_rows", pa.table({"a": values, "b": values})):
            database.run(VIEW)
            found = by_column.combination_sizes(database, ["a", "b"], len(values))
            database.drop_view("release")
        assert (found is not None) == counted
        if counted:
            assert Counter(found.tolist()) == Counter(Counter(values).values())


@examples(40)
@given(rows=st.lists(st.tuples(*CELLS), min_size=1, max_size=30), columns=st.integers(0, 3), large=st.booleans())
def test_class_sizes_are_those_of_a_loop(shared, rows, columns, large):
    """With nothing measured beside them: by numbers, and by groups."""
    given_columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), TYPES, strict=True)]
    before, audited_engine.LARGE = audited_engine.LARGE, 1 if large else 1 << 62
    try:
        with shared.registered("given_rows", pa.table(given_columns, NAMES)):
            shared.run(VIEW)
            relations.scan_release(DuckDBFile(shared, by_column=True), NAMES[:columns], (), None)
            relations.number_classes(shared, columns, 0, persons=False, population=False)
            found = shared.rows(Statement("found", "SELECT class, records, persons, held FROM classes"))
    finally:
        audited_engine.LARGE = before
        relations.forget(shared)
        shared.drop_view("release")
    sizes = Counter(row[:columns] for row in rows)
    assert Counter(found_sizes for _, found_sizes, *_ in found) == Counter(sizes.values())
    assert len({number for number, *_ in found}) == len(found)
    assert all((persons, held) == (records, None) for _, records, persons, held in found)


@pytest.mark.slow
def test_a_csv_file_is_read_once(tmp_path, monkeypatch, combinations):
    (tmp_path / "out.csv").write_text("age,ill\n1,x\n1,x\n2,y\n2,\n")
    monkeypatch.setattr(audited_engine, "LARGE", 0)
    assert audit(tmp_path / "out.csv", ["age"]).kept.unique == 2
    assert not combinations
