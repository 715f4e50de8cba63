"""What the report says of a release is true of that release, whatever made it: its columns, labels, k and classes."""

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from oracles import people, project

from anonduck import Project
from anonduck.offer.candidates import kept_offer
from anonduck.report.contents import gather
from anonduck.report.described import Beside
from anonduck.report.release_section import release_section

QUASI = ["age", "job", "rate", "town"]
HEADS = ["What it does to a record", "What a recipient can do with", "Who is left out", "Risks that remain"]


@dataclass(frozen=True)
class Made:
    """A release by one kind of recoding, what the page says of it, as a document and as text, and its rows."""

    document: dict[str, Any]
    said: dict[str, Any]
    text: str
    rows: pd.DataFrame
    taken: int

    @property
    def shown(self):
        """The columns of the file that show a quasi-identifier, by its name."""
        found = {of: [name for name in self.rows if name in (of, f"{of}_from", f"{of}_to")] for of in QUASI}
        return {of: names for of, names in found.items() if names}

    def counted(self, kind):
        """The columns of the file that k counts."""
        kept = ("note",) if kind == "k counts class" else ("note", "class")
        return [name for name in self.rows if name not in kept]


def records(rows=360):
    frame = people(rows)
    frame["rate"] = frame["rate"].replace(float("inf"), 4.5) + 0.0
    frame["town"] = [f"{'north' if at % 3 else 'south'} {at % 6}" for at in range(rows)]
    return frame


SETTINGS: dict[str, dict[str, Any]] = {
    "typical": {"show": "typical"},
    "swapped": {"show": "swapped"},
    "bounds": {"bounds": "columns"},
    "intervals": {"methods": {"mondrian": {"numbers": "intervals"}}},
    "suppressed": {"requirement": {"k": 5, "suppression": 0.2}},
    "entity": {"entity": "household"},
    "sensitive": {"sensitive": ["note"], "insensitive": [], "requirement": {"k": 5, "l": 2}},
    "no class": {"class_": None, "coverage": None},
}
METHODS = ["mondrian", "tds", "pais", "topdown", "sequential", "guided", "flexible", "ola", "datafly", "probabilistic"]
KINDS = [*METHODS, "nsvdist", "rule", "keyed classes", *SETTINGS]


def made_by(kind, folder):
    """A release by a kind of recoding, beside a discovery whose rules are another thing."""
    frame, more = records(), dict(SETTINGS.get(kind, {}))
    if kind == "entity":
        frame["household"] = frame.index // 2
    if kind == "no class":
        frame = frame.drop(columns="class")
    if kind == "nsvdist":
        frame, more["insensitive"] = frame.drop(columns="note"), []
    with project(frame, models=[], **{"coverage": [0.3], "requirement": {"k": 5}, **more}) as one:
        one.discover()
        path = folder / "out.parquet"
        if kind == "rule":
            made = one.release({"job": 0, "town": 1}, path)
        elif kind == "keyed classes":
            classes = frame[["id"]].assign(group=frame["town"].str[:5])
            made = one.release(classes=classes, key="id", path=path)
        elif kind == "suppressed":
            made = one.release({"age": 1, "job": 0}, path)
        else:
            made = one.anonymize(kind if kind in (*METHODS, "nsvdist") else "mondrian", path)
        document = gather(one.workspace, beside=Beside(made))
    said = document["release"]
    markup = release_section(said, document["records"], document["requirement"]["k"])
    return Made(document, said, plain(markup), pd.read_parquet(path), len(frame))


def plain(markup):
    """The text of a page, a line an element."""
    return re.sub(r"\n+", "\n", html.unescape(re.sub(r"<[^>]+>", "\n", markup)))


@pytest.mark.slow
@pytest.mark.some(5, 12)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_release_is_true_of_its_file(kind, tmp_path):
    made = made_by(kind, tmp_path)
    for check in (about_the_file, names_its_columns, tells_its_classes, counts_what_is_alike, shows_its_labels):
        check(kind, made)
    assert [head for head in HEADS if head in made.text] == HEADS
    assert made.document["decision"]["options"], "the rules stand on the page too"
    assert made.document["chosen"] is None
    assert made.document["kept_lines"] == []


def about_the_file(kind, one):
    assert one.text.split("\n")[1].startswith("Released: out.parquet, by ")
    assert (one.said["records"], one.said["suppressed"]) == (len(one.rows), one.taken - len(one.rows))
    assert f"\n{len(one.rows):,}\nrecords" in one.text
    assert set(re.findall(r"\b[RM]\d+\b", one.text)) <= {one.said["id"]}, "another rule or candidate"
    if one.said["id"] is not None:
        (rule,) = (each for each in one.document["rules"] if each["id"] == one.said["id"])
        assert rule["levels"] == one.said["levels"]
    assert not re.search(r"\b(None|NULL|nan)\b|[{}]", one.text.replace("values (NULL)", ""))
    assert (kind == "suppressed") == (one.said["suppressed"] > 0)


def names_its_columns(_, one):
    assert [column["name"] for column in one.said["columns"]] == list(one.shown)
    hidden = [name for name in QUASI if name not in one.shown]
    assert one.said["hidden"] == hidden
    can, cannot = one.text.partition("They can\n")[2].partition("They cannot\n")[::2]
    assert all(name in can for name in one.shown)
    assert not any(re.search(rf"\b{name}\b", can) for name in hidden)
    assert (f"See {hidden[0]}" in cannot) if hidden else ("\nSee " not in cannot)
    kept = [name for name in ("note", "class") if name in one.rows]
    assert set(one.said["kept"]) <= set(kept)
    for column in one.said["columns"]:
        if labels := re.fullmatch(r"in ([\d,]+) labels?", column["how"]):
            assert int(labels[1]) == one.rows[column["name"]].nunique(), column


def tells_its_classes(kind, one):
    counts = one.counted(kind)
    sizes = one.rows.groupby(counts, dropna=False, observed=True).size()
    if kind in ("probabilistic", "swapped", "nsvdist"):
        assert "look alike" not in one.text.partition("Known limits")[0]
        assert "_k = 5\nmeets ≥ 5" in one.text
        return
    assert (one.said["k"], one.said["classes"]) == (sizes.min(), len(sizes))
    assert f"\nk = {sizes.min():,}\n" in one.text
    assert f"\n{len(sizes):,}\ngroups of records that look alike" in one.text
    assert f"at least {sizes.min() - 1:,} others in {', '.join(counts)}" in one.text
    assert f"at least {sizes.min():,} records look alike" in one.text


def counts_what_is_alike(kind, one):
    assert (one.said["alike"] is None) == (kind in ("probabilistic", "swapped", "nsvdist"))
    counts = one.counted(kind)
    for column in one.said["alike"] or ():
        groups = one.rows.groupby(counts, dropna=False, observed=True)[column["column"]]
        alike = groups.nunique(dropna=False) == 1
        sizes = groups.size()
        assert (column["classes"], column["records"]) == (alike.sum(), sizes[alike].sum())
        share = f"{100 * sizes[alike].sum() / len(one.rows):.1f} %"
        words = f"In {alike.sum():,} of {len(sizes):,} groups, with {share} of the records, all have the same"
        assert (f"{words} {column['column']}" in one.text) == bool(alike.sum())


def shows_its_labels(kind, one):
    examples = one.said["examples"]
    assert [name for name in examples["columns"] if name in QUASI] == QUASI
    for place, name in enumerate(examples["columns"]):
        cells = [row[place] for row in examples["after"]]
        assert (name in one.shown) == (None not in cells)
        if name not in one.shown or kind in ("typical", "swapped", "probabilistic"):
            assert name not in one.shown or set(cells) <= {
                "the typical value of a class",
                "a value of a similar record",
            }
            continue
        if one.shown[name] != [name]:
            assert set(cells) == {f"between {name}_from and {name}_to"}
            continue
        there = set(one.rows[name].dropna().astype(str)) | {"any value", "a group that few records name"}
        assert {cell.removeprefix("one of ") for cell in cells} <= there, name
        assert not {"a group that few records name"} & set(cells), name


# -- what is not written ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def offered(tmp_path_factory):
    """A project with an offer whose release is a candidate that is no rule."""
    frame = records(300)
    folder = tmp_path_factory.mktemp("offered")
    frame.to_parquet(folder / "people.parquet")
    settings = {"source": str(folder / "people.parquet"), "class_": "class", "identifiers": ["id"]}
    with Project(
        **settings, insensitive=["note"], database=folder / "d.duckdb", coverage=[0.3], methods=["rules", "mondrian"]
    ) as one:
        done = one.run(folder / "out.parquet")
        yield one, done, folder


@pytest.mark.slow
def test_a_run_reports_what_it_released(offered):
    _, done, _ = offered
    assert done.candidate is not None
    page = Path(done.report).read_text(encoding="utf-8")
    title = html.unescape(re.search(r'id="release-title">(.*?)</h2>', page)[1])
    assert title == f"Released: out.parquet, by {called(done.candidate)}"


def called(candidate):
    """What a title calls it."""
    return f"{candidate.id}, {candidate.words}" if candidate.levels is None else f"rule {candidate.id}"


@pytest.mark.slow
def test_every_candidate_is_described_as_itself(offered):
    one, _, folder = offered
    listed = [each for each in kept_offer(one.workspace, one.discovered()) if each.failed is None]
    assert {each.levels is None for each in listed} == {True, False}
    for candidate in listed:
        made = one.release(candidate.id, folder / f"{candidate.id}.parquet")
        document = gather(one.workspace, beside=Beside(made, candidate, candidate.expected))
        said = document["release"]
        assert (said["k"], said["classes"], said["records"]) == (candidate.k, candidate.classes, made.rows)
        assert {column["name"] for column in said["columns"]} >= set(candidate.columns)
        assert said["inference"] == (candidate.inference if candidate.levels is None else said["inference"])
        assert document["chosen"]["id"] == candidate.id
        text = plain(release_section(said, document["records"], 5))
        assert text.startswith(f"\nReleased: {candidate.id}.parquet, by {called(candidate)}\n")
        assert f"\nk = {candidate.k:,}\n" in text
        others = {each.id for each in listed} - {candidate.id}
        assert not others & set(re.findall(r"\b[RM]\d+\b", text))


@pytest.mark.slow
def test_what_is_recommended_is_told_without_a_file(offered):
    one, done, _ = offered
    document = gather(one.workspace)
    said = document["release"]
    assert said["file"] is None
    assert said["id"] == document["chosen"]["id"] == done.candidate.id
    assert (said["k"], said["classes"]) == (done.candidate.k, done.candidate.classes)
    text = release_section(said, document["records"], 5)
    assert f"Recommended: release by {'' if said['levels'] is None else 'rule '}{said['id']}" in text
    assert ("What it does to a record" in text) == (said["levels"] is not None)


@pytest.mark.slow
@pytest.mark.some(1, 3)
@pytest.mark.parametrize("method", ["mondrian", "ola", None])
def test_without_a_discovery_the_page_is_of_the_one_release(tmp_path, method):
    keys = {"rule": "job=0"} if method is None else {"method": method}
    with project(records(200), models=[], requirement={"k": 5}, database=tmp_path / "d.duckdb", **keys) as one:
        one.anonymize("topdown", tmp_path / "other.parquet")
        done = one.run(tmp_path / "out.parquet")
        page = (tmp_path / "out.parquet.report.html").read_text(encoding="utf-8")
    assert done.report is not None
    assert "Released: out.parquet, by" in page
    assert "other.parquet" not in page
    assert "topdown" not in page
    assert f"k = {done.release.k}" in page


# -- by hand -----------------------------------------------------------------------------------------------------------

SAID: dict[str, Any] = {
    "file": None,
    "id": "M3",
    "called": "mondrian",
    "levels": None,
    "made": "mondrian: each group has k or more records",
    "reason": "",
    "shows": "ranges",
    "local": True,
    "records": 90,
    "k": 5,
    "cluster": 0,
    "classes": 10,
    "suppressed": 10,
    "requirements": [{"name": "k", "required": 5, "reached": 5, "met": True}],
    "entity": None,
    "class": "bought",
    "counted": ["age", "sex"],
    "columns": [{"name": "age", "how": "in 3 labels"}, {"name": "sex", "how": "as it is"}],
    "hidden": ["town"],
    "kept": ["bought", "day"],
    "kept_lines": ["2 records are unique"],
    "identifiers": ["name"],
    "warnings": [],
    "examples": None,
    "left_out": [],
    "alike": [{"column": "bought", "classes": 2, "records": 18}],
    "learner": "tree",
    "expected": {"accuracy": 0.8, "error": 0.01, "roc_auc": 0.75, "baseline": {"accuracy": 0.85}},
    "inference": {"released": 0.9, "control": 0.8, "gain": 0.1, "error": 0.01},
}


def said(**changes):
    """The section with some facts changed, as text."""
    return plain(release_section({**SAID, **changes}, 100, 5))


def test_the_section_says_what_is_known():
    text = said()
    for words in (
        "Recommended: release by M3, mondrian\n",
        "\nk = 5\nmeets ≥ 5\n90\nrecords, of 100\n10\ngroups of records that look alike, of 9 on average\n2 of 3\n",
        "Count and compare people by age in 3 labels and sex as it is.",
        "A model (tree) that learns from it is right for 80.0 % (± 1.0 points) of people who are not in it "
        "(ROC AUC 0.750); from the original data, for 85.0 %.",
        "Use bought and day as they are, record by record.",
        "\nSee town.\nTell values apart that share a label.\nLook records up by name.\n",
        "Pick the record of a person whose age and sex they know: at least 5 records look alike.",
        "Say anything about the 10 records left out.",
        "M3 leaves out 10 records (10.0 % of all), as their groups do not reach what is required.",
        "at least 4 others in age, sex",
        "Released as they are and not counted by k: day.",
        "2 records are unique.",
        "In 2 of 10 groups, with 20.0 % of the records, all have the same bought",
        "right for 90.0 %; of people who are not in it, a model does for 80.0 %: an inference gain of 10.0 points.",
    ):
        assert words in text, words
    assert HEADS[0] not in text, "of an unwritten one it is not known what records show"


def test_a_class_that_no_model_learns_is_no_use_of_the_release():
    score = {"accuracy": 0.825, "error": 0.01, "roc_auc": 0.484, "roc_auc_error": 0.02, "majority": 0.827}
    text = said(expected={**score, "baseline": {"accuracy": 0.823}})
    assert (
        "But no model is shown to learn bought from it: the best guess without one is right for 82.7 %, and tree is "
        "right for 82.5 % (± 1.0 points) of people who are not in it (ROC AUC 0.484); from the original data, for "
        "82.3 %."
    ) in text
    assert "A model (tree) that learns from it" not in text


def test_the_section_leaves_out_what_is_not_known():
    text = said(expected=None, inference=None, alike=None, suppressed=0, hidden=[], kept=[], kept_lines=[])
    assert "was not counted for this page" in text
    assert "A model" not in text
    assert "See " not in text
    assert "Use " not in text
    assert "Nobody: M3 has all" in text


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ({"id": "R1", "called": "age=1", "levels": {"age": 1}}, "Recommended: release by rule R1"),
        ({"id": None, "called": "age=1", "levels": {"age": 1}, "file": "a.csv"}, "Released: a.csv, by rule age=1"),
        ({"file": "a.csv"}, "Released: a.csv, by M3, mondrian"),
        ({"id": None, "file": "a.csv"}, "Released: a.csv, by mondrian"),
        (
            {"requirements": [{"name": "k", "required": 9, "reached": 5, "met": False}]},
            "No rule meets what is required",
        ),
    ],
)
def test_its_title_names_what_it_is_about(changes, title):
    assert said(**changes).startswith(f"\n{title}\n")


def test_made_up_people_have_a_row_a_column():
    examples = {
        "columns": ["age", "town", "sex"],
        "before": [["31", "Rome", "f"], ["45", "Pisa", "m"], ["60", "Bari", "f"]],
        "after": [["[30, 40)", None, "f"], ["*", None, "m"], ["*", None, "*"]],
    }
    text = said(examples=examples)
    assert "\nage\n31 → [30, 40)\n45 → *\n60 → *\n" in text
    assert "\ntown\nRome (not in it)\nPisa (not in it)\nBari (not in it)\n" in text
    assert "the one is shown that most of them have" in text
    assert "the one is shown that most of them have" not in said(examples=examples, local=False)
