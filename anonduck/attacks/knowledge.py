"""Match original values to released labels: what an attacker who knows a value can look for in the release.

A label covers a value if it has the same text, is an interval around it, masks it (``12***``), is given to it by a
taxonomy, or is ``*``. A column is left out if more than 5 % of the released records have labels that cover no original
value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.config.reading import read_config
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.lookup import NO_PATHS, add_labels, add_listed
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import expression, qualified
from anonduck.statements.relations import view_of
from anonduck.statements.template import temporary_table_of

UNEXPLAINED = 0.05
RELEASE, ORIGINAL, CONTROL = "attacked_release", "attacked_original", "attacked_control"
WHOLE_ORIGINAL, WHOLE_CONTROL = "whole_original", "whole_control"
REGISTER = "attacked_register"
PLACED = {ORIGINAL: "placed_original", CONTROL: "placed_control"}
OF_PLACING = (
    *(*PLACED.values(), "release_values", "original_values", "control_values"),
    *("kinds", "label_ends", "labels", "places", "paths", "covering", "extents", "released_rows"),
)
MADE = (RELEASE, ORIGINAL, CONTROL, *OF_PLACING, WHOLE_ORIGINAL, WHOLE_CONTROL)


@dataclass(frozen=True)
class PlacedColumns:
    """The columns that can be attacked, the others with the reason, and the number of labels of each column.

    ``unplaced`` is, by column, the share of control records with a value that no label covers.
    """

    attributes: tuple[AttackedColumn, ...]
    left_out: Mapping[str, str]
    labels: Mapping[int, int]
    unplaced: Mapping[str, float]

    @property
    def known(self) -> tuple[AttackedColumn, ...]:
        """The quasi-identifiers, which the attacker knows."""
        return tuple(one for one in self.attributes if not one.kept)

    @property
    def kept(self) -> dict[str, AttackedColumn]:
        """The other columns, which may be guessed, by name."""
        return {one.name: one for one in self.attributes if one.kept}

    @property
    def nested(self) -> bool:
        """Whether some value has several quasi-identifier labels over it, so that a person may fit several classes."""
        return any(one.several for one in self.known)


def place(
    work: Database,
    quasi_identifiers: Sequence[str],
    kept: Sequence[str],
    *,
    control: bool,
    taxonomies: Mapping[str, Any],
    project: Path | None,
    registered: Sequence[str] = (),
) -> PlacedColumns:
    """Match all records to labels; makes ``released_rows``, ``placed_original`` and ``placed_control``.

    The grouped tables must exist, with attributes numbered in the order of quasi-identifiers, then kept columns. With
    ``registered``, the columns of a register, its people are the control group; they are not placed as records.
    """
    columns = [*quasi_identifiers, *kept]
    numbers = {name: number for number, name in enumerate(columns, start=1)}
    _read_values(work, numbers, CONTROL if control else REGISTER if registered else None, registered)
    work.run(NO_PATHS)
    if project is not None:
        add_stored(work, {name: number for name, number in numbers.items() if name not in taxonomies}, project)
    for name, source in taxonomies.items():
        add_listed(work, numbers[name], name, source)
    for name in ("covering", "extents"):
        work.run(statement(f"attacks/{name}.sql"))
    placed = _judged(
        work.records(statement("attacks/attributes.sql")), columns, len(quasi_identifiers), control=control
    )
    if placed.known:
        attributes = items_of(placed.attributes)
        work.run(statement("attacks/released_rows.sql", lists={"attributes": attributes}))
        for table in (ORIGINAL, CONTROL) if control else (ORIGINAL,):
            work.run(placed_records(PLACED[table], table, placed.attributes))
    return placed


def placed_records(
    target: str, records: str, attributes: Sequence[AttackedColumn], beside: Sequence[str] = ()
) -> Statement:
    """The table ``target``: the records of a grouped table by the labels and positions of their values, and by its
    columns ``beside``."""
    lists = {"attributes": items_of(attributes), "beside": beside}
    return statement("attacks/placed.sql", table={"target": target, "records_of": records}, lists=lists)


def labels_of_rows(attributes: Sequence[AttackedColumn]) -> Statement:
    """The numbers of the labels of each released row, ``l_1`` and so on, and its records, in order of its number."""
    text = "SELECT each(attributes, s.l_{number}), s.records FROM released_rows AS s ORDER BY s.class"
    return line("attacks/knowledge.labels_of_rows", text, attributes=items_of(attributes))


def sized_classes(known: Sequence[AttackedColumn]) -> Statement:
    """The classes of the released rows by some columns, ``l_1`` and so on, with their records, in order of labels."""
    text = "SELECT each(known, l_{number}), sum(records)::BIGINT AS records FROM released_rows "
    text += "GROUP BY each(known, l_{number}) ORDER BY each(known, l_{number})"
    return line("attacks/knowledge.sized_classes", text, known=items_of(known))


def _read_values(work: Database, numbers: Mapping[str, int], others: str | None, registered: Sequence[str]) -> None:
    every = list(numbers.values())
    work.run(grouped_texts.values("release_values", RELEASE, every))
    work.run(grouped_texts.values("original_values", ORIGINAL, every))
    theirs = [numbers[name] for name in registered] or every
    none = line("attacks/knowledge._read_values", "SELECT attribute, value, records FROM original_values LIMIT 0")
    work.run(
        temporary_table_of("control_values", none)
        if others is None
        else grouped_texts.values("control_values", others, theirs)
    )
    for name in ("privacy/kinds.sql", "privacy/label_ends.sql", "privacy/possible_labels.sql", "attacks/places.sql"):
        work.run(statement(name))


def _judged(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], quasi: int, *, control: bool) -> PlacedColumns:
    attributes, left_out, unplaced = [], {}, {}
    for row in rows:
        name, number = columns[row["attribute"] - 1], row["attribute"]
        if row["unexplained"] > UNEXPLAINED and not row["ordered"]:
            left_out[name] = (
                f"no original value matches the labels of {row['unexplained']:.0%} of the released records; give "
                "its taxonomy"
            )
            continue
        span = row["span"] if row["ordered"] else None
        attributes.append(AttackedColumn(number, name, span, bool(row["several"]), kept=number > quasi))
        if control and row["control"] > UNEXPLAINED and not row["ordered"]:
            unplaced[name] = row["control"]
    return PlacedColumns(tuple(attributes), left_out, {row["attribute"]: row["labels"] for row in rows}, unplaced)


def add_stored(work: Database, numbers: Mapping[str, int], config: Path) -> None:
    """Add the labels of the taxonomies in a config's decision database, for the columns in ``numbers`` (name ->
    number).

    Raises AuditError if there is no decision database, SourceError if another process holds it.
    """
    path = config.resolve().parent / read_config(config).database
    if not path.is_file():
        raise AuditError(f"{config} has no decision database {path.name} yet; `anonduck taxonomy build` makes it")
    alias = work.attach_source(path)
    stored = {
        name for schema, name in work.rows(statement("source/tables.sql"), {"database": alias}) if schema == "taxonomy"
    }
    for column, number in numbers.items():
        if column in stored:
            given = {"database": alias, "column": column}
            levels = [name for (name,) in work.rows(statement("attacks/taxonomy_levels.sql"), given)]
            taxonomy = expression("SELECT * FROM {taxonomy}", taxonomy=qualified(alias, "taxonomy", column))
            work.run(view_of(taxonomy, "attacked_taxonomy"))
            add_labels(work, number, "attacked_taxonomy", levels)
