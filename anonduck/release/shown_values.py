"""What each column of a release shows, counted in what was written: one list for receipt, dictionary and certificate.

A list names labels, and the values that enough records hold. What it does not name it counts, so that its records are
those of the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.evaluation.spread import ShownLabels
from anonduck.privacy.audited_file import is_text_file, open_release
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import GROUPED, MAX_LABELS, Recoder
from anonduck.release.value_groups import ShownValues
from anonduck.source.source import Source
from anonduck.statements import statement
from anonduck.statements.column_types import is_binary, is_nested
from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.taxonomy.builders.listed import declared_labels

COMMON = "common_values"
HELD = "released_rows"

ReadValues = Callable[[Mapping[str, Sequence[str]], int], Mapping[str, ShownValues]]
"""Reads what columns show, by column with the labels that are named however few records show them; of other values
those are named that so many records hold at least."""


@dataclass(frozen=True)
class ColumnValues:
    """What the columns of a written release show.

    Attributes:
        kinds: the type of each column.
        labels: the labels over single values of each column; none of one that is not generalized.
        minimum: the number of records that hold a value which is named.
        shown: what each shows; of a column whose values cannot be listed, such as distributions, nothing.
    """

    kinds: Mapping[str, str]
    labels: Mapping[str, ShownLabels]
    minimum: int
    shown: Mapping[str, ShownValues]


def list_values(
    database: Database,
    plan: ReleasePlan[Recoder],
    source: Source,
    config: Config,
    entries: Sequence[Mapping[str, Any]],
    read: ReadValues,
) -> tuple[ColumnValues, list[dict[str, Any]]]:
    """What the columns of a release show, and what its receipt knows of each (``entries``) with the list of that."""
    grouped, kinds, labels = database.types_of(GROUPED), dict[str, str](), dict[str, ShownLabels]()
    for column, entry in zip(plan.columns, entries, strict=True):
        name = column.name
        kinds[name] = grouped.get(value_column(name)) or source.column(entry.get("of", name)).type
        labels[name] = plan.recoding.labelled(database, name) if column.generalized else ShownLabels()
    listed = [column.name for column in plan.columns if _can_be_listed(column, kinds[column.name])]
    minimum = max(plan.requirement.k, config.requirement.k)
    shown = read({name: _texts(labels[name]) for name in listed}, minimum) if listed else {}
    known = [_with_values(entry, shown.get(entry["name"]), config) for entry in entries]
    return ColumnValues(kinds, labels, minimum, shown), known


def _with_values(entry: Mapping[str, Any], shown: ShownValues | None, config: Config) -> dict[str, Any]:
    """What is known of a column, with the list of what it shows."""
    if shown is None:
        return dict(entry)
    rows = _in_order(shown.rows, entry, declared_labels(config, entry["name"]))
    omitted = shown.named - len(rows)
    rest = {"labels_omitted": omitted, "omitted_records": shown.named_records - sum(records for _, records in rows)}
    rarer = {"rarer_values": shown.others, "rarer_records": shown.other_records}
    return {
        **entry,
        "labels": [text for text, _ in rows],
        "label_records": [records for _, records in rows],
        **(rest if omitted else {}),
        **(rarer if shown.others else {}),
    }


def label_rows(column: Mapping[str, Any]) -> Iterator[tuple[str | None, int]]:
    """The labels and values that a receipt lists of a column, with their records."""
    yield from zip(column.get("labels", ()), column.get("label_records", ()), strict=False)


def _can_be_listed(column: ReleasedColumn, kind: str) -> bool:
    """Whether single values of a column can be compared and listed; distributions cannot."""
    return (column.generalized or column.typed) and not is_nested(kind) and not is_binary(kind)


def _texts(labels: ShownLabels) -> Sequence[str]:
    return [*labels.texts, labels.root_label] if labels.texts else []


def _in_order(
    rows: Sequence[tuple[str | None, int]], entry: Mapping[str, Any], declared: Sequence[str]
) -> Sequence[tuple[str | None, int]]:
    """Declared orders and intervals in their order, then values and NULL; else the most frequent first."""
    known = declared or (entry.get("groups", []) if entry.get("taxonomy") == "intervals" else [])
    places = {label: place for place, label in enumerate(known)}
    if not places:
        return rows
    return sorted(rows, key=lambda row: len(places) + 1 if row[0] is None else places.get(row[0], len(places)))


# -- read --------------------------------------------------------------------------------------------------------------


def values_of_file(
    written: str, config: Config, tracer: Tracer | None, columns: Mapping[str, Sequence[str]], minimum: int
) -> dict[str, ShownValues]:
    """What columns show, by column, read from a written file."""
    work = Database(threads=config.threads, memory_limit=config.memory_limit, timezone=config.timezone, tracer=tracer)
    try:
        with open_release(work, written, None) as opened:
            rows = "release"
            if is_text_file(opened.file):  # which is parsed once, and not once a column
                rows = HELD
                work.run(statement("database/kept_rows.sql", table={"given": "release", "kept": rows}))
            return {name: _read(work, rows, name, labels, minimum) for name, labels in columns.items()}
    finally:
        work.close()


def values_of_rows(database: Database, columns: Mapping[str, Sequence[str]], minimum: int) -> dict[str, ShownValues]:
    """The same of rows that are not written, and stand in the view `release`."""
    return {name: _read(database, "release", name, labels, minimum) for name, labels in columns.items()}


def _read(work: Database, rows: str, name: str, labels: Sequence[str], minimum: int) -> ShownValues:
    query = statement("release/shown_values.sql", column={"shown": name}, table={"written": rows})
    return _shown(work.rows(query, {"minimum": minimum, "most": MAX_LABELS, "labels": list(labels)}))


def values_of_engine(
    common: Callable[[str, int], tuple[Any, int]],
    database: Database,
    records: int,
    columns: Mapping[str, Sequence[str]],
    minimum: int,
) -> dict[str, ShownValues]:
    """The same of the ``records`` that an engine wrote; ``common`` returns the values of a column with their records,
    at least those that so many hold, and how many others there are."""
    query, found = statement("release/common_values.sql", table={"common": COMMON}), {}
    for name, labels in columns.items():
        values, others = common(name, minimum)
        given = {"minimum": minimum, "most": MAX_LABELS, "labels": list(labels), "others": others, "records": records}
        with database.registered(COMMON, values):
            rows = database.rows(query, given)
        found[name] = _shown(rows) if rows else ShownValues((), 0, 0, None, None, others, records)
    return found


def _shown(rows: Sequence[tuple[Any, ...]]) -> ShownValues:
    named = tuple((text, int(records)) for text, records, is_named, *_ in rows if is_named)
    if not rows:
        return ShownValues((), 0, 0, None, None, 0, 0)
    *_, all_named, named_records, least, largest, others, other_records = rows[0]
    return ShownValues(named, int(all_named), int(named_records), least, largest, int(others), int(other_records))
