"""The decision report: what it tells is right, what it must not tell is not in it, and it loads nothing."""

import base64
import hashlib
import html
import json
import os
import re
import urllib.parse
from collections import Counter, defaultdict
from dataclasses import replace

import pandas as pd
import pytest
import vega_bundle
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import coded, generalized, people, project, roots_of, tables

from anonduck import Project
from anonduck.cli.app import run
from anonduck.errors import ConfigError, RuleError
from anonduck.report import contents
from anonduck.report.contents import MOST_RULES, gather
from anonduck.report.page import embedded, policy, web
from anonduck.report.report import decision_page
from anonduck.report.taxonomy_drawing import draw_taxonomies
from anonduck.rules.rule import literal
from anonduck.statements import statement
from anonduck.statements.pipeline.column_names import code_column

SERIES = sorted(m * 10**e for m in (1, 2, 5) for e in range(6))


@st.composite
def ruled(draw):
    names, paths, rows = draw(tables(max_rows=30))
    vector = tuple(draw(st.integers(0, root)) for root in roots_of(names, paths))
    return names, paths, rows, vector


# -- what it tells -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(ruled())
@examples(20)
def test_class_sizes_equal_those_of_the_rows(shared, case):
    names, paths, rows, vector = case
    coded(shared, names, paths, rows)
    groups = defaultdict(list)
    for row in generalized(names, paths, rows, vector):
        groups[row[:-1]].append(row[-1])
    expected = defaultdict(Counter)
    for values in groups.values():
        lower = max(size for size in SERIES if size <= len(values))
        alike = len(set(values)) == 1
        expected[lower].update(classes=1, records=len(values), alike=alike, alike_records=alike * len(values))
    roots = roots_of(names, paths)
    attributes = [code_column(n, at) for n, at, root in zip(names, vector, roots, strict=True) if at < root]
    query = statement(
        "report/class_sizes.sql", columns={"attributes": attributes}, table={"coded": "coded_frequency_set"}
    )
    assert shared.rows(query) == [
        (lower, c["classes"], c["records"], c["alike"], c["alike_records"]) for lower, c in sorted(expected.items())
    ]


@pytest.mark.slow
@given(tables(max_rows=30, max_attributes=1), st.integers(1, 8))
@examples(20)
def test_drawn_nodes_hold_the_records_of_the_rows_and_few_are_not_told(shared, case, k):
    (name,), paths, rows = case
    taxonomy = coded(shared, [name], paths, rows)[name]
    drawn = draw_taxonomies(shared, {name: taxonomy}, k=k, records=len(rows))[name]
    assert set(drawn["levels"]) == {str(level) for level in range(1, taxonomy.root + 1)}
    for level, nodes in drawn["levels"].items():
        at = int(level)
        records = Counter(paths[name][value][at - 1] if value is not None else None for value, _ in rows)
        if at == taxonomy.root:
            assert [node[0] for node in nodes] == (["*"] if any(value is not None for value, _ in rows) else [])
            continue
        told = {label: n for label, n in records.items() if n >= k}
        assert len(nodes) == len(records)
        found = {None if node[0] == "no value" else node[0]: node[2] for node in nodes if node[0] is not None}
        assert found == told
        assert all(node[2] is None for node in nodes if node[0] is None)
        assert all(0 <= node[3] <= node[4] <= 1 for node in nodes)
        assert sum(node[4] - node[3] for node in nodes) == pytest.approx(1, abs=1e-3)


@pytest.fixture(scope="module")
def decided():
    """A project with rules, over a table with values that one or two persons have."""
    frame = people(200)
    frame["job"] = frame["job"].where(frame.index != 7, 'Zq"rare<&>\u2028☃')
    frame["town"] = ["north", "south", "east", "west"] * 50
    frame.loc[11, "town"] = "Zqplantedtown"
    frame.loc[12, "town"] = "O'Zq\\plänted"
    frame["joined"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(frame.index % 25, unit="D")
    frame.loc[13, "joined"] = pd.Timestamp("1931-07-19")
    frame.loc[14, "rate"] = 74123.625
    frame["note"] = frame["note"].where(frame.index != 15, "Zqnote of one person")
    frame["id"] = [f"Zqid{number}" for number in frame.index]
    with project(frame, coverage=[0.1, 0.3]) as one:
        one.discover()
        yield one


RARE = [
    'Zq"rare<&>\u2028☃', "Zqplantedtown", "O'Zq\\plänted", "1931-07-19", "74123.625", "Zqnote of one person", "Zqid7",
]  # fmt: skip


def forms(value):
    """A value as it could stand in a page."""
    once = json.dumps(value)[1:-1]
    yield from (
        value,
        html.escape(value),
        html.escape(value, quote=False),
        once,
        json.dumps(value, ensure_ascii=False)[1:-1],
    )
    yield from (embedded({"": value})[5:-2], urllib.parse.quote(value), value.encode().hex(), json.dumps(once)[1:-1])
    yield base64.b64encode(value.encode()).decode().rstrip("=")[:-1]


def parts(page):
    """A page without the library that draws charts."""
    return page.replace(web("vega.js"), "")


@pytest.mark.slow
def test_values_that_few_records_hold_are_not_in_the_page(decided, tmp_path):
    page = parts(decided.report(tmp_path / "report.html").read_text(encoding="utf-8"))
    for value in RARE:
        for form in forms(value):
            assert form not in page, form
    assert "Zq" not in page
    assert "clerk" in page or "cook" in page or "nurse" in page, "what many hold may be told"


def test_a_label_made_of_a_rare_value_is_not_told(database):
    rows = [(1, "c"), *[(2, "c")] * 9, *[(3, "d")] * 9]

    def labels(paths):
        taxonomy = coded(database, ["x"], {"x": paths}, rows)["x"]
        return [node[0] for node in draw_taxonomies(database, {"x": taxonomy}, k=5, records=19)["x"]["levels"]["1"]]

    assert labels({1: ("2 +1", "*"), 2: ("2 +1", "*"), 3: ("3", "*")}) == ["2 +1", "3"]
    assert labels({1: ("1 +1", "*"), 2: ("1 +1", "*"), 3: ("3", "*")}) == [None, "3"]
    assert labels({1: ("1", "*"), 2: ("2", "*"), 3: ("3", "*")}) == [None, "2", "3"]


@pytest.mark.slow
def test_the_document_holds_what_the_rules_are(decided):
    document = gather(decided.workspace)
    stored = decided.discovered()
    assert [rule["id"] for rule in sorted(document["rules"], key=lambda r: int(r["id"][1:]))] == [
        r.id for r in stored.rules
    ]
    accuracy = document["measures"][0]
    assert accuracy["key"] == "accuracy.tree"
    assert accuracy["frontier"] == [rule.id for rule in stored.rules if rule.on_frontier]
    by_id = {rule["id"]: rule for rule in document["rules"]}
    for rule in stored.rules:
        assert by_id[rule.id]["values"][0] == pytest.approx(rule.accuracy["tree"], rel=1e-5)
        sizes = document["sizes"][rule.id]
        assert sum(row[1] for row in sizes) == rule.measures.classes
        assert sum(row[2] for row in sizes) == 200
        assert sizes[0][0] <= rule.measures.k
    assert document["opened"] in accuracy["frontier"]
    assert document["command"] == 'project.release("RULE", "released.parquet")'


@pytest.mark.slow
def test_its_dates_are_of_the_discovery_and_of_the_files(tmp_path):
    people(200).to_parquet(tmp_path / "people.parquet")
    os.utime(tmp_path / "people.parquet", (0, 1_700_000_000))
    with project(str(tmp_path / "people.parquet"), coverage=[0.3], models=[], database=tmp_path / "d.duckdb") as one:
        one.discover()
        document = gather(one.workspace)
        made = one.discovered().made_on
    assert document["source_day"] == "2023-11-14"
    assert document["found_day"] == made
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", made)


@pytest.mark.slow
def test_each_rule_is_explained(decided):
    stored = decided.discovered()
    document = gather(decided.workspace)
    assert "RFD" in document["words"]["dependency"]
    for shown in document["rules"]:
        rule = stored.rule(shown["id"])
        assert shown["dependency"] == stored.in_words(rule)
        assert shown["dependency"][0][1:-1] == rule.dependency.words[1:]
        kept = {name: rule.information_kept[name] for name in rule.levels}
        assert shown["information_kept"] == pytest.approx(kept, rel=1e-5)
        assert shown["information_kept_overall"] == rule.information_kept_overall


@pytest.mark.slow
def test_the_frontier_of_three_is_that_of_the_command(decided):
    document = gather(decided.workspace)
    first = document["measures"][0]["key"]
    assert first == "accuracy.tree"
    assert set(document["three"]) == set(decided.frontier(["k", first, "information_gain"])["id"])
    assert set(document["three"]) <= {rule["id"] for rule in document["rules"]}


@pytest.mark.slow
def test_sizes_of_a_rule_that_leaves_records_out_are_those_that_stay(prepared, tmp_path):
    with Project(prepared("people suppressed", tmp_path) / "anonduck.yml") as one:
        suppressing = [rule for rule in one.discovered().rules if rule.measures.suppressed]
        assert suppressing
        document = gather(one.workspace)
        for rule in suppressing:
            sizes = document["sizes"][rule.id]
            assert sum(row[2] for row in sizes) == 200 - rule.measures.suppressed
            assert sum(row[1] for row in sizes) == rule.measures.classes
            assert f"also the {rule.measures.suppressed:,} that" in one.discovered().in_words(rule)[-1]


@pytest.mark.slow
def test_rules_without_accuracy_are_on_the_page(decided):
    stored = decided.discovered()
    untrained = [replace(rule, accuracy={}, balanced_accuracy={}) for rule in stored.rules[:2]]
    with pytest.MonkeyPatch.context() as patch:
        changed = replace(stored, rules=(*untrained, *stored.rules[2:]))
        patch.setattr(contents, "discovered", lambda _: changed)
        document = gather(decided.workspace)
    by_id = {rule["id"]: rule for rule in document["rules"]}
    assert [by_id[rule.id]["values"][0] for rule in untrained] == [None, None]


@pytest.mark.slow
def test_a_discovery_without_rules_says_why(tmp_path):
    with project(people(60), coverage=[0.5], requirement={"k": 50}) as one:
        one.discover()
        assert not one.discovered().rules
        document = gather(one.workspace)
        assert document["explanation"] == one.discovered().summary["explanation"] != ""
        assert one.report(tmp_path / "report.html").stat().st_size < 3_000_000


def test_text_is_readable_on_light_and_on_dark():
    """Contrast of 4.5 and more, as WCAG 2 wants for text; 3 for the marks of charts."""
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in web("page.css").split(":root {")[1:3])
    assert {"paper", "panel", "ink", "soft", "accent"} <= set(light) == set(dark)

    def brightness(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    def contrast(one, other):
        low, high = sorted([brightness(one), brightness(other)])
        return (high + 0.05) / (low + 0.05)

    for colours in (light, dark):
        for name in ("ink", "soft", "accent", "good", "bad"):
            assert min(contrast(colours[name], colours[ground]) for ground in ("paper", "panel")) >= 4.5, name
        assert contrast(colours["ink"], colours["node-chosen"]) >= 4.5
        for name in ("extracted", "joined", "lattice", "peer", "limit"):
            assert contrast(colours[name], colours["paper"]) >= 3, name


@pytest.mark.slow
def test_as_many_rules_as_a_page_takes_fit_into_it(decided):
    stored = decided.discovered()
    (rule, *_), most, many = stored.rules, 3, 5
    levels = {f"quasi_identifier_{number}": 3 for number in range(14)}
    origins = {"0.05": "joined", "0.1": "joined", "0.2": "extracted", "0.5": "extracted"}
    rules = [replace(rule, id=f"R{number}", origins=origins, parents=("R1", "R2")) for number in range(1, many + 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "discovered", lambda _: replace(stored, rules=tuple(rules)))
        patch.setattr(contents, "MOST_RULES", most)
        document = gather(decided.workspace)
    assert len(document["rules"]) == most
    assert document["rules_found"] == many
    (first, *_) = document["rules"]
    document["rules"] = [
        {**first, "id": f"R{number}", "levels": levels, "literal": literal(levels)}
        for number in range(1, MOST_RULES + 1)
    ]
    assert len(decision_page(document, "title").encode()) < 3_000_000


# -- one file ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_is_one_small_file_whose_policy_lets_nothing_in(decided, tmp_path):
    path = decided.report(tmp_path / "report.html")
    page = path.read_text(encoding="utf-8")
    assert path.stat().st_size < 3_000_000
    allowed = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
    assert allowed.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in allowed
    assert not re.search(r"<(?:link|img|iframe|object|base|form[^>]+action)\b", parts(page))
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert len(scripts) == page.count("<script>")
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in allowed
    assert policy([]).startswith("default-src 'none'; script-src 'none'")


@pytest.mark.slow
def test_names_cannot_break_out_of_the_data(tmp_path):
    odd = '</script><script>alert(1)</script> "it\'s" \u2028 -->'
    frame = people(300).rename(columns={"job": odd})
    with project(frame, coverage=[0.3]) as one:
        one.discover()
        page = parts(decision_page(gather(one.workspace), "a <title> & more"))
    assert "alert(1)</script>" not in page
    assert "<title>a &lt;title&gt; &amp; more</title>" in page
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)[1]
    assert odd in json.loads(data)["attributes"]


@pytest.mark.slow
def test_an_existing_file_is_kept_unless_it_may_be_replaced(decided, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(ConfigError, match="exists"):
        decided.report(path)
    assert path.read_text() == "mine"
    assert decided.report(path, overwrite=True) == path
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_the_same_discovery_gives_the_same_page(decided, tmp_path):
    assert decided.report(tmp_path / "a.html").read_bytes() == decided.report(tmp_path / "b.html").read_bytes()


def test_without_a_discovery_there_is_nothing_to_report(tmp_path):
    with project(people(60)) as one, pytest.raises(RuleError, match="anonduck discover"):
        one.report(tmp_path / "report.html")


@pytest.mark.slow
def test_a_taxonomy_that_changed_is_refused(tmp_path):
    with project(people(150), coverage=[0.3], holdout=0, database=tmp_path / "d.duckdb") as one:
        one.discover()
    changed = {"age": {"intervals": 2}}
    with project(people(150), coverage=[0.3], holdout=0, database=tmp_path / "d.duckdb", taxonomies=changed) as one:
        one.build_taxonomies(["age"], replace=True)
        with pytest.raises(RuleError, match="taxonomy of 'age' changed"):
            one.report(tmp_path / "report.html")


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(400).to_parquet("people.parquet")
    roles = ["--class", "class", "--identifier", "id", "--insensitive", "note"]
    assert run(["init", "people.parquet", *roles, "--method", "rules"]) == 0
    assert run(["report", "-o", "report.html"]) == 2
    assert run(["discover", "--coverage", "0.3"]) == 0
    capsys.readouterr()
    assert run(["report", "-o", "report.html"]) == 0
    assert capsys.readouterr().out.startswith("wrote report.html (")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "anonduck release RULE -o released.parquet" in page
    assert "Nothing was attacked for this page" in page
    assert run(["report", "-o", "report.html", "--overwrite", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == (tmp_path / "report.html").stat().st_size


@pytest.mark.slow
def test_the_library_is_what_vl_convert_gives_out():
    vl_convert = pytest.importorskip(
        "vl_convert", reason="vl-convert-python is not installed; it gives out the library"
    )
    if vl_convert.__version__ != vega_bundle.MADE_BY:
        pytest.skip(
            f"the library was made by vl-convert-python {vega_bundle.MADE_BY}, here is {vl_convert.__version__}"
        )
    assert vega_bundle.BUNDLE.read_text(encoding="utf-8") == vega_bundle.bundle()
