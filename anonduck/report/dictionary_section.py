"""The data dictionary of a release as a part of its certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.release.dictionary_text import share_words
from anonduck.release.value_groups import ITSELF, type_words
from anonduck.report.markup import Markup, element, table

MOST_ROWS = 20


def dictionary_section(dictionary: Mapping[str, Any]) -> Iterator[Markup]:
    """What each generalized column shows and stands for, and how many records show it."""
    for column in dictionary["columns"]:
        groups = [group for group in column.get("groups", []) if group["words"] != ITSELF]
        if column["role"] == "quasi-identifier" and groups:
            yield element("h4", f"{column['name']}: {column['words']} ({type_words(column['type'])})")
            yield table(["shown as", "stands for", "share of records"], [_row(group) for group in groups[:MOST_ROWS]])
            more = len(groups) - MOST_ROWS + column["groups_omitted"]
            if more > 0:
                yield element("p", f"{more:,} more are in the data dictionary beside the release.")


def _row(group: Mapping[str, Any]) -> list[str]:
    label = "no value" if group["label"] is None else group["label"]
    return [label, group["words"], share_words(group["share"]) if "share" in group else ""]
