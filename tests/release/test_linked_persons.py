"""Releases that must not show a person by all rows together: whose the written rows are, told by their numbers."""

from collections import Counter, defaultdict

import pandas as pd
import pytest
from class_oracle import parquet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, tables
from test_persons_of_releases import AT_MOST, NUMBER, WHO, opened, people_of, source_of

from anonduck import Project
from anonduck.errors import ConfigError, RequirementNotMet


def linked_k(path, names, who):
    """Persons of the smallest group that has the same rows as often, by who the numbers of a written file are."""
    columns, rows = parquet(path)
    at = [columns.index(name) for name in columns if name not in (CLASS, NUMBER)]
    held = defaultdict(Counter)
    for row in rows:
        held[who[row[columns.index(NUMBER)]]][tuple(row[i] for i in at)] += 1
    return min(Counter(frozenset(one.items()) for one in held.values()).values())


def reached(made):
    (line,) = [one for one in made.owner["requirements"] if one["name"] == "linked_k"]
    return line["reached"]


def check_linked(folder, drawn, who, at_most, make, settings):
    """What a release says of its persons is so, and decides; without the column that is kept, too."""
    names, paths, rows = drawn
    path, frame = folder / "out.parquet", source_of(names, rows, who)
    with opened(folder, names, paths, frame, at_most=at_most, **settings(1)) as one:
        found = reached(make(one, path))
    assert found == linked_k(path, names, who)
    path.unlink()
    with (
        opened(folder, names, paths, frame, at_most=at_most, numbered=False, **settings(found + 1)) as one,
        pytest.raises(RequirementNotMet, match=f"reaches linked_k = {found}, under the required {found + 1}"),
    ):
        make(one, path)
    assert not path.exists()


@pytest.mark.slow
@examples(15)
@given(tables(max_rows=12), AT_MOST, st.sampled_from([0.0, 0.5]), st.data())
def test_a_rule_shows_no_person_by_all_rows(tmp_path_factory, drawn, at_most, suppression, data):
    """Each of several rules of a table that is opened once with the column that is kept, and once without it."""
    names, paths, rows = drawn
    path, who = tmp_path_factory.mktemp("rules") / "out.parquet", data.draw(people_of(rows))
    roots = tuple(len(paths[name][0]) for name in names)
    vectors = st.tuples(*(st.integers(0, root) for root in roots)).filter(lambda levels: levels != roots)
    rules = [dict(zip(names, one, strict=True)) for one in data.draw(st.lists(vectors, min_size=1, max_size=3))]
    requirement = {"k": 2 if suppression else 1, "linked_k": 1, "suppression": suppression}
    settings = {"at_most": at_most, "requirement": requirement}
    found = []
    with opened(path.parent, names, paths, source_of(names, rows, who), **settings) as one:
        for rule in rules:
            try:
                linked = reached(one.release(rule, path, overwrite=True))
            except RequirementNotMet as error:
                if "linked_k" in str(error):
                    raise
                continue  # k is missed, or too many are left out
            assert linked == linked_k(path, names, who)
            found.append((rule, linked))
            path.unlink()
    with opened(path.parent, names, paths, source_of(names, rows, who), numbered=False, **settings) as one:
        for rule, linked in found:
            words = f"reaches linked_k = {linked}, under the required {linked + 1}"
            with pytest.raises(RequirementNotMet, match=words):
                one.release(rule, path, requirement={"linked_k": linked + 1})
            assert not path.exists()


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["mondrian", "tds"])
def test_a_method_shows_no_person_by_all_rows(tmp_path, method):
    names = ["a", "b"]
    paths = {name: {0: ("x", "*"), 1: ("x", "*"), 2: ("y", "*"), None: ("y", "*")} for name in names}
    rows = [(0, 1, "p"), (0, 1, "p"), (1, 2, "n"), (2, None, "n"), (2, 0, "p"), (None, None, "p"), (1, 1, "n")]
    who = [0, 1, 0, 1, 2, 2, 3]
    check_linked(
        tmp_path,
        (names, paths, rows),
        who,
        None,
        lambda one, path: one.anonymize(method, path, overwrite=True),
        lambda required: {"requirement": {"k": 1, "linked_k": required}},
    )


def visits():
    """Four persons with two rows each: by both rows together 1 and 2 are alike, and 3 and 4 are not."""
    rows = [("1", "n", 1), ("1", "s", 1), ("2", "n", 1), ("2", "s", 1), ("3", "n", 1), ("3", "n", 1), ("4", "s", 1)]
    return pd.DataFrame(
        [(*one, "yes" if n % 2 else "no") for n, one in enumerate(rows)], columns=[WHO, "town", "n", "c"]
    )


def test_what_cannot_be_judged_is_refused(tmp_path):
    settings = {"source": visits(), "class_": "c", "models": []}
    with pytest.raises(ConfigError, match="name the column that tells them apart, such as `entity: customer_id`"):
        Project(**settings, requirement={"linked_k": 2})
    with Project(**settings, entity=WHO, requirement={"k": 1, "linked_k": 1}) as one:
        with pytest.raises(RequirementNotMet, match="cannot show linked_k >= 1: its rows are not those of single"):
            one.anonymize("nsvdist", tmp_path / "out.parquet", k=2)
        assert not (tmp_path / "out.parquet").exists()
        made = one.release({"town": 0}, None, dry_run=True)
        assert (reached(made), made.receipt["entity"]["linked_k"]) == (1, 1)
        assert made.receipt["proven_by"] == "file and original"
        with pytest.raises(RequirementNotMet, match="linked_k = 1, under the required 2"):
            one.release({"town": 0}, tmp_path / "out.parquet", requirement={"linked_k": 2})
        assert any(
            "linked_k >= 1 is judged of each release" in line for line in one.workspace.person_counts(1, (), 1).lines
        )


def test_a_dry_run_that_leaves_out_and_misses_counts_its_kept_columns(tmp_path):
    frame = visits()[lambda one: one[WHO] != "4"].assign(tag="kept")
    frame.loc[len(frame)] = ["5", "e", 1, "no", "other"]
    settings = {"source": frame, "class_": "c", "insensitive": ["tag"], "models": [], "entity": WHO}
    with Project(**settings, requirement={"k": 2, "suppression": 0.5, "linked_k": 2}) as one:
        made = one.release({"town": 0}, None, dry_run=True)
    assert (reached(made), made.suppressed) == (1, 3)  # k of two persons with two records each is three records
    assert made.blocked is not None
    assert list(made.receipt["kept"]) == ["c", "tag"]


def test_a_dry_run_tells_what_was_counted(tmp_path):
    """Six persons have both towns, and the seventh one of them twice: alone, where 4 are required."""
    rows = [(town, str(person)) for person in range(6) for town in "ab"] + [("a", "6"), ("a", "6")]
    visits = pd.DataFrame(rows, columns=["town", "who"])
    with Project(source=visits, entity="who", requirement={"k": 1, "linked_k": 4}) as one:
        made = one.release({"town": 0}, None, dry_run=True)
    (line,) = [line for line in made.receipt["requirements"] if line["name"] == "linked_k"]
    assert (line["required"], line["reached"], line["met"]) == (4, 1, False)
