"""Releases that keep columns, whose rows are written by numbers, beside those that DuckDB sorts and writes."""

import datetime

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from oracles import people

from anonduck import Project
from anonduck.release import packed_rows
from anonduck.statements.row_order import BUCKETS

ODD = 'odd "Name'


def source(rows=300):
    """People, with kept columns of each type, NULL in all of them."""
    frame = people(rows)
    drawn = np.random.default_rng(4)
    frame[ODD] = drawn.choice(["", "é" * 20, "NULL", "a", None], rows)
    frame["paid"] = drawn.choice([-0.0, 0.0, float("inf"), float("nan"), -1.5], rows)
    frame["born"] = drawn.choice([datetime.date(1, 1, 1), datetime.date(2024, 2, 29), None], rows)
    frame["well"] = drawn.choice([True, False, None], rows)
    frame["visits"] = drawn.choice([0, 2**62, -3], rows)
    columns = {"born": pa.date32(), "well": pa.bool_(), "visits": pa.int64()}
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for name, kind in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(frame[name].tolist(), kind))
    return table


KEPT = ["note", ODD, "paid", "born", "well", "visits"]


def released(kind, target, table, **changes):
    settings = {"class_": "class", "identifiers": ["id"], "insensitive": KEPT, "requirement": {"k": 1}, "models": []}
    with Project(source=table, **{**settings, **changes}) as one:
        if kind == "rule":
            return one.release({"age": 2, "rate": 0, "job": 0}, target)
        return one.anonymize(kind, target)


@pytest.fixture
def packed(monkeypatch):
    """The rows that were written by numbers."""
    seen = []
    write = packed_rows.PackedRows.write
    monkeypatch.setattr(packed_rows.PackedRows, "write", lambda rows, path: seen.append(rows) or write(rows, path))
    return seen


@pytest.mark.some(1, 2)
@pytest.mark.parametrize("kind", ["rule", "mondrian", "tds", "guided"])
def test_the_same_rows_in_the_same_order_with_the_same_types(tmp_path, monkeypatch, packed, kind):
    table = source()
    monkeypatch.setattr(packed_rows, "ROW_GROUP", 64)
    released(kind, tmp_path / "numbers.parquet", table)
    assert len(packed) == 1
    monkeypatch.setattr(packed_rows, "MOST_RECORDS", 0)
    released(kind, tmp_path / "sorted.parquet", table)
    assert len(packed) == 1
    one, other = (duckdb.sql(f"FROM '{tmp_path / name}.parquet'") for name in ("numbers", "sorted"))
    assert (one.columns, one.types) == (other.columns, other.types)
    assert repr(one.fetchall()) == repr(other.fetchall())  # NaN is like itself so
    assert pq.ParquetFile(tmp_path / "numbers.parquet").metadata.num_row_groups == 5


@pytest.mark.slow
def test_classes_that_fail_are_left_out(tmp_path, packed):
    made = released("rule", tmp_path / "out.parquet", source(), requirement={"k": 3, "suppression": 0.9})
    assert packed
    assert 0 < made.suppressed < 300 == made.suppressed + pq.read_metadata(tmp_path / "out.parquet").num_rows


def test_a_row_group_names_no_value_of_another(tmp_path, monkeypatch):
    """Nor does its dictionary, where a reader could find it."""
    monkeypatch.setattr(packed_rows, "ROW_GROUP", 64)
    texts = pa.array([f"text {number:03}" for number in range(300)])
    released("rule", tmp_path / "out.parquet", source().append_column("text", texts), insensitive=[*KEPT, "text"])
    data = (tmp_path / "out.parquet").read_bytes()
    groups = pq.ParquetFile(tmp_path / "out.parquet")
    shown = [groups.read_row_group(place).column("text").to_pylist() for place in range(groups.num_row_groups)]
    assert sorted(text for texts in shown for text in texts) == texts.to_pylist()
    for place, held in enumerate(shown):
        chunk = groups.metadata.row_group(place).column(groups.schema.names.index("text"))
        assert chunk.dictionary_page_offset is not None
        start = chunk.dictionary_page_offset
        page = data[start : start + chunk.total_compressed_size]
        assert all(text.encode() not in page for text in set(texts.to_pylist()) - set(held))


@pytest.mark.some(1, 1)
@pytest.mark.parametrize(("limit", "most"), [("MOST_VALUES", 20), ("MOST_BYTES", 100)], ids=["values", "texts"])
def test_values_that_memory_may_not_hold_are_sorted_by_duckdb(tmp_path, monkeypatch, packed, limit, most):
    monkeypatch.setattr(packed_rows, limit, most)
    assert released("rule", tmp_path / "out.parquet", source()).written
    assert not packed


@pytest.mark.slow
def test_rows_that_need_more_than_64_bits_are_sorted_by_duckdb(tmp_path, packed):
    rows, drawn = 300, np.random.default_rng(1)
    table = source(rows)
    for number in range(8):
        table = table.append_column(f"unlike {number}", pa.array(drawn.permutation(rows)))
    kept = [*KEPT, *(f"unlike {number}" for number in range(8))]
    assert released("rule", tmp_path / "out.parquet", table, insensitive=kept).written
    assert not packed


@pytest.mark.slow
def test_columns_that_are_generalized_together_take_no_more_room_than_their_combinations(tmp_path, monkeypatch, packed):
    """Each of nine columns has a value for each record: their product has 74 bits, and there are 300 combinations."""
    table, drawn = source(), np.random.default_rng(2)
    names = [f"place {number}" for number in range(9)]
    for number, name in enumerate(names):
        at = 3 * number  # kept columns stand between them
        table = table.add_column(min(at, table.num_columns), name, pa.array(drawn.permutation(300)))
    rule = dict.fromkeys(names, 0)
    monkeypatch.setattr(packed_rows, "ROW_GROUP", 64)
    for target in ("numbers", "sorted"):
        with Project(source=table, class_="class", identifiers=["id"], insensitive=KEPT, models=[]) as one:
            one.release(rule, tmp_path / f"{target}.parquet", requirement={"k": 1})
        monkeypatch.setattr(packed_rows, "MOST_RECORDS", 0)
    assert len(packed) == 1
    ours, theirs = (duckdb.sql(f"FROM '{tmp_path / name}.parquet'") for name in ("numbers", "sorted"))
    assert repr(ours.fetchall()) == repr(theirs.fetchall())


def test_buckets_are_those_of_the_order():
    def bucket(place):
        x = (place % (2**31 - 1) * 1_103_515_245 + 12_345) % (2**31 - 1)
        return x * x % (2**31 - 1) * (x + 987_654_321) % (2**31 - 1) % BUCKETS

    assert packed_rows.buckets_of(3_000).tolist() == [bucket(place) for place in range(1, 3_001)]
