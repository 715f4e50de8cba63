"""The certificate of a release: it says what the receipt says, of the file that is there, and nothing of the source."""

import html
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from oracles import people, project

import anonduck
from anonduck.cli.app import run
from anonduck.config.config import Publication
from anonduck.config.reading import make_config
from anonduck.config.signed_word import SignedWord
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, ReleaseError
from anonduck.opened_project import target_here
from anonduck.report.certified_utility import in_scale
from anonduck.report.evidence import read_evidence
from anonduck.report.page import element, sheet, table
from anonduck.rules.rule import literal

READ = {"name": "Jane Doe", "date": "2026-03-01"}
PUBLICATION = {"recipient": "Institute of <Statistics>", "purpose": "a study of churn & age"}


def rare_people():
    frame = people(400)
    frame["id"] = [f"Zqid{number}" for number in frame.index]
    frame["job"] = frame["job"].where(frame.index != 7, "Zqrare job")
    frame["note"] = frame["note"].where(frame.index != 9, "Zqnote")
    return frame


@pytest.fixture
def released(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    groups = {"care": ["nurse", "cook"], "craft": ["smith", "clerk", "Zqrare job"]}
    settings = {
        "taxonomies": {"job": {"groups": groups}},
        "publication": PUBLICATION,
        "database": tmp_path / "decisions.duckdb",
        "where": "note <> 'Zqwhere'",
    }
    with project(rare_people(), **settings) as one:
        one.release({"job": 1}, "out.parquet")
        yield one


def words_of(path):
    return html.unescape(re.sub(r"<[^>]+>", "\n", path.read_text(encoding="utf-8").partition("</head>")[2]))


@pytest.mark.slow
def test_it_says_what_the_receipt_says(released, tmp_path):
    path = released.certificate("out.parquet", "certificate.html")
    receipt = json.loads((tmp_path / "out.parquet.receipt.json").read_text())
    words = words_of(path)
    assert receipt["sha256"] in words
    assert f"k = {receipt['k']}" in words
    assert "job=1" in words
    assert "at least 5" in words
    assert PUBLICATION["recipient"] in words
    assert PUBLICATION["purpose"] in words
    assert "k does not answer this" not in words
    for name, fingerprint in receipt["fingerprints"]["taxonomies"].items():
        assert f"Taxonomy of {name}" in words
        assert fingerprint in words
    for column in receipt["columns"]:
        assert column["name"] in words
        assert all(label in words for label in column.get("labels", []) if label is not None)
    assert "FROM source AS s" in words
    assert 'LEFT JOIN "shown_' in words
    assert "<script" not in path.read_text(encoding="utf-8")
    assert "script-src 'none'" in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_tells_what_groups_stand_for_if_the_dictionary_is_of_the_file(released, tmp_path):
    words = words_of(released.certificate("out.parquet", "certificate.html"))
    told = json.loads((tmp_path / "out.parquet.dictionary.json").read_text())
    groups = next(column for column in told["columns"] if column["name"] == "job")["groups"]
    stands = [group["words"] for group in groups if group["label"] in ("care", "craft")]
    assert len(stands) == 2
    assert all(one in words for one in stands)
    (tmp_path / "out.parquet.dictionary.json").write_text(json.dumps({**told, "sha256": "of another file"}))
    other = words_of(released.certificate("out.parquet", "other.html"))
    assert not any(one in other for one in stands)
    (tmp_path / "out.parquet.dictionary.json").unlink()
    third = words_of(released.certificate("out.parquet", "third.html"))
    assert not any(one in third for one in stands)


@pytest.mark.slow
def test_it_holds_no_value_that_few_records_hold(released, tmp_path):
    page = released.certificate("out.parquet", "certificate.html").read_text(encoding="utf-8")
    assert "Zq" not in page
    assert "craft" in page
    assert "INSERT" not in page


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("choice", "words"), [(["nurse", "Zqgone"], "'nurse'"), ({"except": ["nurse", "Zqgone"]}, "all but 'nurse'")]
)
def test_it_names_the_values_that_are_bounded(tmp_path, choice, words):
    roles = {"sensitive": ["job"], "sensitive_values": {"job": choice}, "requirement": {"k": 5, "alpha": 1}}
    with project(people(400), database=tmp_path / "d.duckdb", **roles) as one:
        one.release({"age": 1}, tmp_path / "out.parquet")
        said = words_of(one.certificate(tmp_path / "out.parquet", tmp_path / "certificate.html"))
    assert "Values of job checked by alpha, lkc, beta and delta_disclosure" in said
    assert words in said
    assert "Zq" not in said


@pytest.mark.slow
def test_a_file_that_was_changed_gets_no_certificate(released, tmp_path):
    with (tmp_path / "out.parquet").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ReleaseError, match=r"not the file that out\.parquet\.receipt\.json describes"):
        released.certificate("out.parquet", "certificate.html")
    (tmp_path / "out.parquet").unlink()
    with pytest.raises(ReleaseError, match="there is no release"):
        released.certificate("out.parquet", "certificate.html")
    assert not (tmp_path / "certificate.html").exists()


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot be read"), ("no JSON", "is not JSON"), ("[1]", "not a JSON object"), ('{"k": 5}', "not a receipt")],
)
def test_a_receipt_that_is_none_is_refused(released, tmp_path, text, message):
    receipt = tmp_path / "out.parquet.receipt.json"
    receipt.unlink() if text is None else receipt.write_text(text)
    with pytest.raises(ReleaseError, match=message):
        read_evidence(target_here("out.parquet"))


@pytest.mark.slow
def test_a_table_is_certified_without_comparing(released):
    released.release({"job": 1}, "out.duckdb::people")
    evidence = read_evidence(target_here("out.duckdb::people"))
    assert not evidence.compared
    words = words_of(released.certificate("out.duckdb::people", "certificate.html"))
    assert "not compared: it is a table" in words


@pytest.mark.slow
def test_the_query_is_left_out_when_the_taxonomies_are_others(released, tmp_path):
    released.database.run(statement_that_edits())
    words = words_of(released.certificate("out.parquet", "certificate.html"))
    assert "does not hold the taxonomy of 'job'" in words
    assert "FROM source" not in words


def statement_that_edits():
    from anonduck.statements import Statement

    return Statement("an edit", "UPDATE taxonomy.job SET level_1 = 'others' WHERE code_1 = 1")


@pytest.mark.slow
def test_what_is_required_beside_k_and_lowered_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = {"sensitive": ["note"], "insensitive": [], "requirement": {"k": 10, "l": 2}}
    with project(people(400), **told) as one:
        one.release({"job": 1}, "out.csv", requirement={"k": 4})
        words = words_of(one.certificate("out.csv", "certificate.html"))
    assert "lowered from 10" in words
    assert re.search(r"and what is reached: l 3|and what is reached: l 2", words)
    assert "not stated; set publication in the config" in words


@pytest.mark.slow
def test_attacks_are_told_if_they_are_about_this_release(released, tmp_path):
    attempt = {
        "question": "linkability", "attack": "nearest neighbour (Gower)", "about": None, "success_rate": 0.125,
        "control_rate": None, "words": "links to the released row are right in 12.5 %",
    }  # fmt: skip
    document = {"file": "elsewhere/out.parquet", "attacks": [attempt], "closing": ["it replaces no expert's review"]}
    attacks = tmp_path / "attacks.json"
    attacks.write_text(json.dumps(document))
    words = words_of(released.certificate("out.parquet", "certificate.html", attacks=attacks))
    assert "nearest neighbour (Gower)" in words
    assert "0.1250" in words
    assert "it replaces no expert's review" in words
    more = {**attempt, "baseline_rate": 0.0125, "excess": 0.1125, "excess_normalised": 0.1139}
    later = {"confidence": 0.95, "comparisons": 7, "notes": ["half of the control group are rows of the original"]}
    later["skewed_classes"] = [{"about": "illness", "words": "1 class of 200 released records holds a value"}]
    attacks.write_text(json.dumps({**document, **later, "attacks": [more]}))
    words = words_of(released.certificate("out.parquet", "certificate.html", attacks=attacks, overwrite=True))
    for told in ("0.0125", "0.1125", "0.1139", "all 7 attacks jointly", "rows of the original", "illness: 1 class"):
        assert told in words
    attacks.write_text(json.dumps({**document, "file": "other.parquet"}))
    with pytest.raises(ConfigError, match=r"about attacks on other\.parquet"):
        released.certificate("out.parquet", "again.html", attacks=attacks)
    attacks.write_text("{}")
    with pytest.raises(ConfigError, match=r"anonduck attack --json"):
        released.certificate("out.parquet", "again.html", attacks=attacks)


@pytest.mark.slow
def test_the_command_writes_it_with_real_attacks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    people(300).to_parquet("people.parquet")
    assert run(["init", "people.parquet", "--class", "class", "--identifier", "id", "--insensitive", "note"]) == 0
    assert run(["release", "job=1", "-o", "out.parquet"]) == 0
    capsys.readouterr()
    attacked = ["attack", "out.parquet", "--original", "people.parquet", "--class", "class", "--insensitive", "note"]
    assert run([*attacked, "--guesses", "50", "--json"]) == 0
    (tmp_path / "attacks.json").write_text(capsys.readouterr().out)
    assert run(["report", "--release", "out.parquet", "--attacks", "attacks.json", "-o", "certificate.html"]) == 0
    assert capsys.readouterr().out.startswith("wrote certificate.html (")
    assert "record linkage (Fellegi-Sunter)" in words_of(tmp_path / "certificate.html")
    assert run(["report", "--attacks", "attacks.json", "-o", "other.html"]) == 2
    assert run(["report", "--release", "out.parquet", "-o", "certificate.html"]) == 2


def test_markup_escapes_what_is_no_markup():
    assert ">a&lt;b<" in table(["a<b"], [["1 & 2"]])
    assert "a<b" not in table(["a<b"], [["1 & 2"]])
    assert "1 &amp; 2" in table(["a"], [["1 & 2"]])
    assert sheet([("x", "<y>")]) == '<dl class="sheet"><dt>x</dt><dd>&lt;y&gt;</dd></dl>'
    assert element("p", element("b", "<"), title='"') == '<p title="&quot;"><b>&lt;</b></p>'


@pytest.mark.slow
@pytest.mark.parametrize("method", ["datafly", "ola"])
def test_a_rule_that_a_method_found_names_the_method(tmp_path, monkeypatch, method):
    monkeypatch.chdir(tmp_path)
    with project(people(200), database=tmp_path / "decisions.duckdb", models=[]) as one:
        made = one.anonymize(method, "out.parquet")
        words = words_of(one.certificate("out.parquet", "certificate.html"))
        one.release(made.receipt["rule"]["levels"], "rule.parquet")
        plain = words_of(one.certificate("rule.parquet", "plain.html"))
    assert made.receipt["rule"]["literal"] in words
    assert "Rule found by" in words
    assert made.receipt["method"]["words"] in words
    assert made.receipt["method"]["attacks"] in words
    assert "minimality" not in words
    assert "found by" not in plain
    assert "Known attacks" not in plain


@pytest.mark.slow
def test_levels_and_free_intervals_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with project(people(200), database=tmp_path / "decisions.duckdb", models=[]) as one:
        made = one.anonymize("mondrian", "out.parquet", settings={"numbers": "intervals"})
        words = words_of(one.certificate("out.parquet", "certificate.html"))
    free = [one for one in made.receipt["columns"] if "intervals" in one.get("at_levels", {})]
    assert free
    assert words.count("free intervals") == len(free)
    assert "free intervals of" not in words


def rows_of(path):
    """The rows of all tables of a page, as lists of texts."""
    found = re.findall(r"<tr>(.*?)</tr>", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    rows = [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in found]
    return [row for row in rows if row]


@pytest.mark.slow
def test_it_tells_what_models_reach_beside_what(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(400).to_parquet("people.parquet")
    with project("people.parquet", coverage=[0.3], database=tmp_path / "d.duckdb") as one:
        one.discover()
        rule = next(rule for rule in one.discovered().rules if rule.on_frontier)
        expected = one.expected()[literal(rule.levels)]["tree"]
        one.release(rule.id, "out.csv")
        path = one.certificate("out.csv", "certificate.html", owner=True)
    (scored,) = [row for row in rows_of(path) if row[0] == "tree"]
    assert scored[1] == f"{100 * expected['accuracy']:.1f} % ± {100 * expected['error']:.1f}"
    assert scored[2] == f"{100 * expected['balanced_accuracy']:.1f} %"
    baseline = expected["baseline"]
    assert scored[3:] == [f"{100 * baseline[name]:.1f} %" for name in ("accuracy", "balanced_accuracy")]
    words = " ".join(words_of(path).split())
    assert f"most frequent class value is right for {100 * expected['majority']:.1f} % of the records" in words
    assert "the same records" not in words
    measured = {row[0]: row[1] for row in rows_of(path) if len(row) == 3}
    assert measured["loss"] == f"{100 * rule.utility['loss']:.1f} %"
    assert measured["information gain"].startswith(f"{rule.measures.information_gain:.4f} of ")
    for name in rule.levels:
        assert measured[f"information of {name}"] == f"{100 * rule.information_kept[name]:.1f} %"


@pytest.mark.slow
def test_without_a_discovery_it_says_that_nothing_was_measured(released):
    owners = " ".join(words_of(released.certificate("out.parquet", "owner.html", owner=True)).split())
    assert "What it keeps (for the owner alone) It was not measured." in owners
    unattacked = "Attacks tried No attack on this release is reported here."
    assert unattacked not in owners
    assert unattacked in " ".join(words_of(released.certificate("out.parquet", "certificate.html")).split())


@pytest.mark.slow
def test_measures_of_another_discovery_are_not_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(400).to_parquet("people.parquet")
    settings = {"class_": "class", "identifiers": ["id"], "insensitive": ["note"], "coverage": [0.3]}
    with project("people.parquet", **settings, database=tmp_path / "d.duckdb") as one:
        one.discover()
        levels = dict(one.discovered().rules[0].levels)
        one.release(levels, "out.csv")
        assert "information gain" in words_of(one.certificate("out.csv", "certificate.html", owner=True))
        people(300, seed=5).to_parquet("people.parquet")
    with project("people.parquet", **settings, database=tmp_path / "d.duckdb") as one:
        one.discover()
        assert "information gain" not in words_of(one.certificate("out.csv", "again.html", owner=True))


@pytest.mark.slow
def test_taxonomies_are_named_by_what_they_are(released):
    released.release({"age": 3, "job": 1}, "two.parquet", requirement={"suppression": 0.1})
    path = released.certificate("two.parquet", "certificate.html")
    named = {row[0]: row[3] for row in rows_of(path) if len(row) == 5}
    assert named["age"] == "intervals of 5 values, then pairs"
    assert named["job"] == "as given: `groups` of job in the config"
    assert "Columns that are not in it\nrate" in re.sub(r"\n+", "\n", words_of(path))
    released.database.run(statement_that_edits())
    again = released.certificate("two.parquet", "again.html")
    assert {row[0]: row[3] for row in rows_of(again) if len(row) == 5}["job"] == "as given"


@pytest.mark.slow
def test_columns_that_are_kept_as_one_label_are_told_apart_from_absent_ones(released):
    released.release({"job": 1}, "roots.parquet", keep_roots=True, requirement={"suppression": 0.2, "k": 7})
    path = released.certificate("roots.parquet", "certificate.html")
    words = words_of(path)
    levels = {row[0]: row[2] for row in rows_of(path) if len(row) == 5}
    assert levels["age"].endswith("(one label for all records)")
    assert "one label" not in levels["job"]
    assert "Columns that are not in it" not in words
    query = words[words.index("SELECT") :]
    assert "'*' AS \"age\"" in query
    assert 's."age"' not in query
    assert '"class_size" >= 7' in query


@pytest.mark.slow
def test_its_dates_are_those_of_the_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(400).to_parquet("people.parquet")
    os.utime("people.parquet", (0, 1_700_000_000))
    settings = {"class_": "class", "identifiers": ["id"], "insensitive": ["note"]}
    with project("people.parquet", **settings, database=tmp_path / "d.duckdb") as one:
        one.release({"job": 1}, "out.csv")
        os.utime("out.csv", (0, 1_710_000_000))
        words = words_of(one.certificate("out.csv", "certificate.html"))
        people(300).to_parquet("people.parquet")
    assert re.search(r"Released on\s+2024-03-09", words)
    assert re.search(r"Source as of\s+2023-11-14", words)
    with project("people.parquet", **settings, database=tmp_path / "d.duckdb") as one:
        words = words_of(one.certificate("out.csv", "again.html"))
    assert "2024-03-09" in words
    assert "Source as of" not in words


@pytest.mark.slow
def test_it_ends_with_sentences_to_sign(released, tmp_path):
    receipt = json.loads((tmp_path / "out.parquet.receipt.json").read_text())
    words = " ".join(words_of(released.certificate("out.parquet", "certificate.html")).split())
    signed = f"I decide that out.parquet (SHA-256 {receipt['sha256'][:12]}…) may be given to {PUBLICATION['recipient']}"
    assert f"{signed}, for this purpose: {PUBLICATION['purpose']}." in words
    assert words.count("Name and role Place and date Signature") == 3
    assert words.index("Data owner") < words.index("Reviewed by") < words.index("Received by")


def test_utility_measures_have_a_scale():
    assert in_scale("loss", 0.25, 100) == "25.0 %"
    assert in_scale("discernibility", 2500, 100) == "25 % of the square of all records"
    assert in_scale("distortion", 250, 100) == "2.5 a record"
    assert in_scale("kl_divergence", 1.25, 100) == "1.25"
    assert in_scale("ncp", None, 100) == ""


# -- to sign, and for machines -----------------------------------------------------------------------------------------


def as_json(one, name="certificate.json", **options):
    return json.loads(one.certificate("out.parquet", name, overwrite=True, **options).read_text(encoding="utf-8"))


def test_it_is_ready_to_sign_once_recipient_and_purpose_are_stated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with project(people(), requirement={"k": 5}) as one:
        one.release({"job": 1}, "out.parquet")
        document = as_json(one)
        assert document["ready_to_sign"] is False
        assert [line.split(":")[0] for line in document["missing"]] == [
            "the config does not state the recipient",
            "the config does not state the purpose",
            "nobody is said to have read the config",
        ]
        words = words_of(one.certificate("out.parquet", "certificate.html"))
        assert "Not ready to sign" in words
        stated = {"publication": Publication(recipient="A", purpose="B"), "reviewed": SignedWord(**READ)}
        one.config = one.config.model_copy(update=stated)
        assert as_json(one)["ready_to_sign"] is True
        words = words_of(one.certificate("out.parquet", "certificate.html", overwrite=True))
        assert "Ready to sign" in words
        assert "Not ready to sign" not in words


def test_a_lowered_requirement_and_a_review_in_the_past_are_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    publication = {**PUBLICATION, "review_by": "2001-02-03"}
    with project(people(), requirement={"k": 5}, publication=publication) as one:
        one.release({"job": 1}, "out.parquet", requirement={"k": 2})
        document = as_json(one)
    assert document["review_by"] == "2001-02-03"
    lowered, review, unread = document["missing"]
    assert unread.startswith("nobody is said to have read the config")
    assert lowered.startswith("k was lowered")
    assert review == "its review was due by 2001-02-03"


@pytest.mark.parametrize("day", ["2027-02-30", "1.3.2027", "20270301", "soon"])
def test_a_day_of_review_is_a_day(day):
    with pytest.raises(ConfigError, match=r"publication\.review_by"):
        make_config({"class": "c", "publication": {"review_by": day}})


def test_class_sizes_and_sensitive_columns_are_counted_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with project(rare_people(), requirement={"k": 3}, sensitive=["job"], publication=PUBLICATION) as one:
        one.release({"age": 2}, "out.parquet")
        document = as_json(one)
        words = words_of(one.certificate("out.parquet", "certificate.html"))
    shown = pd.read_parquet("out.parquet")
    groups = shown.groupby("age", dropna=False)
    sizes = groups.size()
    bands = {}
    for size in sizes:
        bands.setdefault(int(size).bit_length(), []).append(int(size))
    assert document["class_sizes"] == [
        {"from": min(band), "to": max(band), "classes": len(band), "records": sum(band)}
        for _, band in sorted(bands.items())
    ]
    assert document["sensitive"]["job"]["l"] == groups["job"].nunique(dropna=False).min()
    assert 0 < document["sensitive"]["job"]["t"] < 1
    assert "sensitive column" in words


@pytest.mark.slow
def test_the_document_for_machines_holds_no_more_than_the_page(released):
    document = as_json(released)
    receipt = json.loads(Path("out.parquet.receipt.json").read_text(encoding="utf-8"))
    assert (document["sha256"], document["k"]) == (receipt["sha256"], receipt["k"])
    assert document["dpv:hasRecipient"] == PUBLICATION["recipient"]
    assert "Zqrare" not in json.dumps(document)
    assert document["attacks"] is None
    assert document["for_owner_alone"] is False
    assert "utility" not in document
    owners = as_json(released, "owner.json", owner=True)
    assert owners["for_owner_alone"] is True
    assert owners["utility"] == json.loads(Path("out.parquet.owner.json").read_text(encoding="utf-8"))["utility"]
    with pytest.raises(ConfigError, match="exists"):
        released.certificate("out.parquet", "certificate.json")


@pytest.mark.parametrize(("method", "counted"), [("probabilistic", False), ("nsvdist", False), ("mondrian", True)])
def test_sizes_are_counted_where_the_file_proves_its_k_by_them(tmp_path, monkeypatch, method, counted):
    monkeypatch.chdir(tmp_path)
    with project(people(120), insensitive=[], identifiers=["id", "note", "rate"], models=[]) as one:
        one.anonymize(method, "out.parquet")
        assert bool(as_json(one)["class_sizes"]) is counted


@pytest.mark.parametrize("methods", [["rules"], pytest.param(["mondrian"], marks=pytest.mark.slow)], ids=" ".join)
@pytest.mark.parametrize("told", [True, False])
def test_the_owner_reads_that_models_make_nothing_of_a_release(tmp_path, monkeypatch, told, methods):
    """It is no reason to refuse a signature, and stands on no page that goes out: it does not follow from the file."""
    monkeypatch.chdir(tmp_path)
    drawn = np.random.default_rng(5)
    age = drawn.integers(20, 80, 400)
    ill = age >= 50 if told else drawn.permutation(age >= 50)
    frame = pd.DataFrame({"age": age, "ill": np.where(ill, "yes", "no")})
    frame.to_csv("people.csv", index=False)
    settings = {"class_": "ill", "models": ["tree"], "requirement": {"k": 5}, "publication": PUBLICATION}
    settings |= {"reviewed": READ, "methods": methods}
    messages = []
    with anonduck.Project(source="people.csv", **settings, reporter=Reporter(messages.append)) as one:
        done = one.run("out.parquet", report=False)
        public = words_of(one.certificate("out.parquet", "certificate.html"))
        said = messages[-1]
        owners = as_json(one, "owner.json", owner=True)
        page = words_of(one.certificate("out.parquet", "owner.html", owner=True))
    assert (done.rule is None) == (methods == ["mondrian"])
    scores = json.loads(Path("out.parquet.owner.json").read_text())["expected"] or done.candidate.expected
    areas = ", ".join(f"{name} {score['roc_auc']:.3f}" for name, score in scores.items())
    words = "no model that learns from it is right more often about other people than always naming the most frequent"
    assert said.startswith("ready to be signed")
    assert (words in said) == (words[1:] in page) == (owners["useless"] is not None) == (not told)
    assert (f"(ROC AUC: {areas}; 0.5 is chance)" in said) == (not told)
    assert words[1:] not in public
    assert owners["ready_to_sign"] is True
