"""The equivalence classes of a table, judged: failing ones left out where that is allowed, the rest measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.database.connection import Database
from anonduck.frequency.roll_up import first_of_runs
from anonduck.measures.class_judge import CodedClasses, judged
from anonduck.measures.counted_cells import VALUE_CODES, read_sensitive_values
from anonduck.measures.numpy_requirements import LKC, SensitiveCells
from anonduck.measures.requirement import Requirement
from anonduck.privacy import relations
from anonduck.privacy.audited_tables import quasi_names, sensitive_names
from anonduck.privacy.requirement import CriterionResult, finite
from anonduck.statements import line, statement


@dataclass(frozen=True)
class ClassesResult:
    """What the classes of a table reach, once failing ones are left out, where that is allowed.

    ``reached`` is empty where more records than allowed had to be left out.
    """

    records: int
    suppressed: int
    reached: tuple[CriterionResult, ...]

    @property
    def share(self) -> float:
        """The share of the records that is left out."""
        return self.suppressed / self.records if self.records else 0.0


def judge_classes(
    database: Database, table: str, attributes: Sequence[str], sensitive: Sequence[str], requirement: Requirement
) -> ClassesResult:
    """Group a table that has a column "#records" by its attributes, leave out classes that fail, measure the rest.

    ``sensitive`` names the columns of the table that hold the values of ``requirement.sensitive``. The numbered set of
    anonduck.privacy.relations holds the classes that stay until ``relations.forget``.
    """
    relations.roll_up(database, table, attributes, sensitive)
    numbers, classes = _read(database, len(attributes), requirement)
    found = judged(classes, requirement, whole=True)
    if found.left_out is not None:
        relations.leave_out(database, np.asarray(numbers[found.left_out]))
    return ClassesResult(int(classes.sizes.sum()), found.suppressed, found.reached)


def _read(database: Database, attributes: int, requirement: Requirement) -> tuple[np.ndarray, CodedClasses]:
    """The numbers of the classes that were rolled up, and what they hold, in the order of these."""
    text = "SELECT class, records FROM classes ORDER BY class"
    sizes = database.arrays(line("measures/judged_classes._read", text))
    asked = {one.model.name for one in requirement.asked}
    columns = tuple(_codes(database, name) for name in quasi_names(attributes)) if LKC in asked else ()
    names = sensitive_names(len(requirement.sensitive))
    each = zip(requirement.sensitive, names, strict=True)
    cells = {column: _cells(database, requirement, column, name) for column, name in each}
    return sizes["class"], CodedClasses(sizes["records"].astype(np.int64), columns, cells)


def _codes(database: Database, attribute: str) -> np.ndarray:
    """A number for the value of an attribute in each class."""
    tables = {"named_classes": relations.NAMED}
    rows = database.arrays(statement("measures/class_values.sql", column={"attribute": attribute}, table=tables))
    return rows["code"].astype(np.int64)


def _cells(database: Database, requirement: Requirement, column: str, name: str) -> SensitiveCells:
    try:
        values = read_sensitive_values(database, requirement, column, stored=name, table=relations.NUMBERED)
        tables = {"numbered_set": relations.NUMBERED}
        rows = database.arrays(statement("measures/class_cells.sql", column={"sensitive": name}, table=tables))
    finally:
        relations.forget(database, [VALUE_CODES])
    starts = np.flatnonzero(first_of_runs(rows["class"]))
    return SensitiveCells(values, starts, rows["value_code"].astype(np.int64), rows["records"].astype(np.int64))


def reached_beside_k(reached: Sequence[CriterionResult]) -> dict[str, Any]:
    """What is reached by name: a number, or several by name; k has its own place."""
    return {one.name: finite(one.reached) for one in reached if one.name != "k" and not one.asked.of_policy}


def misses(
    requirement: Requirement, reached: Sequence[CriterionResult], suppressed: int, records: int
) -> Iterator[str]:
    """What is not met, as a person reads it."""
    if not requirement.allows(suppressed, records) or suppressed == records > 0:
        yield f"{suppressed:,} of {records:,} records left out (suppression <= {requirement.suppression:.4g} required)"
    for one in reached:
        if not one.met:
            worst = "" if one.attribute is None else f" in column {one.attribute!r}"
            required = one.asked.text.removeprefix(one.name).strip()
            yield f"{one.name} = {_shown(one.reached)}{worst} (required {required})"


def _shown(reached: Any) -> str:
    if isinstance(reached, Mapping):
        return ", ".join(f"{name} {_shown(number)}" for name, number in reached.items())
    return f"{reached:.4g}" if isinstance(reached, float) else str(reached)
