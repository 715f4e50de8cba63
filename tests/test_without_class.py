"""Without a class: the whole way from `init` to the certificate works by detail, and tells nothing of any class."""

import json
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from oracles import stored_paths
from typing_commands import typed
from utility_oracle import by_hand, shown_at

import anonduck
from anonduck.config.reading import make_config, read_config
from anonduck.errors import ConfigError, RuleError, SourceError

STAND_IN = "#no class"
OF_CLASS = ("k_with_class", "information_gain", "information_gain_corrected", "violating_pairs", "violating_share")


def visits(rows=300, seed=7):
    """Made-up visits, of whom some are alike, and some have no ward."""
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draw.integers(20, 60, rows),
            'ward "x"': draw.choice(["a", "b", "c", None], rows),
            "sex": draw.choice(["f", "m"], rows),
            "finding": draw.choice(["flu", "asthma", "none"], rows),
        }
    )


QUASI = ["age", 'ward "x"', "sex"]
CONFIG = "source: visits.csv\nsensitive: [finding]\nmethods: [rules, mondrian]\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    visits().to_csv("visits.csv", index=False)
    (tmp_path / "anonduck.yml").write_text(CONFIG)
    return tmp_path


def done(capsys, *words):
    """What a command that works prints, which is never about the column that stands for the class."""
    code, out, told = typed(capsys, *words)
    assert code == 0, told
    assert STAND_IN not in out + told
    return out


def as_json(capsys, *words):
    return json.loads(done(capsys, *words, "--json"))


def smallest(released):
    return released.groupby([name for name in QUASI if name in released], dropna=False).size().min()


# -- from init to the certificate --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_init_without_a_class_writes_a_config_that_runs_and_says_how_to_name_one(folder, capsys):
    told = done(capsys, "init", "visits.csv", "--sensitive", "finding", "--overwrite")
    assert "no class is named, and so nothing is predicted" in told
    config = read_config(folder / "anonduck.yml")
    assert (config.class_, config.models, config.select, config.offered) == (None, [], "loss", ["rules", "mondrian"])
    assert "`class: COLUMN`" in (folder / "anonduck.yml").read_text().replace("\n# ", " ")
    assert "mondrian:splits=entropy" not in (folder / "anonduck.yml").read_text()
    found = as_json(capsys, "run", "-o", "out.csv")
    assert found["met"]
    assert smallest(pd.read_csv("out.csv")) == found["release"]["k"] >= 5


@pytest.mark.slow
def test_a_table_becomes_a_release_without_a_class(folder, capsys):
    (folder / "anonduck.yml").unlink()
    code, _, told = typed(capsys, "run", "visits.csv", "--sensitive", "finding", "-o", "out.csv", "--no-report")
    assert code == 0
    assert "no class is predicted: the release that keeps most detail is chosen; `--class COLUMN` names one" in told
    assert list(pd.read_csv("out.csv")) == [*QUASI, "finding"]
    assert smallest(pd.read_csv("out.csv")) >= 5


@pytest.mark.slow
def test_every_step_works_and_no_file_tells_of_a_class(folder, capsys):
    run = as_json(capsys, "run", "-o", "out.parquet")
    assert run["candidate"]["id"].startswith("M")
    assert run["candidate"]["information_gain"] is run["candidate"]["inference"] is None
    assert run["expected"] == {}
    released = pd.read_parquet("out.parquet")
    assert list(released) == [*QUASI, "finding"]
    assert smallest(released) == run["release"]["k"] >= 5

    frontier = as_json(capsys, "frontier")
    assert frontier["objectives"] == ["k", "loss"]
    assert frontier["baseline"]["class"] == {"majority_share": None, "entropy": None}
    assert all(rule[name] is None for rule in frontier["rules"] for name in OF_CLASS)
    assert all(rule["rfd"] is None and rule["tells_nothing"] is None for rule in frontier["rules"])
    best = max((one for one in frontier["candidates"] if one["failed"] is None), key=lambda one: one["detail"])
    assert best["id"] == run["candidate"]["id"]
    for words in (("frontier",), ("frontier", "--rules"), ("rules",), ("rules", "R1"), ("rules", "M1")):
        told = done(capsys, *words)
        assert "no class" in told
        of_class = ("information gain", "inference gain", "guess", "AUC", "majority", "accuracy", "RFD")
        assert not [word for word in of_class if word in told]

    for place, candidate in enumerate(("R1", "M1")):
        made = as_json(capsys, "release", candidate, "-o", f"by{place}.csv")
        assert smallest(pd.read_csv(f"by{place}.csv")) == made["k"]
        assert STAND_IN not in done(capsys, "sql", candidate)
        assert as_json(capsys, "lock", candidate)["met"]
        locked = as_json(capsys, "run", "--locked", "-o", "locked.csv", "--overwrite", "--no-report")
        assert pd.read_csv("locked.csv").equals(pd.read_csv(f"by{place}.csv")), locked["reason"]
    audited = as_json(capsys, "audit", "out.parquet", "--receipt", "out.parquet.receipt.json", "--require", "k=5")
    assert audited["met"]
    assert audited["k"] == run["release"]["k"]
    done(capsys, "report", "-o", "report.html")
    done(capsys, "report", "--release", "out.parquet", "-o", "certificate.html")
    done(capsys, "report", "--release", "out.parquet", "--owner", "-o", "owner.html")
    done(capsys, "report", "--release", "by0.csv", "--owner", "-o", "by0.html")
    receipt = json.loads((folder / "out.parquet.receipt.json").read_text())
    assert [one["role"] for one in receipt["columns"]] == ["quasi-identifier"] * 3 + ["sensitive"]
    assert json.loads((folder / "out.parquet.dictionary.json").read_text())["dependency"] is None
    for file in folder.iterdir():
        if file.suffix in (".json", ".html", ".md", ".yml", ".csv", ".parquet"):
            assert STAND_IN.encode() not in file.read_bytes(), file.name


@pytest.mark.slow
def test_a_method_anonymizes_and_methods_are_compared_by_detail(folder, capsys):
    for method in ("mondrian", "sequential", "topdown", "ola", "datafly", "incognito", "flexible"):
        options = ("--set", "levels=least") if method == "flexible" else ()
        made = as_json(capsys, "anonymize", method, *options, "-o", f"{method}.csv")
        assert smallest(pd.read_csv(f"{method}.csv")) == made["k"] >= 5
        owner = json.loads((folder / f"{method}.csv.owner.json").read_text())
        assert owner["utility"]["information_gain"] is None
    done(capsys, "discover")
    asked = ("compare", "--method", "rules", "-k", "5", "--import", "other=ola.csv")
    for more, names in (
        (("--protocol", "released", "--method", "mondrian"), ("mondrian", "rules by loss")),
        (("--protocol", "held-out"), ("rules by loss",)),
    ):
        found = as_json(capsys, *asked, *more)
        assert found["majority_share"] is None
        rows = {one["method"]: one for one in found["rows"]}
        assert {rows[name]["status"] for name in names} == {"done"}
        assert all(one["information_gain"] is None for one in found["rows"])


def test_the_explorer_tells_no_gain(folder):
    from anonduck.report.explorer.explorer import explorer_of

    with anonduck.Project("anonduck.yml") as project, explorer_of(project.workspace) as explorer:
        state = explorer.state()
        assert state["class"] is state["entropy"] is None
        found = explorer.measure({"levels": {"age": 1, "sex": 0}, "k": 5, "suppression": 0.0})
        assert found["information_gain"] is None


# -- against brute force -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_frontier_of_k_and_loss_is_that_of_all_level_vectors(seed):
    """Rules of made-up records with NULL, duplicates and odd names, against every level vector counted by hand."""
    table = visits(40, seed)[QUASI]
    rows = [tuple(None if pd.isna(value) else value for value in row) for row in table.to_numpy()]
    with anonduck.Project(source=table, requirement={"k": 2}, taxonomies={"age": {"intervals": 8}}) as project:
        project.discover()
        found = {tuple(sorted(one["levels"].items())): one for one in as_rules(project.rules(nested=True))}
        paths = {name: stored_paths(project.database, name) for name in QUASI}
    paths["age"] = {int(value): labels for value, labels in paths["age"].items()}
    roots = [len(next(iter(paths[name].values()))) for name in QUASI]
    measured = {}
    for vector in product(*(range(root + 1) for root in roots)):
        shown = shown_at(QUASI, paths, [(*row, "x") for row in rows], vector)
        k = min(Counter(tuple(label for _, label in one) for one in shown).values())
        loss = by_hand(QUASI, paths, [(*row, "x") for row in rows], shown, range(len(rows)), k=2, ordered=False)["loss"]
        measured[vector] = (k, loss)
    able = {vector: pair for vector, pair in measured.items() if pair[0] >= 2 and vector != tuple(roots)}
    best = {
        pair
        for pair in ((k, round(loss, 6)) for k, loss in able.values())
        if not any(k >= pair[0] and loss < pair[1] - 1e-6 for k, loss in able.values())
        and not any(k > pair[0] and loss <= pair[1] + 1e-6 for k, loss in able.values())
    }
    told = {(one["k"], round(one["utility"]["loss"], 6)) for one in found.values() if one["on_frontier"]}
    assert told == best
    assert found, "the tables have rules"


def as_rules(table):
    return table.to_dict("records")


# -- what needs a class ------------------------------------------------------------------------------------------------


NEEDS = {
    "models": {"models": ["tree"]},
    "select: accuracy": {"select": "accuracy"},
    "select: information_gain": {"select": "information_gain"},
    "select: roc_auc": {"select": "roc_auc"},
    "measures": {"measures": ["loss", "classification_metric"]},
    "split_by": {"split_by": "age"},
    "test_on": {"test_on": "original"},
    "search: rfd": {"search": "rfd"},
    "coverage": {"coverage": [0.1]},
    "coverage_over": {"coverage_over": "class_differing"},
    "requirement.inference_gain": {"requirement": {"inference_gain": 0.1}},
    "requirement.min_gain": {"requirement": {"min_gain": 0.1}},
    "method: tds": {"method": "tds"},
    "method: nsvdist": {"method": "nsvdist"},
    "methods: mondrian": {"methods": ["rules", "mondrian:splits=entropy"]},
    "methods: guided": {"methods": ["guided"]},
    "methods: flexible": {"methods": ["flexible:levels=least"]},
    "engine": {"engine": {"kind": "spark"}},
}


@pytest.mark.parametrize("needed", NEEDS)
def test_what_needs_a_class_is_refused_with_the_next_step_and_taken_with_one(needed):
    key, _, value = needed.partition(": ")
    with pytest.raises(ConfigError, match="there is no class; name one, such as `class: churned`, or ") as raised:
        make_config({"source": "visits.csv", **NEEDS[needed]})
    assert f"{key}: " in str(raised.value)
    assert value in str(raised.value)
    assert make_config({"source": "visits.csv", "class": "sex", **NEEDS[needed]}).class_ == "sex"


@pytest.mark.parametrize("given", [{}, {"class": None}, {"class_": None}, {"measures": ["all"]}])
def test_a_config_without_a_class_selects_by_detail_and_measures_no_model(given):
    config = make_config({"source": "visits.csv", **given})
    assert (config.class_, config.models, config.select) == (None, [], "loss")
    assert "classification_metric" not in config.measures
    assert make_config(config.model_dump(by_alias=True, exclude_none=True)) == config
    assert config.named_roles()["class"] == []


def test_what_is_asked_for_once_is_refused_too(folder, capsys):
    refused = [
        (("anonymize", "tds", "-o", "x.csv"), "the method tds specializes by what values tell of the class"),
        (("anonymize", "flexible", "-o", "x.csv"), "the method flexible reads the class with levels=rule"),
        (("anonymize", "probabilistic", "-o", "x.csv"), "the method probabilistic swaps columns by what they tell"),
        (("compare", "--method", "guided", "-k", "5"), "the method guided asks a model what class it expects"),
        (("usefulness",), "a column is useful for telling the class, and there is no class"),
        (("discover", "--model", "tree"), "models predict the class, and there is no class"),
        (("run", "-o", "x.csv", "--select", "accuracy"), "select by one of k, classes, loss"),
    ]
    done(capsys, "discover")
    refused.append(
        (("frontier", "--objective", "k", "--objective", "accuracy"), "is a score of models, and `models` is empty")
    )
    refused.append((("frontier", "--objective", "k", "--objective", "information_gain"), "and there is no class"))
    for words, said in refused:
        code, out, told = typed(capsys, *words)
        assert (code, out) == (2, ""), words
        assert said in told
    assert not (folder / "x.csv").exists()


def test_a_class_that_comes_or_goes_makes_stored_rules_stale(folder, capsys):
    done(capsys, "discover")
    (folder / "anonduck.yml").write_text(CONFIG.replace("[finding]", "[finding]\nclass: sex\nmodels: []\nselect: loss"))
    with pytest.raises(RuleError, match="R1 was discovered for the class none, the config now says 'sex'"):
        anonduck.Project("anonduck.yml").release("R1", "x.csv")
    assert not (folder / "x.csv").exists()


def test_a_column_that_is_called_as_the_stand_in_is_refused():
    with (
        anonduck.Project(source=visits().rename(columns={"sex": STAND_IN})) as project,
        pytest.raises(SourceError, match="has a column '#no class'; call it otherwise"),
    ):
        project.discover()
