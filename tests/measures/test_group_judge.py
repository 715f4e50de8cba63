"""What methods ask of classes while they make them, against a count over the records."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.measures.class_judge import CodedClasses, least_left_out
from anonduck.measures.class_judge import judged as judged_classes
from anonduck.measures.group_judge import CombinationCells, GroupJudge, WholeJudge
from anonduck.measures.numpy_requirements import SensitiveCells, SensitiveValues
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import ask

COMBINATIONS, VALUES = 8, 4
ASKED = [{}, {"l": 2}, {"l": 3}, {"alpha": 0.6}, {"t": 0.3}, {"frequency_l": 1.6}, {"lkc": {"l": 2, "k": 3, "c": 0.7}}]


@st.composite
def judged(draw, of_all=()):
    """The records by combination and value of each sensitive column, and what is asked."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    size = int(random.integers(8, 40))
    likely = random.dirichlet(np.ones(VALUES) * random.choice([0.5, 5.0]))
    columns = [random.choice(VALUES, size, p=likely), random.integers(0, 3, size)]
    rows = list(zip(random.integers(0, COMBINATIONS, size), *columns, strict=True))
    asked = {"k": draw(st.integers(1, 4)), **draw(st.sampled_from([*ASKED, *of_all]))}
    sensitive = ("ill", "job") if len(asked) > 1 and draw(st.booleans()) else ("ill",) if len(asked) > 1 else ()
    return [tuple(map(int, row)) for row in rows], asked, sensitive


def cells_of(rows, sensitive):
    made = {}
    for name in sensitive or ("",):
        place = {"": None, "ill": 1, "job": 2}[name]
        counted = Counter((row[0], 0 if place is None else row[place]) for row in rows)
        keys = np.array(sorted(counted)).T
        no, count = np.zeros(VALUES, dtype=bool), np.array([counted[key] for key in sorted(counted)])
        values = None if place is None else SensitiveValues(no, np.arange(VALUES) * 1.0, no * 1.0, ~no)
        made[name] = CombinationCells(*keys, count, values)
    return made


def meets(rows, every, asked, sensitive):
    """Whether a class of these rows has what is asked of each class."""
    for name, wanted in asked.items():
        if name == "k" and len(rows) < wanted:
            return False
        for place in [1, 2][: len(sensitive)]:
            held, overall = Counter(row[place] for row in rows), Counter(row[place] for row in every)
            most = max(held.values()) / len(rows)
            apart = sum(abs(held[value] / len(rows) - overall[value] / len(every)) for value in overall) / 2
            missed = {
                "k": lambda _: False,
                "l": lambda least, held=held: len(held) < least,
                "alpha": lambda share, most=most: most > share,
                "t": lambda distance, apart=apart: apart > distance,
                "frequency_l": lambda least, most=most: 1 / most < least,
                "lkc": lambda bound, most=most: len(rows) < bound["k"] or most > bound["c"],
                "homogeneous_classes": lambda _: False,
            }
            if missed[name](wanted):
                return False
    return True


def parts(rows, key):
    """Rows by group."""
    found = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


@given(judged(), st.data())
@examples(500)
def test_groups_are_judged_each_by_itself(given_, data):
    """Of some combinations; models that compare a class with all records compare it with those of the others too."""
    rows, asked, sensitive = given_
    known = sorted({row[0] for row in rows})
    chosen = data.draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    group = {combination: number % 3 for number, combination in enumerate(chosen)}
    requirement = Requirement(ask(asked), 0.0, sensitive)
    judge = GroupJudge(requirement, cells_of(rows, sensitive))
    count = max(group.values()) + 1
    found = judge(np.array(chosen), np.array([group[one] for one in chosen]), count)
    judged_rows = [row for row in rows if row[0] in group]
    expected = [True] * count
    for number, part in parts(judged_rows, lambda row: group[row[0]]).items():
        expected[number] &= meets(part, rows, asked, sensitive)
    assert found.tolist() == expected


@given(judged([{"homogeneous_classes": 0.4}]), st.integers(0, 1))
@examples(500)
def test_all_classes_are_judged_together(given_, changed):
    """LKC-privacy by the groups that are alike in two columns, the one that was changed among them."""
    rows, asked, sensitive = given_
    random = np.random.default_rng(len(rows))
    class_of = random.integers(0, 4, COMBINATIONS)
    shown = random.integers(0, 3, (4, 2))[class_of]
    requirement = Requirement(ask(asked), 0.0, sensitive)
    judge = WholeJudge(requirement, cells_of(rows, sensitive))
    classes = parts(rows, lambda row: int(class_of[row[0]]))
    by_itself = {name: wanted for name, wanted in asked.items() if name != "lkc"}
    expected = all(meets(part, rows, by_itself, sensitive) for part in classes.values())
    for name, wanted in asked.items():
        for place in [1, 2][: len(sensitive)]:
            if name == "lkc":
                expected &= all(
                    len(group) >= wanted["k"] and most_alike(group, place) <= wanted["c"]
                    for group in alike(rows, shown, changed, wanted["l"])
                )
            if name == "homogeneous_classes":
                alone = sum(len({row[place] for row in part}) == 1 for part in classes.values())
                expected &= alone / len(classes) <= wanted
    assert judge(class_of, tuple(shown.T), changed) == expected


def most_alike(rows, place):
    return max(Counter(row[place] for row in rows).values()) / len(rows)


def alike(rows, shown, changed, most):
    """The groups of rows that are alike in so many columns or fewer, the changed one among them."""
    columns = [lambda row, at=at: int(shown[row[0]][at]) for at in range(2)]
    others = [column for at, column in enumerate(columns) if at != changed]
    for number in range(most):
        for subset in combinations(others, number):
            groups = {}
            for row in rows:
                groups.setdefault((columns[changed](row), *(one(row) for one in subset)), []).append(row)
            yield from groups.values()


def test_a_requirement_of_all_classes_is_left_to_the_judge_of_the_release():
    rows = [(0, 1, 0)] * 3
    judge = GroupJudge(Requirement(ask({"k": 2, "homogeneous_classes": 0.1}), 0.0, ("ill",)), cells_of(rows, ("ill",)))
    assert judge(np.array([0]), np.array([0]), 1).tolist() == [True]


# -- classes that are left out -----------------------------------------------------------------------------------------


def coded(classes, sensitive):
    """Classes of rows as the judge of classes reads them."""
    cells = {}
    for name in sensitive:
        place = {"ill": 1, "job": 2}[name]
        held = [sorted(Counter(row[place] for row in rows).items()) for rows in classes]
        starts = np.cumsum([0, *map(len, held)])[:-1]
        codes, holders = np.array([one for each in held for one in each]).T
        no = np.zeros(VALUES, dtype=bool)
        values = SensitiveValues(no, np.arange(VALUES) * 1.0, no * 1.0, ~no)
        cells[name] = SensitiveCells(values, starts, codes, holders)
    return CodedClasses(np.array([len(rows) for rows in classes]), (), cells)


def staying(classes, asked, sensitive):
    """The classes that stay once those that fail are left out, until none of those that stay fails."""
    while True:
        every = [row for rows in classes for row in rows]
        met = [rows for rows in classes if meets(rows, every, asked, sensitive)]
        if len(met) == len(classes):
            return met
        classes = met


SHARES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9])
COMPARED = [{"t": 0.15}, {"t": 0.2}, {"t": 0.25}, {"t": 0.3, "l": 2}, {"alpha": 0.5, "l": 2}]


@given(judged(COMPARED), SHARES)
@examples(800)
def test_classes_that_fail_are_left_out_where_so_many_records_may_be(given_, share):
    rows, asked, sensitive = given_
    asked.pop("lkc", None)
    classes = list(parts(rows, lambda row: row[0]).values())
    requirement = Requirement(ask(asked), share, sensitive if len(asked) > 1 else ())
    found = judged_classes(coded(classes, requirement.sensitive), requirement)
    stay = staying(classes, asked, requirement.sensitive)
    gone = len(rows) - sum(map(len, stay))
    assert found.met == (bool(stay) and gone <= share * len(rows))
    if found.met:
        assert (found.suppressed, found.k) == (gone, min(map(len, stay)))
        assert (found.left_out is None) == (gone == 0)
        assert (
            found.left_out is None
            or [rows for rows, out in zip(classes, found.left_out, strict=True) if not out] == stay
        )
        assert [one.name for one in found.reached][:1] == ["k"]
    whole = judged_classes(coded(classes, requirement.sensitive), requirement, whole=True)
    assert (whole.met, whole.suppressed if found.met else 0) == (found.met, gone if found.met else 0)
    if not share:
        assert whole.reached[0].numbers == {"k": min(map(len, classes))}
        assert len(whole.reached) == len(asked)


@given(judged(COMPARED), SHARES)
@examples(500)
def test_no_finer_classes_leave_out_less_than_what_is_said_of_coarser_ones(given_, share):
    """Parts of a class at the bound and parts at 1: no more of it stays than by as much as it reaches beyond."""
    rows, asked, sensitive = given_
    asked.pop("lkc", None)
    requirement = Requirement(ask(asked), share, sensitive if len(asked) > 1 else ())
    coarse = list(parts(rows, lambda row: row[0] // 3).values())
    least = least_left_out(coded(coarse, requirement.sensitive), requirement)
    absorbing = {name: asked[name] for name in asked if name in ("k", "l")}
    expected = sum(
        len(part) * max(beyond(part, rows, asked, requirement.sensitive), not meets(part, rows, absorbing, sensitive))
        for part in coarse
    )
    assert least == pytest.approx(expected, abs=1e-4)
    for finer in (coarse, list(parts(rows, lambda row: row[0]).values())):
        stay = staying(finer, asked, requirement.sensitive)
        assert least <= len(rows) - sum(map(len, stay)) + 1e-4


def beyond(part, every, asked, sensitive):
    """The share of a class that goes where some of it is at the bound and the rest has one value alone."""
    found = [0.0]
    for place in [1, 2][: len(sensitive)]:
        held, overall = Counter(row[place] for row in part), Counter(row[place] for row in every)
        most = max(held.values()) / len(part)
        apart = sum(abs(held[value] / len(part) - overall[value] / len(every)) for value in overall) / 2
        bounds = [(most, asked.get("alpha")), (apart, asked.get("t")), (most, 1 / asked.get("frequency_l", 1))]
        found += [(reached - bound) / (1 - bound) for reached, bound in bounds if bound is not None and bound < 1]
    return max(found)


def test_a_class_that_compares_badly_once_others_are_left_out_is_left_out_too():
    """Without the 24 records that all have a 1, the class of six 1s and two 2s is no longer like the rest."""
    held = ["1" * 24, "1" * 6 + "2" * 2, ("1" * 2 + "2" * 6) * 2, ("1" * 2 + "2" * 6) * 2]
    classes = [[(at, int(value), 0) for value in one] for at, one in enumerate(held)]
    for share, met in ((0.6, True), (0.4, False)):
        requirement = Requirement(ask({"k": 1, "t": 0.35}), share, ("ill",))
        found = judged_classes(coded(classes, ("ill",)), requirement)
        assert (found.met, found.suppressed) == (met, 32)
        assert not met or found.left_out.tolist() == [True, True, False, False]
