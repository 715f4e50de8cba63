"""What certificate, receipt and dictionary list of a column is what a plain count finds, for each kind of recoding."""

import csv
import html
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from oracles import people, project

from anonduck.methods.registry import METHODS
from anonduck.report.certificate_sections import MOST_ROWS

K = 4
SMALL = {"identifiers": ["id", "note", "born"], "insensitive": []}


def visits(rows=300, seed=3):
    """People with NULLs in all kinds of columns, days of birth, and jobs and notes that hardly anybody has."""
    frame, random = people(rows, seed=seed), np.random.default_rng(seed)
    frame["born"] = pd.Timestamp("1950-01-01") + pd.to_timedelta(random.integers(0, 20_000, rows), unit="D")
    frame.loc[frame.index[:9], "born"] = pd.NaT
    frame["paid"] = random.choice(["yes", "no"], rows, p=[0.9, 0.1])
    frame.loc[frame.index[:2], "job"] = "Zqacrobat"
    frame.loc[frame.index[2:5], "note"] = "Zqnote"
    return frame


def by_method(name, **options):
    return lambda one, path: one.anonymize(name, path, **options)


def by_classes(one, path):
    keys = path.with_name("classes.csv")
    keys.write_text("id,group\n" + "".join(f"{at},{at // 12}\n" for at in range(300)))
    one.release(classes=keys, path=path)


METHOD_KINDS = {name: (by_method(name), SMALL if name in ("nsvdist", "probabilistic") else {}) for name in METHODS}
KINDS = {
    "levels": (
        lambda one, path: one.release({"age": 4, "job": 1}, path),
        {"requirement": {"k": 2, "suppression": 0.1}},
    ),
    "values": (lambda one, path: one.release({"paid": 0, "rate": 0}, path), {"sensitive": ["job"]}),
    "suppression": (
        lambda one, path: one.release({"age": 1, "job": 0}, path),
        {"requirement": {"k": K, "suppression": 0.9}},
    ),
    "lowered": (lambda one, path: one.release({"job": 0}, path, requirement={"k": 1}), {}),
    "roots": (lambda one, path: one.release({"paid": 0}, path, keep_roots=True), {}),
    "intervals": (by_method("mondrian", settings={"numbers": "intervals"}), {}),
    "bounds": (by_method("mondrian"), {"bounds": "columns"}),
    "typical": (by_method("mondrian", show="typical"), {}),
    "swapped": (by_method("mondrian"), {"show": "swapped"}),
    "classes": (by_classes, {"identifiers": ["id"]}),
    **METHOD_KINDS,
}
SLOW = set(KINDS) - {"values"}


def counted(path):
    """The records of each value of a file by column, as texts; None for NULL."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            rows = [{name: value or None for name, value in row.items()} for row in csv.DictReader(file)]
    else:
        rows = pq.read_table(path).to_pylist()
        rows = [{name: None if value is None else str(value) for name, value in row.items()} for row in rows]
    return {name: Counter(row[name] for row in rows) for name in rows[0]}, len(rows)


def tables_of(page):
    """The rows below each heading of the section on what columns show."""
    section = page.partition("What each column shows</h2>")[2].partition("<section")[0]
    found = {}
    for part in section.split("<h3>")[1:]:
        name, _, rest = part.partition("</h3>")
        rows = re.findall(r"<tr>(.*?)</tr>", rest, flags=re.DOTALL)
        cells = [[html.unescape(one) for one in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]
        found[html.unescape(name)] = [row for row in cells if row]
    return found


def kind_of_class(column):
    """The one kind of column whose cells are no single values."""
    return "distributions" if column["words"].startswith("how often the records") else column["words"]


def check(path, page):
    held, records = counted(path)
    receipt = json.loads(path.with_name(f"{path.name}.receipt.json").read_text(encoding="utf-8"))
    dictionary = json.loads(path.with_name(f"{path.name}.dictionary.json").read_text(encoding="utf-8"))
    tables, listed = tables_of(page), {column["name"]: column for column in receipt["columns"]}
    assert list(listed) == list(held)
    for told in dictionary["columns"]:
        column, counts = listed[told["name"]], held[told["name"]]
        if "labels" not in column:
            assert (kind_of_class(column), "groups" in told) == ("distributions", False)
            continue
        shown = dict(zip(column["labels"], column["label_records"], strict=True))
        assert shown == {label: counts[label] for label in column["labels"]}
        assert column.get("rarer_values", 0) == len(counts) - len(shown)
        assert sum(shown.values()) + column.get("rarer_records", 0) == records == receipt["rows"]
        assert all(counts[value] < dictionary["named_from"] for value in set(counts) - set(shown))
        groups = {group["label"]: (group["records"], group["share"]) for group in told["groups"]}
        assert groups == {label: (n, pytest.approx(n / records)) for label, n in shown.items()}
        total = sum(share for _, share in groups.values()) + told["omitted_share"] + told["rarer_share"]
        assert total == pytest.approx(1, abs=1e-6)
        rows = tables[told["name"]]
        first = [("no value" if label is None else label, f"{n:,}") for label, n in list(shown.items())[:MOST_ROWS]]
        assert [(row[0], row[2]) for row in rows[: len(first)]] == first
        assert sum(int(row[2].replace(",", "")) for row in rows) == records
        if len(shown) > MOST_ROWS:
            assert f"{len(shown) - MOST_ROWS} more in the dictionary" in [row[0] for row in rows]


@pytest.mark.some(4, 12)
@pytest.mark.parametrize("kind", [pytest.param(one, marks=[pytest.mark.slow] if one in SLOW else []) for one in KINDS])
def test_all_list_what_the_file_shows(tmp_path, kind):
    release, roles = KINDS[kind]
    path = tmp_path / ("out.parquet" if kind in ("values", "typical", "intervals") else "out.csv")
    settings = {"requirement": {"k": K}, "models": [], "seed": 7, **roles}
    with project(visits(), **settings) as one:
        release(one, path)
        page = one.certificate(path, tmp_path / "page.html").read_text(encoding="utf-8")
    check(path, page)
    assert settings["requirement"]["k"] <= 3 or "Zq" not in page  # no more than 3 records have such values


def test_a_column_of_many_values_says_how_many_more_there_are(tmp_path):
    """More than receipts list, and each of them frequent enough to be named."""
    frame = pd.DataFrame({"town": [f"town {at % 1_100:04}" for at in range(4_400)], "class": ["a", "b"] * 2_200})
    with project(frame, identifiers=[], insensitive=[], requirement={"k": 2}, models=[]) as one:
        made = one.release({"town": 0}, tmp_path / "out.csv")
        page = one.certificate(tmp_path / "out.csv", tmp_path / "page.html").read_text(encoding="utf-8")
    column, told = made.receipt["columns"][0], made.dictionary["columns"][0]
    assert (len(column["labels"]), column["labels_omitted"], column["omitted_records"]) == (1_000, 100, 400)
    assert (told["groups_omitted"], told["omitted_records"]) == (100, 400)
    assert told["omitted_share"] == pytest.approx(1 / 11)
    rows = tables_of(page)["town"]
    assert [row[0] for row in rows[20:]] == ["980 more in the dictionary", "100 more, which are not listed"]
    assert sum(int(row[2].replace(",", "")) for row in rows) == 4_400
    text = (tmp_path / "out.csv.dictionary.md").read_text()
    assert "960 more are in the json file (87.3 % of the records); 100 more are not listed (9.1 %" in text.lower()
