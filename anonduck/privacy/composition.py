"""Composition: two releases of the same people, whose classes somebody intersects who knows a person in both.

Ganta, Kasiviswanathan and Smith (2008) intersect what the two classes of a person have in common. The files alone do
not show who is in both, only who can be: a person's labels in the two releases have a value in common, and columns that
both keep agree. This gives an upper bound on the persons that a class of one release and a class of the other have in
common. Such a bound can refute a requirement but never show it. The exact number is known if both files have the key of
persons, or from the table that both were made of (``intersect``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.audited_engine import AuditedEngine, opened_release
from anonduck.privacy.audited_file import listed
from anonduck.privacy.lookup import NO_PATHS, add_listed
from anonduck.privacy.relations import OVERLAPS, forget
from anonduck.statements import line, statement
from anonduck.statements.expansion import Item
from anonduck.statements.template import temporary_table_of

PLACES = """
SELECT later_cell AS original_cell, later_records AS records, earlier AS class, earlier_cell AS cell
FROM overlapping_cells"""
UNEXPLAINED = 0.05  # share of records whose labels meet none of the other release: above it, levels differ
LATER, EARLIER = "later", "earlier"
MADE = (
    *(f"{release}_{what}" for release in (LATER, EARLIER) for what in ("release", "values", "cells")),
    *("release_values", "label_ends", "original_values", "kinds", "labels", "paths", "compatible"),
)
ORIGINAL, CHOSEN = "original_cells", "original_release"
PLACED = {LATER: "placed_later", EARLIER: "placed_earlier"}
MADE_OF_ORIGINAL = (ORIGINAL, CHOSEN, *PLACED.values())


@dataclass(frozen=True)
class ComparedColumns:
    """The columns of two releases: quasi-identifiers of both, columns that both keep, other quasi-identifiers of each.

    ``persons``: the kept column is a key of persons.
    """

    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]]
    persons: bool

    def columns(self, release: str) -> tuple[str, ...]:
        """The columns of a release in the order of the grouped table."""
        return (*self.quasi_identifiers, *self.kept, *self.others[release])


def compare_columns(
    later: Sequence[str],
    quasi_identifiers: Sequence[str],
    earlier: Sequence[str],
    *,
    entity: str | None,
    uncompared: Sequence[str],
) -> ComparedColumns:
    """Sort the columns of two releases. Raises AuditError if they have none in common.

    A column of the earlier release only is a quasi-identifier there, unless it is ``uncompared``, which excludes
    columns of both. If both have the key of persons, it is compared instead of the kept columns.
    """
    common = [name for name in later if name in earlier and name not in uncompared]
    kept = [name for name in common if name not in quasi_identifiers]
    keyed = entity is not None and entity in kept
    shared = [name for name in common if name in quasi_identifiers]
    alone = [name for name in earlier if name not in later and name not in uncompared]
    split = [name for name in quasi_identifiers if name in earlier and name not in shared]
    compared = ComparedColumns(
        tuple(shared),
        (entity,) if keyed and entity is not None else tuple(name for name in kept if name != entity),
        {
            LATER: tuple(name for name in quasi_identifiers if name not in shared),
            EARLIER: (*split, *alone),
        },
        keyed,
    )
    if not compared.quasi_identifiers and not compared.kept:
        raise AuditError(
            "the earlier release has no column in common with the file that could be compared; it is a release of the "
            "same people, with columns of the same names"
        )
    return compared


def columns_of(work: Database, target: object, delim: str | None) -> tuple[str, ...]:
    """The columns of a file or table. Raises AuditError as ``open_release`` does."""
    with opened_release(work, target, delim) as (_, opened):
        return opened.columns()


def group(file: AuditedEngine, release: str, compared: ComparedColumns) -> None:
    """Group a release, ``LATER`` or ``EARLIER``."""
    file.combinations(compared.columns(release), f"{release}_release")


def compose(
    work: Database, compared: ComparedColumns, against: object, delim: str | None, taxonomies: Mapping[str, Any]
) -> dict[str, str]:
    """Group the earlier release and make ``overlapping_cells``; returns the columns that cannot be compared, with the
    reason.

    ``taxonomies`` are lookup files or DataFrames. Raises AuditError if nothing can be compared.
    """
    refuse_strangers(compared.quasi_identifiers, taxonomies, "both releases")
    with opened_release(work, against, delim) as (_, opened):
        group(opened, EARLIER, compared)
    refuse_empty(work)
    left_out = overlap(work, compared, taxonomies)
    forget(work, MADE)
    return left_out


def refuse_empty(work: Database) -> None:
    """Raise AuditError if the grouped earlier release has no records."""
    if not work.value(grouped_texts.total(f"{EARLIER}_release")):
        raise AuditError("the earlier release has no records; check the program that wrote it")


def overlap(
    work: Database, compared: ComparedColumns, taxonomies: Mapping[str, Any], numbered: str | None = None
) -> dict[str, str]:
    """Make ``overlapping_cells`` of two grouped releases; returns the columns that cannot be compared, with the reason.

    A key of persons decides who is in both, whatever the labels. ``numbered`` is a grouped table with numbered cells
    that stands in for the later release. Raises AuditError if nothing can be compared.
    """
    grouped = {LATER: numbered or f"{LATER}_release", EARLIER: f"{EARLIER}_release"}
    numbers = {name: number for number, name in enumerate(compared.quasi_identifiers, start=1)}
    labelled, left_out = ([], {}) if compared.persons else _labelled(work, grouped, numbers, taxonomies)
    kept = [len(numbers) + number for number in range(1, len(compared.kept) + 1)]
    for release, table in grouped.items():
        last = len(compared.columns(release))
        others = [number for number in range(1, last + 1) if number not in labelled and number not in kept]
        lists = {"labelled": _numbers(labelled), "others": _numbers(others), "kept": _numbers(kept)}
        lists |= {"numbered": ["cell"] if table == numbered else [], "weighed": [] if compared.persons else ["records"]}
        tables = {"target": f"{release}_cells", "grouped_release": table}
        work.run(statement("privacy/release_cells.sql", table=tables, lists=lists))
    if not labelled and not kept:
        raise AuditError(
            "no column of the earlier release can be compared: "
            + "; ".join(f"{n!r}: {why}" for n, why in left_out.items())
        )
    lists = {"labelled": _numbers(labelled), "kept": _numbers(kept)}
    work.run(statement("privacy/overlapping_cells.sql", lists=lists))
    return left_out


def _numbers(columns: Sequence[int]) -> Sequence[Item]:
    return [{"number": number} for number in columns]


def refuse_strangers(quasi_identifiers: Sequence[str], taxonomies: Mapping[str, Any], whose: str) -> None:
    """Raise AuditError for the taxonomy of a column that is not compared."""
    strangers = [name for name in taxonomies if name not in quasi_identifiers]
    if strangers:
        raise AuditError(
            f"a taxonomy is given for {listed(strangers)}, which is neither a sensitive attribute nor a "
            f"quasi-identifier of {whose}; those are {listed(list(quasi_identifiers)) or 'none'}"
        )


def _labelled(
    work: Database, grouped: Mapping[str, str], numbers: Mapping[str, int], taxonomies: Mapping[str, Any]
) -> tuple[list[int], dict[str, str]]:
    """Make ``labels`` and ``compatible``; returns the quasi-identifiers that can be compared, and the others
    with the reason.
    """
    if not numbers:
        return [], {}
    for release, table in grouped.items():
        work.run(grouped_texts.values(f"{release}_values", table, list(numbers.values())))
    for query in ("privacy/release_values", "privacy/label_ends", "privacy/end_values", "privacy/kinds"):
        work.run(statement(f"{query}.sql"))
    work.run(statement("privacy/possible_labels.sql"))
    work.run(NO_PATHS)
    for name, number in numbers.items():
        if name in taxonomies:
            add_listed(work, number, name, taxonomies[name])
    work.run(statement("privacy/compatible.sql"))
    names = {number: name for name, number in numbers.items()}
    labelled, left_out = [], {}
    for row in work.records(statement("privacy/comparable.sql")):
        strange = min(row[LATER], row[EARLIER])
        if strange > UNEXPLAINED and not row["ordered"]:
            left_out[names[row["attribute"]]] = (
                f"{strange:.0%} of the records have labels that meet none of the other release; give its taxonomy"
            )
        else:
            labelled.append(row["attribute"])
    return labelled, left_out


def compare_with_original(
    columns: Sequence[str], quasi: Sequence[str], released: Sequence[str], uncompared: Sequence[str]
) -> ComparedColumns:
    """Sort the columns of an original and a release of it. Raises AuditError if the original lacks a
    quasi-identifier.
    """
    own = [name for name in released if name in quasi]
    lacking = [name for name in own if name not in columns]
    if lacking:
        raise AuditError(
            f"the original has no column {listed(lacking)}, which is a quasi-identifier of a release; it is the table "
            f"that both releases were made of. Its columns are {listed(columns)}"
        )
    known = [name for name in released if name in columns]
    return compare_columns(columns, own, known, entity=None, uncompared=uncompared)


def intersect(
    work: Database,
    releases: Mapping[str, object],
    compared: Mapping[str, ComparedColumns],
    original: object,
    delim: str | None,
    taxonomies: Mapping[str, Any],
) -> str | None:
    """Make ``overlapping_cells``: the pairs of classes with a record in common, and the number of common records.

    Each record of the original is placed in the class of each release whose labels are over its values. The places are
    certain if no record has several and every class gets as many records as its file has. Otherwise nothing is shown.

    ``releases`` and ``compared`` (from ``compare_with_original``) are keyed by ``LATER`` and ``EARLIER``. Returns the
    reason if the original does not show who is where, else None.
    """
    columns = list(dict.fromkeys(name for one in compared.values() for name in _both(one)))
    quasi = list(dict.fromkeys(name for one in compared.values() for name in one.quasi_identifiers))
    refuse_strangers(quasi, taxonomies, "a release")
    try:
        with opened_release(work, original, delim) as (_, opened):
            opened.combinations(columns, CHOSEN)
        numbered = 'SELECT row_number() OVER () AS cell, * FROM "{chosen}"'
        work.run(temporary_table_of(ORIGINAL, line("privacy/composition.intersect", numbered, chosen=CHOSEN)))
        for release, target in releases.items():
            place = [columns.index(name) + 1 for name in _both(compared[release])]
            places = [{"number": number, "place": place} for place, number in enumerate(place, start=1)]
            text = 'SELECT cell, each(chosen, a_{number} AS a_{place};), records FROM "{numbered}"'
            cells = line("privacy/composition.intersect", text, chosen=places, numbered=ORIGINAL)
            work.run(temporary_table_of(CHOSEN, cells))
            with opened_release(work, target, delim) as (_, opened):
                group(opened, EARLIER, compared[release])
            refuse_empty(work)
            left_out = overlap(work, compared[release], taxonomies, CHOSEN)
            work.run(temporary_table_of(PLACED[release], line("privacy/composition.PLACES", PLACES)))
            why = _misplaced(work, release, left_out)
            if why is not None:
                return why
        work.run(statement("privacy/intersected.sql", table={"overlapping_cells": OVERLAPS}))
    finally:
        forget(work, MADE_OF_ORIGINAL)
    return None


def _both(compared: ComparedColumns) -> tuple[str, ...]:
    return (*compared.quasi_identifiers, *compared.kept)


def _misplaced(work: Database, release: str, left_out: Mapping[str, str]) -> str | None:
    found = work.records(statement("privacy/misplaced.sql", table={"placed": PLACED[release]}))[0]
    if not found["doubtful"] and not found["unequal"]:
        return None
    which = "this file" if release == LATER else "the earlier release"
    apart = "".join(f"; column {name!r} is not compared: {why}" for name, why in left_out.items())
    return (
        f"the original does not show who is where: {found['doubtful']:,} of its records fit several classes of "
        f"{which}, and {found['unequal']:,} records of {which} are in classes of which it has more or fewer{apart}"
    )
