"""The small tables that all models read, made by one scan of a released file.

release -> audited_set -> named_classes                  a row per equivalence class, its number
                       -> numbered_set -> classes        a row per equivalence class
                                      \\-> cells          a row per equivalence class and sensitive value
                                           \\-> ranks     a row per value in its order
                                              paths      a row per value and level of a taxonomy
           audited_persons                    a row per equivalence class and person in it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import audited_tables
from anonduck.privacy.audited_engine import AUDITED, AuditedEngine
from anonduck.privacy.audited_tables import quasi_names, sensitive_names
from anonduck.privacy.chosen_values import EVERY, ValueChoice
from anonduck.privacy.lookup import refuse_lacking
from anonduck.statements import line, statement
from anonduck.statements.template import temporary_table_of
from anonduck.words import counted

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

NAMED, NUMBERED, CLASSES = "named_classes", "numbered_set", "classes"
CELLS, RANKS, PATHS = "cells", "ranks", "paths"
JOINT_NAMED, JOINT_NUMBERED, JOINT_CELLS = "joint_named_classes", "joint_numbered_set", "joint_cells"
PERSONS, POPULATION, LISTED = "audited_persons", "audited_population", "listed_paths"
FAILING, OVERLAPS = "failing_classes", "overlapping_cells"
LINKED = "linked_classes"
PERSON = audited_tables.PERSON
MADE = (
    *(AUDITED, NAMED, NUMBERED, CLASSES, CELLS, RANKS, PATHS),
    *(JOINT_NAMED, JOINT_NUMBERED, JOINT_CELLS, PERSONS, POPULATION, OVERLAPS),
)


def scan_release(
    file: AuditedEngine,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    entity: str | None,
    *,
    population: bool = False,
    joint: bool = False,
) -> bool:
    """Group a release once, and once more to count persons; returns whether its classes were numbered with that.

    With sensitive attributes and an entity, the rows also have the column ``person``. Where nothing is read of classes
    but their sizes, these are counted at once, and ``number_classes`` does nothing. ``joint`` says that sensitive
    attributes are classes of each other too.
    """
    if _sizes_alone(len(sensitive), persons=entity is not None, population=population):
        file.class_sizes(quasi_identifiers, CLASSES)
        return False
    alone = entity is None and not population and not joint
    if alone and file.number_classes(quasi_identifiers, sensitive, (NUMBERED, NAMED)):
        return True
    file.classes(quasi_identifiers, sensitive, entity if sensitive else None)
    if entity is not None:
        file.persons(quasi_identifiers, entity)
    return False


def number_classes(
    work: Database,
    quasi_identifiers: int,
    sensitive: int,
    *,
    persons: bool,
    population: bool,
    numbered: bool = False,
) -> None:
    """Number the equivalence classes of a scanned release, unless that was done, and count their records."""
    if _sizes_alone(sensitive, persons=persons, population=population):
        return
    if numbered:
        work.run(statement("privacy/classes.sql", table={"numbered_set": NUMBERED, "classes": CLASSES}))
        return
    _number_classes(work, quasi_identifiers, sensitive, persons=persons, population=population)


def _sizes_alone(sensitive: int, *, persons: bool, population: bool) -> bool:
    return not (sensitive or persons or population)


def _number_classes(work: Database, quasi_identifiers: int, sensitive: int, *, persons: bool, population: bool) -> None:
    kept = [*sensitive_names(sensitive), *([PERSON] if persons and sensitive else [])]
    _number(work, quasi_names(quasi_identifiers), kept, NAMED, NUMBERED)
    if persons or population:
        work.run(audited_tables.classes(quasi_identifiers, persons=persons, population=population))
    else:
        work.run(statement("privacy/classes.sql", table={"numbered_set": NUMBERED, "classes": CLASSES}))


def roll_up(work: Database, table: str, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> None:
    """Group a table with a column "#records" in place of a release, and number its classes."""
    work.run(audited_tables.audited_set(quasi_identifiers, sensitive, counted=table))
    _number_classes(work, len(quasi_identifiers), len(sensitive), persons=False, population=False)


def count_linked(work: Database, quasi_identifiers: int) -> Mapping[str, Any]:
    """How many persons share all of their rows; ``linked_k`` is NULL if there are no persons."""
    lists = {"attributes": quasi_names(quasi_identifiers)}
    work.run(statement("privacy/named.sql", columns=lists, table={"frequency_set": PERSONS, "named_classes": LINKED}))
    try:
        tables = {"audited_persons": PERSONS, "named_classes": LINKED}
        return work.records(statement("privacy/linked_k.sql", columns=lists, table=tables))[0]
    finally:
        forget(work, [LINKED])


def leave_out(work: Database, failing: np.ndarray) -> None:
    """Remove the classes of these numbers from all tables."""
    with work.registered(FAILING, {"class": failing}):
        text = 'DELETE FROM "{numbered}" WHERE class IN (SELECT class FROM "{failing}")'
        work.run(line("privacy/relations.leave_out", text, numbered=NUMBERED, failing=FAILING))
    rest = 'SELECT * EXCLUDE (class, records), records AS "#records" FROM "{numbered}"'
    work.run(temporary_table_of(AUDITED, line("privacy/relations.leave_out", rest, numbered=NUMBERED)))
    work.run(statement("privacy/classes.sql", table={"numbered_set": NUMBERED, "classes": CLASSES}))


def make_cells(work: Database, attribute: str, chosen: ValueChoice = EVERY, *, persons: bool = False) -> None:
    """Make the cells of one sensitive attribute; bounds of single values count the values in ``chosen``."""
    _make_cells(work, attribute, chosen, NUMBERED, CELLS, persons)


def make_joint_cells(
    work: Database, quasi_identifiers: int, sensitive: int, attribute: str, *, persons: bool = False
) -> None:
    """Make the cells of one sensitive attribute, with the others as quasi-identifiers."""
    others = [name for name in sensitive_names(sensitive) if name != attribute]
    kept = [attribute, *([PERSON] if persons else [])]
    _number(work, [*quasi_names(quasi_identifiers), *others], kept, JOINT_NAMED, JOINT_NUMBERED)
    _make_cells(work, attribute, EVERY, JOINT_NUMBERED, JOINT_CELLS, persons)


def make_ranks(work: Database, column: str, declared: Sequence[str] = ()) -> bool:
    """Make the order of the values in the cells, the declared one if there is one; returns False, and makes nothing, if
    they have none. Raises AuditError for values that the declared order lacks."""
    binds = {"declared": list(declared)}
    *natural, undeclared = work.row(statement("privacy/order.sql", table={"cells": CELLS}), binds)
    refuse_undeclared(column, undeclared)
    if not declared and not any(natural):
        return False
    work.run(statement("privacy/ranks.sql", table={"cells": CELLS, "ranks": RANKS}), binds)
    return True


def refuse_undeclared(column: str, undeclared: int) -> None:
    """Raise AuditError if a declared order lacks values of its column."""
    if undeclared:
        raise AuditError(
            f"order.{column}: {counted(undeclared, 'value', 'values')} of {column!r} is not in the declared order; "
            "list all of its values, from lowest to highest"
        )


def make_paths(work: Database, column: str, listed: pd.DataFrame) -> None:
    """Make the paths of a taxonomy. Raises AuditError if it lacks a value of the cells."""
    with work.registered(LISTED, listed):
        text = 'SELECT value::VARCHAR AS value, level, node, parent FROM "{listed}"'
        work.run(temporary_table_of(PATHS, line("privacy/relations.make_paths", text, listed=LISTED)))
    lacking = work.value(statement("privacy/unknown_values.sql", table={"cells": CELLS, "paths": PATHS}))
    refuse_lacking(column, lacking)


def forget(work: Database, made: Sequence[str] = MADE) -> None:
    """Remove temporary tables, by default all that this module makes."""
    there = work.types_of_each([("main", name) for name in made]) if len(made) > 1 else [made]
    work.drop(*(("temp", name) for name, found in zip(made, there, strict=True) if found))


def _number(work: Database, attributes: Sequence[str], sensitive: Sequence[str], named: str, target: str) -> None:
    classes = {"frequency_set": AUDITED, "named_classes": named}
    work.run(statement("privacy/named.sql", columns={"attributes": attributes}, table=classes))
    lists = {"attributes": attributes, "sensitive": sensitive}
    work.run(statement("privacy/numbered.sql", columns=lists, table={**classes, "numbered_set": target}))


def _make_cells(work: Database, attribute: str, chosen: ValueChoice, numbered: str, target: str, persons: bool) -> None:
    name = "privacy/cells_of_persons.sql" if persons else "privacy/cells.sql"
    tables = {"numbered_set": numbered, "cells": target}
    work.run(statement(name, column={"sensitive": attribute}, table=tables), chosen.binds)
