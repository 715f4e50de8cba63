"""Releases under an entity: each class of what is written holds k persons of the source, told by who they are there."""

import json
from collections import Counter, defaultdict
from functools import partial
from math import ceil

import numpy as np
import pandas as pd
import pytest
from asking import quoted
from class_oracle import frame_of, parquet, taxonomy_files
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import CLASS, tables

from anonduck import Project
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet, SourceError
from anonduck.statements import Statement

WHO, NUMBER = 'who "is", it', "number"
AT_MOST = st.sampled_from([None, None, 1, 2, 3])


@st.composite
def people_of(draw, rows):
    """Whose record each row is: few persons, so that some have many."""
    persons = draw(st.integers(1, max(2, len(rows))))
    return draw(st.lists(st.integers(0, persons - 1), min_size=len(rows), max_size=len(rows)))


def source_of(names, rows, who):
    """The rows as a table with the person and the number of each record."""
    frame = frame_of(names, rows)
    frame.insert(0, WHO, [f"P{one}" for one in who])
    frame[NUMBER] = range(len(rows))
    return frame


def opened(folder, names, paths, frame, *, at_most=None, numbered=True, **settings):
    """A project whose entity is WHO; NUMBER is released as it is, or dropped."""
    role = {"insensitive": [NUMBER]} if numbered else {"drop": [NUMBER]}
    entity = WHO if at_most is None else {"column": WHO, "at_most": at_most}
    taxonomies = taxonomy_files(folder, names, paths)
    return Project(source=frame, class_=CLASS, entity=entity, taxonomies=taxonomies, models=[], **role, **settings)


def most_used(who, at_most):
    return max(min(count, at_most or count) for count in Counter(who).values())


def classes_of(path, names):
    """By what is shown, the numbers of the records that show it."""
    columns, rows = parquet(path)
    at = [columns.index(name) for name in columns if name not in (CLASS, NUMBER)]
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[i] for i in at)].append(row[columns.index(NUMBER)])
    return found


def check_persons(made, path, names, who, k, at_most):
    """Each class has k persons, nobody more records than may be, and the receipt says so without naming anybody."""
    classes = classes_of(path, names)
    assert all(len({who[number] for number in numbers}) >= k for numbers in classes.values())
    used = Counter(who[number] for numbers in classes.values() for number in numbers)
    most = most_used(who, at_most)
    assert max(used.values()) <= most
    left_out = sum(count - min(count, at_most or count) for count in Counter(who).values())
    told = made.owner["entity"]
    alone = {"unique_with_kept": made.rows} if most > 1 else {}  # each record has a number of its own
    known = {"k": k, "records": (k - 1) * most + 1, "at_most": most, "left_out": left_out, "by_records": []}
    assert told == known | alone
    assert made.rows + made.suppressed == len(who) - left_out
    smallest = min(map(len, classes.values()))
    assert (made.k, ceil(made.k / most) >= k) == (smallest, True)
    assert json.dumps(WHO) not in json.dumps(made.receipt)
    assert WHO not in parquet(path)[0]
    assert {"name": WHO, "role": "identifier"}.items() <= made.dictionary["left_out"][-1].items()


def check_made(make, folder, names, who, k, at_most):
    """What ``make`` writes holds k persons in each class, or there is nothing."""
    path = folder / "out.parquet"
    path.unlink(missing_ok=True)
    try:
        made = make(path)
    except (ReleaseError, RequirementNotMet):
        assert not path.exists()
        return
    check_persons(made, path, names, who, k, at_most)


@pytest.mark.slow
@examples(15)
@given(tables(max_rows=16), st.integers(1, 4), AT_MOST, st.sampled_from([0.0, 0.5]), st.data())
def test_each_class_of_a_rule_holds_k_persons(tmp_path_factory, drawn, k, at_most, suppression, data):
    """Several rules of one table, which is opened once: most of what an example takes."""
    names, paths, rows = drawn
    folder, who = tmp_path_factory.mktemp("rules"), data.draw(people_of(rows))
    roots = tuple(len(paths[name][0]) for name in names)
    vectors = st.tuples(*(st.integers(0, root) for root in roots)).filter(lambda levels: levels != roots)
    settings = {"requirement": {"k": k, "suppression": suppression}}
    with opened(folder, names, paths, source_of(names, rows, who), at_most=at_most, **settings) as one:
        for levels in data.draw(st.lists(vectors, min_size=1, max_size=3, unique=True)):
            rule = dict(zip(names, levels, strict=True))
            check_made(partial(one.release, rule), folder, names, who, k, at_most)


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=16), st.integers(1, 3), AT_MOST, st.data())
def test_each_class_of_a_method_holds_k_persons(tmp_path_factory, drawn, k, at_most, data):
    names, paths, rows = drawn
    folder, who = tmp_path_factory.mktemp("methods"), data.draw(people_of(rows))
    with opened(folder, names, paths, source_of(names, rows, who), at_most=at_most) as one:
        for method in ("mondrian", "tds"):
            check_made(partial(one.anonymize, method, k=k), folder, names, who, k, at_most)


@pytest.mark.slow
@examples(10)
@given(tables(max_rows=14), st.integers(1, 3), AT_MOST, st.data())
def test_the_rules_that_are_found_hold_k_persons(tmp_path_factory, drawn, k, at_most, data):
    names, paths, rows = drawn
    folder, who = tmp_path_factory.mktemp("found"), data.draw(people_of(rows))
    with opened(folder, names, paths, source_of(names, rows, who), at_most=at_most, requirement={"k": k}) as one:
        try:
            found = one.discover()
        except SourceError:  # the records that are used have one class
            return
        most = most_used(who, at_most)
        assert found.min_k == found.requirement["k"] == (k - 1) * most + 1
        assert found.as_json()["entity"]["k"] == k
        assert all(ceil(rule.measures.k / most) >= k for rule in found.rules)
        for rule in found.rules[:2]:
            made = one.release(rule.id, folder / "out.parquet", overwrite=True)
            assert made.k == rule.measures.k
            check_persons(made, folder / "out.parquet", names, who, k, at_most)


def visits(seed=3, number=400):
    """Persons with up to some ten records each, some of them alike, with NULLs and two zeros."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            WHO: [f"P{one}" for one in draw.integers(0, 120, number)],
            "age": pd.array(draw.integers(20, 60, number), dtype="Int64"),
            "weight": draw.choice([0.0, -0.0, 1.5, 2.5, np.nan], number),
            "town": draw.choice(["x", "y", "z"], number),
            CLASS: draw.choice(["yes", "no"], number),
        }
    )
    frame.loc[draw.integers(0, number, 20), "age"] = pd.NA
    return pd.concat([frame, frame.sample(30, random_state=seed)], ignore_index=True)


def test_another_seed_uses_other_records_and_each_person_as_many(tmp_path):
    frame = visits()
    held = Counter(frame[WHO])
    kept = {}
    for seed in (0, 1):
        entity = {"column": WHO, "at_most": 2}
        with Project(source=frame, class_=CLASS, entity=entity, seed=seed, models=[]) as one:
            rows = one.workspace.database.rows
            one.source  # noqa: B018 - opens the view
            kept[seed] = Counter(map(str, rows(Statement("kept", "FROM source"))))
            sizes = rows(Statement("sizes", f"SELECT {quoted(WHO)}, count(*) FROM source GROUP BY 1"))
            assert dict(sizes) == {who: min(count, 2) for who, count in held.items()}
    assert kept[0] != kept[1]


@pytest.mark.slow
def test_a_lowered_k_and_another_export_are_told_in_persons(tmp_path):
    frame = visits()
    more = pd.concat([frame, pd.concat([frame[frame[WHO] == "P7"]] * 5)], ignore_index=True)
    frame.to_parquet(tmp_path / "own.parquet")
    more.to_parquet(tmp_path / "more.parquet")
    most, larger = (max(Counter(one[WHO]).values()) for one in (frame, more))
    settings = {"class_": CLASS, "entity": WHO, "requirement": {"k": 3}, "models": []}
    with Project(source=tmp_path / "own.parquet", **settings) as one:
        made = one.release({"town": 0}, tmp_path / "a.parquet", requirement={"k": 2})
        assert made.receipt["requirements"][0] | {"reached": 0} == {
            "name": "k",
            "configured": 2 * most + 1,
            "required": most + 1,
            "reached": 0,
            "met": True,
            "lowered": True,
        }
        before = one.taxonomies
        other = one.release({"town": 0}, tmp_path / "b.parquet", source=tmp_path / "more.parquet")
        assert other.owner["entity"]["at_most"] == larger
        assert other.receipt["requirements"][0]["required"] == 2 * larger + 1
        assert one.taxonomies == before
        assert one.release({"town": 0}, tmp_path / "c.parquet").owner["entity"]["at_most"] == most
        assert one.release({"town": 0}, dry_run=True, requirement={"k": 300}).as_json()["met"] is False


@pytest.mark.slow
def test_datafly_and_locks_and_comparisons_count_persons_once(tmp_path):
    frame = visits()
    frame.to_parquet(tmp_path / "own.parquet")
    most = max(Counter(frame[WHO]).values())
    (tmp_path / "anonduck.yml").write_text(
        f"source: own.parquet\nclass: {CLASS}\nentity: '{WHO}'\nrequirement: {{k: 3}}\nmodels: []\n"
    )
    with Project(tmp_path / "anonduck.yml") as one:
        made = one.anonymize("datafly", dry_run=True)
        assert made.receipt["requirements"][0]["required"] == 2 * most + 1
        locked = one.lock({"town": 0})
        assert locked.lock.requirement.k == 3
        assert one.lock(check=True).release.owner["entity"]["k"] == 3
        compared = one.compare(["mondrian"], [3]).as_json()
        assert {row["k"] for row in compared["rows"]} == {2 * most + 1}
        assert one.config.requirement.k == 3
    text = (tmp_path / "anonduck.yml").read_text()
    bounded = text.replace(f"entity: '{WHO}'", f"entity: {{column: '{WHO}', at_most: 2}}")
    (tmp_path / "anonduck.yml").write_text(bounded)
    with Project(tmp_path / "anonduck.yml") as one, pytest.raises(ConfigError, match="`entity` changed"):
        one.lock(check=True)


@pytest.mark.slow
def test_records_without_a_person_are_refused_with_their_number(tmp_path):
    frame = visits()
    frame.loc[[3, 5, 8], WHO] = None
    for entity in (WHO, {"column": WHO, "at_most": 1}):
        with Project(source=frame, class_=CLASS, entity=entity, models=[]) as one:
            with pytest.raises(SourceError, match="NULL in 3 records"):
                one.release({"town": 0}, tmp_path / "out.csv")
            with pytest.raises(SourceError, match="NULL in 3 records"):
                one.discover()
    with Project(source=frame, class_=CLASS, entity=WHO, models=[], where=f"{quoted(WHO)} IS NOT NULL") as one:
        assert one.release({"town": 0}, tmp_path / "out.csv").rows == len(frame) - 3


def test_a_text_of_sql_bounds_the_records_or_is_refused(tmp_path):
    frame = visits()
    frame.to_parquet(tmp_path / "own.parquet")
    settings = {"class_": CLASS, "entity": {"column": WHO, "at_most": 1}, "models": [], "requirement": {"k": 2}}
    with Project(source=tmp_path / "own.parquet", **settings) as one:
        assert "row_number" in one.sql({"town": 0}).lower()
        with pytest.raises(ConfigError, match=r"entity\.at_most: which records"):
            one.sql({"town": 0}, dialect="postgres")
        with pytest.raises(ConfigError, match=r"entity\.at_most: which records"):
            one.sql({"town": 0}, table="people")
