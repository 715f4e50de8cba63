"""Attacks on releases whose labels are nested in each other: which class a person may be in, and whose a row is."""

from collections import Counter
from math import isclose, log2, prod

import mondrian
import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import anonduck
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.people import raked
from anonduck.attacks.rates import Rate

pytestmark = pytest.mark.usefixtures("without_splink")

GOWER, FELLEGI = "nearest neighbour (Gower)", "record linkage (Fellegi-Sunter)"
MOST, FOREST = "most frequent in class", "random forest"
QUASI, KEPT = ['odd "zone', "street, no"], "#disease"
ZONES = {"a": ("ab", "*"), "b": ("ab", "*"), "c": ("cd", "*"), "d": ("cd", "*"), None: ("*", "*")}
STREETS = {"x": ("xy", "*"), "y": ("xy", "*"), "z": ("z", "*")}
PATHS = (ZONES, STREETS)


def rates(report):
    return {one.attack: one for one in report.attempts}


# -- by brute force ----------------------------------------------------------------------------------------------------

record = st.tuples(st.sampled_from([*ZONES]), st.sampled_from([*STREETS]), st.sampled_from(["flu", "cold", "none"]))


@st.composite
def releases(draw):
    """Records with duplicates and NULL, each released at levels of its own; a control group; and what is released."""
    distinct = draw(st.lists(record, min_size=1, max_size=5))
    rows = draw(st.lists(st.sampled_from(distinct), min_size=2, max_size=9))
    level = st.tuples(st.integers(0, 2), st.integers(0, 2))
    levels = draw(st.lists(level, min_size=len(rows), max_size=len(rows)))
    released = [
        (*((row[j], *PATHS[j][row[j]])[at[j]] for j in range(2)), row[2]) for row, at in zip(rows, levels, strict=True)
    ]
    return rows, draw(st.lists(record, min_size=1, max_size=4)), released


def labels(j, value):
    return (value, *PATHS[j][value])


def fits(person, row, columns=(0, 1)):
    return all(row[j] in labels(j, person[j]) for j in columns)


def covered(rows, control, j, label):
    """The distinct values that a label covers, and its share of the records."""
    held = [value for value in {row[j] for row in [*rows, *control]} if label in labels(j, value)]
    return max(len(held), 1), sum(label in labels(j, row[j]) for row in rows) / len(rows)


def frame(rows):
    columns = dict(zip([*QUASI, KEPT], zip(*rows, strict=True), strict=True))
    return pd.DataFrame({name: pd.array(column, dtype="string") for name, column in columns.items()})


def attacked(shared, released, rows, control, **options):
    taxonomies = {
        name: pd.DataFrame([(value, *above) for value, above in paths.items() if value is not None])
        for name, paths in zip(QUASI, PATHS, strict=True)
    }
    given = {"sensitive": [KEPT], "taxonomies": taxonomies, "database": shared, **options}
    return anonduck.attack(frame(released), frame(rows), QUASI, control=frame(control), **given)


def guess(person, released, rows, control):
    """The chance of each value, by the classes that fit a person and how many values their labels cover."""
    chances = Counter()
    for row in released:
        if fits(person, row):
            chances[row[2]] += 1 / prod(covered(rows, control, j, row[j])[0] for j in range(2))
    return chances or Counter(row[2] for row in released)


@pytest.mark.slow
@examples(10)
@given(releases())
def test_guesses_are_made_from_all_classes_that_fit(shared, drawn):
    rows, control, released = drawn
    found = rates(attacked(shared, released, rows, control))[MOST]
    for rate, people in ((found.success, rows), (found.control, control)):
        chances = [(guess(person, released, rows, control), person[2]) for person in people]
        sure = sum(all(c[held] > c[v] + 1e-9 for v in c if v != held) and c[held] > 0 for c, held in chances)
        tied = sum(c[held] >= max(c.values()) - 1e-9 for c, held in chances)
        assert rate.tried == len(people)
        assert sure <= rate.right <= tied


def own_chances(rows, released):
    """By person and row, the chance that it is theirs: people and rows are matched one to one as evenly as can be."""
    fit = np.array([[fits(person, row) and person[2] == row[2] for row in released] for person in rows], dtype=float)
    for _ in range(3000):
        fit = fit / fit.sum(axis=1, keepdims=True)
        fit = fit / fit.sum(axis=0, keepdims=True)
    return fit / fit.sum(axis=1, keepdims=True)


def weight(person, row, rows):
    found = 0.0
    for j in range(2):
        u = min(max(covered(rows, [], j, row[j])[1], 1e-6), 1 - 1e-6)
        found += log2(0.999 / u) if fits(person, row, [j]) else log2(0.001 / (1 - u))
    return found


@pytest.mark.slow
@examples(10)
@given(releases())
def test_links_follow_the_weight_of_each_label(shared, drawn):
    rows, control, released = drawn
    found = rates(attacked(shared, released, rows, control, sensitive=[], insensitive=[KEPT]))
    nested = any(
        len({row[j] for row in released} & set(labels(j, person[j]))) > 1
        for person in [*rows, *control]
        for j in (0, 1)
    )
    if not nested:
        assert found[FELLEGI].success.right <= found[GOWER].success.right + 1e-9
        return
    own, expected = own_chances(rows, released), 0.0
    for person, chances in zip(rows, own, strict=True):
        weights = [weight(person, row, rows) for row in released]
        best = [at for at, one in enumerate(weights) if one > max(weights) - 1e-8]
        expected += sum(chances[best]) / len(best)
    assert isclose(found[FELLEGI].success.right, expected, abs_tol=0.02 * len(rows))


@st.composite
def fitting(draw):
    """People, classes with their rows, and which fit; each person one row at least."""
    rows = draw(st.lists(st.integers(0, 3), min_size=2, max_size=8))
    more = draw(st.lists(st.tuples(st.integers(0, len(rows) - 1), st.integers(0, 3)), max_size=8))
    return rows, sorted({*enumerate(rows), *more})


@examples(60)
@given(fitting())
def test_chances_add_up_to_the_rows_of_each_class(drawn):
    rows, pairs = drawn
    pairs = [(person, class_) for person, class_ in pairs if class_ in rows]
    held, classes = np.unique([c for _, c in pairs], return_inverse=True)
    people, sizes = np.array([p for p, _ in pairs]), np.array([rows.count(c) for c in held], dtype=float)
    rates = raked(people, classes, np.ones(len(rows)), sizes)
    chances = rates[classes] / np.bincount(people, rates[classes])[people]
    assert np.bincount(classes, chances, len(held)) == pytest.approx(sizes, abs=0.1)


# -- releases that are known to leak, and not --------------------------------------------------------------------------

NUMBERS = ("age", "home")
LEAVES = 64


def halved(leaf):
    """The labels over a leaf of a binary tree: each node is named for its first and last leaf."""
    spans = [2**level for level in range(1, 6)]
    return [f"{leaf // span * span:02}-{leaf // span * span + span - 1:02}" for span in spans] + ["*"]


TREE = {f"n{leaf:02}": halved(leaf) for leaf in range(LEAVES)}


@pytest.fixture(scope="module")
def town():
    """Two halves of 1,600 people whose illness goes with both their age and their home, in blocks of 4 by 4 of 64."""
    random = np.random.default_rng(3)
    places = random.integers(0, LEAVES, (1_600, 2))
    block = random.choice(["flu", "cold", "none"], (LEAVES // 16, LEAVES // 16))
    ill = np.where(random.random(1_600) < 0.9, block[places[:, 0] // 16, places[:, 1] // 16], "none")
    rows = [(f"n{age:02}", f"n{home:02}", str(held)) for (age, home), held in zip(places, ill, strict=True)]
    return rows[:800], rows[800:]


def people(rows):
    return pd.DataFrame(rows, columns=[*NUMBERS, "ill"], dtype="str")


def on_town(shared, town, released, **options):
    own, control = town
    lookups = {name: pd.DataFrame([(leaf, *above) for leaf, above in TREE.items()]) for name in NUMBERS}
    given = {"sensitive": ["ill"], "taxonomies": lookups, "guesses": 800, "database": shared, **options}
    return rates(anonduck.attack(released, people(own), list(NUMBERS), control=people(control), **given))


def majority(rows, groups):
    """How many records hold the most frequent value of their class, as a share."""
    return sum(max(Counter(rows[at][2] for at in group).values()) for group in groups) / len(rows)


@pytest.mark.slow
def test_a_mondrian_release_shows_the_majority_of_each_class(shared, town):
    own, _ = town
    groups = mondrian.classes(own, (TREE, TREE), 10)
    assert min(map(len, groups)) >= 10
    found = on_town(shared, town, people(mondrian.released(own, (TREE, TREE), groups)))
    plain = max(Counter(row[2] for row in own).values()) / len(own)
    assert majority(own, groups) > plain + 0.3
    assert found[MOST].success.share > majority(own, groups) - 0.02
    assert found[FOREST].success.share > plain + 0.3
    assert found[FELLEGI].success.right >= found[GOWER].success.right > 0


@pytest.mark.slow
def test_classes_whose_intervals_meet_nobody_else_show_just_their_majority(shared, town):
    """Each class by its own bounds, as strict Mondrian is defined: a column's labels overlap, classes do not."""
    own, control = ([(int(age[1:]), int(home[1:]), ill) for age, home, ill in rows] for rows in town)
    groups = mondrian.classes(town[0], (TREE, TREE), 10)
    bounds = [[(min(own[at][j] for at in group), max(own[at][j] for at in group)) for j in (0, 1)] for group in groups]
    shown = {at: tuple(f"[{low}, {high}]" for low, high in ends)
             for ends, group in zip(bounds, groups, strict=True) for at in group}  # fmt: skip
    released = pd.DataFrame([(*shown[at], own[at][2]) for at in range(len(own))], columns=[*NUMBERS, "ill"])
    original, others = (pd.DataFrame(rows, columns=[*NUMBERS, "ill"]) for rows in (own, control))
    report = anonduck.attack(
        released, original, control=others, sensitive=["ill"], guesses=800, database=shared, quasi_identifiers=NUMBERS
    )
    assert rates(report)[MOST].success == Rate(round(majority(own, groups) * len(own)), len(own))
    assert rates(report)[FELLEGI].success.right == pytest.approx(rates(report)[GOWER].success.right) == len(groups)


@pytest.mark.slow
def test_a_release_of_what_goes_with_nothing_shows_nothing(shared, town):
    """The same classes, of people whose illness was drawn without regard to them: guesses are right by chance."""
    drawn = np.random.default_rng(4).choice(["flu", "cold"], 1_600)
    own, control = ([(*row[:2], str(ill)) for row, ill in zip(rows, part, strict=True)]
                    for rows, part in zip(town, (drawn[:800], drawn[800:]), strict=True))  # fmt: skip
    groups = mondrian.classes(own, (TREE, TREE), 100)
    found = on_town(shared, (own, control), people(mondrian.released(own, (TREE, TREE), groups)))
    assert found[MOST].control.share == pytest.approx(0.5, abs=0.06)
    assert not found[MOST].excess.found
    assert not found[FOREST].excess.found


@pytest.mark.some(1)
@pytest.mark.parametrize("k", [5, 2])
def test_links_are_as_many_as_are_right(shared, town, k):
    """Held against who is in which class, which the attack does not see."""
    own, _ = town
    groups = mondrian.classes(own, (TREE, TREE), k)
    rows = mondrian.released(own, (TREE, TREE), groups)
    found = on_town(shared, town, people(rows), sensitive=[], insensitive=["ill"])
    held, expected = Counter(row[:2] for row in rows), 0.0
    shares = [{label: sum(label in (one, *TREE[one]) for one in (row[j] for row in own)) / len(own)
               for label in {row[j] for row in rows}} for j in (0, 1)]  # fmt: skip
    for person, mine in zip(own, rows, strict=True):
        fitting = [c for c in held if all(c[j] in (person[j], *TREE[person[j]]) for j in (0, 1))]
        best = min(prod(shares[j][c[j]] for j in (0, 1)) for c in fitting)
        narrowest = [c for c in fitting if isclose(prod(shares[j][c[j]] for j in (0, 1)), best)]
        expected += (mine[:2] in narrowest) / sum(held[c] for c in narrowest)
    assert found[FELLEGI].success.share == pytest.approx(expected / len(own), rel=0.1)
    assert found[FELLEGI].success.share > found[GOWER].success.share


# -- labels that are not nested ----------------------------------------------------------------------------------------


@pytest.mark.slow
@examples(6)
@given(releases(), st.integers(0, 2), st.integers(0, 2))
def test_rules_are_attacked_the_same_either_way(shared, drawn, zone, street):
    rows, control, _ = drawn
    released = [(labels(0, row[0])[zone], labels(1, row[1])[street], row[2]) for row in rows]
    plain = attacked(shared, released, rows, control)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlacedColumns, "nested", property(lambda _: True))
        nested = attacked(shared, released, rows, control)
    for one, other in zip(plain.attempts, nested.attempts, strict=True):
        if one.attack == FELLEGI:
            assert isclose(other.success.right, rates(plain)[GOWER].success.right, abs_tol=1e-9)
        else:
            assert one.as_json() == other.as_json()
