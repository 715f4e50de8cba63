"""The data dictionary of a release: what each column is and shows, in words, with shares, and what was left out.

It describes the released records alone, and nothing that the release hides, but for one thing: which values under a
label k of these records hold, which are named. Numbers in intervals are described by their bounds. Of the records
that were left out, it says only how many they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.evaluation.spread import ShownLabels
from anonduck.privacy.audited_file import open_release
from anonduck.release.dictionary_text import as_markdown
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import GROUPED, MAX_LABELS, Recoder
from anonduck.release.value_groups import (
    OPEN,
    Members,
    ShownValues,
    column_words,
    group_words,
    made_words,
    members_of,
)
from anonduck.rules.rounding import DIGITS
from anonduck.source.columns import Column
from anonduck.source.source import Roles, Source
from anonduck.statements import statement
from anonduck.statements.column_types import has_order, is_binary, is_nested, without_names
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.taxonomy.builders.listed import declared_labels

SWAPPED = "block"
COMMON = "common_values"
ROW_ORDER = (
    "sorted by all columns, then dealt to 64 buckets by a hash of their position: the order follows from the values "
    "alone, and every stretch of the rows is a fair sample"
)


ReadValues = Callable[[Sequence[str], int], Mapping[str, ShownValues]]
"""Reads the common values of columns that were released, by column; at least so many records hold each."""


def dictionary_texts(dictionary: Mapping[str, Any]) -> tuple[str, str]:
    """The dictionary as JSON and as Markdown."""
    return json.dumps(dictionary, indent=2, ensure_ascii=False) + "\n", as_markdown(dictionary)


def release_dictionary(
    database: Database,
    plan: ReleasePlan[Recoder],
    source: Source,
    roles: Roles,
    config: Config,
    receipt: Mapping[str, Any],
    written: ReadValues,
) -> dict[str, Any]:
    """The data dictionary of a release that is written and audited, whose working tables are still there.

    ``written`` reads what was written, for the columns that are kept as they are and stand in no working table.
    """
    minimum = max(plan.requirement.k, config.requirement.k)
    types = database.types_of(GROUPED)
    kept = [column.name for column in plan.columns if value_column(column.name) not in types]
    listable = [
        name for name in kept if not is_nested(source.column(name).type) and not is_binary(source.column(name).type)
    ]
    values = written(listable, minimum) if listable else {}
    columns = []
    for column, entry in zip(plan.columns, receipt["columns"], strict=True):
        labels = plan.recoding.labelled(database, column.name) if column.generalized else ShownLabels()
        of = source.column(entry.get("of", column.name))
        kind = types.get(value_column(column.name)) or of.type
        shown = values.get(column.name)
        if shown is None and column.name not in kept and _can_be_listed(column, kind):
            shown = _grouped_values(database, column.name, labels, minimum)
        members = members_of(database, column.name, labels, minimum)
        declared = declared_labels(config, column.name)
        columns.append(_column(entry, kind, shown, labels, members, minimum, receipt["rows"], of, declared))
    return {
        "file": receipt["file"],
        "sha256": receipt["sha256"],
        "made": made_words(receipt),
        "records": receipt["rows"],
        "suppressed": _suppressed(receipt),
        "k": receipt["k"],
        "named_from": minimum,
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


def _can_be_listed(column: ReleasedColumn, kind: str) -> bool:
    """Whether single values of a column can be compared and listed; distributions cannot."""
    return (column.generalized or column.typed) and not is_nested(kind) and not is_binary(kind)


def _grouped_values(database: Database, name: str, labels: ShownLabels, minimum: int) -> ShownValues:
    texts = [*labels.texts, labels.root_label] if labels.texts else []
    query = statement("release/shown_values.sql", column={"shown": value_column(name)}, table={"grouped": GROUPED})
    return _shown(database.rows(query, {"minimum": minimum, "most": MAX_LABELS, "labels": texts}))


def values_of_file(
    written: str, config: Config, tracer: Tracer | None, names: Sequence[str], minimum: int
) -> dict[str, ShownValues]:
    """The common values of columns, by column, read from a written file."""
    work = Database(threads=config.threads, memory_limit=config.memory_limit, timezone=config.timezone, tracer=tracer)
    binds = {"minimum": minimum, "most": MAX_LABELS}
    try:
        with open_release(work, written, None):
            return {
                name: _shown(work.rows(statement("release/kept_values.sql", column={"kept": name}), binds))
                for name in names
            }
    finally:
        work.close()


def values_of_engine(
    common: Callable[[str, int], tuple[Any, int]], database: Database, names: Sequence[str], minimum: int
) -> dict[str, ShownValues]:
    """The same of what an engine wrote; ``common`` asks it for the values of a column that enough records hold."""
    return {name: _shown_of_engine(database, *common(name, minimum)) for name in names}


def _shown_of_engine(database: Database, values: Any, others: int) -> ShownValues:
    query = statement("release/common_values.sql", table={"common": COMMON})
    with database.registered(COMMON, values):
        rows = database.rows(query, {"most": MAX_LABELS, "others": others})
    return _shown(rows) if rows else ShownValues((), 0, None, None, others)


def _shown(rows: Sequence[tuple[Any, ...]]) -> ShownValues:
    named = tuple((text, int(records)) for text, records, is_named, *_ in rows if is_named)
    if not rows:
        return ShownValues((), 0, None, None, 0)
    *_, all_named, least, largest, others = rows[0]
    return ShownValues(named, int(all_named), least, largest, int(others))


def _column(
    entry: Mapping[str, Any],
    kind: str,
    shown: ShownValues | None,
    labels: ShownLabels,
    members: Mapping[str, Members],
    minimum: int,
    records: int,
    column: Column,
    declared: Sequence[str],
) -> dict[str, Any]:
    """What the dictionary says of a column, after what its receipt does."""
    known: dict[str, Any] = {name: entry[name] for name in ("name", "role")}
    known |= {"type": without_names(kind)}
    known |= {name: entry[name] for name in ("level", "taxonomy", "at_levels", "shows", "of", "bound") if name in entry}
    numbers = has_order(column.type)
    known |= {"words": column_words(entry, shown, minimum, kind, numbers=numbers)}
    if shown is None:
        return known
    swapped = SWAPPED in entry and not labels.labels
    groups = [
        {
            "label": text,
            "words": OPEN
            if text is None and "bound" in entry
            else group_words(text, labels, members, numbers=numbers, minimum=minimum),
            **({} if swapped else {"records": held, "share": round(held / records, DIGITS) if records else 0.0}),
            **_members(text, labels, members),
        }
        for text, held in _in_order(shown.rows, entry, declared, swapped=swapped)
    ]
    return {**known, "groups": groups, "groups_omitted": shown.named - len(groups), "rarer_values": shown.others}


def _in_order(
    rows: Sequence[tuple[str | None, int]], entry: Mapping[str, Any], declared: Sequence[str], *, swapped: bool
) -> Sequence[tuple[str | None, int]]:
    """Intervals and declared orders in their order; swapped columns in that of texts; else the most frequent first."""
    if swapped:
        return sorted(rows, key=lambda row: (row[0] is None, row[0] or ""))
    if not declared and entry.get("taxonomy") != "intervals":
        return rows
    places = {label: place for place, label in enumerate(declared or entry.get("labels", []))}
    return sorted(rows, key=lambda row: places.get(row[0], len(places)))


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
