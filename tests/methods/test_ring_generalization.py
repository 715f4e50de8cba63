"""Ring generalization, the rival of NSVDist that its evaluation builds: who covers whom, and which value is shown."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from mondrian_oracle import Tree
from small_records import coded, tables

from anonduck.errors import RequirementNotMet
from anonduck.methods.closures import closure_columns
from anonduck.methods.coded_records import WHOLE, ClassCells

LINE = Tree({code: ((code + 1) // 2,) for code in range(1, 7)}, 2, ordered=True)
NUMBERS = np.array([0.0, 1, 2, 4, 8, 16, 32])


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


@st.composite
def classed(draw):
    """Coded records with their class, of up to six values, a combination having several; numbers of some columns."""
    drawn, rows, sizes, _ = draw(tables())
    numbers = [None] * len(drawn)
    if draw(st.booleans()):
        drawn, numbers = [LINE, *drawn[1:]], [NUMBERS, *numbers[1:]]
        rows = sorted({(min(row[0], 6), *row[1:]) for row in rows})
        sizes = sizes[: len(rows)]
    cells = Counter()
    for number, size in enumerate(sizes):
        cells.update((number, value) for value in draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)))
    held = ClassCells(*(np.array(one) for one in zip(*((n, v, c) for (n, v), c in sorted(cells.items())), strict=True)))
    return replace(coded(drawn, rows, sizes), cells=held), numbers


def on_a_line(codes):
    """The closures of one column, and the place of each of some records there."""
    data = coded([LINE], [(code,) for code in range(7)], [1] * 7)
    columns = closure_columns(data, 1, loss="lm", numbers=[None])
    return columns, data.columns[0].place[np.array(codes)][None, :]


CLUSTERS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), min_size=1, max_size=30)


@examples(300)
@given(CLUSTERS, st.integers(1, 5))
def test_any_l_in_a_ring_differ_and_there_is_one_exactly_if_no_value_is_too_frequent(cluster, diversity):
    from benchmarks.rings import any_ring, ring_order

    codes, values = zip(*cluster, strict=True)
    if len(values) < diversity or max(Counter(values).values()) > len(values) // diversity:
        with pytest.raises(RequirementNotMet, match="have the same value"):
            any_ring(values, diversity)
        return
    order = ring_order(*on_a_line(codes), values, diversity)
    assert sorted(order) == list(range(len(values)))
    assert order[0] == 0
    for ring in ([values[record] for record in order], any_ring(values, diversity)):
        assert Counter(ring) == Counter(values)
        for begin in range(len(ring)):
            assert len({(ring * 2)[begin + step] for step in range(diversity)}) == diversity


def test_the_next_record_is_the_nearest_one_that_is_allowed():
    from benchmarks.rings import ring_order

    columns, places = on_a_line([1, 3, 4, 2])
    assert ring_order(columns, places, [0, 1, 0, 1], 2) == [0, 3, 2, 1]
    assert ring_order(columns, places, [0, 1, 2, 0], 2) == [0, 1, 3, 2], "the second 0 is next to the first at the end"


@examples(100)
@given(CLUSTERS, st.integers(1, 5), st.integers(0, 3))
def test_each_view_covers_l_records_each_record_has_l_views_and_each_is_shown_once(cluster, diversity, seed):
    from benchmarks.ring_generalization import ring_views

    codes, values = zip(*cluster, strict=True)
    if len(values) < diversity or max(Counter(values).values()) > len(values) // diversity:
        return
    views = ring_views(*on_a_line(codes), values, diversity, np.random.default_rng(seed))
    assert views.windows.shape == (len(values), diversity)
    assert views.windows[:, 0].tolist() == list(range(len(values)))
    assert all(len({values[record] for record in window}) == diversity for window in views.windows.tolist())
    assert set(Counter(views.windows.ravel().tolist()).values()) == {diversity}
    assert sorted(views.shown.tolist()) == list(range(len(values)))
    assert (views.windows == views.shown[:, None]).any(axis=1).all()
    again = ring_views(*on_a_line(codes), values, diversity, np.random.default_rng(seed))
    assert (views.windows == again.windows).all()
    assert (views.shown == again.shown).all()


@examples(100)
@given(st.integers(1, 5), st.integers(0, 12), st.integers(0, 3))
def test_matchings_share_no_pair_and_have_all(diversity, more, seed):
    from benchmarks.ring_generalization import disjoint_matchings

    size = diversity + more
    covered = (np.arange(size)[:, None] + np.arange(diversity)) % size
    found = disjoint_matchings(covered, np.random.default_rng(seed))
    assert all(sorted(one) == list(range(size)) for one in found.tolist())
    assert (np.sort(found.T, axis=1) == np.sort(covered, axis=1)).all()


def test_each_covered_record_is_shown_about_equally_often_and_not_by_shifts_alone():
    from benchmarks.ring_generalization import ring_views

    columns, places = on_a_line([1, 2, 3, 4, 5, 6, 6])
    drawn = [ring_views(columns, places, [0, 1, 2, 3, 0, 1, 2], 3, np.random.default_rng(seed)) for seed in range(600)]
    offsets = np.array([(views.windows == views.shown[:, None]).argmax(axis=1) for views in drawn])
    for offset in range(3):
        counts = (offsets == offset).sum(axis=0)
        assert ((counts > 130) & (counts < 270)).all()
    assert 60 < (offsets == offsets[:, :1]).all(axis=1).sum() < 540


def test_one_of_the_matchings_is_taken_each_as_likely_as_any_other(monkeypatch):
    from benchmarks import ring_generalization

    monkeypatch.setattr(ring_generalization, "disjoint_matchings", lambda covered, draw: covered.T)
    columns, places = on_a_line([1, 2, 3, 4, 5, 6, 6])
    taken = Counter()
    for seed in range(600):
        draw = np.random.default_rng(seed)
        views = ring_generalization.ring_views(columns, places, [0, 1, 2, 3, 0, 1, 2], 3, draw)
        taken[tuple((views.windows == views.shown[:, None]).argmax(axis=1).tolist())] += 1
    assert sorted(taken) == [(0,) * 7, (1,) * 7, (2,) * 7]
    assert all(130 < count < 270 for count in taken.values())


@examples(100)
@given(classed(), st.integers(1, 4), st.integers(0, 3))
def test_views_of_all_records_cover_what_they_say_and_keep_all_values(drawn, diversity, seed):
    from benchmarks.ring_generalization import apart, ring_generalization, told_apart

    data, numbers = drawn
    if (np.bincount(data.cells.classes, weights=data.cells.records) * diversity > data.total).any():
        with pytest.raises(RequirementNotMet, match=f"more than one in {diversity}; ask for a smaller l"):
            ring_generalization(data, diversity, numbers=numbers, seed=seed)
        return
    found = ring_generalization(data, diversity, numbers=numbers, seed=seed)
    single = apart(data)
    windows, values = found.members.reshape(-1, diversity), single.cells.classes
    assert len(windows) == data.total
    assert windows[:, 0].tolist() == list(range(data.total))
    assert set(Counter(windows.ravel().tolist()).values()) == {diversity}
    places = np.vstack(single.places)[:, single.cells.combinations]
    for record, window in enumerate(windows):
        assert len(set(values[window].tolist())) == diversity
        assert (found.firsts[record] <= places[:, window].min(axis=1)).all()
        assert (found.lasts[record] >= places[:, window].max(axis=1)).all()
        assert found.values[record].sum() == 1
        assert found.values[record].argmax() in values[window]
    shown, alone = found.values.argmax(axis=1), 0
    for record, value in enumerate(values.tolist()):
        over = Counter(shown[(windows == record).any(axis=1)].tolist())
        assert over[value] == 1, "no other view over a record shows its value"
        alone += sum(count == 1 for count in over.values()) == 1
    assert told_apart(found) == pytest.approx(alone / data.total)
    assert (found.values.sum(axis=0) == np.bincount(values, minlength=found.values.shape[1])).all()
    again = ring_generalization(data, diversity, numbers=numbers, seed=seed)
    assert all((one == other).all() for one, other in zip(vars(found).values(), vars(again).values(), strict=True))


@examples(60)
@given(classed(), st.integers(1, 4))
def test_classes_of_mondrian_are_as_mixed_and_show_one_closure_each(drawn, diversity):
    from benchmarks.ring_generalization import apart, mondrian_views

    data, numbers = drawn
    if (np.bincount(data.cells.classes, weights=data.cells.records) * diversity > data.total).any():
        return
    found = mondrian_views(data, diversity, numbers=numbers)
    values = apart(data).cells.classes
    assert (found.values.argmax(axis=1) == values).all()
    for record in range(data.total):
        members = found.members[found.starts[record] : found.starts[record + 1]]
        assert record in members
        assert max(Counter(values[members].tolist()).values()) * diversity <= len(members)
        assert (found.firsts[members] == found.firsts[record]).all()
        assert (found.lasts[members] == found.lasts[record]).all()


def test_columns_of_intervals_are_as_wide_as_what_these_lose():
    from benchmarks.ring_generalization import _lined

    data = coded([LINE], [(code,) for code in range(7)], [1, 2, 2, 1, 1, 3, 3])
    (closures,) = closure_columns(data, 2, loss="lm", numbers=[NUMBERS])
    lined = _lined(data.columns[0], closures)
    for one in range(7):
        for other in range(one + 1, 7):
            lost = closures.loss(closures.joined((one, one), other)) / closures.root_loss
            assert lined.width(np.array([one]), np.array([other]))[0] / WHOLE == pytest.approx(lost)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["nsvdist", "nhaa", "mondrian"])
def test_models_learn_from_what_each_of_the_three_releases(method):
    from benchmarks.nhaa import measured

    drawn = np.random.default_rng(0)
    table = pd.DataFrame({"age": drawn.integers(20, 60, 90), "town": drawn.choice(list("abc"), 90)})
    table["class"] = drawn.permutation(np.repeat(["x", "y", "z"], 30))
    found = measured((table[:75], table[75:], "class"), 2, method, 1, svm=False)
    assert 0 < found["loss"] < 0.5
    assert ("told apart" in found) == (method == "nhaa")
    assert {"tree", "bayes", "bayes of densities"} <= set(found)
