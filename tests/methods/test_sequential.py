"""Sequential anonymization on coded records: the classes of an oracle, and less loss than Mondrian's."""

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Oracle
from sequential_oracle import Sequential
from small_records import as_sets, coded, judges, lines, tables, trees

from anonduck.methods import class_losses
from anonduck.methods import sequential as module
from anonduck.methods.class_losses import NEVER, ClassLosses
from anonduck.methods.mondrian import mondrian
from anonduck.methods.sequential import improved, sequential

EITHER = st.one_of(trees(), lines())


def by_hand(drawn, k, seed, diverse_enough=lambda region: True, begun=None):
    tree, rows, sizes, _ = drawn
    order = np.argsort(np.random.default_rng(seed).permutation(len(tree))).tolist()
    oracle = Oracle(tree, rows, sizes, k, diverse_enough, True, order, [])
    ranks = np.random.default_rng(seed).permutation(len(rows)).tolist()
    return Sequential(oracle, ranks, [set(region) for region in begun or oracle.classes()])


@examples(50)
@given(tables(columns=EITHER), st.integers(1, 5), st.integers(1, 3), st.integers(0, 3))
def test_classes_are_those_of_the_oracle(drawn, k, diverse, seed):
    tree, rows, sizes, secrets = drawn
    diverse_enough, meets = judges(secrets, diverse)
    found = sequential(coded(tree, rows, sizes), k, meets, seed=seed)
    assert as_sets(found) == by_hand(drawn, k, seed, diverse_enough).improved()
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))


@pytest.mark.slow
@examples(100)
@given(
    tables(least=8, columns=EITHER),
    st.integers(1, 5),
    st.integers(1, 2),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_any_classes_are_improved_as_by_the_oracle(drawn, k, diverse, count, chance):
    """Mondrian leaves small tables little to improve; these classes are drawn, those that are refused put together."""
    tree, rows, sizes, secrets = drawn
    diverse_enough, meets = judges(secrets, diverse)
    oracle = by_hand(drawn, k, 0, diverse_enough)
    drawn_classes = [chance.randrange(count) for _ in rows]
    parts = [[row for row, one in enumerate(drawn_classes) if one == number] for number in range(count)]
    alone = [part for part in parts if oracle.mondrian.allowed(part)]
    together = sorted({*range(len(rows))} - {row for part in alone for row in part})
    while together and alone and not oracle.mondrian.allowed(together):
        together = sorted(together + alone.pop())
    begun = [*alone, *([together] if together else [])]
    classes = np.array([next(number for number, part in enumerate(begun) if row in part) for row in range(len(rows))])
    found = improved(coded(tree, rows, sizes), k, meets, classes)
    assert as_sets(found) == by_hand(drawn, k, 0, diverse_enough, begun).improved()


@examples(50)
@given(tables(least=8, columns=EITHER), st.integers(1, 3), st.integers(1, 30))
def test_shared_tables_and_few_pairs_at_once_change_nothing(drawn, k, pairs):
    tree, rows, sizes, _ = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_losses, "SHARED", 1)
        patch.setattr(class_losses, "AT_ONCE", pairs)
        found = sequential(coded(tree, rows, sizes), k)
    assert as_sets(found) == by_hand(drawn, k, 0).improved()


@examples(50)
@given(tables(least=8, columns=EITHER), st.integers(1, 4), st.integers(0, 2), st.integers(1, 60))
def test_it_remarks_that_a_bound_ended_it(drawn, k, passes, pairs):
    tree, rows, sizes, _ = drawn
    data, remarks, told = coded(tree, rows, sizes), [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAIRS", pairs)
        patch.setattr(module, "PASSES", passes)
        ended = sequential(data, k, note=remarks.append, progress=lambda *words: told.append(words[0]))
        patch.setattr(module, "PASSES", passes + 1)
        further = sequential(data, k)
    early = [words for words in remarks if "before the loss stopped falling" in words]
    within = [words for words in remarks if "within blocks" in words]
    assert len(early) + len(within) == len(remarks)
    assert len(within) == any("blocks" in words for words in told)
    assert early or (further == ended).all()


@examples(50)
@given(tables(columns=EITHER), st.integers(1, 5), st.integers(1, 60))
def test_blocks_lose_less_than_mondrian_and_keep_k(drawn, k, pairs):
    tree, rows, sizes, _ = drawn
    data, told = coded(tree, rows, sizes), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAIRS", pairs)
        found = sequential(data, k, progress=lambda *words: told.append(words))
        assert (found == sequential(data, k)).all()
    moved, first = ClassLosses(data, found), ClassLosses(data, mondrian(data, k))
    assert moved.losses.sum() <= first.losses.sum()
    assert sum(sizes) < k or moved.sizes.min() >= k
    assert told[-1] == ("moving records between classes", module.PASSES, module.PASSES)


@examples(50)
@given(tables(), st.data())
def test_losses_are_those_of_the_oracle_after_moves(drawn, data):
    tree, rows, sizes, _ = drawn
    classes = np.unique([data.draw(st.integers(0, 4)) for _ in rows], return_inverse=True)[1]
    losses, oracle = ClassLosses(coded(tree, rows, sizes), classes), by_hand(drawn, 1, 0)
    for row in data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=4)):
        losses.move(np.array([row]), np.array([data.draw(st.integers(0, int(classes.max())))]))
    oracle.classes = [set(np.flatnonzero(losses.of_row == one).tolist()) for one in range(classes.max() + 1)]
    assert losses.losses.tolist() == [oracle.loss(one) for one in oracle.classes]
    for row in range(len(rows)):
        own = oracle.of(row)
        assert losses.gains[row] == oracle.loss(own) - oracle.loss(own - {row})
        assert losses.alone[row] == (own == {row})
        rises = [oracle.rise(row, one) for one in oracle.classes]
        expected = [NEVER if one == float("inf") else one for one in rises]
        assert losses.rises(np.array([row]), np.arange(len(expected))).tolist() == expected
