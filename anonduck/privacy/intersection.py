"""Who is in a class of two releases, where the table that both were made of is at hand.

Each record of that table is placed in the class of each release whose labels are over its values. The places are the
true ones if no record has several and every class has as many records there as in its file: a record is in no class
but one that can be its own, and no class has room for another. Then the persons that two classes have in common are
counted. Otherwise nothing is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import composition, relations
from anonduck.privacy.audited_file import listed
from anonduck.privacy.composition import EARLIER, LATER, ComparedColumns
from anonduck.privacy.counted_table import opened_release
from anonduck.statements import builder_composition, statement

ORIGINAL, CHOSEN = "original_cells", "original_release"
PLACED = {LATER: "placed_later", EARLIER: "placed_earlier"}
MADE = (ORIGINAL, CHOSEN, *PLACED.values())


def compare_with_original(
    columns: Sequence[str], quasi: Sequence[str], released: Sequence[str], uncompared: Sequence[str]
) -> ComparedColumns:
    """Sort the columns of an original and a release of it; raises AuditError where it lacks a quasi-identifier."""
    own = [name for name in released if name in quasi]
    lacking = [name for name in own if name not in columns]
    if lacking:
        raise AuditError(
            f"the original has no column {listed(lacking)}, which is a quasi-identifier of a release; it is the table "
            f"that both releases were made of. Its columns are {listed(columns)}"
        )
    known = [name for name in released if name in columns]
    return composition.compare_columns(columns, own, known, entity=None, uncompared=uncompared)


def intersect(
    work: Database,
    releases: Mapping[str, object],
    compared: Mapping[str, ComparedColumns],
    original: object,
    delim: str | None,
    taxonomies: Mapping[str, Any],
) -> str | None:
    """Make ``overlapping_cells`` of the pairs of classes that have a record in common, with the number of records.

    ``releases`` and ``compared`` (``compare_with_original``) are by ``LATER`` and ``EARLIER``. Returns why the original
    does not show them; None where it does.
    """
    columns = list(dict.fromkeys(name for one in compared.values() for name in _both(one)))
    quasi = list(dict.fromkeys(name for one in compared.values() for name in one.quasi_identifiers))
    composition.refuse_strangers(quasi, taxonomies, "a release")
    try:
        with opened_release(work, original, delim) as (_, opened):
            opened.combinations(columns, CHOSEN)
        work.run(statement("privacy/numbered_cells.sql", table={"grouped": CHOSEN, "numbered": ORIGINAL}))
        for release, target in releases.items():
            place = [columns.index(name) + 1 for name in _both(compared[release])]
            work.run(builder_composition.chosen(CHOSEN, ORIGINAL, place))
            with opened_release(work, target, delim) as (_, opened):
                composition.group(opened, EARLIER, compared[release])
            composition.refuse_empty(work)
            left_out = composition.overlap(work, compared[release], taxonomies, CHOSEN)
            work.run(statement("privacy/placed.sql", table={"placed": PLACED[release]}))
            why = _misplaced(work, release, left_out)
            if why is not None:
                return why
        work.run(statement("privacy/intersected.sql", table={"overlapping_cells": relations.OVERLAPS}))
    finally:
        relations.forget(work, MADE)
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
