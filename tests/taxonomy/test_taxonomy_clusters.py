"""Cluster taxonomies and pruning: trees over values that go together, never by class or spelling."""

import contextlib
import random
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from asking import quoted
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.builders import clusters as builder
from anonduck.taxonomy.builders.clusters import BINS, DEEPEST, MOST_NAMED, build_clusters, partitions, value_bins
from anonduck.taxonomy.builders.intervals import build_intervals
from anonduck.taxonomy.catalog import prepare
from anonduck.taxonomy.taxonomies import kept_levels, prune

DATABASE = Database()
LABEL_K = 3


def ask(sql, parameters=None):
    return DATABASE.rows(Statement("test", sql, frozenset(parameters or {})), parameters)


def frequency_set(columns, records):
    """A frequency set, one row per record, of columns with their types and records of texts."""
    prepare(DATABASE)
    lists = ", ".join(
        f"unnest($c{at}::VARCHAR[])::{kind} AS {quoted(name + '@value')}"
        for at, (name, kind) in enumerate(columns.items())
    )
    values = {f"c{at}": [record[at] for record in records] for at in range(len(columns))}
    ask(
        f"""CREATE OR REPLACE TEMP TABLE frequency_set AS
        SELECT * EXCLUDE (records), records AS "#records"
        FROM (SELECT *, 1::BIGINT AS records FROM (SELECT {lists}))""",
        values,
    )


def taxonomy(column="job"):
    return ask(f"SELECT * REPLACE (value::VARCHAR AS value) FROM taxonomy.{quoted(column)} ORDER BY code_0")


def clusters(records, *, columns=None, on=("field", "pay"), label_k=LABEL_K, column="job"):
    """Build the clusters of the column job (or another) from records; the rows of the taxonomy."""
    columns = columns or {"job": "VARCHAR", "field": "VARCHAR", "pay": "INTEGER", "class": "VARCHAR"}
    frequency_set(columns, records)
    build_clusters(
        DATABASE, column, frequency="frequency_set", on={name: columns[name] for name in on}, label_k=label_k
    )
    return taxonomy(column)


def split(rows):
    root = (len(rows[0]) - 2) // 2
    return [row[1 : root + 1] for row in rows], [row[root + 1 :] for row in rows]


def check_tree(rows):
    texts, codes = split(rows)
    root = len(texts[0])
    for level in range(root + 1):
        seen = [path[level] for path in codes]
        assert list(dict.fromkeys(seen)) == list(range(1, len(set(seen)) + 1))
    for low, high in pairwise(range(root + 1)):
        assert len({(path[low], path[high]) for path in codes}) == len({path[low] for path in codes})
        assert root == 1 or len({path[low] for path in codes}) > len({path[high] for path in codes})
    assert {text[-1] for text in texts} == {"*"}
    assert {path[-1] for path in codes} == {1}


JOBS = (
    [("nurse", "health", "30", "a")] * 6
    + [("doctor", "health", "30", "b")] * 4
    + [("clerk", "office", "10", "a")] * 5
    + [("typist", "office", "20", "b")] * 3
    + [("smith", "office", None, "b")] * 1
    + [(None, "office", "10", "a")] * 2
)


def test_jobs_by_hand():
    assert clusters(JOBS) == [
        ("clerk", "clerk", "clerk and 2 others", "*", 1, 1, 1, 1),
        ("doctor", "doctor", "doctor or nurse", "*", 2, 2, 2, 1),
        ("nurse", "nurse", "doctor or nurse", "*", 3, 3, 2, 1),
        ("smith", "typist and 1 other", "clerk and 2 others", "*", 4, 4, 1, 1),
        ("typist", "typist and 1 other", "clerk and 2 others", "*", 5, 4, 1, 1),
    ]


def test_the_class_does_not_matter_unless_asked():
    turned = [(*record[:3], "b" if record[3] == "a" else "a") for record in JOBS]
    shuffled = [(*record[:3], str(at % 3)) for at, record in enumerate(JOBS)]
    assert clusters(JOBS) == clusters(turned) == clusters(shuffled)
    by_class = clusters(JOBS, on=["class"])
    assert {row[0]: row[-2] for row in by_class} == {"clerk": 1, "doctor": 2, "nurse": 1, "smith": 2, "typist": 2}


def test_spelling_does_not_matter():
    names = {"clerk": "a", "doctor": "aaaaaaaaaa1", "nurse": "b", "smith": "c'); DROP TABLE x; --", "typist": "é"}
    renamed = [(names.get(job), *rest) for job, *rest in JOBS]
    assert split(clusters(renamed))[1] == split(clusters(JOBS))[1]


@pytest.mark.parametrize("threads", [1, 4])
def test_neither_row_order_nor_threads_matter(threads):
    draw = random.Random(7)  # noqa: S311 - a test's data
    records = [(f"v{draw.randrange(40)}", f"f{draw.randrange(6)}", str(draw.randrange(50)), "a") for _ in range(3000)]
    expected = clusters(records)
    check_tree(expected)
    draw.shuffle(records)
    ask(f"SET threads = {threads}")
    try:
        assert clusters(records) == expected
    finally:
        ask("RESET threads")


def test_two_values_one_value_and_none():
    assert clusters([("a", "x", "1", "c"), ("b", "y", "2", "c"), (None, "y", "2", "c")]) == [
        ("a", "*", 1, 1),
        ("b", "*", 2, 1),
    ]
    assert clusters([("a", "x", "1", "c")]) == [("a", "*", 1, 1)]
    assert clusters([(None, "x", "1", "c")]) == []


def test_identical_values_are_not_split():
    records = [(job, "x", "1", "c") for job in "abcd"]
    assert clusters(records) == [(job, "*", at, 1) for at, job in enumerate("abcd", 1)]


def test_without_other_columns_rare_values_fall_together():
    records = [(job, "x", "1", "c") for job, n in zip("abcd", (40, 1, 1, 30), strict=True) for _ in range(n)]
    assert clusters(records, on=[]) == [
        ("a", "a", "a or d", "*", 1, 1, 1, 1),
        ("b", "group 2", "group 2", "*", 2, 2, 2, 1),
        ("c", "group 2", "group 2", "*", 3, 2, 2, 1),
        ("d", "d", "a or d", "*", 4, 3, 1, 1),
    ]


def test_rare_values_are_drawn_towards_the_overall_distribution():
    frequent = [("a", "x", "1", "c")] * 500 + [("b", "y", "1", "c")] * 500
    rare = [("one", "y", "1", "c")]
    frequency_set({"job": "VARCHAR", "field": "VARCHAR"}, [record[:2] for record in frequent + rare])
    build_clusters(DATABASE, "job", frequency="frequency_set", on={"field": "VARCHAR"}, label_k=LABEL_K)
    by_value = {row[0]: row for row in taxonomy()}
    assert by_value["one"][-2] in (by_value["a"][-2], by_value["b"][-2])
    assert len(by_value) == 3


def bins_by_hand(values, ordered):
    """The bin of each value of a column (None: 0): tenths of the records below it, or its rank by frequency."""
    counts = Counter(value for value in values if value is not None)
    total, below, bins = sum(counts.values()), 0, {None: 0}
    if not ordered:
        ranked = sorted(counts, key=lambda value: (-counts[value], value))
        return bins | {value: min(rank, 21) for rank, value in enumerate(ranked, 1)}
    for value in sorted(counts):
        bins[value] = 1 + below * 10 // total
        below += counts[value]
    return bins


@pytest.mark.parametrize("joined", [16, 2])
@given(st.data())
@examples(40)
def test_values_are_counted_in_the_bins_of_other_columns(joined, data):
    """All clustered columns at once, as by hand; also where so few tables are joined at once that there are parts."""
    texts = st.none() | st.sampled_from([f"v{number:02}" for number in range(30)])
    numbers = st.none() | st.integers(-5, 20)
    records = data.draw(st.lists(st.tuples(texts, texts, numbers), min_size=1, max_size=60))
    kinds = {"job": "VARCHAR", "field": "VARCHAR", 'pay "odd"': "INTEGER"}
    frequency_set(kinds, [[None if value is None else str(value) for value in record] for record in records])
    columns = dict(zip(kinds, zip(*records, strict=True), strict=True))
    told = []
    with pytest.MonkeyPatch.context() as patched, contextlib.ExitStack() as stack:
        patched.setattr(builder, "JOINED", joined)
        found = stack.enter_context(
            value_bins(DATABASE, ["job", "field"], kinds, "frequency_set", progress=lambda *step: told.append(step))
        )
        for leaf in ("job", "field"):
            on = [name for name in kinds if name != leaf]
            leaves = sorted({value for value in columns[leaf] if value is not None})
            expected = np.zeros((len(on), len(leaves), BINS))
            for place, by in enumerate(on):
                bins = bins_by_hand(columns[by], kinds[by] == "INTEGER")
                for value, describing in zip(columns[leaf], columns[by], strict=True):
                    if value is not None:
                        expected[place, leaves.index(value), bins[describing]] += 1
            assert (found.counts(leaf, on, len(leaves)) == expected).all()
    assert told[-1] == ("comparing the values of columns", 6, 6)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    left = "table_name LIKE 'bin%' OR table_name LIKE 'numbered%'"
    assert not ask(f"SELECT table_name FROM duckdb_tables() WHERE ({left}) AND temporary")


def test_too_many_values():
    prepare(DATABASE)
    ask(
        """CREATE OR REPLACE TEMP TABLE frequency_set AS
        SELECT 'v' || range AS "job@value", 1::BIGINT AS "#records" FROM range(5001)"""
    )
    with pytest.raises(TaxonomyError, match=r"column job has 5,001 distinct values; clusters take at most 5,000.*file"):
        build_clusters(DATABASE, "job", frequency="frequency_set", on={}, label_k=LABEL_K)


@pytest.mark.parametrize("kind", ["BOOLEAN", "UUID", "BLOB", "TIME", "INTEGER", "ENUM('0', '1', '2')"])
def test_any_type_that_can_be_grouped(kind):
    values = {
        "BOOLEAN": ["false", "true"],
        "UUID": [f"0000000{at}-0000-0000-0000-000000000000" for at in range(3)],
        "TIME": ["01:00:00", "02:00:00", "03:00:00"],
    }.get(kind, ["0", "1", "2"])
    columns = {"job": kind, "field": kind}
    records = [(value, values[at // 2]) for at, value in enumerate(values)] + [(None, values[0]), (values[0], None)]
    rows = clusters(records, columns=columns, on=["field"])
    check_tree(rows)
    assert [row[0] for row in rows] == values


tricky = st.sampled_from(
    ["a", "b", "c", "*", "", "group 1", "group 2", "group 1'", "a or b", "a and 1 other", "b or a", None]
)


@examples(60)
@given(
    st.lists(
        st.tuples(tricky, st.sampled_from("xyz"), st.sampled_from(["1", "2", "9", None]), st.just("c")), min_size=1
    )
)
def test_labels_tell_no_rare_value_and_no_stranger(records):
    rows = clusters(records)
    if not rows:
        assert {record[0] for record in records} == {None}
        return
    check_tree(rows)
    held = Counter(record[0] for record in records)
    texts, codes = split(rows)
    for level in range(1, len(texts[0])):
        nodes = {}
        for row, text, path in zip(rows, texts, codes, strict=True):
            nodes.setdefault((path[level], text[level - 1]), []).append(row[0])
        assert len({code for code, _ in nodes}) == len({label for _, label in nodes}) == len(nodes)
        for (_, label), members in nodes.items():
            if label in held:
                assert members == [label]
                assert held[label] >= LABEL_K
            elif found := re.fullmatch(r"(.*) and (\d+) others?", label, flags=re.DOTALL):
                assert held[found[1]] == max(held[member] for member in members) >= LABEL_K
                assert int(found[2]) == len(members) - 1
            elif " or " in label:
                assert label == " or ".join(members)
                assert 1 < len(members) <= MOST_NAMED
                assert min(held[member] for member in members) >= LABEL_K
            else:
                assert label.startswith("group ")


vectors = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 5), min_size=width, max_size=width), min_size=1, max_size=24)
)


@examples(150)
@given(vectors)
def test_partitions_are_2_means_all_the_way_down(rows):
    points = np.array(rows, dtype=float)
    depths = partitions(points)
    assert depths[0] == [tuple(range(len(rows)))]
    assert len(depths) <= DEEPEST + 1
    assert len(depths) == 1 or any(len(node) > 1 for node in depths[-1])
    for upper, lower in pairwise(depths):
        assert sorted(row for node in lower for row in node) == list(range(len(rows)))
        assert lower == sorted(lower)
        assert len(lower) > len(upper)
        for node in upper:
            halves = [half for half in lower if set(half) <= set(node)]
            assert sorted(row for half in halves for row in half) == list(node)
            assert (len(halves) == 1) == (len({tuple(rows[row]) for row in node}) == 1)
            if len(halves) == 2:
                check_halves(points, *halves)
    if len(depths) <= DEEPEST:
        last = [node for node in depths[-1] if len({tuple(rows[row]) for row in node}) > 1]
        assert all(len(node) == 2 for node in last) or not last


def check_halves(points, one, other):
    """No row lies nearer to the mean of the other half."""
    means = points[list(one)].mean(axis=0), points[list(other)].mean(axis=0)
    for half, (own, strange) in ((one, means), (other, means[::-1])):
        for row in half:
            assert ((points[row] - own) ** 2).sum() <= ((points[row] - strange) ** 2).sum() + 1e-9


# -- pruning -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12))
def test_kept_levels_raise_k(sizes):
    sizes = sorted(sizes)
    kept = [0]
    for level in range(1, len(sizes) - 1):
        if sizes[level] > sizes[kept[-1]]:
            kept.append(level)
    assert kept_levels(sizes) == [*kept[1:], len(sizes) - 1]


def pruned(records, kind="INTEGER"):
    """Intervals of two over values with their records, pruned: the rows, the bounds, and what was said."""
    frequency_set({"x": kind}, [(value,) for value, n in records for _ in range(n)])
    root = build_intervals(DATABASE, "x", kind, frequency="frequency_set", size=2, label_k=1)
    before, said = taxonomy("x"), []
    left = prune(DATABASE, "x", root, bounds=True, announce=said.append)
    return before, taxonomy("x"), left, ask("SELECT code_1, lower FROM bounds.x ORDER BY code_1"), said


def test_the_bounds_follow_the_new_level_1():
    before, rows, root, bounds, said = pruned([(str(at), 5) for at in range(1, 8)])
    assert before[0] == ("1", "(-inf, 3)", "(-inf, 5)", "*", 1, 1, 1, 1)
    assert root == 2
    assert rows == [
        *((str(at), "(-inf, 5)", "*", at, 1, 1) for at in range(1, 5)),
        *((str(at), "[5, inf)", "*", at, 2, 1) for at in range(5, 8)),
    ]
    assert bounds == [(1, None), (2, 5)]
    assert said == [
        "taxonomy of x: dropped level 1 (k 5): no gain in k over the level below; "
        "2 of 3 levels above the values are left"
    ]


@pytest.mark.slow
@examples(40)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=40), st.integers(0, 5))
def test_pruning_against_the_oracle(counts, nulls):
    records = [(str(at), n) for at, n in enumerate(counts)] + [(None, nulls)]
    before, rows, root, bounds, said = pruned(records)
    texts, codes = split(before)
    sizes = [
        min(
            sum(n for n, path in zip(counts, codes, strict=True) if path[level] == code)
            for code in {c[level] for c in codes}
        )
        for level in range(len(codes[0]))
    ]
    kept = kept_levels(sizes)
    assert root == len(kept)
    assert bool(said) == (len(kept) < len(texts[0]))
    assert split(rows)[0] == [tuple(text[level - 1] for level in kept) for text in texts]
    assert split(rows)[1] == [(path[0], *(path[level] for level in kept)) for path in codes]
    lowers = [lower for _, lower in bounds[1:]]
    assert [code for code, _ in bounds] == list(range(1, len({row[2 + root] for row in rows}) + 1))
    assert [row[2 + root] for row in rows] == [1 + sum(lower <= int(row[0]) for lower in lowers) for row in rows]
