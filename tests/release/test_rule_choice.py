"""Runs whose best rule misses what a release alone is judged by: which rule is tried next, and when none is."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product

import pandas as pd
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.config.reading import with_changes
from anonduck.database.progress import Reporter
from anonduck.errors import ReleaseJudgedUnder, RequirementNotMet
from anonduck.release import rule_choice
from anonduck.search.store import read_last_choice

TREES = {
    "town": {"a1": "a", "a2": "a", "b1": "b", "b2": "b", None: "b"},
    "shop": {"x1": "x", "x2": "x", "y1": "y", "y2": "y"},
}
VISITS = {  # two rows of each person; the persons of a line are alike in towns and shops, but not by row
    "1": [("a1", "x1"), ("b1", "y1")],
    "2": [("a1", "y1"), ("b1", "x1")],
    "3": [("a2", "x2"), (None, "y2")],
    "4": [("a2", "y2"), (None, "x2")],
}


def visits():
    rows = [(who, *row) for who, held in VISITS.items() for row in held] * 2
    frame = pd.DataFrame(rows, columns=["who", "town", "shop"])
    return frame.assign(c=["yes" if n % 2 else "no" for n in range(len(frame))])


def opened(folder, frame=None, said=None, **settings):
    for name, tree in TREES.items():
        lines = "".join(f"{value or ''};{label};*\n" for value, label in tree.items())
        (folder / f"{name}.csv").write_text(lines, encoding="utf-8")
    roles = {"class_": "c", "quasi_identifiers": ["town", "shop"], "models": [], "select": "loss"}
    told = {"taxonomies": {name: {"file": f"{name}.csv"} for name in TREES}, "measures": ["loss"], "entity": "who"}
    reporter = Reporter(([] if said is None else said).append)
    return Project(source=visits() if frame is None else frame, reporter=reporter, **roles | told | settings)


def linked(frame, levels):
    """The persons of the smallest group with the same rows as often, by what a rule shows of each value."""
    held = defaultdict(Counter)
    for row in frame.itertuples():
        shown = []
        for name, level in levels.items():
            value = getattr(row, name)
            value = None if pd.isna(value) else value
            shown.append(TREES[name][value] if level else value)
        held[row.who][tuple(shown)] += 1
    return min(Counter(frozenset(rows.items()) for rows in held.values()).values())


def by_loss(project):
    """The discovered rules, the least loss first."""
    return sorted(project.discovered().rules, key=lambda rule: rule.utility["loss"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("required", [pytest.param(2, marks=pytest.mark.slow), 4])
def test_the_best_rule_that_meets_linked_k_is_released(folder, required):
    said = []
    with opened(folder, said=said, requirement={"k": 1, "linked_k": required}) as one:
        done = one.run(folder / "out.csv", report=False)
        rules = {rule.id: dict(rule.levels) for rule in by_loss(one)}
        reached = {name: linked(visits(), levels) for name, levels in rules.items()}
        wanted = next(name for name, found in reached.items() if found >= required)
        assert read_last_choice(one.database) == done.levels == rules[wanted]
    before = list(rules)[: list(rules).index(wanted)]
    refused = [f"{name} was refused: linked_k = {reached[name]}, required {required}" for name in before]
    assert before
    assert done.reason.endswith(f"; {'; '.join(refused)}; {wanted} is the best rule that meets it")
    assert [words for words in said if "refused" in words] == [f"{one}; choosing the next rule" for one in refused]
    assert (
        done.release.receipt["reason"] == "best loss among the rules that meet the requirement"
    )  # names no refused one


@pytest.mark.slow
def test_where_no_rule_meets_it_nothing_is_written(folder):
    with opened(folder, requirement={"k": 1, "linked_k": 5}) as one:
        with pytest.raises(RequirementNotMet) as refused:
            one.run(folder / "out.csv")
        assert read_last_choice(one.database) is None
    words = str(refused.value)
    for part in ("R1 was refused: linked_k = 1, required 5; R3 was refused: linked_k = 2", "no other rule", "coarser"):
        assert part in words
    assert (refused.value.exit_code, list(folder.glob("out*"))) == (1, [])


@pytest.mark.slow
def test_a_rule_that_leaves_out_the_rare_values_is_next(folder):
    """Two rare charges are of a shop of their own: a rule by shops leaves them out, one by town does not."""
    held = {("a1", "x1"): 6, ("a2", "y1"): 6, ("b1", "x1"): 6, ("b2", "y1"): 6}
    rows = [(*row, "theft") for row, times in held.items() for _ in range(times)]
    rows += [("a1", "x2", "arson"), ("b2", "x2", "fraud")]
    frame = pd.DataFrame(rows, columns=["town", "shop", "charge"]).assign(c=["yes", "no"] * 13)
    required = {"k": 3, "suppression": 0.1, "kept_rare": 0}
    with opened(folder, frame, entity=None, sensitive=["charge"], requirement=required) as one:
        one.discover()
        by_k = one.workspace.with_config(with_changes(one.workspace.config, {"select": "k"}))

        def release(choice):
            return one.release(choice.chosen.id, folder / "out.csv")

        choice, made = rule_choice.release_rules(by_k, one.discovered(), release)
    assert "was refused: kept_rare = 2, required at most 0" in choice.reason
    assert (made.suppressed, made.receipt["kept"]["charge"]) == (2, {"rare": 0})
    assert set(pd.read_csv(folder / "out.csv")["charge"]) == {"theft"}


@pytest.mark.slow
def test_a_pinned_rule_is_not_exchanged(folder):
    with (
        opened(folder, requirement={"k": 1, "linked_k": 2}, rule="town=0,shop=0") as one,
        pytest.raises(RequirementNotMet, match="linked_k = 1, under the required 2"),
    ):
        one.run(folder / "out.csv")
    assert list(folder.glob("out*")) == []


@pytest.mark.parametrize(("tries", "words"), [(2, "no more than 2 rules are tried"), (10, "no other rule")])
def test_with_suppression_each_rule_is_tried_up_to_the_bound(folder, monkeypatch, tries, words):
    monkeypatch.setattr(rule_choice, "TRIES", tries)
    tried = []

    def release(choice):
        tried.append(choice.chosen.id)
        raise ReleaseJudgedUnder("missed", "linked_k = 1, required 2")

    with opened(folder, requirement={"k": 1, "suppression": 0.1}) as one:
        one.discover()
        rules = by_loss(one)
        with pytest.raises(RequirementNotMet, match=words):
            rule_choice.release_rules(one.workspace, one.discovered(), release)
    assert tried == [rule.id for rule in rules][:tries]
    assert len(rules) == 3


@pytest.mark.slow
@pytest.mark.parametrize("form", ["script", "select"])
def test_a_text_of_sql_says_what_it_does_not_check(folder, form):
    with opened(folder, requirement={"k": 1, "linked_k": 2, "kept_rare": 9}) as one:
        text = one.sql({"town": 0}, as_=form)
        assert "-- Required and checked only in releases by anonduck: linked_k, kept_rare.\n" in text
    with opened(folder, requirement={"k": 1}) as one:
        assert "Required" not in one.sql({"town": 0}, as_=form)


@dataclass
class Levels:
    """The levels of a rule, without the columns at their root."""

    levels: dict[str, int]


ROWS = st.tuples(st.sampled_from(range(4)), st.sampled_from([*TREES["town"]]), st.sampled_from([*TREES["shop"]]))


@given(st.lists(ROWS, min_size=1, max_size=12))
@examples(30)
def test_no_finer_rule_reaches_a_larger_linked_k(rows):
    frame = pd.DataFrame(rows, columns=["who", "town", "shop"])
    rules = [
        Levels({name: level for name, level in zip(TREES, levels, strict=True) if level < 2})
        for levels in product(range(3), repeat=2)
    ]
    reached = [linked(frame, rule.levels) for rule in rules]
    pairs = list(product(range(len(rules)), repeat=2))
    finer = [(one, other) for one, other in pairs if rule_choice._as_fine(rules[one], rules[other])]
    assert len(finer) == 36  # of each column 6 of 9 pairs of levels
    assert all(reached[one] <= reached[other] for one, other in finer)
