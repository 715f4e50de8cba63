"""An audit against an earlier release: against brute force on random tables, and on tables written by hand."""

import json
from collections import Counter
from math import inf, isclose

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.auditing.audit import audit
from anonduck.cli.app import run
from anonduck.cli.figures import reached_words
from anonduck.errors import AuditError

AGE, TOWN, SEX, ZIP, NOTE, PERSON = 'odd "age', "later", "s", "l_1", "value, records", "cell"
TOWNS = {"Lecce": "south", "Bari": "south", "Turin": "north", "Milan": "north"}
PATHS = pd.DataFrame([(town, region, "*") for town, region in TOWNS.items()])
AGES = pd.DataFrame({"age": range(1, 11)})

person = st.tuples(
    st.sampled_from([3, 20, 25, 39, 40, 71, None]),
    st.sampled_from([*TOWNS, None]),
    st.sampled_from(["f", "m", None]),
    st.sampled_from(["120", "121", "130", None]),
    st.sampled_from(["x", "y", None]),
    st.sampled_from([1, 2, 3, 4, None]),
)


def age_label(value, level):
    if value is None or level == 0:
        return value
    if level == 2:
        return "under 40" if value < 40 else "40 and over"
    low = max((cut for cut in (20, 40) if cut <= value), default=None)
    high = min((cut for cut in (20, 40) if cut > value), default=None)
    return ("(-inf" if low is None else f"[{low}") + ", " + ("inf)" if high is None else f"{high})")


def town_label(value, level):
    return "*" if level == 2 else TOWNS.get(value) if level == 1 else value


def zip_label(value, level):
    return value if value is None else value[: 3 - level] + "*" * level


def release(people, age, town, zip_, columns):
    rows = [(age_label(p[0], age), town_label(p[1], town), p[2], zip_label(p[3], zip_), p[4], p[5]) for p in people]
    names = [AGE, TOWN, SEX, ZIP, NOTE, PERSON]
    table = pd.DataFrame({name: pd.Series([row[i] for row in rows], dtype=object) for i, name in enumerate(names)})
    table[AGE] = pd.array(table[AGE], dtype="Int64" if age == 0 else "string")
    table[PERSON] = pd.array(table[PERSON], dtype="Int64")
    for name in (TOWN, SEX, ZIP, NOTE):
        table[name] = pd.array(table[name], dtype="string")
    return table[list(columns)]


# -- by definition -----------------------------------------------------------------------------------------------------

VALUES = {
    AGE: [3, 19, 20, 25, 39, 40, 71, 99, None],
    TOWN: [*TOWNS, None],
    SEX: ["f", "m", None],
    ZIP: ["120", "121", "130", None],
}
LABELS = {AGE: age_label, TOWN: town_label, SEX: lambda value, _: value, ZIP: zip_label}


def can_be_one(name, level, other_level):
    """The pairs of labels that some value has, by the levels of both releases; * has a value in common with any."""
    label = LABELS[name]
    return {(label(value, level), label(value, other_level)) for value in VALUES[name]}


def cells(table, quasi, kept, *, persons):
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    counted = Counter((tuple(row[n] for n in quasi), tuple(row[n] for n in kept)) for row in rows)
    return Counter(dict.fromkeys(counted, 1)) if persons else counted


def meets_none(later, earlier, name, level, other_level):
    """Whether in both releases more than 5 % of the records have a label that no label of the other can be."""
    able = can_be_one(name, level, other_level)
    one, other = ([None if pd.isna(value) else value for value in table[name]] for table in (later, earlier))
    strange = [value for value in one if not any((value, b) in able for b in other)]
    others = [value for value in other if not any((a, value) in able for a in one)]
    return len(strange) > 0.05 * len(one) and len(others) > 0.05 * len(other)


def composed(later, earlier, levels, other_levels, kept, apart=(), *, persons=False):
    """Classes, how many persons each pair of them can have at most, and which pairs hold somebody for sure."""
    columns = [[n for n in table if n not in (NOTE, PERSON)] for table in (later, earlier)]
    shared = [] if persons else [name for name in columns[0] if name in columns[1] and name not in apart]
    able = {name: can_be_one(name, levels[name], other_levels[name]) for name in shared}
    here = cells(later, columns[0], kept, persons=persons)
    there = cells(earlier, columns[1], kept, persons=persons)

    def meet(a, b):
        one, other = dict(zip(columns[0], a[0], strict=True)), dict(zip(columns[1], b[0], strict=True))
        return a[1] == b[1] and all((one[name], other[name]) in able[name] for name in shared)

    met = {a: [b for b in there if meet(a, b)] for a in here}
    pairs, sure, expected = Counter(), set(), Counter()
    for a, others in met.items():
        for b in others:
            pairs[a[0], b[0]] += min(here[a], there[b])
            expected[a[0], b[0]] += here[a] * there[b] / sum(there[c] for c in others)
            if here[a] > sum(there[c] for c in others if c != b):
                sure.add((a[0], b[0]))
    return here, there, met, pairs, sure, expected


def records_under(here, there, met, pairs, under):
    total = 0
    for a, others in met.items():
        total += min(here[a], sum(min(here[a], there[b]) for b in others if pairs[a[0], b[0]] < under))
    return total


levels = st.fixed_dictionaries(
    {AGE: st.integers(0, 2), TOWN: st.integers(0, 2), SEX: st.just(0), ZIP: st.integers(0, 2)}
)


@pytest.mark.slow
@examples(40)
@given(
    people=st.lists(person, min_size=1, max_size=14),
    strangers=st.lists(person, max_size=3),
    levels=levels,
    other_levels=levels,
    dropped=st.sampled_from([(), (SEX,), (TOWN, ZIP)]),
    other_dropped=st.sampled_from([(), (SEX,), (AGE,)]),
    under=st.integers(2, 4),
    entity=st.booleans(),
)
def test_intersections_are_those_of_the_definition(
    shared, people, strangers, levels, other_levels, dropped, other_dropped, under, entity
):
    every = [AGE, TOWN, SEX, ZIP, NOTE, PERSON]
    later = release(people, levels[AGE], levels[TOWN], levels[ZIP], [n for n in every if n not in dropped])
    earlier = release(
        [*people[1:], *strangers] or people,
        other_levels[AGE],
        other_levels[TOWN],
        other_levels[ZIP],
        [n for n in reversed(every) if n not in other_dropped],
    )
    roles = {"entity": PERSON, "insensitive": [NOTE]} if entity else {"insensitive": [PERSON, NOTE]}
    taxonomies = {TOWN: PATHS} if TOWN in later and TOWN in earlier else {}
    report = audit(
        later,
        against=earlier,
        taxonomies=taxonomies,
        requirements={"composition": under},
        measures="required",
        database=shared,
        **roles,
    )
    told = "".join(warning for warning in report.warnings if "is not compared" in warning)
    apart = [name for name in (TOWN, SEX, ZIP) if repr(name) in told]  # in a small table a label may meet none
    assert all(meets_none(later, earlier, name, levels[name], other_levels[name]) for name in apart)
    assert AGE not in told
    kept = [PERSON] if entity else [NOTE, PERSON]
    here, there, met, pairs, sure, expected = composed(
        later, earlier, levels, other_levels, kept, apart, persons=entity
    )
    small = {pair for pair, common in pairs.items() if common < under}
    measured = report.measures["composition"]
    true = min(pairs.values(), default=inf)
    bound = min((max(pairs[a[0], b[0]] for b in others) for a, others in met.items() if others), default=inf)
    assert measured.numbers["composition"] == (true if entity else 1)
    assert measured.upper == (None if entity else bound)
    assert measured.details["pairs"] == len(pairs)
    assert measured.details["pairs_under"] == len(small)
    assert measured.details["certain"] == len(small & sure)
    assert measured.details["expected_under"] == sum(round(number, 9) < under for number in expected.values())
    if expected:
        assert isclose(measured.details["smallest_expected"], min(expected.values()), abs_tol=1e-8)
    assert measured.details["records_under"] == records_under(here, there, met, pairs, under)
    assert report.met is (entity and not small)
    assert [one.not_shown for one in report.requirements] == [not entity and bound >= under]


@pytest.mark.slow
@examples(15)
@given(people=st.lists(person, min_size=1, max_size=12), levels=levels, other=levels)
def test_nobody_can_be_in_fewer_than_are(shared, people, levels, other):
    """Who is in both classes is never more than what is measured at most, for the very people of both releases."""
    columns = [AGE, TOWN, ZIP, NOTE]
    first = release(people, levels[AGE], levels[TOWN], levels[ZIP], columns)
    second = release(people, other[AGE], other[TOWN], other[ZIP], columns)
    report = audit(first, against=second, insensitive=[NOTE], taxonomies={TOWN: PATHS}, database=shared)
    keys = [
        tuple(
            tuple(None if pd.isna(v) else v for v in row) for row in table[[AGE, TOWN, ZIP]].astype(object).to_numpy()
        )
        for table in (first, second)
    ]
    together = Counter(zip(*keys, strict=True))
    details = report.measures["composition"].details
    assert not any("is not compared" in warning for warning in report.warnings)
    assert details["pairs"] >= len(together)
    assert min(together.values()) >= 1
    assert report.measures["composition"].upper >= min(together.values())


# -- by hand -----------------------------------------------------------------------------------------------------------


def table(**columns):
    return pd.DataFrame({name: pd.array(values, dtype="string") for name, values in columns.items()})


@pytest.mark.slow
def test_a_pair_that_can_hold_few_and_may_hold_nobody_bounds_nothing(shared):
    """[5, 20) and [0, 9) can have five n in common and [0, 10) and [4, 20) one y more; in truth all six are alike."""
    later = table(age=["[0, 10)"] * 6 + ["[5, 20)"] * 6, s=list("yyyyynnnnnnn"))
    earlier = table(age=["[0, 9)"] * 6 + ["[4, 20)"] * 6, s=list("yyyyynnnnnnn"))
    assert audit(later, sensitive=["s"], against=earlier, database=shared).measures["composition"].upper == 6


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("later", "earlier", "meet"),
    [
        ("[20, 30)", "[30, 40)", False),
        ("[20, 30]", "[30, 40)", True),
        ("(20, 30]", "20", False),
        ("30", "[30, 40)", True),
        ("30", "30.0", True),
        ("under 30", "30 and over", False),
        ("2020-01-05", "[2020-01-01, 2020-02-01)", True),
        ("before 2020-01-01", "2020-01-05", False),
        ("*", "[20, 30)", True),
        ("*", None, True),
        (None, None, True),
        (None, "[20, 30)", False),
        ("12***", "123**", True),
        ("12***", "13***", False),
        ("***45", "12345", True),
    ],
)
def test_which_labels_one_person_can_have(shared, later, earlier, meet):
    both = table(a=[later], s=["x"]), table(a=[earlier], s=["x"])
    for one, other in (both, both[::-1]):
        report = audit(one, sensitive=["s"], against=other, database=shared)
        apart = any("is not compared" in warning for warning in report.warnings)
        details = report.measures["composition"].details
        assert (details["pairs"] == 1 and not apart) is meet
        assert any("no class of the earlier release" in warning for warning in report.warnings) is (
            details["pairs"] == 0
        )


def test_what_is_asked_for_is_measured_without_a_requirement_too(shared):
    both = table(a=list("ppq"), s=list("xyx"))
    report = audit(both, sensitive=["s"], against=both, measures="required", database=shared)
    assert list(report.measures) == ["composition"]
    assert report.measures["composition"].numbers == {"composition": 1}


def test_names_of_two_levels_need_a_taxonomy(shared):
    later, earlier = table(town=["Lecce", "Turin"], s=["x", "x"]), table(town=["south", "north"], s=["x", "x"])
    without = audit(later, sensitive=["s"], against=earlier, database=shared)
    assert without.measures["composition"].upper == 1
    assert without.measures["composition"].details["pairs"] == 4
    assert any("'town' is not compared with the earlier release: 100% of" in w for w in without.warnings)
    assert "Lecce" not in "".join(without.warnings)
    known = audit(later, sensitive=["s"], against=earlier, taxonomies={"town": PATHS}, database=shared)
    assert known.measures["composition"].details["pairs"] == 2


def test_what_changes_need_not_agree(shared):
    later, earlier = table(a=["p", "p"], s=["x", "y"]), table(a=["p", "p"], s=["z", "y"])
    options = {"sensitive": ["s"], "against": earlier, "database": shared}
    assert audit(later, **options).measures["composition"].upper == 1
    assert audit(later, uncompared=["s"], **options).measures["composition"].upper == 2


@pytest.mark.parametrize(
    ("later", "earlier", "pairs"),
    [
        ({"a": list("ppqq"), "person": list("1123")}, {"b": list("uuvv"), "person": list("1132")}, 2),
        # whatever the labels: 1 stays in Lecce, 2 moves, 3 stays in Turin
        (
            {"town": ["Lecce", "Lecce", "Turin"], "person": list("123")},
            {"town": ["Lecce", "Turin", "Turin"], "person": list("123")},
            3,
        ),
    ],
)
def test_persons_of_a_key_are_counted_exactly(shared, later, earlier, pairs):
    report = audit(table(**later), entity="person", against=table(**earlier), database=shared)
    measured = report.measures["composition"]
    assert (measured.numbers, measured.details["pairs"]) == ({"composition": 1}, pairs)


def test_a_key_that_one_release_lacks_is_no_key(shared):
    later, earlier = table(a=list("ppqq"), person=list("1234"), s=list("xxxx")), table(a=list("ppqq"), s=list("xxxx"))
    report = audit(later, sensitive=["s"], entity="person", against=earlier, database=shared)
    assert report.measures["composition"].details["pairs"] == 2


@pytest.mark.slow
def test_k_is_required_of_the_intersections_too(shared):
    later, earlier = table(a=list("ppqq"), s=list("xyxy")), table(a=list("ppqq"), s=list("xzxy"))
    unknown = audit(later, sensitive=["s"], against=later, requirements={"k": 2}, database=shared)
    assert not unknown.met
    assert any("composition >= 2 is not shown" in warning for warning in unknown.warnings)
    report = audit(later, sensitive=["s"], against=earlier, requirements={"k": 2}, database=shared)
    assert [(one.name, one.met) for one in report.requirements] == [("k", True), ("composition", False)]
    eased = {"k": 2, "composition": 1}
    assert audit(later, sensitive=["s"], against=earlier, requirements=eased, database=shared).met


@pytest.mark.parametrize(
    ("later", "earlier", "options", "message"),
    [
        ({"a": ["x"]}, {"b": ["x"]}, {}, "no column in common"),
        ({"a": ["x"]}, {"a": []}, {}, "the earlier release has no records"),
        ({"a": ["x"]}, {"a": ["y"]}, {}, "no column of the earlier release can be compared: 'a': 100%"),
        (
            {"a": ["x"]},
            {"a": ["x"]},
            {"taxonomies": {"b": PATHS}},
            "neither a sensitive attribute nor a quasi-identifier of .*; those are 'a'$",
        ),
        ({"a": ["x"]}, None, {"uncompared": ["a"]}, "name it with `--against FILE`"),
        ({"a": ["x"]}, None, {"requirements": {"composition": 2}}, r"needs an earlier release .*--against FILE"),
        ({"a": ["x"]}, None, {"original": AGES}, "name the earlier one with `--against FILE`"),
        ({"a": ["x"]}, {"a": ["x"]}, {"original": AGES}, "the original has no column 'a'"),
        ({"a": ["x"]}, {"a": ["x"]}, {"original": AGES, "entity": "a"}, "`--entity COLUMN` alone is exact"),
    ],
)
def test_what_cannot_be_compared_is_told(shared, later, earlier, options, message):
    against = None if earlier is None else table(**earlier)
    with pytest.raises(AuditError, match=message):
        audit(table(**later), against=against, database=shared, **options)


# -- who is in both ----------------------------------------------------------------------------------------------------


@st.composite
def two_recodings(draw):
    """Records of a number and a name, and two releases of them: each cuts the number and may show the name or not."""
    records = draw(st.lists(st.tuples(st.sampled_from([1, 2, 3, None]), st.sampled_from("xy")), min_size=1, max_size=9))
    return records, [(draw(st.sampled_from([2, 3])), draw(st.booleans())) for _ in range(2)]


def recoded(records, cut, named):
    """The rows of a release: numbers in two intervals, names or the root."""
    number = {1: "(-inf, 2)" if cut == 2 else "(-inf, 3)", 2: "[2, inf)" if cut == 2 else "(-inf, 3)"}
    last = "[2, inf)" if cut == 2 else "[3, inf)"
    return [(None if value is None else number.get(value, last), name if named else "*") for value, name in records]


@pytest.mark.slow
@examples(40)
@given(drawn=two_recodings(), required=st.integers(1, 4), without_first=st.booleans())
def test_met_is_never_said_of_an_intersection_that_is_smaller(shared, drawn, required, without_first):
    """Two files alone show 1 and no more; the original shows the true number, where no class lacks a record."""
    records, recodings = drawn
    rows = [recoded(records, *one) for one in recodings]
    placed = list(zip(*rows, strict=True))
    placed = placed[1:] or placed if without_first else placed
    together = Counter(placed)
    true = min(together.values())
    later, earlier = (
        table(n=[label for label, _ in held], name=[name for _, name in held])
        for held in ([one for one, _ in placed], rows[1])
    )
    original = pd.DataFrame({"n": pd.array([n for n, _ in records], dtype="Int64"), "name": [x for _, x in records]})
    asked = {"against": earlier, "requirements": {"composition": required}, "measures": "required", "database": shared}
    (alone,) = audit(later, **asked).requirements
    assert alone.met is (required == 1)
    assert alone.upper >= true
    (known,) = audit(later, original=original, **asked).requirements
    lacking = len(placed) < len(records) and rows[0][0] in [one for one, _ in placed]
    assert (known.upper is None) is not lacking
    assert known.met is (required == 1 if lacking else true >= required)
    if not lacking:
        assert known.numbers == {"composition": true}


def cut_at(cut, least=1):
    """Ten persons of the ages 1 to 10 in two intervals."""
    return table(age=[f"(-inf, {cut})" if age < cut else f"[{cut}, inf)" for age in range(1, 11)][least - 1 :])


@pytest.mark.parametrize(
    ("earlier", "original", "met", "shown"),
    [
        (cut_at(5), None, False, "not shown, at most 5"),  # 4, 5 and 5: one is between the cuts, and may be in either
        (cut_at(5), AGES, False, "1"),
        (cut_at(6), None, False, "not shown, at most 5"),
        (cut_at(6), AGES, True, "5"),  # both cut alike
        (cut_at(5, 2), AGES, False, "not shown, at most 5"),  # the class lacks one of its records
    ],
)
def test_a_release_that_leaks_and_one_that_does_not(shared, earlier, original, met, shown):
    asked = {"requirements": {"composition": 3}, "against": earlier, "database": shared}
    report = audit(cut_at(6), original=original, **asked)
    assert report.met is met
    assert [reached_words(one) for one in report.requirements] == [shown]
    why = [warning for warning in report.warnings if "does not show who is where" in warning]
    assert bool(why) is (len(earlier) == 9)
    assert all("records of the earlier release are in classes" in warning for warning in why)
    if why:  # the other way round it is this file that lacks a record
        report = audit(earlier, original=original, requirements={"composition": 3}, against=cut_at(6), database=shared)
        assert any("records of this file are in classes" in warning for warning in report.warnings)


def test_a_kept_column_of_the_original_shows_who_is_where(shared):
    """Two of four persons are of an age that the labels of both classes are over; their notes show the class."""
    later = table(age=["[1, 4)"] * 2 + ["[2, 5)"] * 2, note=["x", "x", "y", "y"])
    original = table(age=[1, 2, 3, 4], note=["x", "x", "y", "y"])
    asked = {"requirements": {"composition": 2}, "against": table(age=["(-inf, 3)"] * 2 + ["[3, inf)"] * 2)}
    for known, shown in ((original, "2"), (original[["age"]], "not shown, at most 2")):
        report = audit(later, ["age"], insensitive=["note"], original=known, database=shared, **asked)
        assert [reached_words(one) for one in report.requirements] == [shown]


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_command_fails_under_the_required_k_and_prints_no_value(tmp_path, capsys, suffix):
    later = table(town=["Lecce"] * 2 + ["Turin"] * 2, note=["secret", "plain", "secret", "plain"])
    earlier = later.iloc[[2, 3, 0, 1]].assign(note=["secret", "other", "secret", "plain"])
    files = [tmp_path / f"{name}.{suffix}" for name in ("later", "earlier")]
    for path, frame in zip(files, (later, earlier), strict=True):
        frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path, index=False)
    base = ["audit", str(files[0]), "--sensitive", "note", "--against", str(files[1])]
    assert run([*base, "--require", "k=2"]) == 1
    printed = capsys.readouterr().out
    assert "of 2 pairs of classes that may share a person, 1 share fewer than 2, with at most 1 records" in printed
    assert "composition >= 2: NOT met (at most 1)" in printed
    assert run([*base, "--require", "k=1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["measures"]["composition"]["reached"] == 1
    for word in ("secret", "plain", "Lecce", "Turin"):
        assert word not in printed + json.dumps(document)
