"""The certificate of a release: it says what the receipt says, of the file that is there, and nothing of the source."""

import html
import json
import re

import pytest
from oracles import people, project

from anonduck.cli.app import run
from anonduck.current_folder import target_here
from anonduck.errors import ConfigError, ReleaseError
from anonduck.report.evidence import read_evidence
from anonduck.report.markup import element, sheet, table

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
    assert words.count("k does not answer this") == 2
    for name, fingerprint in receipt["fingerprints"]["taxonomies"].items():
        assert f"Taxonomy of {name}" in words
        assert fingerprint in words
    for column in receipt["columns"]:
        assert column["name"] in words
        assert all(label in words for label in column.get("labels", []) if label is not None)
    assert "FROM source AS s" in words
    assert 'LEFT JOIN "anonduck_lookup_' in words
    assert "<script" not in path.read_text(encoding="utf-8")
    assert "script-src 'none'" in path.read_text(encoding="utf-8")


def test_it_tells_what_groups_stand_for_if_the_dictionary_is_of_the_file(released, tmp_path):
    words = words_of(released.certificate("out.parquet", "certificate.html"))
    told = json.loads((tmp_path / "out.parquet.dictionary.json").read_text())
    groups = next(column for column in told["columns"] if column["name"] == "job")["groups"]
    assert all(group["words"] in words for group in groups)
    assert "Groups of values" in words
    (tmp_path / "out.parquet.dictionary.json").write_text(json.dumps({**told, "sha256": "of another file"}))
    assert "Groups of values" not in words_of(released.certificate("out.parquet", "other.html"))
    (tmp_path / "out.parquet.dictionary.json").unlink()
    assert "Groups of values" not in words_of(released.certificate("out.parquet", "third.html"))


def test_it_holds_no_value_that_few_records_hold(released, tmp_path):
    page = released.certificate("out.parquet", "certificate.html").read_text(encoding="utf-8")
    assert "Zq" not in page
    assert "craft" in page
    assert "INSERT" not in page


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


def test_a_file_that_was_changed_gets_no_certificate(released, tmp_path):
    with (tmp_path / "out.parquet").open("ab") as file:
        file.write(b" ")
    with pytest.raises(ReleaseError, match=r"not the file that out\.parquet\.receipt\.json describes"):
        released.certificate("out.parquet", "certificate.html")
    (tmp_path / "out.parquet").unlink()
    with pytest.raises(ReleaseError, match="there is no release"):
        released.certificate("out.parquet", "certificate.html")
    assert not (tmp_path / "certificate.html").exists()


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


def test_a_table_is_certified_without_comparing(released):
    released.release({"job": 1}, "out.duckdb::people")
    evidence = read_evidence(target_here("out.duckdb::people"))
    assert not evidence.compared
    words = words_of(released.certificate("out.duckdb::people", "certificate.html"))
    assert "not compared: it is a table" in words


def test_the_query_is_left_out_when_the_taxonomies_are_others(released, tmp_path):
    released.database.run(statement_that_edits())
    words = words_of(released.certificate("out.parquet", "certificate.html"))
    assert "does not hold the taxonomy of 'job'" in words
    assert "FROM source" not in words


def statement_that_edits():
    from anonduck.statements import Statement

    return Statement("an edit", "UPDATE taxonomy.job SET level_1 = 'others' WHERE code_1 = 1")


def test_what_is_required_beside_k_and_lowered_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = {"sensitive": ["note"], "insensitive": [], "requirement": {"k": 10, "l": 2}}
    with project(people(400), **told) as one:
        one.release({"job": 1}, "out.csv", requirement={"k": 4})
        words = words_of(one.certificate("out.csv", "certificate.html"))
    assert "lowered from 10" in words
    assert re.search(r"and what is reached: l 3|and what is reached: l 2", words)
    assert "not stated; set publication in the config" in words


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
    with pytest.raises(ConfigError, match=r"attack\(...\).as_json\(\)"):
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
    assert table(["a<b"], [["1 & 2"]]).count("&lt;") == 1
    assert "1 &amp; 2" in table(["a"], [["1 & 2"]])
    assert sheet([("x", "<y>")]) == '<dl class="sheet"><dt>x</dt><dd>&lt;y&gt;</dd></dl>'
    assert element("p", element("b", "<"), title='"') == '<p title="&quot;"><b>&lt;</b></p>'


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
    assert "found by" not in plain


def test_levels_and_free_intervals_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with project(people(200), database=tmp_path / "decisions.duckdb", models=[]) as one:
        made = one.anonymize("mondrian", "out.parquet", settings={"numbers": "intervals"})
        words = words_of(one.certificate("out.parquet", "certificate.html"))
    free = [one for one in made.receipt["columns"] if "intervals" in one.get("at_levels", {})]
    assert free
    assert words.count("free intervals") == len(free)
    assert "intervals of" not in words
