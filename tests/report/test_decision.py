"""What the report opens with: the rule, its neighbours, made-up rows and who is left out; no few are told of."""

import json
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import coded, generalized, people, project, roots_of, tables

from anonduck import Project
from anonduck.report.contents import gather
from anonduck.report.decision import recommend
from anonduck.report.example_rows import ANY, RARE, ROWS, FileLabels, _lies_in, rows_by_labels, rows_by_rule
from anonduck.report.left_out import LeftOutGroup, disclosable_groups, left_out_by_column
from anonduck.report.objectives import hiding_everything
from anonduck.report.taxonomy_drawing import labelled_nodes, naming_people
from anonduck.rules.frontier import SMALLER_IS_BETTER, objective
from anonduck.statements import Statement
from anonduck.taxonomy.interval_cells import OpenLabels


@st.composite
def shown(draw):
    names, paths, rows = draw(tables(max_rows=30, max_values=5))
    vectors = [tuple(draw(st.integers(0, root)) for root in roots_of(names, paths)) for _ in range(2)]
    return names, paths, rows, vectors, draw(st.integers(1, 6))


def named(names, paths, vector):
    """The levels under the root."""
    roots = roots_of(names, paths)
    return {name: level for name, level, root in zip(names, vector, roots, strict=True) if level < root}


def holders(names, paths, rows):
    """For each column the records of each text that a cell could show, at whatever level."""
    counts = {name: Counter() for name in names}
    for row in rows:
        for name, value in zip(names, row, strict=False):
            if value is not None:
                counts[name].update({str(value), *paths[name][value]})
    return counts


# -- made-up rows ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(shown())
@examples(40)
def test_made_up_rows_show_what_k_records_hold(shared, case):
    names, paths, rows, vectors, k = case
    taxonomies = coded(shared, names, paths, rows)
    counts = holders(names, paths, rows)
    for vector in vectors:
        rule = named(names, paths, vector)
        told = rows_by_rule(shared, taxonomies, rule, k)
        assert told["columns"] == names
        assert len(told["before"]) == ROWS
        for before, cells in zip(told["before"], told["after"], strict=True):
            for name, cell, own in zip(names, cells, before, strict=True):
                assert own == ANY or counts[name][own.removeprefix("one of ")] >= k
                assert (cell is None) == (name not in rule)
                if cell is None or own == ANY:
                    continue
                assert counts[name][cell.removeprefix("one of ")] >= k
                if not own.startswith("one of "):
                    level = rule[name]
                    value = int(own)
                    assert cell == (own if level == 0 else paths[name][value][level - 1])


@pytest.mark.slow
@given(shown(), st.data())
@examples(40)
def test_made_up_rows_show_labels_of_the_file_that_stand_for_their_values(shared, case, data):
    """Some labels over each column's values, of any levels, as a file may show them: none but one over a value, or
    that none is."""
    names, paths, rows, _, k = case
    taxonomies = coded(shared, names, paths, rows)
    over = {name: {str(value): {str(value), *path} for value, path in paths[name].items()} for name in names}
    labels = {name: sorted({label for of in over[name].values() for label in of}) for name in names}
    drawn = {
        name: data.draw(st.dictionaries(st.sampled_from(labels[name]), st.integers(1, 30), max_size=4))
        for name in names
        if labels[name]
    }
    told = rows_by_labels(shared, taxonomies, {name: FileLabels(drawn[name], {}) for name in drawn}, k)
    for before, after in zip(told["before"], told["after"], strict=True):
        for name, own, cell in zip(told["columns"], before, after, strict=True):
            assert (cell is None) == (name not in drawn)
            if cell is None or own == ANY or cell == RARE:
                continue
            assert cell in drawn[name]
            under = [value for value, of in over[name].items() if own.removeprefix("one of ") in of]
            assert any(cell in over[name][value] for value in under)


def test_of_several_labels_the_one_is_shown_that_most_of_the_records_have(database):
    """Of 40 records with a 1, at most 5 show it; the 30 that show `low` are most of the 60 below it."""
    rows = [*[(1, "c")] * 40, *[(2, "c")] * 20, *[(9, "c")] * 60]
    paths = {1: ("low", "*"), 2: ("low", "*"), 9: ("high", "*")}
    taxonomies = coded(database, ["x"], {"x": paths}, rows)

    def shown_as(**shown):
        return [cell for (cell,) in rows_by_labels(database, taxonomies, {"x": FileLabels(shown, {})}, 5)["after"]]

    assert shown_as(**{"1": 5, "low": 30, "9": 20, "*": 40}) == ["low", "low", "9"]
    assert shown_as(**{"1": 25, "low": 10, "9": 60}) == ["1", "low", "9"]
    assert shown_as(**{"2": 5, "*": 90}) == ["*", "*", "*"]
    assert shown_as(other=120) == [RARE] * 3
    members = FileLabels({"1 or 2": 60, "9 or more": 60}, {"1 or 2": ["1", "2"], "9 or more": ["9"]})
    told = rows_by_labels(database, taxonomies, {"x": members}, 5)
    assert told["after"] == [["1 or 2"], ["1 or 2"], ["9 or more"]]
    typical = FileLabels({"1": 120}, {}, "the typical value of a class")
    assert rows_by_labels(database, taxonomies, {"x": typical}, 5)["after"] == [["the typical value of a class"]] * 3
    assert rows_by_labels(database, taxonomies, {}, 5)["after"] == [[None]] * 3


@pytest.mark.parametrize(
    ("value", "label", "lies"),
    [
        ("20", "[20, 30)", True),
        ("30", "[20, 30)", False),
        ("19.5", "(-inf, 20)", True),
        ("20", "(-inf, 20)", False),
        ("1e3", "[20, inf)", True),
        ("[20, 25)", "[20, 30)", True),
        ("[20, 35)", "[20, 30)", False),
        ("(-inf, 20)", "(-inf, 30)", True),
        ("(-inf, 20)", "[10, 30)", False),
        ("[20, inf)", "[20, 30)", False),
        ("2020-03-01", "[2020-01-01, 2021-01-01)", True),
        ("2021-01-01", "[2020-01-01, 2021-01-01)", False),
        ("nurse", "clerk or nurse", False),
        ("nurse", "[20, 30)", False),
    ],
)
def test_what_lies_in_an_interval(value, label, lies):
    assert _lies_in(value, label, OpenLabels(low=True, high=True, words=None)) is lies


@pytest.mark.slow
@given(shown(), st.randoms(use_true_random=False))
@examples(20)
def test_made_up_rows_tell_nothing_of_which_values_go_together(shared, case, shuffle):
    names, paths, rows, vectors, k = case
    rules = [named(names, paths, vector) for vector in vectors]

    def told(rows):
        taxonomies = coded(shared, names, paths, rows)
        return [rows_by_rule(shared, taxonomies, rule, k) for rule in rules]

    before = told(rows)
    columns = [list(column) for column in zip(*rows, strict=True)]
    for column in columns:
        shuffle.shuffle(column)
    apart = [tuple(row) for row in zip(*columns, strict=True)]
    assert told(apart) == before


def test_values_of_few_give_way_to_the_group_over_them(database):
    rows = [(number, "c") for number in range(8)]
    paths = {number: ("low" if number < 6 else "high", "*") for number in range(8)}
    taxonomies = coded(database, ["x"], {"x": paths}, rows)
    told = rows_by_rule(database, taxonomies, {"x": 1}, 5)
    assert told["before"] == [["one of low"]] * 3
    assert told["after"] == [["low"]] * 3
    assert rows_by_rule(database, taxonomies, {"x": 0}, 5)["after"] == [["one of low"]] * 3
    assert rows_by_rule(database, taxonomies, {"x": 1}, 9)["before"] == [[ANY]] * 3


def test_no_cell_is_shown_of_a_column_whose_texts_name_people(database):
    rows = [(number, "c") for number in range(3) for _ in range(9)]
    taxonomies = coded(database, ["note"], {"note": {0: ("ca", "*"), 1: ("we", "*"), 2: ("fi", "*")}}, rows)
    notes = "['call +39 06 1234567', 'well', 'fine'][value + 1]"
    database.run(Statement("notes", f"ALTER TABLE lookup.note ALTER value TYPE VARCHAR USING {notes}"))
    for level in (1, 0):
        told = rows_by_rule(database, taxonomies, {"note": level}, 5)
        assert told["before"] == told["after"] == [[ANY]] * 3
    labels = FileLabels({"ca": 9, "we": 9, "fi": 9}, {})
    assert rows_by_labels(database, taxonomies, {"note": labels}, 5)["after"] == [[ANY]] * 3
    assert naming_people(database, ["note"]) == {"note"}
    nodes = labelled_nodes(database, {taxonomies["note"]: [0, 1]}, 5, ["note"])
    assert [level for _, level in nodes] == [0, 1]
    assert {node.label for one in nodes.values() for node in one} == {None}


def test_a_label_that_names_a_rare_value_is_not_shown(database):
    rows = [(1, "c"), *[(2, "c")] * 9, *[(3, "d")] * 9]
    paths = {1: ("1 +1", "*"), 2: ("1 +1", "*"), 3: ("3", "*")}
    taxonomies = coded(database, ["x"], {"x": paths}, rows)
    told = rows_by_rule(database, taxonomies, {"x": 1}, 5)
    assert [row[0] for row in told["before"]] == ["2", "2", "3"]
    assert [row[0] for row in told["after"]] == [RARE, RARE, "3"]
    labels = {"x": FileLabels({"1 +1": 10, "3": 9}, {})}
    assert [row[0] for row in rows_by_labels(database, taxonomies, labels, 5)["after"]] == [RARE, RARE, "3"]


# -- who is left out ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(shown())
@examples(40)
def test_those_left_out_are_counted_by_what_they_look_like(shared, case):
    names, paths, rows, (vector, _), k = case
    taxonomies = coded(shared, names, paths, rows)
    levels = named(names, paths, vector)
    seen = generalized(names, paths, rows, vector)
    sizes = Counter(row[:-1] for row in seen)
    kept_cells = [(row, shown) for row, shown in zip(rows, seen, strict=True) if sizes[shown[:-1]] >= k]
    staying(shared, names, kept_cells)
    found = left_out_by_column(shared, taxonomies, levels, "staying", k)
    lost = [(row, shown) for row, shown in zip(rows, seen, strict=True) if sizes[shown[:-1]] < k]
    assert [one["column"] for one in found] == list(levels)
    for one in found:
        at = names.index(one["column"])
        level = levels[one["column"]]
        everyone, leaving = defaultdict(int), defaultdict(int)
        for row in rows:
            everyone[label_of(paths[names[at]], row[at], level)] += 1
        for row, _ in lost:
            leaving[label_of(paths[names[at]], row[at], level)] += 1
        for label, records, left in one["groups"]:
            assert (records, left) == (everyone[label], leaving[label])
            assert left >= k
        assert one["others"] + sum(left for _, _, left in one["groups"]) == len(lost)
        assert one["others"] == 0 or one["others"] >= k or not one["groups"]
        shares = [left / records for _, records, left in one["groups"]]
        assert shares == sorted(shares, reverse=True)


def label_of(path_of, value, level):
    if value is None:
        return "no value"
    return str(value) if level == 0 else path_of[value][level - 1]


def staying(database, names, kept):
    """The part of the coded frequency set that holds these rows."""
    values = Counter(tuple(row[:-1]) for row, _ in kept)
    codes = database.rows(Statement("codes", "FROM coded_frequency_set LIMIT 0"))
    assert codes == []
    leaves = {name: leaf_codes(database, name) for name in names}
    wanted = {tuple(leaves[n][v] for n, v in zip(names, row, strict=True)) for row in values}
    columns = ", ".join(f'"{(name + "@0").replace(chr(34), chr(34) * 2)}"' for name in names)
    listed = ", ".join(f"({', '.join(map(str, one))})" for one in wanted)
    condition = f"({columns}) IN ({listed})" if listed else "false"
    database.run(
        Statement("staying", f"CREATE OR REPLACE TEMP TABLE staying AS FROM coded_frequency_set WHERE {condition}")
    )


def leaf_codes(database, name):
    quoted = '"' + name.replace('"', '""') + '"'
    rows = database.rows(Statement("leaves", f"SELECT value, code_0 FROM lookup.{quoted}"))
    return {None: 0, **dict(rows)}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 12)), max_size=8), st.integers(1, 6))
@examples(60)
def test_no_small_number_can_be_found_by_subtraction(groups, k):
    told = [
        LeftOutGroup(f"g{at}" if named_ else None, max(left, records), left)
        for at, (named_, records, left) in enumerate(groups)
        if records or left
    ]
    shown_, others = disclosable_groups(told, k)
    total = sum(one.left_out for one in told)
    assert others + sum(one.left_out for one in shown_) == total
    assert all(one.label is not None and one.left_out >= k for one in shown_)
    assert others == 0 or others >= k or not shown_
    if not shown_:
        possible = sum(one.left_out for one in told if one.label is not None and one.left_out >= k)
        rest = total - possible
        assert possible == 0 or 0 < rest < k, "groups are told where they may be"


# -- which rules -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    with project(people(600), coverage=[0.05, 0.3], requirement={"k": 3}) as one:
        one.discover()
        yield one


def by_oracle(stored, key, rule, k):
    """The neighbours on the frontier: the first with more k, and the last with less, that no noise explains.

    The last is better by a point, or a hundredth of an information gain.
    """
    sign = -1 if key in SMALLER_IS_BETTER else 1
    read, judged = objective(key, stored.summary["models"]), key.startswith("accuracy")
    known = [
        (one, one.measures.k, sign * read(one))
        for one in stored.rules
        if read(one) is not None and not (judged and one.tells_nothing)
    ]
    line = [
        (one, k_of)
        for one, k_of, value in known
        if not any((k_of <= k2 and value < v2) or (k_of < k2 and value <= v2) for _, k2, v2 in known)
    ]
    ties = {one.id for one, _ in line if judged and one.tied_with}
    above = sorted(((k_of, one) for one, k_of in line if k_of > rule.measures.k), key=lambda pair: pair[0])
    least = 0.01 * (abs(read(rule)) if key == "information_gain" else 1)
    below = [
        (k_of, one)
        for one, k_of in line
        if k <= k_of < rule.measures.k and one.id not in ties and abs(read(one) - read(rule)) >= least
    ]
    standing = [one for _, one in above if one.id not in ties]
    safer = (standing or [one for _, one in above] or [None])[0]
    return safer, max(below, key=lambda pair: pair[0], default=(0, None))[1]


@pytest.mark.slow
@pytest.mark.parametrize("select", ["accuracy", "loss", "information_gain"])
def test_neighbours_are_next_on_the_frontier(found, select):
    stored = found.discovered()
    config = found.config.model_copy(update={"select": select})
    keys = ["accuracy.tree", "information_gain", "loss"]
    for rule in stored.rules:
        told = recommend(config, stored, keys, rule)
        assert told.rule.id == rule.id
        safer, useful = by_oracle(stored, told.measure, rule, 3)
        assert told.safer == safer
        if useful is not None:
            assert told.useful == useful
        elif told.useful is not None:
            read = objective(told.measure, stored.summary["models"])
            point = told.useful.rule
            name, _, model = told.measure.partition(".")
            assert (point[name][model] if model else point[name]) >= read(rule) + 0.01 * (1 if model else read(rule))
            assert point["suppressed"] <= told.useful.share * stored.summary["rows"]


@pytest.mark.slow
def test_the_recommended_rule_is_that_of_run(tmp_path):
    with project(people(200), coverage=[0.3], holdout=0, database=tmp_path / "d.duckdb") as one:
        one.discover()
        first = gather(one.workspace)["decision"]
        done = one.run(tmp_path / "out.csv", report=False)
        again = gather(one.workspace)["decision"]
        other = next(rule for rule in one.discovered().rules if rule.id != done.rule.id)
        chosen = gather(one.workspace, other.levels)["decision"]
    assert first["options"][0]["id"] == again["options"][0]["id"] == done.rule.id
    assert first["reason"] == done.reason
    assert again["reason"] == f"released last; {done.reason}"
    assert (chosen["options"][0]["id"], chosen["reason"]) == (other.id, "released last")


@pytest.mark.slow
def test_a_rule_under_the_required_k_is_not_recommended(found):
    stored = found.discovered()
    most = max(rule.measures.k for rule in stored.rules)
    config = found.config.model_copy(
        update={"requirement": found.config.requirement.model_copy(update={"k": most + 1})}
    )
    told = recommend(config, stored, ["accuracy.tree"], None)
    assert not told.meets
    assert "no rule that was found meets" in told.reason
    assert recommend(config, replace(stored, rules=()), ["accuracy.tree"], None) is None


@pytest.mark.slow
def test_a_pinned_rule_is_recommended(found):
    stored = found.discovered()
    rule = stored.rules[-1]
    told = recommend(found.config.model_copy(update={"rule": rule.id}), stored, ["accuracy.tree"], None)
    assert told.rule == rule
    assert told.reason.startswith("pinned")
    gone = recommend(found.config.model_copy(update={"rule": "zip=9"}), stored, ["accuracy.tree"], None)
    assert not gone.reason.startswith("pinned")


@pytest.mark.slow
def test_measures_have_a_scale(found):
    document = gather(found.workspace)
    stored = found.discovered()
    most = {one["key"]: one["most"] for one in document["measures"]}
    share = {one["key"]: one["share"] for one in document["measures"]}
    rows = stored.summary["rows"]
    assert most["discernibility"] == rows**2
    assert most["distortion"] == rows * len(stored.settings["nodes"])
    assert most["information_gain"] == stored.summary["baseline"]["class"]["entropy"]
    assert share["loss"]
    assert share["accuracy.tree"]
    assert not share["discernibility"]
    for rule in document["rules"]:
        for measure, value in zip(document["measures"], rule["values"], strict=True):
            if measure["most"] is not None and value is not None:
                assert 0 <= value <= measure["most"] * (1 + 1e-5)
    whole = hiding_everything(found.workspace, stored, ["loss", "precision"])
    assert whole == {"loss": 1.0, "precision": 0.0}


@pytest.mark.slow
def test_who_is_left_out_is_told_of_each_rule(prepared, tmp_path):
    with Project(prepared("people suppressed", tmp_path) / "anonduck.yml") as one:
        suppressing = [rule for rule in one.discovered().rules if rule.measures.suppressed]
        assert suppressing
        for rule in suppressing:
            told = gather(one.workspace, rule.levels)["release"]
            assert told["id"] == rule.id
            assert [column["column"] for column in told["left_out"]] == list(rule.levels)
            for column in told["left_out"]:
                assert column["others"] + sum(left for _, _, left in column["groups"]) == rule.measures.suppressed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_nothing_in_a_decision_is_held_by_few(seed):
    """A column of values that a few records hold, at several k: no value that fewer than k hold is in it."""
    chance = np.random.default_rng(seed)
    frame = people(120, seed=seed)
    frame["town"] = [
        f"Zq{one * int(number)}"
        for one, number in zip(chance.choice([*"abcd"], 120), chance.integers(1, 9, 120), strict=True)
    ]
    k = [3, 5, 8, 4][seed]
    counts = Counter(frame["town"])
    settings = {"source": frame, "class_": "class", "identifiers": ["id"], "insensitive": ["note"], "sample": "all"}
    with Project(**settings, coverage=[0.3], requirement={"k": k, "suppression": 0.2}) as one:
        one.discover()
        for rule in one.discovered().rules[:5]:
            text = json.dumps(gather(one.workspace, rule.levels)["release"])
            for town, records in counts.items():
                if records < k:
                    assert f'"{town}"' not in text
                    assert f'"{town} +' not in text
                    assert f'one of {town}"' not in text
