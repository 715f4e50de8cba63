"""What attacks find and what they do not: each on a release that is known to leak in just that way, and on one that is
known not to; and control groups that are not one.
"""

import json
from functools import cache
from itertools import combinations
from math import isclose, log2

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import anonduck
from anonduck.attacks import plan, posterior, tables
from anonduck.attacks.posterior import Beliefs
from anonduck.cli.app import run
from anonduck.errors import AuditError

pytestmark = pytest.mark.usefixtures("without_splink", "few_trees")

NEAREST, FELLEGI, TWO = "nearest neighbour (Gower)", "record linkage (Fellegi-Sunter)", "two sources (Gower)"
IN_CLASS = "most frequent in class"
METHODS = (IN_CLASS, "random forest", "naive Bayes (deFinetti)")


def attempts(report):
    return {one.attack: one for one in report.attempts}


def attacked(shared, released, original, control=None, **options):
    return anonduck.attack(released, original, control=control, database=shared, **options)


# -- linkability -------------------------------------------------------------------------------------------------------


def pairs(classes=100, times=2):
    """So many classes of (zip, age), each as often."""
    rows = [(10_000 + i // 10, 20 + i % 10) for i in range(classes)] * times
    return pd.DataFrame(rows, columns=["zip", "age"])


@pytest.mark.slow
def test_people_who_are_not_in_a_release_have_no_own_row(tmp_path, monkeypatch, capsys):
    """Classes of two are found in half of all cases, whoever else looks like them."""
    monkeypatch.chdir(tmp_path)
    for name in ("released.csv", "original.csv"):
        pairs().to_csv(name, index=False)
    pairs().iloc[::-1].to_csv("control.csv", index=False)
    options = ["--original", "original.csv", "--control", "control.csv", "--fail-above", "0.1", "--json"]
    assert run(["attack", "released.csv", *options]) == 1
    out, err = capsys.readouterr()
    document = json.loads(out)
    found = {one["attack"]: one for one in document["attacks"]}
    for name in (NEAREST, FELLEGI):
        assert found[name]["success_rate"] == 0.5
        assert found[name]["control_rate"] is found[name]["control_attacked"] is None
        assert found[name]["excess_over"] == "plain guess"
        assert found[name]["excess"] == 0.495
        assert isclose(found[name]["excess_normalised"], 0.495 / 0.995, abs_tol=1e-6)
    assert [one["attack"] for one in document["fail_above"]["over"]] == [NEAREST, FELLEGI]
    assert "over 0.1: linkability, nearest neighbour (Gower): normalised excess 0.4975" in err
    assert document["control_overlap"]["same_rows"]
    assert any("make sure that they are" in note for note in document["notes"])


def two_sources(seed, rows=400):
    """Two columns from one place, two from another; each pair tells most people apart."""
    random = np.random.default_rng(seed)
    return pd.DataFrame({name: random.integers(0, 60, rows) for name in "abcd"})


@pytest.mark.slow
def test_two_sources_are_linked_by_a_release_of_all_and_not_by_one_of_roots(shared):
    original, control = two_sources(1), two_sources(2)
    link = [["a", "b"], ["c", "d"]]
    raw = attempts(attacked(shared, original, original, control, link=link))[TWO]
    assert raw.success.share > 0.8
    assert raw.control.share < 0.05
    assert raw.excess_over == "control"
    assert raw.excess.found
    one, other = (rate.share for rate in (raw.success, raw.control))
    assert isclose(raw.excess.normalised, (one - other) / (1 - other))
    roots = original.assign(**dict.fromkeys("abcd", "*"))
    coarse = attempts(attacked(shared, roots, original, control, link=link))[TWO]
    assert isclose(coarse.success.share, 1 / 400)
    assert not coarse.excess.found


# -- chances -----------------------------------------------------------------------------------------------------------


def patients(seed, rows=2_000, rise=0.4, small=False):
    """People of ten areas, one of which has a rare illness in a share of ``rise``, the others in few cases; or of
    classes of two, where it follows from nothing.
    """
    random = np.random.default_rng(seed)
    if small:
        area, p = np.arange(rows) // 2, np.full(rows, 0.04)
    else:
        area = np.r_[np.zeros(rows // 10, int), random.integers(1, 10, rows - rows // 10)]
        p = np.where(area == 0, rise, 0.04 if rise == 0.04 else 0.0)
    ill = np.where(random.random(rows) < p, "rare", random.choice(["cold", "none"], rows, p=[0.1, 0.9]))
    return pd.DataFrame({"area": [f"area {one}" for one in area], "illness": ill})


@pytest.fixture(scope="module")
def on_patients(shared):
    """The attacks on such people, which each set of options makes once."""

    @cache
    def report(**options):
        original, control = patients(1, **options), patients(2, **options)
        return attacked(shared, original, original, control, sensitive=["illness"])

    return report


@pytest.mark.slow
def test_a_chance_that_rises_is_found_though_the_likeliest_value_stays(on_patients):
    report = on_patients()
    found = attempts(report)
    for name in METHODS:
        one, told = found[name], found[name].posterior.telling
        assert one.success.share <= one.baseline
        assert not one.excess.found
        assert 0.03 < told.prior < 0.05
        assert told.taught
        assert told.own.top.tried > 50
        assert told.own.top.share == pytest.approx(0.4, abs=0.12)
        assert told.own.lift > 7
        assert told.control.top.share == pytest.approx(0.4, abs=0.12)
        assert told.control.lift > 7
        assert one.posterior.control.gained > 0.05
        assert "the release reveals this about people outside it, too" in one.words
        told_most = found[f"largest gain, {name}"]
        assert told_most.success.share > told_most.baseline + 0.2
        assert not told_most.excess.found  # it is no more true of the release's own people
    skew = report.skews[0]
    assert (skew.about, skew.classes, skew.records) == ("illness", 1, 200)
    assert skew.lift_low > 5
    assert skew.control.share == pytest.approx(0.4, abs=0.12)
    document = report.as_json()
    assert document["skewed_classes"][0]["control_rate"] == round(skew.control.share, 6)
    values = {one["about"]: one["posterior"]["values"] for one in document["attacks"] if one["attack"] == IN_CLASS}
    assert [value["prior"] for value in values["illness"]] == sorted(value["prior"] for value in values["illness"])
    for word in ("rare", "cold", "area 0"):
        assert word not in json.dumps(document).replace("rare combinations", "")


@pytest.mark.slow
def test_nothing_is_found_where_the_illness_follows_from_nothing(on_patients):
    report = on_patients(rise=0.04)
    assert report.skews == ()
    for one in report.attempts:
        if one.question == "inference":
            assert not one.excess.found
            assert "probabilities reveal more" not in one.words
    for name in METHODS:
        assert attempts(report)[name].posterior.telling is None


def ten_groups():
    """Ten groups of twenty, of which 4 % to 40 % are ill; the likeliest guess is the same for all."""
    rows = [
        (20 + 5 * g, "rare" if i < round(20 * (0.04 + 0.36 * g / 9)) else "none") for g in range(10) for i in range(20)
    ]
    return pd.DataFrame(rows, columns=["age", "illness"])


@pytest.mark.slow
@pytest.mark.parametrize("control", [None, ten_groups().iloc[::-1]])
def test_the_largest_lift_is_shown_where_chance_could_explain_it(tmp_path, monkeypatch, capsys, control):
    monkeypatch.chdir(tmp_path)
    ten_groups().to_csv("people.csv", index=False)
    options = ["--original", "people.csv", "--sensitive", "illness"]
    if control is not None:
        control.to_csv("control.csv", index=False)
        options += ["--control", "control.csv"]
    assert run(["attack", "people.csv", *options, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = next(one for one in document["attacks"] if one["attack"] == IN_CLASS)
    told = found["posterior"]
    assert told["telling"] is None
    assert told["largest"] == 0
    value = told["values"][0]
    assert (value["prior"], value["precision"], value["lift"]) == (0.22, 0.4, pytest.approx(0.4 / 0.22, abs=1e-5))
    assert found["success_rate"] == found["baseline_rate"] == 0.78
    assert (
        "may reveal more: of the 20 people ranked highest for a value that 22 % of the release have, 40 % have it"
        in (found["words"])
    )
    assert found["words"].endswith("chance could explain that")
    assert ("the likeliest value alone is no better than a plain guess" in found["words"]) == (control is not None)
    assert run(["attack", "people.csv", *options]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith(f"{IN_CLASS} "))
    assert line.split()[5:9] == ["0.2200", "20", "0.4000", "1.82"]
    assert "could explain it" in line


@pytest.mark.slow
def test_a_class_of_two_gives_its_own_people_away_and_teaches_nothing(on_patients):
    """In classes of two, one ill neighbour makes a chance of a half: true of them, and of nobody else."""
    report = on_patients(small=True)
    assert report.skews == ()
    found = attempts(report)
    assert found[IN_CLASS].posterior.telling is None
    assert not any(value.taught for value in found[IN_CLASS].posterior.values)
    told_most = found[f"largest gain, {IN_CLASS}"]
    assert told_most.success.share > 0.4
    assert told_most.control.share < 0.15
    assert told_most.excess.found
    assert told_most in report.over(0.1)


@pytest.mark.slow
def test_without_a_control_group_what_is_found_is_said_to_be_of_the_release(shared):
    original = patients(1)
    report = attacked(shared, original, original, sensitive=["illness"])
    told = attempts(report)[IN_CLASS].posterior.telling
    assert told.control is None
    assert told.taught is None
    assert told.found
    assert "who are not in the release" not in attempts(report)[IN_CLASS].words
    assert report.skews[0].control is None


people = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=9)


@examples(60)
@given(people)
def test_those_ranked_highest_are_those_of_the_definition(drawn):
    chances, holds = (np.array(part) for part in zip(*drawn, strict=True))
    beliefs = Beliefs(np.c_[chances, 1 - chances], np.where(holds, 0, 1), np.array([0.25, 0.75]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "FEWEST", 2)
        value = next(one for one in posterior.compare(beliefs, None).values if one.prior == 0.25)
    cut = sorted(chances)[-min(2, len(chances))]  # a twentieth of so few is none
    first = [hold for chance, hold in drawn if chance >= cut]
    assert (value.own.top.right, value.own.top.tried) == (sum(first), len(first))
    assert (value.own.every.right, value.own.every.tried) == (sum(holds), len(drawn))
    sets = list(combinations(holds, len(first)))
    chance = sum(sum(one) >= sum(first) for one in sets) / len(sets)
    assert isclose(value.own.p, chance if len(first) < len(drawn) else 1.0)
    losses = [-log2(chance) for chance, hold in drawn if hold]
    assert value.own.log_loss is None if not losses else isclose(value.own.log_loss, sum(losses) / len(losses))


def test_bits_gained_are_log_loss_against_the_prior():
    beliefs = Beliefs(np.array([[0.5, 0.5], [0.125, 0.875], [0.5, 0.5]]), np.array([0, 0, -1]), np.array([0.25, 0.75]))
    gain = posterior.compare(beliefs, beliefs).own
    assert (gain.log_loss, gain.prior_log_loss, gain.gained, gain.people) == (2.0, 2.0, 0.0, 2)


def test_of_ranks_that_tie_whole_ones_are_taken():
    """At least FEWEST people; then up to the TOP of them, here 5 % of 400."""
    chances = np.r_[np.full(8, 0.9), np.full(4, 0.8), np.full(7, 0.7), np.full(2, 0.6), np.full(379, 0.1)]
    beliefs = Beliefs(np.c_[chances, 1 - chances], np.zeros(400, int), np.array([0.2, 0.8]))
    tried = {value.prior: value.own.top.tried for value in posterior.compare(beliefs, None).values}
    assert tried == {0.2: 8 + 4 + 7, 0.8: 379}


def test_the_largest_gain_is_of_the_value_that_is_told_most():
    chances = np.array([[0.6, 0.4], [0.9, 0.1], [0.9, 0.1], [0.9, 0.1]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "FEWEST", 1)
        rate, plain = posterior.largest_gain(Beliefs(chances, np.array([1, 0, 0, -1]), np.array([0.9, 0.1])))
    assert (rate.right, rate.tried, plain) == (1, 1, 0.25)


def test_chances_are_never_nothing():
    prior = np.array([0.25, 0.75])
    assert posterior.class_chances(np.array([[0.0, 3.0], [0.0, 0.0]]), prior).tolist() == [
        [0.0625, 0.9375],
        [0.25, 0.75],
    ]
    assert posterior.smoothed(np.array([[0.0, 1.0]]), prior)[0] == pytest.approx([0.0025, 0.9975])


cells = st.tuples(
    st.sampled_from(["x", "y", None]), st.sampled_from(["1", "2", None]), st.sampled_from(["a", "b", None])
)


@pytest.mark.slow
@examples(6)
@given(st.lists(cells, min_size=2, max_size=12))
def test_skewed_classes_are_those_of_the_definition(shared, drawn):
    """By the exact tail of the binomial distribution, times the classes and values that are looked at."""
    from scipy.stats import binom

    drawn = [*drawn, *[("z", "9", "c")] * 12, *[("z", "8", "a")] * 60]
    table = pd.DataFrame(drawn, columns=["p", "q", "held"])
    classes = {row[:2] for row in drawn}
    values = {row[2] for row in drawn}
    wanted = {}
    for value in values:
        prior = sum(row[2] == value for row in drawn) / len(drawn)
        for one in classes:
            mine = [row[2] == value for row in drawn if row[:2] == one]
            if sum(mine) and binom.sf(sum(mine) - 1, len(mine), prior) * len(classes) * len(values) <= 0.05:
                wanted.setdefault((value, round(prior, 9)), []).append(len(mine))
    found = attacked(shared, table, table, quasi_identifiers=["p", "q"], sensitive=["held"]).skews
    assert sorted((round(one.prior, 9), one.classes, one.records) for one in found) == sorted(
        (prior, len(sizes), sum(sizes)) for (_, prior), sizes in wanted.items()
    )
    assert wanted


# -- the control group -------------------------------------------------------------------------------------------------


def visitors(seed, rows=600, towns=40):
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"town": random.integers(0, towns, rows), "age": random.integers(18, 60, rows)})
    return table.assign(town=table["town"].astype("object").where(random.random(rows) > 0.05, None), disease="flu")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("others", "beyond"),
    [
        (lambda: visitors(1), True),  # the original itself, as another table
        (lambda: pd.concat([visitors(2).iloc[:400], visitors(1).iloc[:200]]), True),  # a third of it
        (lambda: visitors(2), False),
        (lambda: visitors(2, rows=1_500), False),
        (lambda: visitors(2, towns=80), False),
    ],
)
def test_a_control_group_that_is_the_original_is_told_from_others(shared, others, beyond):
    original = visitors(1)
    found = attacked(shared, original, original, others(), insensitive=["disease"])
    assert found.overlap.beyond_chance == beyond
    assert any("rows of the original" in note for note in found.notes) == beyond
    if beyond:
        with pytest.raises(AuditError, match="rows of the original too"):
            attacked(shared, original, original, others(), insensitive=["disease"], strict=True)


@pytest.mark.slow
def test_equal_rows_are_counted_over_all_columns_that_both_have(shared):
    """Rows that are released as twins are the same people where a column that is not released says so."""
    original, control = visitors(1, towns=2), visitors(2, towns=2)
    original["id"], control["id"] = range(600), range(600, 1_200)
    released = original.drop(columns=["id"])
    apart = attacked(shared, released, original, control, insensitive=["disease"]).overlap
    assert not apart.beyond_chance
    control.loc[:59] = original.loc[:59]
    found = attacked(shared, released, original, control, insensitive=["disease"]).overlap
    assert found.beyond_chance
    assert found.as_json() == {
        "columns": 4, "equal": 60, "control": 600, "equal_share": 0.1, "beyond_chance": True, "unexpected": True,
        "same_rows": False, "same_file": False, "expected_share": pytest.approx(0, abs=2e-3),
        "chance": pytest.approx(0, abs=1e-9),
    }  # fmt: skip


def strangers(seed, rows):
    """People of whom hardly two are alike."""
    random = np.random.default_rng(seed)
    columns = {"age": 70, "zip": 300, "income": 1_000, "job": 10, "disease": 4}
    return pd.DataFrame({name: random.integers(0, size, rows) for name, size in columns.items()})


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("rows", "shared_rows", "beyond"), [(200, 40, True), (200, 3, False), (1_000, 50, True), (1_000, 25, True)]
)
def test_a_few_people_of_the_original_among_others_are_seen(shared, rows, shared_rows, beyond):
    original, control = strangers(1, rows), strangers(2, rows)
    assert attacked(shared, original, original, control, insensitive=["disease"]).overlap.words is None
    control = pd.concat([control.iloc[shared_rows:], original.sample(shared_rows, random_state=1)])
    found = attacked(shared, original, original, control, insensitive=["disease"])
    assert found.overlap.beyond_chance == beyond
    assert found.overlap.unexpected
    assert any(f"{shared_rows} of the {rows:,} records of the control" in note for note in found.notes)
    assert any("So few may be chance" in note for note in found.notes) != beyond


@pytest.mark.slow
@pytest.mark.parametrize("control", [(2, False), (3, True)])
@pytest.mark.parametrize("copied", [0, 150])
def test_a_table_that_was_laid_out_has_fewer_twins_than_others_have_equals(shared, copied, control):
    """Classes of exactly two by (zip, age), and a sickness at random: of others more rows are equal than have twins."""

    def laid_out(seed, again=False):
        random = np.random.default_rng(seed)
        cells = pairs(200).sample(400, replace=True, random_state=seed) if again else pairs(200)
        return cells.assign(sickness=random.integers(0, 5, len(cells))).reset_index(drop=True)

    original, others = laid_out(1), laid_out(*control)
    others.loc[: copied - 1] = original.loc[: copied - 1]
    found = attacked(shared, original, original, others, insensitive=["sickness"]).overlap
    assert found.equal.share > found.twins.share + 0.1
    assert found.beyond_chance == (copied > 0)


groups = st.lists(st.tuples(st.integers(2, 6), st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=4)


@examples(100)
@given(groups, st.integers(1, 9), st.integers(1, 9))
def test_the_chance_of_rows_in_both_groups_is_never_told_too_low(drawn, control, original):
    """Against the chances of every number of such rows, by dealing one after the other."""
    sets = [(records, held, min(split, held)) for records, held, split in drawn]
    share = control / (control + original)
    chances = [1.0]
    for records, held, _ in sets:
        apart = 1 - share**records - (1 - share) ** records
        for _ in range(held):
            chances = [
                (1 - apart) * stay + apart * more for stay, more in zip([*chances, 0], [0, *chances], strict=True)
            ]
    split = sum(found for *_, found in sets)
    told, exact = tables.chance_of_split(sets, control, original), sum(chances[split:])
    assert exact <= told * (1 + 1e-9)
    if split == sum(held for _, held, _ in sets):
        assert isclose(told, exact, rel_tol=1e-9)
    assert told <= 1


@pytest.mark.slow
def test_equal_rows_are_those_of_the_definition(shared):
    ours = [("x", None), ("x", None), ("y", "1"), ("z", None)]
    theirs = [("x", None), ("y", "1"), ("y", "1"), ("z", "2"), (None, None)]
    original, control = (pd.DataFrame(rows, columns=["p", "q"]) for rows in (ours, theirs))
    found = attacked(shared, original, original, control).overlap
    assert (found.equal.right, found.equal.tried) == (3, 5)
    assert (found.twins.right, found.twins.tried) == (2, 4)
    # of five, p is x in one, y in two, z in one; q is NULL in two, "1" in two
    # (x, NULL), (y, "1") and (z, NULL) are in the original
    assert isclose(found.put_together, (1 * 2 + 2 * 2 + 1 * 2) / 25)
    assert found.expected == 0.5
    assert not found.alike


@pytest.mark.slow
def test_the_command_refuses_a_control_group_that_is_the_original(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    visitors(1).to_csv("original.csv", index=False)
    visitors(1).sample(frac=1, random_state=1).to_csv("copy.csv", index=False)
    pairs().to_csv("pairs.csv", index=False)
    for original, control in (
        ("original.csv", "copy.csv"),
        ("original.csv", "original.csv"),
        ("pairs.csv", "./pairs.csv"),
    ):
        options = ["--original", original, "--control", control]
        assert run(["attack", original, *options, "--fail-above", "0.5"]) == 2
        assert "the original" in capsys.readouterr().err
        assert run(["attack", original, *options]) == 0
        err = capsys.readouterr().err
        assert "note: " in err
        assert "would hide what the release gives away" in err


def test_one_file_under_two_names_is_one(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    (tmp_path / "c.csv").write_text("x\n1\n")
    a, b, c = (tmp_path / f"{name}.csv" for name in "abc")
    assert tables.same_file(a, str(b))
    assert not tables.same_file(a, c)
    assert tables.same_file(f"{a}::t", f"{b}::t")
    assert not tables.same_file(f"{a}::t", f"{b}::u")
    table = pd.DataFrame({"x": [1]})
    assert tables.same_file(table, table)
    assert not tables.same_file(table, a)


# -- what a limit judges -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_limit_judges_what_chance_does_not_explain(on_patients):
    """With few guesses an excess may be over the limit by chance alone; it is said, and fails nothing."""
    report = on_patients(rise=0.04)
    assert report.over(0.0) == tuple(one for one in report.attempts if one.excess.found)
    for one in report.undecided(0.05):
        assert one.excess.low <= 0
        assert one.excess.normalised_high > 0.05
    judged = report.as_json(0.05)["fail_above"]
    assert judged["limit"] == 0.05
    assert len(judged["undecided"]) == len(report.undecided(0.05)) > 0
    assert report.as_json()["fail_above"] is None


# -- masks -------------------------------------------------------------------------------------------------------------


def masked(values, labels, shared):
    """Who is found by one masked column."""
    original = pd.DataFrame({"code": pd.array(values, dtype="string"), "held": ["x"] * len(values)})
    released = original.assign(code=pd.array(labels, dtype="string"))
    report = attacked(shared, released, original, insensitive=["held"])
    return report, attempts(report)[NEAREST].success


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "labels", "right"),
    [
        (["12345", "12399", "45678", None], ["123**", "123**", "456**", None], [0.5, 0.5, 1, 1]),
        (["12345", "22345", "99999"], ["*2345", "*2345", "*9999"], [0.5, 0.5, 1]),
        (["a", "abc", "abcdefg"], ["a****", "abc**", "abcd*"], [1, 0.5, 1 / 3]),  # shorter and longer than the mask
        (["12", "34"], ["**", "**"], [0.5, 0.5]),
        (["12", "34"], ["*", "*"], [0.5, 0.5]),
    ],
)
def test_masks_are_read_without_taxonomies(shared, values, labels, right):
    report, found = masked(values, labels, shared)
    assert report.left_out == {}
    assert report.quasi_identifiers == ("code",)
    assert (found.tried, found.right) == (len(values), pytest.approx(sum(right)))


@pytest.mark.slow
def test_a_mask_of_other_values_explains_nothing(shared):
    original = pd.DataFrame({"code": ["12345", "45678"], "age": ["1", "2"]})
    report = attacked(shared, original.assign(code=["999**", "888**"]), original)
    assert list(report.left_out) == ["code"]


@pytest.mark.slow
def test_the_order_of_the_attacks_is_that_of_the_questions(on_patients):
    report = on_patients()
    names = [one.attack for one in report.attempts]
    assert names == ["rare combinations", NEAREST, FELLEGI, *METHODS, *(f"largest gain, {name}" for name in METHODS)]
    assert plan.MOST_KNOWN == 62
