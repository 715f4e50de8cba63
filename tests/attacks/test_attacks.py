"""The attacks: against brute force on random tables, and on tables where the answer is known."""

import json
from math import isclose, lgamma
from pathlib import Path

import attack_oracle
import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import anonduck
from anonduck.attacks import linkability
from anonduck.attacks.rates import KnownRate, Rate, excess, z_of
from anonduck.cli.app import run
from anonduck.errors import AuditError
from anonduck.statements import Statement

pytestmark = pytest.mark.usefixtures("without_splink", "few_trees")

AGE, TOWN, DISEASE, NOTE = 'odd "age', "town, label", "#disease", "target"
QUASI, KEPT = [AGE, TOWN], [DISEASE, NOTE]
COLUMNS = [*QUASI, *KEPT]
FELLEGI = "record linkage (Fellegi-Sunter)"
TOWNS = {"Lecce": "south", "Bari": "south", "Turin": "north", "Milan": "north"}
CUTS = (20, 40, 60)


record = st.tuples(
    st.sampled_from([3, 20, 25, 39, 40, 71, None]),
    st.sampled_from([*TOWNS, None]),
    st.sampled_from(["flu", "cold", None]),
    st.sampled_from(["x", "y"]),
)


@st.composite
def tables(draw):
    """Records of few values with duplicates and NULLs, and a control group that may hold other values."""
    distinct = draw(st.lists(record, min_size=1, max_size=6))
    rows = draw(st.lists(st.sampled_from(distinct), min_size=2, max_size=14))
    return rows, draw(st.lists(record, min_size=1, max_size=6)), draw(st.integers(0, 2)), draw(st.integers(0, 2))


def age_label(value, level):
    if value is None or level == 0:
        return value if level == 0 or value is None else None
    if level == 2:
        return "under 40" if value < 40 else "40 and over"
    low = max((cut for cut in CUTS if cut <= value), default=None)
    high = min((cut for cut in CUTS if cut > value), default=None)
    return ("(-inf" if low is None else f"[{low}") + ", " + ("inf)" if high is None else f"{high})")


def town_label(value, level):
    if level == 2:
        return "*"
    return TOWNS.get(value) if level == 1 else value


def generalized(rows, age, town):
    return [(age_label(row[0], age), town_label(row[1], town), *row[2:]) for row in rows]


def ends(j, label):
    if j or label in (None, "*"):
        return None
    if isinstance(label, int):
        return label, label
    for cut in ("under 40", "40 and over"):
        if label == cut:
            return (-np.inf, 40) if cut.startswith("under") else (40, np.inf)
    low, high = label[1:-1].split(", ")
    return float(low), float(high)


def covers(j, value, label):
    if label == "*" or value is None or label is None:
        return label == "*" or (value is None and label is None)
    if j:
        return value == label or TOWNS[value] == label
    low, high = ends(j, label)
    return low <= value < high or low == high == value


def frame(rows):
    data = {}
    for i, name in enumerate(COLUMNS):
        whole = all(row[i] is None or isinstance(row[i], int) for row in rows)
        data[name] = pd.array([row[i] for row in rows], dtype="Int64" if whole and i == 0 else "string")
    return pd.DataFrame(data)


def taxonomy():
    return pd.DataFrame([(town, region, "*") for town, region in TOWNS.items()])


def attacked(shared, released, rows, control=None, **options):
    given = {"sensitive": [DISEASE], "insensitive": [NOTE], "taxonomies": {TOWN: taxonomy()}, "guesses": 100}
    held = None if control is None else frame(control)
    return anonduck.attack(frame(released), frame(rows), QUASI, control=held, database=shared, **{**given, **options})


def rates(report):
    return {(one.question, one.attack): one for one in report.attempts}


@pytest.mark.slow
@examples(9)
@given(tables())
def test_links_and_predicates_are_those_of_the_definitions(shared, drawn):
    rows, control, age, town = drawn
    released = generalized(rows, age, town)
    table = attack_oracle.Table(released, rows, 2, covers, ends)
    report = attacked(shared, released, rows, control, sensitive=[], insensitive=KEPT, link=[[AGE], [TOWN]])
    assert not report.left_out
    found = rates(report)
    for group, records in (("success", rows), ("control", control)):
        rate = {name: getattr(one, group) for (_, name), one in found.items()}
        assert rate["rare combinations"] == Rate(*reversed(table.isolated(records)))
        assert same(rate["two sources (Gower)"], table.same(records, [0], [1]), len(records))
    for name, right in (("nearest neighbour (Gower)", table.own(rows)), (FELLEGI, table.matched(rows)[0])):
        assert same(found["linkability", name].success, right, len(rows))
        assert found["linkability", name].control is None


def same(rate, right, tried):
    return rate.tried == tried and isclose(rate.right, right, abs_tol=1e-9)


@pytest.mark.slow
@examples(6)
@given(tables())
def test_guesses_from_the_class_are_those_of_the_definitions(shared, drawn):
    rows, control, age, town = drawn
    released = generalized(rows, age, town)
    table = attack_oracle.Table(released, rows, 2, covers, ends)
    found = rates(attacked(shared, released, rows, control))
    for group, records in (("success", rows), ("control", control)):
        most = sum(table.most_frequent(one, 2) == one[2] for one in records)
        assert getattr(found["inference", "most frequent in class"], group) == Rate(most, len(records))
        scores = [(table.bayes(one, 2), one[2]) for one in records]
        sure = sum(held in s and all(held == v or s[held] > s[v] + 1e-9 for v in s) for s, held in scores)
        tied = sum(held in s and all(s[held] > s[v] - 1e-9 for v in s) for s, held in scores)
        assert sure <= getattr(found["inference", "naive Bayes (deFinetti)"], group).right <= tied
    majority = max(sum(row[2] == value for row in rows) for value in {row[2] for row in rows}) / len(rows)
    assert isclose(found["inference", "random forest"].baseline, majority)


@pytest.mark.slow
@examples(5)
@given(tables())
def test_agreement_is_estimated_as_by_the_definition(shared, drawn):
    rows, _, age, town = drawn
    released = generalized(rows, age, town)
    _, m, u = attack_oracle.Table(released, rows, 2, covers, ends).matched(rows)
    seen = []
    original = linkability.estimate_agreement
    linkability.estimate_agreement = lambda *given: seen.extend(original(*given))
    try:
        attacked(shared, released, rows, sensitive=[], insensitive=KEPT)
    finally:
        linkability.estimate_agreement = original
    assert all(isclose(one["m"], mine, rel_tol=1e-6) for one, mine in zip(seen, m, strict=True))
    assert all(isclose(one["u"], mine, rel_tol=1e-9) for one, mine in zip(seen, u, strict=True))


# -- known answers -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people():
    """Two halves of 1,600 people whose disease follows from their age; a lottery number follows from nothing."""
    random = np.random.default_rng(5)
    ages = random.integers(18, 90, 1_600)
    sick = np.where(random.random(1_600) < 0.8, np.where(ages < 50, "cold", "flu"), "none")
    every = pd.DataFrame(
        {
            "age": ages,
            "height": random.normal(170, 12, 1_600).round(2),
            "sex": random.choice(["f", "m"], 1_600),
            "disease": sick,
            "lottery": random.choice(["a", "b", "c", "d"], 1_600),
        }
    )
    return every.iloc[:800].reset_index(drop=True), every.iloc[800:].reset_index(drop=True)


def on_people(shared, people, released, about="disease"):
    original, control = people
    others = [name for name in ("disease", "lottery") if name != about]
    return rates(
        anonduck.attack(
            released, original, control=control, sensitive=[about], insensitive=others, guesses=400, database=shared
        )
    )


@pytest.mark.slow
def test_an_attack_on_raw_data_succeeds(shared, people):
    found = on_people(shared, people, people[0])
    for (_, name), one in found.items():
        if "largest gain" not in name:
            assert one.success.share > 0.95
            assert one.excess.low > 0.1
            assert "the people in it" in one.words


@pytest.mark.slow
def test_an_attack_on_roots_alone_is_a_plain_guess(shared, people):
    released = people[0].assign(age="*", height="*", sex="*")
    found = on_people(shared, people, released)
    for (question, _), one in found.items():
        if question != "singling out":
            assert isclose(one.success.share, one.baseline)
            assert "no better than" in one.words
            assert "probabilities reveal more" not in one.words
            assert one.excess.low <= 0 <= one.excess.high


@pytest.mark.slow
def test_what_is_independent_of_all_else_cannot_be_inferred(shared, people):
    released = people[0].assign(age=np.where(people[0]["age"] < 50, "under 50", "50 and over"), height="*")
    for (question, _), one in on_people(shared, people, released, "lottery").items():
        if question == "inference":
            assert one.excess.low <= 0 <= one.excess.high
            assert abs(one.success.share - one.baseline) < 0.08


@pytest.mark.slow
def test_what_a_population_teaches_is_no_excess(shared, people):
    released = people[0].assign(age=np.where(people[0]["age"] < 50, "under 50", "50 and over"), height="*")
    forest = on_people(shared, people, released)["inference", "random forest"]
    assert forest.success.share > forest.baseline + 0.2
    assert forest.excess.low <= 0 <= forest.excess.high
    assert "no significant difference" in forest.words


@pytest.mark.slow
def test_labels_of_several_levels_are_told_apart(shared):
    rows = [(20, "Lecce", "flu", "x"), (30, "Bari", "cold", "x"), (45, "Turin", "flu", "y"), (46, "Turin", None, "y")]
    released = [("[20, 40)", "Lecce", *rows[0][2:]), ("under 40", "south", *rows[1][2:])]
    released += [("[45, 46]", "north", *rows[2][2:]), ("[40, 50)", "Turin", *rows[3][2:])]
    report = attacked(shared, released, rows)
    assert report.kept == (DISEASE, NOTE)
    found = rates(report)
    assert found["linkability", "nearest neighbour (Gower)"].success == Rate(0.5 + 1 + 0.5 + 0.5, 4)
    assert found["singling out", "rare combinations"].success == Rate(4, 4)


@pytest.mark.slow
def test_dates_stand_in_intervals(shared):
    original = pd.DataFrame({"born": ["1980-05-01", "1990-01-01", None], "s": ["a", "b", "c"]})
    released = original.assign(born=["before 1990-01-01", "1990-01-01 and later", None])
    report = anonduck.attack(released, original, ["born"], insensitive=["s"], database=shared)
    assert rates(report)["linkability", "nearest neighbour (Gower)"].success == Rate(3, 3)


# -- what is given -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_labels_without_a_taxonomy_are_left_out_and_named(shared):
    rows = [(20, "Lecce", "flu", "x"), (45, "Turin", "cold", "y")]
    report = attacked(shared, generalized(rows, 1, 1), rows, taxonomies={})
    assert list(report.left_out) == [TOWN]
    assert "give its taxonomy" in report.left_out[TOWN]
    assert report.quasi_identifiers == (AGE,)
    assert report.as_json()["left_out"] == dict(report.left_out)


@pytest.mark.slow
def test_without_a_control_nothing_is_told_apart(shared):
    rows = [(20, "Lecce", "flu", "x"), (45, "Turin", "cold", "y")]
    report = attacked(shared, rows, rows)
    assert any("`--control FILE`" in note for note in report.notes)
    for one in report.as_json()["attacks"]:
        assert one["control_rate"] is None
        assert (one["excess"] is None) == (one["question"] != "linkability") == (one["excess_over"] is None)
        if one["question"] != "linkability":
            assert "without a control group" in one["words"]


@pytest.mark.slow
def test_a_control_of_another_size_is_noted(shared):
    rows = [(20, "Lecce", "flu", "x"), (45, "Turin", "cold", "y")]
    report = attacked(shared, rows, rows, rows[:1])
    assert any("use groups of the same size" in note for note in report.notes)
    longer = attacked(shared, rows, [*rows, rows[0]], rows)
    assert any("nobody else" in note for note in longer.notes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"guesses": 0}, "at least one guess"),
        ({"link": [[AGE]]}, "two sets"),
        ({"link": [[AGE], ["disease"]]}, "not a quasi-identifier"),
        ({"link": [[AGE, TOWN], [TOWN]]}, "in both sets"),
        ({"taxonomies": {DISEASE: taxonomy()}}, "not a quasi-identifier"),
        ({"sensitive": ["nothing"]}, "no column 'nothing'"),
        ({"taxonomies": {TOWN: pd.DataFrame([["Lecce"]])}}, "one field"),
    ],
)
def test_what_cannot_be_attacked_is_refused(shared, options, words):
    rows = [(20, "Lecce", "flu", "x"), (45, "Turin", "cold", "y")]
    with pytest.raises(AuditError, match=words):
        attacked(shared, rows, rows, **options)


@pytest.mark.slow
def test_columns_that_the_others_lack(shared):
    rows = frame([(20, "Lecce", "flu", "x"), (45, "Turin", "cold", "y")])
    report = anonduck.attack(rows, rows.drop(columns=[TOWN]), sensitive=[DISEASE], insensitive=[NOTE], database=shared)
    assert report.left_out == {TOWN: "the original has no such column"}
    with pytest.raises(AuditError, match="control group has no column"):
        anonduck.attack(rows, rows, QUASI, control=rows.drop(columns=[AGE]), database=shared)
    with pytest.raises(AuditError, match="no records"):
        anonduck.attack(rows, rows, QUASI, control=rows.iloc[:0], database=shared)


@pytest.mark.slow
def test_the_database_is_left_as_it_was(shared):
    rows = [(20, "Lecce", "flu", "x"), (45, "Turin", "cold", "y")]
    attacked(shared, rows, rows, rows, link=[[AGE], [TOWN]])
    left = shared.rows(Statement("left", "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM "
                                         "duckdb_views() WHERE NOT internal"))  # fmt: skip
    assert left == [("released",)]  # the table that was given, as the audit leaves it


# -- command line ------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, people, monkeypatch):
    monkeypatch.chdir(tmp_path)
    original, control = people
    original.to_csv("original.csv", index=False)
    control.to_csv("control.csv", index=False)
    original.to_csv("raw.csv", index=False)
    original.assign(age="*", height="*", sex="*").to_csv("roots.csv", index=False)
    return tmp_path


OPTIONS = ["--original", "original.csv", "--sensitive", "disease", "--insensitive", "lottery", "--guesses", "60"]


@pytest.mark.slow
def test_the_command_prints_no_value_and_fails_above_an_excess(files, capsys):
    assert run(["attack", "raw.csv", *OPTIONS, "--control", "control.csv", "--json", "--fail-above", "0.5"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["highest_excess"] > 0.5
    assert {one["question"] for one in document["attacks"]} == {"singling out", "linkability", "inference"}
    assert run(["attack", "roots.csv", *OPTIONS, "--control", "control.csv", "--fail-above", "0.5"]) == 0
    printed = capsys.readouterr().out
    assert "k says nothing about linkability or inference" in printed
    for word in ("flu", "cold", "GDPR", "HIPAA"):
        assert word not in printed + json.dumps(document)


@pytest.mark.slow
def test_an_excess_needs_a_control(files, capsys):
    assert run(["attack", "raw.csv", *OPTIONS, "--fail-above", "0.5"]) == 2
    assert "--control" in capsys.readouterr().err
    assert run(["attack", "raw.csv", *OPTIONS]) == 0
    assert "note: there is no control group" in capsys.readouterr().err


@pytest.mark.slow
def test_taxonomies_come_from_the_project(files, capsys, people):
    Path("anonduck.yml").write_text(
        "source: original.csv\nclass: lottery\nsensitive: [disease]\ntaxonomies: {sex: {mask: right}}\n",
        encoding="utf-8",
    )
    assert run(["release", "age=2,sex=0", "-o", "released.parquet", "--require", "k=1"]) == 0
    options = ["--original", "original.csv", "--sensitive", "disease", "--class", "lottery", "--json"]
    capsys.readouterr()
    assert run(["attack", "released.parquet", *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["quasi_identifiers"] == ["age", "sex"]
    assert run(["attack", "released.parquet", *options, "-p", "none.yml"]) == 2


# -- rates -------------------------------------------------------------------------------------------------------------


def test_intervals_are_those_of_the_papers():
    """Wilson's interval of 81 in 263 and Newcombe's of 9/10 against 3/10, as Newcombe (1998) prints them."""
    assert [round(end, 4) for end in Rate(81, 263).interval] == [0.2553, 0.3662]
    assert [round(number, 4) for number in excess(Rate(9, 10), Rate(3, 10))[:3]] == [0.6, 0.1705, 0.8090]
    assert Rate(0, 0).interval == (0.0, 1.0)


@examples(100)
@given(st.integers(1, 60), st.floats(0, 1), st.sampled_from([1, 3, 12]))
def test_an_interval_holds_the_rates_that_its_share_would_not_be_a_surprise_of(tried, part, comparisons):
    """Oracle: of 20,001 rates, those less than z of their own standard errors away from the share."""
    rate, z = Rate(part * tried, tried), z_of(comparisons)
    rates = np.linspace(0, 1, 20_001)
    near = rates[np.abs(rate.share - rates) <= z * np.sqrt(rates * (1 - rates) / tried) + 1e-12]
    low, high = rate.within(z)
    assert (low, high) == pytest.approx((near[0], near[-1]), abs=1e-4)
    assert 0 <= low <= rate.share <= high <= 1


def test_intervals_of_a_share_cover_the_rate_as_often_as_they_say():
    """Exact: the chances of every number of right guesses, summed over those whose interval holds the rate.

    A single rate near 0 or 1 may be covered less often (Brown, Cai and DasGupta 2001); over all rates it is 95 %.
    """
    for tried in (10, 50, 200):
        rates = (np.arange(200) + 0.5) / 200
        ends = np.array([Rate(right, tried).interval for right in range(tried + 1)])
        right = np.arange(tried + 1)
        logs = [lgamma(tried + 1) - lgamma(n + 1) - lgamma(tried - n + 1) for n in right.tolist()]
        chances = np.exp(np.array(logs) + right * np.log(rates)[:, None] + (tried - right) * np.log1p(-rates)[:, None])
        covered = (chances * ((ends[:, 0] <= rates[:, None]) & (rates[:, None] <= ends[:, 1]))).sum(axis=1)
        assert covered.mean() > 0.949
        assert covered.min() > 0.83


def test_excess_is_normalised_by_what_the_control_leaves_open():
    assert [round(number, 4) for number in excess(Rate(90, 100), Rate(80, 100))[3:]] == [0.5, 0.001, 0.7499]
    assert excess(Rate(50, 100), KnownRate(0.0)).normalised == 0.5
    half = Rate(1, 2)  # whose interval, of this width, reaches as far above its failures as they are over 0
    assert excess(half, half, 1e9).normalised_high == pytest.approx(1.0)
    every = excess(Rate(3, 3), Rate(3, 3))
    assert (every.normalised, every.normalised_low) == (None, None)


counts = st.tuples(st.integers(0, 40), st.integers(1, 40)).map(lambda pair: Rate(min(pair), max(pair)))


@examples(300)
@given(counts, counts, st.sampled_from([1, 7, 50]))
def test_the_normalised_interval_ends_where_the_difference_of_that_share_does(one, other, comparisons):
    """Its ends c are where the interval of p - q - c (1 - q) = (1 - c) (1 - q) - (1 - p) begins and ends at 0."""
    z = z_of(comparisons)
    found = excess(one, other, z)
    if found.normalised is None:
        assert other.share == 1
        return
    assert found.normalised_low is None or (found.normalised_low > 0) == found.found
    a, b = 1 - one.share, 1 - other.share
    (p_low, p_high), (q_low, q_high) = one.within(z), other.within(z)
    ends = [(found.normalised_low, 1 - p_low, 1 - q_high), (found.normalised_high, 1 - p_high, 1 - q_low)]
    for c, a_end, b_end in ends:
        if c is not None and c < 1:
            ratio = 1 - c
            assert isclose(abs(ratio * b - a), np.hypot(a - a_end, ratio * (b - b_end)), abs_tol=1e-6 * max(1, ratio))


@pytest.mark.slow
def test_intervals_of_several_attacks_hold_together(shared, people):
    found = on_people(shared, people, people[0])
    compared = sum(one.excess is not None for one in found.values())
    assert compared == len(found) == 9
    for one in found.values():
        assert one.comparisons == compared
    two, alone = excess(Rate(60, 100), Rate(50, 100), z_of(9)), excess(Rate(60, 100), Rate(50, 100))
    assert two.low < alone.low < alone.high < two.high
