"""The attack by minimality: by brute force, and on releases that are known to leak in this way, and not to."""

import json
from itertools import chain, permutations, product

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import anonduck
from anonduck import Project
from anonduck.attacks import knowledge, minimality
from anonduck.attacks.class_people import certain_members
from anonduck.attacks.cuts import ClassCut, CutJudge, at_median, chances_of, through_nodes
from anonduck.attacks.known_requirement import REACHED, ClassValues, KnownRequirement, known_requirement, meets
from anonduck.attacks.minimality import weigh_minimality
from anonduck.attacks.tables import AttackedTables
from anonduck.cli.app import run
from anonduck.errors import AuditError
from anonduck.measures.numpy_requirements import BY_CLASS, SensitiveCells, SensitiveValues
from anonduck.privacy.relations import forget
from anonduck.privacy.requirement import ask

pytestmark = pytest.mark.usefixtures("without_splink")


# -- by brute force ----------------------------------------------------------------------------------------------------

DEMANDS = st.sampled_from(
    [{"l": 2}, {"l": 3}, {"frequency_l": 2}, {"alpha": 0.6}, {"entropy_l": 1.9}, {"recursive_l": [2, 2]}, {"t": 0.3},
     {"l": 2, "alpha": 0.7}]
)  # fmt: skip
VALUES = st.lists(st.integers(0, 3), min_size=2, max_size=6)
SHARES = (0.1, 0.2, 0.3, 0.3)


def values_of(values, values_in_release=5):
    held, codes = np.unique(values, return_inverse=True)
    return ClassValues(codes, np.array(SHARES)[held], values_in_release)


def enough(people, values, k, requirement):
    """Whether people, by number, are k and meet the requirement, by the published formulas."""
    if len(people) < k:
        return False
    shares = sorted(np.mean([values[one] == value for one in people]) for value in {values[one] for one in people})
    tests = {
        "l": lambda least: len(shares) >= least,
        "frequency_l": lambda least: 1 / shares[-1] >= least - 1e-9,
        "alpha": lambda most: shares[-1] <= most + 1e-9,
        "entropy_l": lambda least: np.prod([share**-share for share in shares]) >= least - 1e-9,
        "recursive_l": lambda given: shares[-1] < given[1] * sum(sorted(shares)[::-1][given[0] - 1 :]),
        "t": lambda most: (
            sum(max(np.mean([values[one] == value for one in people]) - q, 0) for value, q in enumerate(SHARES))
            <= most + 1e-9
        ),
    }
    return all(tests[name](required) for name, required in requirement.items())


def allowed(sides, joining, values, k, requirement):
    """Whether a cut is allowed, as docs/anonymize.md tells it."""
    parts = [[one for one, side in enumerate(sides) if side == number] for number in range(max(sides) + 1)]
    if not joining:
        return all(enough(part, values, k, requirement) for part in parts)
    pool = [part for part in parts if not enough(part, values, k, requirement)]
    rest = [part for part in parts if enough(part, values, k, requirement)]
    while pool and rest and not enough(list(chain(*pool)), values, k, requirement):
        smallest = min(rest, key=len)
        pool, rest = [*pool, smallest], [part for part in rest if part is not smallest]
    return len(rest) + bool(pool) > 1 and (not pool or enough(list(chain(*pool)), values, k, requirement))


@examples(200)
@given(VALUES, st.data(), st.integers(1, 3), DEMANDS, st.booleans())
def test_a_cut_is_allowed_as_by_hand(values, data, k, requirement, joining):
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    sides = np.unique(drawn, return_inverse=True)[1]
    judge = CutJudge(k, ask(requirement), [values_of(values)])
    deals = np.array(list(permutations(range(len(values)))))[:40]
    found = judge.allows(ClassCut(sides, joining), deals)
    expected = [allowed(sides.tolist(), joining, [values[one] for one in deal], k, requirement) for deal in deals]
    assert found.tolist() == expected


@examples(60)
@given(VALUES, st.data(), st.integers(1, 2), DEMANDS)
def test_chances_are_shares_of_the_deals_that_are_left(values, data, k, requirement):
    people = st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))
    cuts = [(np.unique(data.draw(people), return_inverse=True)[1], data.draw(st.booleans())) for _ in range(2)]
    judge = CutJudge(k, ask(requirement), [values_of(values)])
    found = chances_of(judge, [ClassCut(*cut) for cut in cuts], np.random.default_rng(0))
    worlds = [[values[one] for one in deal] for deal in permutations(range(len(values)))]
    left = [
        world
        for world in worlds
        if not any(allowed(sides.tolist(), join, world, k, requirement) for sides, join in cuts)
    ]
    assert (found.made, found.left) == (len(worlds), len(left))
    assert found.sure == bool(left)
    if left:
        told = np.array(
            [[np.mean([w[one] == v for w in left]) for v in sorted(set(values))] for one in range(len(values))]
        )
        np.testing.assert_allclose(found.chances[0][found.groups], told, atol=1e-12)


def test_deals_of_larger_classes_are_drawn_until_enough_are_left():
    """Of ten people a side of five all have one value, of which there are six: 6 ways of 252, or the other side."""
    values = [0] * 6 + [1, 2, 3, 3]
    judge = CutJudge(5, ask({"l": 2}), [values_of(values)])
    found = chances_of(judge, [ClassCut(np.repeat([0, 1], 5), joining=False)], np.random.default_rng(1))
    assert found.sure
    assert not found.listed
    assert found.left / found.made == pytest.approx(12 / 252, rel=0.2)
    assert found.chances[0][found.groups].mean(axis=0) == pytest.approx([0.6, 0.1, 0.1, 0.2])
    halves = [ClassCut(np.repeat([0, 1], 6), joining=False)]
    none = chances_of(CutJudge(1, ask({"l": 2}), [values_of([0, 1] * 6)]), halves, np.random.default_rng(1))
    assert none.left < none.made / 100


@examples(100)
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), min_size=1, max_size=5))
def test_models_are_reached_as_searches_reckon_them(table):
    """Beside the twins that a search asks, which are held against the queries of audits."""
    counts = np.array(table)
    held = counts.sum(axis=0) > 0
    overall = counts.sum(axis=0) / counts.sum()
    classes, codes = np.nonzero(counts)
    plain = np.zeros(4, dtype=bool)
    starts = np.searchsorted(classes, np.arange(len(table)))
    cells = SensitiveCells(SensitiveValues(plain, plain, plain, ~plain), starts, codes, counts[classes, codes])
    sensitive_values = ClassValues(np.zeros(1, dtype=np.int64), overall[held], int(held.sum()))
    for name, reached in REACHED.items():
        numbers = {"l": 2, "c": 2.0, "log": 2} if name in ("recursive_l", "delta_disclosure") else {}
        found = reached(counts[:, held], sensitive_values, numbers)
        np.testing.assert_allclose(found, BY_CLASS[name](cells, {"l": 2, "log": None, **numbers}), atol=1e-9)
    assert meets(ask({"l": 1}), counts, sensitive_values).all()


@examples(150)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 2), min_size=1), st.integers(1, 2)), min_size=1, max_size=5),
    st.data(),
    st.booleans(),
)
def test_members_are_certain_in_every_way_to_place_people(fits, data, everybody):
    """People are placed one by one, where they fit, as many as each class has records; some may have been left out."""
    people = [row for row, (_, count) in enumerate(fits) for _ in range(count)]
    truth = [data.draw(st.sampled_from(sorted(fits[row][0]))) for row in people]
    gone = set() if everybody else {0}
    records = np.bincount([one for number, one in enumerate(truth) if number not in gone], minlength=3)
    pairs = [(one, row) for row, (classes, _) in enumerate(fits) for one in sorted(classes)]
    counts = np.array([count for _, count in fits])
    found = certain_members(*np.array(sorted(pairs)).T, counts, records)
    ways = [
        way
        for way in product(*[[*fits[row][0], *([] if everybody else [-1])] for row in people])
        if np.array_equal(np.bincount([one for one in way if one >= 0], minlength=3), records)
    ]
    for row, one in enumerate(found.classes):
        if one >= 0:
            assert all(way[number] == one for way in ways for number, other in enumerate(people) if other == row)
    for one in np.flatnonzero(found.known):
        assert counts[found.classes == one].sum() == records[one]


def test_medians_are_between_two_values():
    assert at_median(np.array([1, 1, 1])) is None
    assert at_median(np.array([5, 1, 1, 9, 9])).sides.tolist() == [1, 0, 0, 1, 1]
    assert at_median(np.array([1, 2, 2, 2, 3])).sides.tolist() == [0, 1, 1, 1, 1]
    assert through_nodes(np.array([4, 4])) is None


# -- tables, from the release to what is claimed -----------------------------------------------------------------------

FLAT = {
    "part": pd.DataFrame([("a", "*"), ("b", "*"), ("c", "*"), (None, "*")]),
    "age": pd.DataFrame([(str(age), "20-39" if age < 40 else "40-59", "*") for age in (20, 30, 40, 50)]),
}


def found_in(work, released, own, requirement, guesses=1_000):
    """What the attack makes of two tables."""
    try:
        roles = AttackedTables(work, None, ["secret"], None)
        roles.read(released, own, None, disjoint=False)
        placed = knowledge.place(work, roles.quasi, roles.kept, control=False, taxonomies=FLAT, project=None)
        return weigh_minimality(work, placed, ["secret"], requirement, guesses, 0)
    finally:
        forget(work, knowledge.MADE)


def label(values):
    """What a class of these ages shows."""
    if len(set(values)) == 1:
        return values[0]
    known = {None if one is None else int(one) >= 40 for one in values}
    return {True: "40-59", False: "20-39"}.get(next(iter(known)), "*") if len(known) == 1 else "*"


def spelled(one):
    return "" if one is None else one


PEOPLE = st.lists(
    st.tuples(*map(st.sampled_from, (["a", "b", None], ["20", "30", "40", "50", None], ["x", "y", None]))),
    min_size=2,
    max_size=5,
)  # fmt: skip


def cuts_by_hand(people):
    """The cuts of a class: by part, by the nodes right under the label of ages, and at their median."""
    parts, ages, _ = zip(*people, strict=True)
    shown = label(ages)
    node = {"*": lambda age: None if age is None else int(age) >= 40}.get(shown, lambda age: age)
    places = [0 if age is None else int(age) for age in ages]
    bounds = sorted(set(places))[1:]
    apart = [abs(2 * sum(place < bound for place in places) - len(people)) for bound in bounds]
    found = [(list(parts), True), ([node(age) for age in ages], True)]
    if bounds:
        found.append(([place >= bounds[apart.index(min(apart))] for place in places], False))
    numbered = []
    for sides, join in found:  # of sides as large as each other the first is put to others: nodes by name, then NULL
        order = sorted(set(sides), key=lambda one: (one is None, str(one)))
        numbered.append(([order.index(one) for one in sides], join))
    return [(sides, joining) for sides, joining in numbered if max(sides)]


def unseen(people, k):
    """Whether two parts of k people, older and younger, show what all together show."""

    def shown(some):
        parts, ages, _ = zip(*some, strict=True)
        return ("*" if len(set(parts)) > 1 else parts[0]), label(ages)

    ages = [0 if age is None else int(age) for _, age, _ in people]
    for bound in sorted(set(ages))[1:]:
        sides = [
            [one for one, age in zip(people, ages, strict=True) if (age < bound) is below] for below in (True, False)
        ]
        if all(len(side) >= k and shown(side) == shown(people) for side in sides):
            return True
    return False


@pytest.mark.slow
@examples(60)
@given(st.lists(PEOPLE, min_size=1, max_size=3), st.integers(1, 2), st.sampled_from([{"l": 2}, {"frequency_l": 2}]))
def test_what_is_claimed_of_classes_is_as_by_hand(shared, classes, k, requirement):
    """NULL is a part, an age and a secret like others; ages have an order, in which NULL comes first."""
    rows = [(f"s{number}", *one) for number, people in enumerate(classes) for one in people]
    own = pd.DataFrame(rows, columns=["site", "part", "age", "secret"], dtype="string")
    released = own.copy()
    for number, people in enumerate(classes):
        parts, ages, _ = zip(*people, strict=True)
        here = released["site"] == f"s{number}"
        released.loc[here, "part"] = parts[0] if len(set(parts)) == 1 else "*"
        released.loc[here, "age"] = label(ages)
    if not own["secret"].notna().any() or not own["part"].notna().any() or not own["age"].notna().any():
        return
    found = found_in(shared, released, own, KnownRequirement(k, ask(requirement)))
    barred = several = 0
    right, plain, raised, surest_right = 0.0, 0.0, 0, 0.0
    for people in classes:
        if len(people) < 2 * k:
            continue
        if unseen(people, k):
            several += 1
            continue
        values = [one[2] for one in people]
        cuts = [cut for cut in cuts_by_hand(people) if allowed(*cut, values, k, {})]
        if not cuts:
            continue
        barred += 1
        worlds = [[values[one] for one in deal] for deal in permutations(range(len(values)))]
        left = [world for world in worlds if not any(allowed(*cut, world, k, requirement) for cut in cuts)]
        if not left:
            continue
        names = sorted(set(values), key=spelled)
        chances = [[np.mean([w[one] == v for w in left]) for v in names] for one in range(len(values))]
        shown = [values.count(v) / len(values) for v in names]
        sure = max(map(max, chances))
        claims = [
            np.mean([names[n] == values[one] for n, c in enumerate(chances[one]) if c > max(chances[one]) - 1e-9])
            for one in range(len(values))
        ]
        right += sum(claims)
        if any(max(c) > max(shown) + 1e-9 for c in chances):
            surest_right += np.mean([claim for claim, c in zip(claims, chances, strict=True) if max(c) > sure - 1e-9])
        tops = [v for v, share in zip(names, shown, strict=True) if share > max(shown) - 1e-9]
        plain += sum(values.count(v) for v in tops) / len(tops)
        raised += sum(max(c) > max(shown) + 1e-9 for c in chances)
    (tally,) = found.tallies
    assert (found.seen.barred, found.seen.several, found.seen.unknown) == (barred, several, 0)
    assert (tally.right, tally.plain, tally.raised) == (pytest.approx(right), pytest.approx(plain), raised)
    assert tally.surest_right == pytest.approx(surest_right)


@pytest.mark.slow
def test_a_class_that_may_be_several_is_left_alone(shared):
    """NULL and 20 show what 30 and 40 show, so that a median may have parted them."""
    people = [("s", "a", None, "x"), ("s", "a", "20", "y"), ("s", "a", "30", "x"), ("s", "a", "40", "x")]
    own = pd.DataFrame(people, columns=["site", "part", "age", "secret"], dtype="string")
    seen = found_in(shared, own.assign(age="*"), own, KnownRequirement(2, ask({"l": 2}))).seen
    assert (seen.several, seen.barred) == (1, 0)
    seen = found_in(shared, own.assign(age="*"), own, KnownRequirement(1, ask({"l": 2}), strict=False)).seen
    assert (seen.several, seen.barred) == (1, 0)


# -- releases that are known to leak, and not --------------------------------------------------------------------------

SITES = 40
CLASS = [("1", "1"), ("1", "1"), ("1", "2"), ("1", "2"), ("1", "2"), ("2", "1"), ("2", "1"), ("2", "1")]


def leaking(sites=SITES):
    """At each site five people on one side who could be cut two and three, were the two not alike; another illness at
    each. tests/methods/test_minimality.py tells why the release gives them away."""
    rows = []
    for site in range(sites):
        ill = ["flu", "hiv", "tbc", "gout"]
        first = ill[site % 4]
        others = [one for one in ill if one != first]
        sensitive_values = [first, first, *others, *others]
        rows += [
            (f"{site}.{side}", f"{site}.{part}", one, "n")
            for (side, part), one in zip(CLASS, sensitive_values, strict=True)
        ]
    return pd.DataFrame(rows, columns=["side", "part", "illness", "y"], dtype="string")


def groups(sites=SITES):
    return {"groups": {f"site {site}": [f"{site}.1", f"{site}.2"] for site in range(sites)}}


def lookup(sites=SITES):
    return pd.DataFrame([(f"{site}.{side}", f"site {site}", "*") for site in range(sites) for side in (1, 2)])


def released_to(folder, k, table, sites=SITES):
    table.to_parquet(folder / "own.parquet")
    roles = {
        "class_": "y",
        "sensitive": ["illness"],
        "taxonomies": dict.fromkeys(("side", "part"), groups(sites)),
        "models": [],
    }
    with Project(source=table, **roles, requirement={"k": k, "l": 2}) as one:
        one.anonymize("mondrian", folder / "out.parquet")
    return folder / "out.parquet", folder / "own.parquet"


def attacked(files, shared, sites=SITES, **options):
    taxonomies = dict.fromkeys(("side", "part"), lookup(sites))
    given = {"sensitive": ["illness"], "class_": "y", "taxonomies": taxonomies, "minimality": True, "guesses": 200}
    report = anonduck.attack(*files, **given | options, database=shared)
    return report, {one.attack: one for one in report.attempts if one.attack.startswith("minimality")}


@pytest.fixture(scope="module")
def leak(tmp_path_factory):
    return released_to(tmp_path_factory.mktemp("leak"), 2, leaking())


@pytest.mark.slow
def test_classes_that_were_kept_together_give_their_people_away(shared, leak):
    """The two are known for certain, and of the other three each has one of three values."""
    report, found = attacked(leak, shared)
    assert found["minimality"].success.tried == 5 * SITES
    assert found["minimality"].success.share == pytest.approx(3 / 5)
    assert found["minimality"].baseline == pytest.approx(2 / 5)
    assert found["minimality, surest in class"].success.share == 1
    assert found["minimality, surest in class"].baseline == pytest.approx(2 / 5)
    assert all(one.excess.found for one in found.values())
    assert "that classes were not cut gives away more than they show" in found["minimality"].words
    assert report.minimality["columns"] == [
        {"about": "illness", "people": 5 * SITES, "raised": 2 * SITES, "over_bound": 2 * SITES, "largest_chance": 1.0,
         "shown_there": 0.4}
    ]  # fmt: skip
    assert (report.minimality["barred"], report.minimality["bound"], report.minimality["k"]) == (SITES, 0.5, 2)
    assert any("80 more likely than 0.5 where the class shows none so often" in note for note in report.notes)
    assert not any("hiv" in note for note in (*report.notes, json.dumps(report.as_json())))


@pytest.mark.slow
def test_guesses_bound_the_classes_that_are_weighed(shared, leak):
    report, found = attacked(leak, shared, guesses=7)
    assert report.minimality["barred"] == 7
    assert found["minimality"].success.tried == 35


@pytest.mark.slow
def test_classes_that_k_kept_together_tell_nothing(shared, tmp_path):
    report, found = attacked(released_to(tmp_path, 4, leaking()), shared)
    assert found == {}
    assert report.minimality["barred"] == 0
    assert any("none of them could have been cut if k alone were required" in note for note in report.notes)


@pytest.mark.slow
def test_where_every_deal_bars_the_cut_the_plain_guess_is_all(shared, tmp_path):
    """Four of five are alike, so that a side of two or three is alike whoever the fifth is."""
    table = leaking().assign(illness=["flu", "flu", "flu", "flu", "hiv", "flu", "hiv", "tbc"] * SITES)
    _, found = attacked(released_to(tmp_path, 2, table), shared)
    assert found["minimality"].success == found["minimality"].guessed
    assert "minimality, surest in class" not in found
    assert not any(one.excess.found for one in found.values())
    assert "no better than the most frequent value of the class" in found["minimality"].words


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"numbers": "intervals"}, {"strict": False}])
def test_what_is_so_is_never_ruled_out(shared, tmp_path, monkeypatch, settings):
    """In a release by Mondrian, whatever its columns: the values that people have bar each cut that was not made."""
    drawn = np.random.default_rng(3)
    count = 1_500
    table = pd.DataFrame(
        {
            "age": pd.array(drawn.integers(20, 60, count), dtype="Int64"),
            "town": [f"t{one}" for one in drawn.integers(0, 12, count)],
            "sex": drawn.choice(["f", "m"], count),
            "illness": drawn.choice(["a", "b", "c", "d"], count, p=[0.6, 0.3, 0.07, 0.03]),
            "y": "n",
        }
    )
    table.loc[drawn.random(count) < 0.05, ["age", "town"]] = None
    towns = {"groups": {f"g{number}": [f"t{number * 3 + one}" for one in range(3)] for number in range(4)}}
    keys = {"source": "own.parquet", "class": "y", "sensitive": ["illness"], "requirement": {"k": 4, "l": 2}}
    keys |= {"taxonomies": {"town": towns, "age": {"width": 5}}, "models": []}
    table.to_parquet(tmp_path / "own.parquet")
    (tmp_path / "anonduck.yml").write_text(json.dumps(keys))
    with Project(tmp_path / "anonduck.yml") as one:
        one.anonymize("mondrian", tmp_path / "out.parquet", settings=settings)
    ruled_out, weighed = [], minimality._weighed

    def watched(one, barred, requirement, *given):
        deal = np.empty(len(one.truth[0]), dtype=np.int64)
        deal[np.argsort(one.truth[0], kind="stable")] = np.argsort(one.sensitive_values[0].codes, kind="stable")
        judge = CutJudge(requirement.k, requirement.criteria, one.sensitive_values)
        ruled_out.append(any(judge.allows(cut, deal[None]).any() for cut in barred))
        weighed(one, barred, requirement, *given)

    monkeypatch.setattr(minimality, "_weighed", watched)
    files = (tmp_path / "out.parquet", tmp_path / "own.parquet")
    report, _ = attacked(files, shared, taxonomies={}, project=tmp_path / "anonduck.yml")
    assert not any(ruled_out)
    assert len(ruled_out) == report.minimality["barred"]
    assert report.minimality["barred"] > 0 or settings


# -- what is known, and what is refused --------------------------------------------------------------------------------


@pytest.fixture
def receipt(tmp_path):
    """Writes a receipt beside ``out.csv``."""

    def write(requirements=({"name": "k", "required": 5}, {"name": "l", "required": 2}), **more):
        columns = [{"name": "illness", "role": "sensitive"}]
        document = {"requirements": list(requirements), "columns": columns, **more}
        (tmp_path / "out.csv.receipt.json").write_text(json.dumps(document))
        return str(tmp_path / "out.csv")

    return write


def test_a_receipt_tells_what_was_required(receipt):
    method = {"name": "mondrian", "options": {"strict": False}}
    lines = [{"name": "k", "required": 5}, {"name": "alpha", "required": 0.5}, {"name": "suppression", "required": 0.1}]
    found = known_requirement(receipt(lines, method=method), None, ["illness"])
    assert (found.k, [one.text for one in found.criteria], found.strict) == (5, ["alpha <= 0.5"], False)
    assert (found.bound, found.notes) == (0.5, ())
    given = known_requirement(receipt(lines, method={"name": "topdown"}), {"k": 3, "lkc": [2, 6, 0.4]}, ["illness"])
    assert (given.k, given.bound) == (6, 0.4)
    assert "the release was made by topdown" in given.notes[0]
    assert known_requirement(receipt(), {"k": 3, "prosecutor_risk": 0.1, "pd": 0.5}, ["illness"]).k == 10


REFUSED = [
    ({"requirements": [{"name": "k", "required": 5}, {"name": "t_ordered", "required": 0.2}]}, "t_ordered is required"),
    ({"sensitive_values": {"illness": ["hiv"]}}, "'sensitive_values'"),
    ({"columns": []}, "no sensitive column"),
    ({"columns": [{"name": "job", "role": "sensitive"}]}, "the requirement is on 'job'"),
]


@pytest.mark.parametrize(("more", "words"), REFUSED)
def test_what_cannot_be_weighed_is_refused(receipt, more, words):
    with pytest.raises(AuditError, match=words):
        known_requirement(receipt(**more), None, ["illness"])


def test_without_a_receipt_the_requirement_is_asked_for(tmp_path, receipt):
    with pytest.raises(AuditError, match="no receipt lies beside"):
        known_requirement(tmp_path / "other.csv", None, ["illness"])
    with pytest.raises(AuditError, match="no receipt comes with a table"):
        known_requirement(pd.DataFrame(), None, ["illness"])
    with pytest.raises(AuditError, match="name the k of the release too"):
        known_requirement(receipt(), {"l": 2}, ["illness"])
    with pytest.raises(AuditError, match="name the columns that the requirement is on"):
        known_requirement(receipt(), None, [])
    for text in ("{", "[]", "{}"):
        (tmp_path / "out.csv.receipt.json").write_text(text)
        with pytest.raises(AuditError, match="is no receipt"):
            known_requirement(tmp_path / "out.csv", None, ["illness"])


@pytest.mark.slow
def test_where_k_alone_is_required_it_is_not_tried(shared):
    own = leaking(2).drop(columns="y")
    report, found = attacked((own, own), shared, sites=2, class_=None, requirements={"k": 1})
    assert found == {}
    assert any("minimality was not tried, because the release had to meet nothing" in note for note in report.notes)


def test_the_command_says_what_is_lacking(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    leaking(2).to_csv("own.csv", index=False)
    words = ["attack", "own.csv", "--original", "own.csv", "--class", "y"]
    assert run([*words, "--sensitive", "illness", "--minimality"]) == 2
    assert "name it with `--require k=K --require l=L`" in capsys.readouterr().err
    assert run([*words, "--minimality", "--require", "k=2"]) == 2
    assert "`--sensitive COLUMN`" in capsys.readouterr().err
    assert run([*words, "--sensitive", "illness", "--require", "k=2"]) == 2
    assert "add `--minimality`" in capsys.readouterr().err
    assert (
        run([*words, "--sensitive", "illness", "--minimality", "--require", "k=2", "--require", "t_ordered=0.1"]) == 2
    )
    assert "cannot be tried where t_ordered is required" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_reads_the_receipt_and_reports(leak, capsys, tmp_path):
    lookup().to_csv(tmp_path / "sites.csv", index=False, header=False)
    given = [part for name in ("side", "part") for part in ("--taxonomy", f"{name}={tmp_path / 'sites.csv'}")]
    words = ["attack", str(leak[0]), "--original", str(leak[1]), "--sensitive", "illness", "--class", "y", *given]
    assert run([*words, "--guesses", "50", "--minimality"]) == 0
    printed = capsys.readouterr()
    assert (
        "inference, minimality (illness): guesses of illness in classes that were not cut are right in 60 %"
        in printed.out
    )
    assert "minimality: 80 of 80 classes were looked at; 40 could have been cut if k alone were required" in printed.err
    assert run([*words, "--guesses", "50", "--minimality", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["minimality"]["requirements"] == ["l >= 2"]
    assert [one["attack"] for one in document["attacks"]][-2:] == ["minimality", "minimality, surest in class"]
    assert run([*words, "--guesses", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["minimality"] is None
