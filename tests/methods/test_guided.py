"""Guided classes on coded records: the cuts of brute force, whatever the order of records."""

from dataclasses import replace

import numpy as np
import pytest
from examples import examples
from guided_oracle import Guided
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from small_records import as_sets, coded, judges, lines, tables, trees

from anonduck.errors import ConfigError
from anonduck.methods import guided as module
from anonduck.methods.coded_records import ClassCells, CodedRecords
from anonduck.methods.guided import guided
from anonduck.methods.registry import METHODS, named_method
from anonduck.offer.candidates import Candidate

EITHER = st.one_of(trees(), lines())


def shares_of(random, rows, values):
    """Expected shares that are often equal, so that cuts tie."""
    counts = random.integers(0, 3, (len(rows), values)) + np.eye(values)[0]
    return counts / counts.sum(axis=1, keepdims=True)


@examples(150)
@given(
    tables(columns=EITHER),
    st.integers(1, 6),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.3, 5.0]),
    st.integers(0, 99),
    st.integers(1, 3),
    st.sampled_from([1, 1 << 21]),
)
def test_classes_are_those_of_brute_force(drawn, k, diverse, detail, seed, values, pairs):
    tree, rows, sizes, secrets = drawn
    diverse_enough, meets = judges(secrets, diverse)
    random = np.random.default_rng(seed)
    shares = shares_of(random, rows, values)
    order = np.argsort(np.random.default_rng(seed).permutation(len(tree))).tolist()
    oracle = Guided(tree, rows, sizes, shares.tolist(), k, diverse_enough, detail, order)
    data, told = replace(coded(tree, rows, sizes), expected=shares), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAIRS", pairs)
        found = guided(data, k, meets, seed=seed, detail=detail, progress=lambda *words: told.append(words))
    assert as_sets(found) == oracle.classes()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert told[-1] == ("cutting classes", sum(sizes), sum(sizes))
    mixed = random.permutation(len(rows))
    shuffled = replace(
        data, codes=tuple(one[mixed] for one in data.codes), records=data.records[mixed], expected=shares[mixed]
    )
    other = meets and (lambda asked, groups, count: meets(mixed[asked], groups, count))
    again = guided(shuffled, k, other, seed=seed, detail=detail)
    assert {frozenset(mixed[list(one)].tolist()) for one in as_sets(again)} == as_sets(found)


@examples(30)
@given(tables(columns=EITHER), st.integers(1, 4), st.sampled_from([0.0, 2.0]))
def test_without_a_class_detail_alone_decides(drawn, k, detail):
    tree, rows, sizes, _ = drawn
    order = np.argsort(np.random.default_rng(0).permutation(len(tree))).tolist()
    oracle = Guided(tree, rows, sizes, [[1.0]] * len(rows), k, lambda region: True, detail, order)
    assert as_sets(guided(coded(tree, rows, sizes), k, detail=detail)) == oracle.classes()


@examples(60)
@given(tables(columns=EITHER), st.integers(1, 4), st.integers(2, 3), st.integers(1, 2), st.integers(0, 99))
def test_both_sides_of_a_cut_have_so_many_values_of_the_class(drawn, k, diverse, required, seed):
    tree, rows, sizes, secrets = drawn
    random = np.random.default_rng(seed)
    shares, classes = (
        shares_of(random, rows, 2),
        [set(random.integers(0, 3, random.integers(1, 3)).tolist()) for _ in rows],
    )
    enough, meets = judges(secrets, required)
    order = np.argsort(np.random.default_rng(seed).permutation(len(tree))).tolist()

    def allowed(region):
        return enough(region) and len(set().union(*(classes[at] for at in region))) >= diverse

    oracle = Guided(tree, rows, sizes, shares.tolist(), k, allowed, 1.0, order)
    pairs = np.array([(at, value) for at, held in enumerate(classes) for value in held])
    cells = ClassCells(pairs[:, 0], pairs[:, 1], np.ones(len(pairs), dtype=np.int64))
    data = replace(coded(tree, rows, sizes), expected=shares, cells=cells)
    assert as_sets(guided(data, k, meets, seed=seed, diverse=diverse)) == oracle.classes()


def test_a_cut_follows_what_is_expected_or_what_is_wide():
    wide, narrow = Tree(dict.fromkeys(range(1, 9), ()), 1, ordered=False), Tree({1: (1,), 2: (1,), 3: (2,)}, 2, False)
    data = coded([wide, narrow], [(1, 1), (1, 2), (2, 1), (2, 2)], [3, 3, 3, 3])
    data = replace(data, expected=np.array([[0.2, 0.8], [0.6, 0.4]] * 2))
    assert as_sets(guided(data, 6, detail=0)) == {frozenset({0, 2}), frozenset({1, 3})}
    assert as_sets(guided(data, 6, detail=100)) == {frozenset({0, 1}), frozenset({2, 3})}


def test_no_record_has_no_class():
    data = coded([Tree({1: ()}, 1, ordered=False)], [(1,)], [1])
    none = CodedRecords(data.columns, (data.codes[0][:0],), data.records[:0], expected=np.zeros((0, 2)))
    assert guided(none, 2).tolist() == []


def test_its_settings_are_read_and_wrong_ones_refused():
    assert named_method("guided:detail=0.3") == ("guided", {"detail": 0.3})
    assert named_method("guided:detail=2,numbers=intervals") == ("guided", {"detail": 2, "numbers": "intervals"})
    by_default = {"detail": module.DETAIL, "diverse": 1}
    assert METHODS["guided"].algorithm_options(METHODS["guided"].resolve_options()) == by_default
    with pytest.raises(ConfigError, match="option 'diverse' of the method guided is a whole number from 1 on, not 0"):
        named_method("guided:diverse=0")
    for wrong in ("detail=-1", "detail=much", "detail=nan", "detail=inf", "detail=true"):
        with pytest.raises(ConfigError, match="option 'detail' of the method guided is a number from 0 on, not"):
            named_method(f"guided:{wrong}")


def test_its_releases_and_candidates_say_that_running_it_anew_finds_values():
    for name, said in (("guided", True), ("mondrian", False)):
        words = METHODS[name].attacks()
        assert ("running the method with each" in words) == said
        assert Candidate("M1", name, {}, 5).as_json()["attacks"] == words
    assert "true value of somebody" in METHODS["guided"].attacks(recoding="swapped")
