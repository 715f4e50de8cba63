"""The histogram of distance patterns: bit-sliced, plain, and in Python; coverage; samples."""

from collections import Counter
from dataclasses import asdict
from math import comb

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, coded, covering, histogram, roots_of, tables
from plain_pairs import join_pairs_plainly

from anonduck.config.reading import make_config
from anonduck.database.progress import no_message
from anonduck.frequency import patterns as module
from anonduck.frequency.frequency_set import sampled_if_many
from anonduck.frequency.packed_words import WORD_BITS, pack
from anonduck.frequency.pattern_coverage import class_differing_patterns, cover
from anonduck.frequency.patterns import join_pairs
from anonduck.models.sampling import sample_records
from anonduck.statements import Statement


def config(**changes):
    return make_config({"class": CLASS, "sample": "all", **changes})


def stored(database, names, table="distance_patterns"):
    """The histogram in the decision database, a row by its columns' names."""
    found = Counter()
    for row in database.records(Statement("patterns", f"SELECT * FROM {table}")):
        key = (tuple(row[f"{name}@distance"] for name in names), row["#class_differs"])
        assert key not in found
        found[key] = row["#pairs"]
    return found


def joined(database, names, paths, rows, **changes):
    coded(database, names, paths, rows)
    roots = dict(zip(names, roots_of(names, paths), strict=True))
    result = join_pairs(database, roots, config(**changes))
    join_pairs_plainly(database, roots)
    return result, roots


@pytest.mark.slow
@given(tables())
@examples(12)
def test_bit_sliced_equals_plain_equals_python(shared, table):
    names, paths, rows = table
    result, _ = joined(shared, names, paths, rows)
    expected = histogram(names, paths, rows)
    assert stored(shared, names) == expected
    inside = sum(comb(n, 2) for n in Counter(rows).values())
    plain = stored(shared, names, "distance_patterns_plain")
    zero = ((0,) * len(names), False)
    assert plain + Counter({zero: inside}) == expected
    assert (result.records, result.joined_records) == (len(rows), len(rows))
    assert shared.value(Statement("rows", "SELECT count(*) FROM joined_records")) == len(set(rows))
    assert result.pairs == comb(len(rows), 2)
    assert result.class_differing_pairs == sum(n for (_, differs), n in expected.items() if differs)
    assert (result.patterns, result.sampled) == (len(expected), False)


@pytest.mark.slow
@pytest.mark.some(3)
@pytest.mark.parametrize("block", [1, 2, 3, 7, 100])
def test_any_block_size_gives_the_same_histogram(database, monkeypatch, block):
    for name in ("LEAST_ROWS", "MOST_ROWS"):
        monkeypatch.setattr(module, name, block)
    random = np.random.default_rng(3)
    paths = {"a": {v: (f"g{v // 2}", "*") for v in range(8)}, "b": dict.fromkeys(range(3), ("*",))}
    rows = [(int(a), int(b), "xy"[c]) for a, b, c in random.integers(0, [8, 3, 2], (60, 3))]
    joined(database, ["a", "b"], paths, rows)
    assert stored(database, ["a", "b"]) == histogram(["a", "b"], paths, rows)


def test_progress_ends_with_all_pairs(database):
    coded(database, ["a"], {"a": dict.fromkeys(range(9), ("*",))}, [(v % 9, "xy"[v % 2]) for v in range(40)])
    seen = []
    join_pairs(database, {"a": 1}, config(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (18 * 17 // 2, 18 * 17 // 2)


def wide_table(columns=40, rows=20, seed=5):
    random = np.random.default_rng(seed)
    names = [f"c {i}" for i in range(columns)]
    paths = {name: {v: (f"g{v // 2}", "*") for v in range(5)} for name in names}
    paths["c 3"] = {0: ("g0", "*")}
    values = random.integers(0, 5, (rows, columns)).tolist()
    table = [tuple(None if random.random() < 0.1 else v for v in row) for row in values]
    table = [(*row[:3], 0, *row[4:], "xyz"[i % 3]) for i, row in enumerate(table)]
    return names, paths, table + table[:4]


@pytest.mark.slow
def test_more_flags_than_a_word_has_bits_take_several_keys(database):
    names, paths, rows = wide_table()
    coded(database, names, paths, rows)
    roots = dict(zip(names, roots_of(names, paths), strict=True))
    layout = pack({(name, level): 5 for name in names for level in range(2)})
    assert len(layout.keys) > 1
    join_pairs(database, roots, config())
    assert stored(database, names) == histogram(names, paths, rows)


def test_constant_and_all_null_columns(database):
    paths = {"one": {4: ("*",)}, "none": {0: ("*",)}, "two": {1: ("*",), 2: ("*",)}}
    rows = [(4, None, 1, "a"), (4, None, 2, "b"), (4, None, 2, "b"), (4, None, None, None)]
    joined(database, list(paths), paths, rows)
    assert stored(database, list(paths)) == histogram(list(paths), paths, rows)


def test_one_record_has_no_pair(database):
    result, roots = joined(database, ["a"], {"a": {1: ("*",)}}, [(1, "x")])
    assert (result.pairs, result.patterns) == (0, 0)
    for over in ("pairs", "class_differing"):
        assert cover(database, result, 0.5, over).patterns == 0
        assert len(class_differing_patterns(database, roots, 0)) == 0


# -- the layout --------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=150))
@examples(100)
def test_layout_invariants(largest):
    codes = {(f"a{i}", i % 4): code for i, code in enumerate(largest)}
    layout = pack(codes)
    assert sorted((f.attribute, f.level) for f in layout.fields) == sorted(codes)
    assert sorted(word for words in layout.keys for word in words) == list(range(layout.words))
    used = {word: set() for word in range(layout.words)}
    flags = {key: set() for key in range(len(layout.keys))}
    for field in layout.fields:
        assert field.bits == max(1, codes[(field.attribute, field.level)].bit_length())
        assert field.shift >= 0
        assert field.flag < WORD_BITS
        bits = set(range(field.shift, field.flag + 1))
        assert not bits & used[field.word]
        used[field.word] |= bits
        key = layout.key_of(field.word)
        assert field.flag not in flags[key]
        flags[key].add(field.flag)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1, max_size=90))
@examples(40)
def test_flags_tell_just_the_codes_that_differ(pairs):
    layout = pack({(f"a{i}", 0): 300 for i in range(len(pairs))})
    words = [[0] * layout.words, [0] * layout.words]
    for field in layout.fields:
        for side in (0, 1):
            words[side][field.word] |= pairs[int(field.attribute[1:])][side] << field.shift
    for field in layout.fields:
        in_word = layout.fields_of(field.word)
        ones = sum(((1 << f.bits) - 1) << f.shift for f in in_word)
        flags = sum(1 << f.flag for f in in_word)
        result = ((words[0][field.word] ^ words[1][field.word]) + ones) & flags
        assert result < 2**63
        one, other = pairs[int(field.attribute[1:])]
        assert bool(result >> field.flag & 1) == (one != other)


# -- coverage ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    tables(max_rows=12),
    st.sampled_from([0.05, 0.1, 0.29, 0.5, 0.57, 0.9, 1.0]),
    st.sampled_from(["pairs", "class_differing"]),
)
@examples(20)
def test_coverage_takes_the_most_frequent_patterns_with_ties(shared, table, coverage, over):
    names, paths, rows = table
    result, roots = joined(shared, names, paths, rows)
    expected = covering(histogram(names, paths, rows), coverage, over)
    found = cover(shared, result, coverage, over)
    differing = {p for p, differs in expected if differs}
    assert (found.patterns, found.class_differing) == (len(expected), len(differing))
    assert found.pairs == sum(expected.values())
    if expected:
        assert found.threshold == min(expected.values())
    if differing or not expected:
        kept = class_differing_patterns(shared, roots, found.threshold)
        assert {tuple(row) for row in kept.tolist()} == differing
        assert len(kept) == len(differing)


def test_a_coverage_that_ends_on_a_pattern_takes_no_more(database):
    # 780 pairs, 429 of them (55 %) of another value; in binary 0.55 * 780 is above 429
    paths = {"a": dict.fromkeys(range(14), ("*",))}
    rows = [(0, "x")] * 27 + [(v, "x") for v in range(1, 14)]
    assert 0.55 * comb(40, 2) > 429
    result, _ = joined(database, ["a"], paths, rows)
    assert cover(database, result, 0.55, "pairs").patterns == 1
    assert cover(database, result, 0.5501, "pairs").patterns == 2


# -- samples -----------------------------------------------------------------------------------------------------------


def test_a_sample_holds_as_many_records_as_asked_and_no_cell_more_than_it_has():
    records = np.array([1, 0, 50, 3, 1000, 2])
    for seed in range(20):
        drawn = sample_records(records, 40, seed=seed)
        assert drawn.sum() == 40
        assert (drawn <= records).all()
        assert (drawn >= 0).all()
    assert (sample_records(records, int(records.sum()), seed=1) == records).all()


def test_cells_without_records_do_not_make_a_sample_larger_than_the_records():
    counts = np.array([0, 3, 0, 0, 1, 0, 2])
    assert (sampled_if_many(counts, counts, 3, 0, no_message) == counts).all()
    assert sampled_if_many(counts, counts, 2, 0, no_message).sum() == 2


def test_the_sample_is_unbiased():
    records = np.array([10, 20, 30, 40])
    seeds = 4000
    drawn = np.array([sample_records(records, 25, seed=seed) for seed in range(seeds)])
    expected = records / 4
    deviation = np.sqrt(25 * (records / 100) * (1 - records / 100) * 75 / 99)
    assert (abs(drawn.mean(axis=0) - expected) < 4.5 * deviation / np.sqrt(seeds)).all()
    assert (abs(drawn.std(axis=0) - deviation) < 0.1 * deviation).all()


def sampled_table():
    random = np.random.default_rng(9)
    paths = {"a": {v: (f"g{v // 3}", "*") for v in range(6)}}
    rows = [(int(v), "xy"[int(c)]) for v, c in random.integers(0, [6, 2], (60, 2))]
    return ["a"], paths, rows


@pytest.mark.slow
def test_pairs_of_a_sample_are_unbiased_and_seeded(database):
    names, paths, rows = sampled_table()
    coded(database, names, paths, rows)
    whole = histogram(names, paths, rows)
    share = {key: n / comb(60, 2) for key, n in whole.items()}
    totals, seeds = Counter(), 40
    first = None
    for seed in range(seeds):
        said = []
        result = join_pairs(database, {"a": 2}, config(sample=20, seed=seed), announce=said.append)
        assert (result.records, result.joined_records, result.sampled, result.seed) == (60, 20, True, seed)
        assert result.pairs == comb(20, 2)
        assert "20 of 60 records" in said[0]
        found = stored(database, names)
        totals += found
        first = first or found
    for key, expected in share.items():
        assert abs(totals[key] / seeds / comb(20, 2) - expected) < 0.04
    join_pairs(database, {"a": 2}, config(sample=20, seed=0))
    assert stored(database, names) == first
    (kept,) = database.records(Statement("join", "SELECT * FROM pattern_join"))
    assert kept == asdict(join_pairs(database, {"a": 2}, config(sample=20, seed=0)))
    assert (kept["records"], kept["joined_records"], kept["sampled"], kept["exact"]) == (60, 20, True, True)


def test_a_sampled_histogram_equals_the_plain_one_on_the_same_sample(database):
    names, paths, rows = sampled_table()
    coded(database, names, paths, rows)
    join_pairs(database, {"a": 2}, config(sample=30, seed=4))
    join_pairs_plainly(database, {"a": 2})
    inside = database.value(
        Statement("i", 'SELECT sum("#records" * ("#records" - 1) // 2)::BIGINT FROM joined_records')
    )
    plain = stored(database, names, "distance_patterns_plain")
    assert plain + Counter({((0,), False): inside}) == stored(database, names)


@pytest.mark.slow
def test_the_sample_does_not_depend_on_the_order_of_the_rows(database):
    names, paths, rows = sampled_table()
    found = []
    for order in (rows, rows[::-1]):
        coded(database, names, paths, order)
        join_pairs(database, {"a": 2}, config(sample=25, seed=2))
        found.append(stored(database, names))
    assert found[0] == found[1]


@pytest.mark.parametrize("asked", [60, 61, "all"])
def test_no_sample_where_all_records_fit(database, asked):
    names, paths, rows = sampled_table()
    coded(database, names, paths, rows)
    assert not join_pairs(database, {"a": 2}, config(sample=asked)).sampled


def test_counts_over_a_gigapair_are_exact(database):
    names, paths = ["a"], {"a": {0: ("*",), 1: ("*",)}}
    coded(database, names, paths, [(0, "x"), (0, "y"), (1, "x"), (None, "y")])
    database.run(Statement("many", 'UPDATE coded_frequency_set SET "#records" = 1000003 + "#cell"'))
    result = join_pairs(database, {"a": 1}, config())
    counts = [1000003 + i for i in range(4)]
    assert result.pairs == comb(sum(counts), 2)
    assert database.value(Statement("sum", 'SELECT sum("#pairs")::BIGINT FROM distance_patterns')) == result.pairs
