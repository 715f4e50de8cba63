"""The data dictionary of a release: what each column is and shows, in words, with shares, and what was left out.

It describes the released records alone, and nothing that the release hides, but for one thing: which values under a
label k of these records hold, which are named. Numbers in intervals are described by their bounds. Of the records
that were left out, it says only how many they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.database.connection import Database
from anonduck.evaluation.spread import ShownLabels
from anonduck.release.dictionary_text import as_markdown
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import Recoder
from anonduck.release.shown_values import ColumnValues, label_rows
from anonduck.release.value_groups import OPEN, Members, column_words, group_words, made_words, members_of
from anonduck.rules.rounding import DIGITS
from anonduck.source.source import Roles, Source
from anonduck.statements.column_types import has_order, without_names

ROW_ORDER = (
    "sorted by all columns, then dealt to 64 buckets by a hash of their position: the order follows from the values "
    "alone, and every stretch of the rows is a fair sample"
)


def dictionary_texts(dictionary: Mapping[str, Any]) -> tuple[str, str]:
    """The dictionary as JSON and as Markdown."""
    return json.dumps(dictionary, indent=2, ensure_ascii=False) + "\n", as_markdown(dictionary)


def release_dictionary(
    database: Database,
    plan: ReleasePlan[Recoder],
    source: Source,
    roles: Roles,
    receipt: Mapping[str, Any],
    found: ColumnValues,
) -> dict[str, Any]:
    """The data dictionary of a release that is written and audited, whose working tables are still there.

    ``found`` is what its columns show, which the receipt lists.
    """
    columns = []
    for column, entry in zip(plan.columns, receipt["columns"], strict=True):
        labels, kind = found.labels[column.name], found.kinds[column.name]
        members = members_of(database, column.name, labels, found.minimum)
        numbers = has_order(source.column(entry.get("of", column.name)).type)
        shown = found.shown.get(column.name)
        known = _known(entry, kind) | {"words": column_words(entry, shown, found.minimum, kind, numbers=numbers)}
        groups = (
            {} if shown is None else _groups(entry, labels, members, receipt["rows"], found.minimum, numbers=numbers)
        )
        columns.append({**known, **groups})
    return {
        "file": receipt["file"],
        "sha256": receipt["sha256"],
        "made": made_words(receipt),
        "records": receipt["rows"],
        "suppressed": _suppressed(receipt),
        "k": receipt["k"],
        "named_from": found.minimum,
        "row_order": ROW_ORDER,
        "dependency": receipt["dependency"],
        "columns": columns,
        "left_out": list(_left_out(receipt, roles)),
    }


def _suppressed(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """How many records were left out, and which share of all that is."""
    left, rows = receipt["suppressed"], receipt["rows"]
    return {"records": left, "share": round(left / (rows + left), DIGITS) if left else 0.0}


def _left_out(receipt: Mapping[str, Any], roles: Roles) -> Iterator[dict[str, str]]:
    """The columns of the source that the release does not have, by role."""
    held = {entry.get("of", entry["name"]) for entry in receipt["columns"]}
    for name in roles.quasi_identifiers:
        if name not in held:
            yield {"name": name, "role": "quasi-identifier", "words": "generalized so far that nothing is left of it"}
    for name in roles.sensitive:
        if name not in held:
            yield {"name": name, "role": "sensitive", "words": "a release by this method has no place for it"}
    for name in roles.identifiers:
        yield {"name": name, "role": "identifier", "words": "names persons; no release holds it"}


# -- what columns show -------------------------------------------------------------------------------------------------


def _known(entry: Mapping[str, Any], kind: str) -> dict[str, Any]:
    known = {name: entry[name] for name in ("name", "role")} | {"type": without_names(kind)}
    more = ("level", "taxonomy", "at_levels", "shows", "of", "bound")
    return known | {name: entry[name] for name in more if name in entry}


def _groups(
    entry: Mapping[str, Any],
    labels: ShownLabels,
    members: Mapping[str, Members],
    records: int,
    minimum: int,
    *,
    numbers: bool,
) -> dict[str, Any]:
    """What the receipt lists of a column, in words and with what each label stands for."""
    groups = [
        {
            "label": text,
            "words": OPEN
            if text is None and "bound" in entry
            else group_words(text, labels, members, numbers=numbers, minimum=minimum),
            "records": held,
            "share": _share(held, records),
            **_members(text, labels, members),
        }
        for text, held in label_rows(entry)
    ]
    omitted, rarer = entry.get("omitted_records", 0), entry.get("rarer_records", 0)
    return {
        "groups": groups,
        "groups_omitted": entry.get("labels_omitted", 0),
        "omitted_records": omitted,
        "omitted_share": _share(omitted, records),
        "rarer_values": entry.get("rarer_values", 0),
        "rarer_records": rarer,
        "rarer_share": _share(rarer, records),
    }


def _share(held: int, records: int) -> float:
    return round(held / records, DIGITS) if records else 0.0


def _members(text: str | None, labels: ShownLabels, members: Mapping[str, Members]) -> dict[str, Any]:
    """The values under a label, where it stands for some."""
    if text is None or text not in members or text == labels.root_label:
        return {}
    one = members[text]
    omitted = one.common - len(one.named)
    return {
        "members": list(one.named),
        **({"members_omitted": omitted} if omitted > 0 else {}),
        **({} if one.rarer is None else {"rarer_values": one.rarer}),
    }
