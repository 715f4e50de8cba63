"""Classes that show typical values: the written file against a query by hand, what is refused, what is told of it."""

import json
import math
from collections import Counter, defaultdict
from datetime import date, timedelta

import duckdb
import numpy as np
import pandas as pd
import pytest

from anonduck import Project, audit
from anonduck.cli.app import run
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.statements.template import Statement

QUASI = ["age", "pay", "born", "job", 'an "odd" name']
K = 5


def people(rows=400, seed=0):
    """A table with whole numbers, decimals of which none occurs twice, dates, NULL everywhere, and an id."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 60, rows)
    job = random.choice(["cook", "nurse", "smith", "clerk", "baker"], rows, p=[0.4, 0.3, 0.2, 0.08, 0.02])
    born = [date(1990, 1, 1) + timedelta(days=int(one) * 11) for one in random.integers(0, 60, rows)]
    frame = pd.DataFrame(
        {
            "id": np.arange(rows),
            "age": pd.array(age, dtype="Int64"),
            "pay": 900.0 + random.permutation(rows) * 7.25,
            "born": pd.Series(born, dtype=object),
            "job": pd.Series(job, dtype=object),
            'an "odd" name': pd.Series(random.choice(["x", "y"], rows), dtype=object),
            "class": np.where(age + random.normal(0, 8, rows) > 40, "yes", "no"),
        }
    )
    for name in ("age", "job", "born"):
        frame.loc[random.random(rows) < 0.08, name] = None
    return frame


def project(folder, frame, **keys):
    """A project on a table, whose ids are kept so that its records can be told apart."""
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(
            "COPY (SELECT * REPLACE (CAST(age AS INTEGER) AS age, CAST(born AS DATE) AS born) FROM frame) TO "
            f"'{folder}/people.parquet'"
        )
    given = {"class_": "class", "insensitive": ["id"], "models": [], "requirement": {"k": K}, **keys}
    return Project(source=f"{folder}/people.parquet", **given)


def rows_of(path):
    result = duckdb.sql(f"SELECT * FROM '{path}'")
    names = result.columns
    return {row[names.index("id")]: dict(zip(names, row, strict=True)) for row in result.fetchall()}


def by_hand(values, held, k):
    """What a class shows of a column; None with False where no value may be shown."""
    known = sorted(one for one in values if one is not None)
    if len(set(values)) == 1:
        return True, values[0]
    if not isinstance(known[0], str):
        if len(values) - len(known) > len(known) and held[None] >= k:
            return True, None
        median = known[(len(known) - 1) // 2]
        near = [one for one in held if one is not None and known[0] <= one <= known[-1] and held[one] >= k]
        return (True, min(near, key=lambda one: (abs(one - median), one))) if near else (False, median)
    common = Counter(one for one in values if held[one] >= k)
    most = [one for one in common if common[one] == max(common.values())]
    return (True, most) if most else (False, None)


def finest_labels(project, name):
    """The finest interval of each value."""
    return dict(project.workspace.database.rows(Statement("cells", f'SELECT value, level_1 FROM taxonomy."{name}"')))


def outer_labels(cells, released):
    """The intervals that the least and the largest released value lie in."""
    known = sorted(one for one in released if one is not None)
    return cells[known[0]], cells[known[-1]]


def stands_for(label, outer, kind):
    """The middle of an interval of numbers, the begin of one of dates; where that is open, its other end."""
    text = label.strip("[()").removesuffix(" and later").removeprefix("before ")
    ends = text.split(", ") if ", " in text else ["-inf", text] if label.startswith("before") else [text, "inf"]
    lower = None if ends[0] == "-inf" or label == outer[0] else ends[0]
    upper = None if ends[1] == "inf" or label == outer[1] else ends[1]
    if kind is date:
        return date.fromisoformat(lower) if lower else date.fromisoformat(upper) - timedelta(days=1)
    if kind is int and not lower:
        return int(upper) - 1
    middle = (float(lower) + float(upper)) / 2 if lower and upper else float(lower or upper)
    return math.floor(middle) if kind is int else middle


STRICT = {"requirement": {"k": K, "l": 2, "suppression": 0.3}, "sensitive": ["class"]}


@pytest.mark.some(0, 4)  # each method, and each requirement with two of them
@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("mondrian", {}),
        ("mondrian", STRICT),
        ("guided", STRICT),
        ("guided", {}),
        ("sequential", {}),
        ("sequential", STRICT),
        ("topdown", STRICT),
        ("topdown", {}),
    ],
)
def test_each_class_shows_its_typical_values(tmp_path, method, keys):
    frame = people()
    if keys:
        frame["group"] = frame["class"]
        keys = {**keys, "sensitive": ["group"]}
    with project(tmp_path, frame, **keys) as one:
        one.anonymize(method, tmp_path / "ranges.parquet")
        made = one.anonymize(method, tmp_path / "typical.parquet", show="typical")
        cells = {name: finest_labels(one, name) for name in ("age", "pay", "born")}
    source, ranges, typical = (rows_of(tmp_path / f"{name}.parquet") for name in ("people", "ranges", "typical"))
    assert set(ranges) == set(typical)
    shown = [name for name in QUASI if name in next(iter(ranges.values()))]
    classes, held = defaultdict(list), {name: Counter(source[at][name] for at in ranges) for name in shown}
    for at, row in ranges.items():
        classes[tuple(row[name] for name in shown)].append(at)
    outer = {name: outer_labels(cells[name], [source[at][name] for at in ranges]) for name in cells if name in shown}
    made_values = wider = 0
    for members in classes.values():
        for name in shown:
            found = {typical[at][name] for at in members}
            assert len(found) == 1
            is_shown, expected = by_hand([source[at][name] for at in members], held[name], K)
            value = found.pop()
            if isinstance(expected, list):
                assert value in expected
            elif is_shown:
                assert value == expected
            else:
                made_values += 1
                finest = stands_for(cells[name][expected], outer[name], type(expected))
                rare = {row[name] for row in source.values() if held[name][row[name]] < K}
                if isinstance(value, str) and not isinstance(expected, str):
                    assert finest in rare, "a label stands where each interval's middle is rare"
                elif finest in rare:
                    assert value not in rare, "the middle of a wider interval"
                    wider += 1
                else:
                    assert value == finest
    sizes = Counter(tuple(row[name] for name in shown) for row in typical.values())
    assert min(sizes.values()) == made.k >= K
    assert made.classes == len(sizes) <= len(classes)
    assert made_values > wider  # no pay is held by two


@pytest.mark.slow
@pytest.mark.parametrize("taxonomy", [{"width": 1}, {"width": 2}, {"intervals": 2}, {"intervals": 5}])
def test_no_value_of_few_records_is_shown(tmp_path, taxonomy):
    """With a width of 1 the middle of the finest interval is the value itself."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame({"score": random.permutation(np.arange(1, 700))[:300], "age": random.integers(20, 40, 300)})
    frame["class"] = np.where(frame["score"] % 2 > 0, "y", "n")
    frame.to_parquet(tmp_path / "people.parquet")
    keys = {"quasi_identifiers": ["score", "age"], "taxonomies": {"score": taxonomy}, "requirement": {"k": 5}}
    with Project(source=str(tmp_path / "people.parquet"), class_="class", models=[], **keys) as one:
        one.anonymize("mondrian", tmp_path / "out.parquet", show="typical")
    shown = pd.read_parquet(tmp_path / "out.parquet")
    assert pd.api.types.is_integer_dtype(shown["score"])
    for name in ("score", "age"):
        held = frame[name].value_counts()
        assert {int(held.get(value, 0)) for value in shown[name]} & set(range(1, 5)) == set()


# -- one small release -------------------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    """A project of few columns, and its release."""
    frame = people(200)[["id", "age", "born", "job", "class"]]
    with project(tmp_path, frame, insensitive=[], identifiers=["id"]) as one:
        yield one, tmp_path


@pytest.mark.slow
def test_columns_keep_their_types_in_each_kind_of_file(small):
    one, folder = small
    one.anonymize("mondrian", folder / "out.parquet", show="typical")
    one.anonymize("mondrian", folder / "out.csv", show="typical")
    types = duckdb.sql(f"SELECT * FROM '{folder}/out.parquet'")
    found = dict(zip(types.columns, map(str, types.types), strict=True))
    assert found == {"age": "INTEGER", "born": "DATE", "job": "VARCHAR", "class": "VARCHAR"}
    held = duckdb.sql(f"SELECT * FROM read_csv('{folder}/out.csv', all_varchar = true)")
    texts = (tuple(None if one is None else str(one) for one in row) for row in types.fetchall())
    assert Counter(held.fetchall()) == Counter(texts)


def test_the_receipt_the_audit_and_the_dictionary_say_what_a_cell_is(small):
    one, folder = small
    made = one.anonymize("mondrian", folder / "out.parquet", show="typical")
    receipt = json.loads((folder / "out.parquet.receipt.json").read_text())
    assert receipt["recoding"]["shows"] == "typical"
    assert receipt["recoding"]["method"] == "mondrian"
    shown = {column["name"]: column.get("shows") for column in receipt["columns"]}
    assert shown == {"age": "typical", "born": "typical", "job": "typical", "class": None}
    assert any("no fact about any single record" in one for one in receipt["warnings"])
    found = audit(folder / "out.parquet", receipt=folder / "out.parquet.receipt.json", requirements={"k": K})
    assert (found.met, found.k, found.rows) == (True, made.k, 200)
    text = (folder / "out.parquet.dictionary.md").read_text()
    assert text.count("the typical value of the record's class, no fact about the record") == 3


def test_ranges_stay_the_default_and_have_no_word_of_typical_values(small):
    one, folder = small
    one.anonymize("mondrian", folder / "out.parquet")
    receipt = json.loads((folder / "out.parquet.receipt.json").read_text())
    assert "recoding" not in receipt
    assert "typical" not in json.dumps(receipt)


@pytest.mark.slow
def test_a_column_shows_ranges_beside_one_that_shows_typical_values(tmp_path):
    frame = people(200)[["id", "age", "job", "class"]]
    frame["born"] = None
    keys = {"insensitive": [], "identifiers": ["id"], "drop": ["born"], "models": ["tree"]}
    with project(tmp_path, frame, **keys, show={"age": "typical"}) as one:
        made = one.anonymize("mondrian", tmp_path / "both.parquet")
        one.anonymize("mondrian", tmp_path / "typical.parquet", show="typical")
        one.anonymize("mondrian", tmp_path / "ranges.parquet", show="ranges")
    both, typical, ranges = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("both", "typical", "ranges"))
    assert Counter(both["age"].astype(str)) == Counter(typical["age"].astype(str))
    assert Counter(both["job"].astype(str)) == Counter(ranges["job"].astype(str))
    assert Counter(both["job"].astype(str)) != Counter(typical["job"].astype(str))
    assert both["age"].dtype == typical["age"].dtype
    assert both.groupby(["age", "job"], dropna=False).size().min() == made.k >= K
    assert any("so show 'age' alone" in one for one in made.receipt["warnings"])
    shows = {column["name"]: column.get("shows") for column in made.receipt["columns"]}
    assert shows == {"age": "typical", "job": None, "class": None}
    found = audit(tmp_path / "both.parquet", receipt=tmp_path / "both.parquet.receipt.json", requirements={"k": K})
    assert (found.met, found.k) == (True, made.k)


def test_a_column_to_be_shown_that_is_none_is_refused(small):
    one, folder = small
    config = one.workspace.config.model_dump(exclude_unset=True, by_alias=True)
    message = "show.agee: 'agee' is not a quasi-identifier .did you mean 'age'"
    with Project(**config | {"show": {"agee": "typical"}}) as other, pytest.raises(ConfigError, match=message):
        other.anonymize("mondrian", folder / "refused.parquet")
    assert not list(folder.glob("refused*"))


@pytest.mark.slow
def test_the_config_says_what_is_shown_and_a_run_keeps_its_recoding(tmp_path):
    frame = people(200)[["id", "age", "job", "class"]]
    frame["born"] = None
    keys = {"insensitive": [], "identifiers": ["id"], "drop": ["born"], "method": "mondrian", "show": "typical"}
    with project(tmp_path, frame, **keys) as one:
        first = one.run(tmp_path / "first.parquet", report=False)
        again = one.run(tmp_path / "again.parquet", report=False)
        ranges = one.anonymize("mondrian", tmp_path / "ranges.parquet", show="ranges")
    assert first.release.receipt["recoding"]["shows"] == again.release.receipt["recoding"]["shows"] == "typical"
    assert (tmp_path / "first.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    assert "recoding" not in ranges.receipt


@pytest.mark.slow
def test_a_class_without_a_common_nominal_value_keeps_its_label(tmp_path):
    frame = pd.DataFrame({"town": [f"t{at}" for at in range(12)] + ["z"] * 6, "age": [1] * 12 + [2] * 6})
    frame["class"] = ["a", "b"] * 9
    keys = {"class_": "class", "models": ["tree"], "requirement": {"k": 5}}
    with Project(source=frame, **keys) as one:
        made = one.anonymize("mondrian", tmp_path / "out.parquet", show="typical")
        one.anonymize("mondrian", tmp_path / "ranges.parquet")
    towns = {row[0] for row in duckdb.sql(f"SELECT town FROM '{tmp_path}/out.parquet'").fetchall()}
    labels = {row[0] for row in duckdb.sql(f"SELECT town FROM '{tmp_path}/ranges.parquet'").fetchall()}
    assert towns == labels
    assert "z" in towns
    assert not towns & {f"t{at}" for at in range(12)}
    column = next(one for one in made.receipt["columns"] if one["name"] == "town")
    assert (set(column["groups"]), set(column["labels"])) == (towns - {"z"}, towns)


@pytest.mark.slow
def test_a_value_that_too_few_persons_hold_is_not_shown(tmp_path):
    """Two rows of one person have a pay of 7, which is the median; k = 2 persons are sure to be among four rows."""
    pay = [7, 7, *[6] * 4, *[8] * 4, *[51] * 9, *[52] * 9]
    frame = pd.DataFrame({"person": [0, 0, *range(1, 27)], "pay": pay, "class": ["a", "b"] * 14})
    keys = {"class_": "class", "models": [], "entity": "person", "identifiers": ["person"], "requirement": {"k": 2}}
    with Project(source=frame, taxonomies={"pay": {"intervals": 3}}, **keys) as one:
        made = one.anonymize("mondrian", tmp_path / "out.parquet", show="typical")
    shown = {pay for (pay,) in duckdb.sql(f"SELECT DISTINCT pay FROM '{tmp_path}/out.parquet'").fetchall()}
    assert shown == {6, 8, 51, 52}
    assert made.receipt["entity"]["k"] >= 2


@pytest.mark.slow
def test_free_intervals_show_typical_values_too(tmp_path):
    with project(tmp_path, people(300)) as one:
        settings = {"numbers": "intervals"}
        one.anonymize("mondrian", tmp_path / "ranges.parquet", settings=settings)
        made = one.anonymize("mondrian", tmp_path / "out.parquet", settings=settings, show="typical")
    ranges, typical = rows_of(tmp_path / "ranges.parquet"), rows_of(tmp_path / "out.parquet")
    assert made.k >= K
    shown = defaultdict(set)
    for at, row in ranges.items():
        shown[tuple(row[name] for name in QUASI)].add(tuple(typical[at][name] for name in QUASI))
    assert all(len(one) == 1 for one in shown.values())
    assert any(str(row["age"]).startswith("[") for row in ranges.values())
    assert all(row["age"] is None or isinstance(row["age"], int) for row in typical.values())


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["tds", "datafly", "flexible", "nsvdist", "probabilistic"])
def test_methods_that_cannot_show_typical_values_are_refused(small, method):
    one, folder = small
    with pytest.raises(ConfigError, match=f"a release by {method} cannot show typical values.*mondrian, guided"):
        one.anonymize(method, folder / "out.parquet", show="typical")
    assert not list(folder.glob("out.*"))


def test_rules_and_classes_made_elsewhere_are_refused(small):
    one, folder = small
    with pytest.raises(ConfigError, match="a rule cannot show typical values"):
        one.release("age=1", folder / "out.parquet", show="typical")
    table = pd.DataFrame({"id": range(200), "group": 1})
    with pytest.raises(ConfigError, match="assigned elsewhere cannot show typical values"):
        one.release(classes=table, path=folder / "out.parquet", show="typical")
    with pytest.raises(ConfigError, match="ranges or typical or swapped; got 'middles'"):
        one.anonymize("mondrian", folder / "out.parquet", show="middles")
    assert not list(folder.glob("out.*"))


def test_what_is_made_of_ranges_alone_is_refused_by_a_config_that_shows_typical_values(tmp_path):
    frame = people(100)[["id", "age", "job", "class", "born"]]
    keys = {"insensitive": [], "identifiers": ["id"], "show": "typical"}
    with project(tmp_path, frame, **keys, methods=["rules", "tds"]) as one:
        with pytest.raises(ConfigError, match="a release by tds cannot show typical values"):
            one.run(tmp_path / "out.parquet")
        with pytest.raises(ConfigError, match="tds cannot show typical values, and the config has `show: typical`"):
            one.discover()
    words = "a script or a query shows ranges alone"
    with project(tmp_path, frame, **keys) as one, pytest.raises(ConfigError, match=words):
        one.sql("mondrian")
    assert not list(tmp_path.glob("out.*"))


def test_linked_k_is_refused(tmp_path):
    frame = people(100)[["id", "age", "job", "class", "born"]]
    frame["id"] = frame["id"] // 2
    keys = {"insensitive": [], "identifiers": ["id"], "entity": "id", "requirement": {"k": 2, "linked_k": 2}}
    with project(tmp_path, frame, **keys) as one, pytest.raises(ConfigError, match="`linked_k` is judged by ranges"):
        one.anonymize("mondrian", tmp_path / "out.parquet", show="typical")


def test_merging_never_hides_that_a_requirement_is_missed(small):
    one, folder = small
    with pytest.raises(RequirementNotMet):
        one.anonymize("mondrian", folder / "out.parquet", k=300, show="typical")


@pytest.mark.slow
def test_the_command_takes_show_and_exits_with_2_where_it_cannot(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(100)[["age", "job", "class"]].to_csv("people.csv", index=False)
    (tmp_path / "anonduck.yml").write_text("source: people.csv\nclass: class\nmodels: []\n")
    assert run(["anonymize", "guided", "--show", "typical", "-o", "out.csv"]) == 0
    assert json.loads((tmp_path / "out.csv.receipt.json").read_text())["recoding"]["shows"] == "typical"
    assert run(["anonymize", "tds", "--show", "typical", "-o", "other.csv"]) == 2
    assert "cannot show typical values" in capsys.readouterr().err
    assert not (tmp_path / "other.csv").exists()


@pytest.mark.slow
def test_the_command_and_a_call_take_show_by_column(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(100)[["age", "job", "class"]].to_csv("people.csv", index=False)
    (tmp_path / "anonduck.yml").write_text("source: people.csv\nclass: class\nmodels: []\n")
    by_column = ["--show", "age=typical", "--show", "job=ranges"]
    assert run(["anonymize", "mondrian", *by_column, "-o", "out.csv"]) == 0
    columns = json.loads((tmp_path / "out.csv.receipt.json").read_text())["columns"]
    assert {one["name"]: one.get("shows") for one in columns} == {"age": "typical", "job": None, "class": None}
    with Project("anonduck.yml") as one:
        one.anonymize("mondrian", "call.csv", show={"age": "typical"})
    assert (tmp_path / "call.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    capsys.readouterr()
    for given, words in [
        (["--show", "typical", "--show", "age=typical"], "one way for all columns"),
        (["--show", "age=typical", "--show", "age=ranges"], "--show names 'age' twice"),
        (["--show", "age=swapped"], "the column 'age' shows ranges or typical values; got 'swapped'"),
        (["--show", "agee=typical"], "did you mean 'age'"),
        (["--show", "middles"], "got 'middles'"),
    ]:
        assert run(["anonymize", "mondrian", *given, "-o", "other.csv"]) == 2
        assert words in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "other.csv").exists()
