"""The measures of a release, derived from the written file alone.

The audit reads nothing but the file: no config, no taxonomy, no decision database, and none of the code that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.audited_file import listed, open_release
from anonduck.database import Database
from anonduck.errors import AuditError
from anonduck.statements import statement

NEARLY_UNIQUE = 0.9
FEWEST_ROWS = 20  # under it, that values differ says nothing


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of a release's equivalence classes, in records."""

    rows: int
    classes: int
    k: int
    average: float
    largest: int
    alone: int
    under_required: int


REQUIREMENTS: Mapping[str, Callable[[ClassSizes], int]] = {"k": lambda sizes: sizes.k}
"""How each requirement that can be asked of a file is reached; the file must reach the required number or more."""


@dataclass(frozen=True)
class RequirementReached:
    """One requirement beside what the file reaches."""

    name: str
    required: int
    reached: int

    @property
    def met(self) -> bool:
        """Whether the file reaches what is required."""
        return self.reached >= self.required


@dataclass(frozen=True)
class AuditReport:
    """What a released file holds and protects; it carries counts and column names, never a value of a cell."""

    file: str | None
    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sizes: ClassSizes
    requirements: tuple[RequirementReached, ...]
    warnings: tuple[str, ...]

    @property
    def rows(self) -> int:
        """The records of the release."""
        return self.sizes.rows

    @property
    def classes(self) -> int:
        """The equivalence classes of the release."""
        return self.sizes.classes

    @property
    def k(self) -> int:
        """The records of the smallest equivalence class."""
        return self.sizes.k

    @property
    def met(self) -> bool:
        """Whether every requirement is met; without one there is nothing to fail."""
        return all(requirement.met for requirement in self.requirements)

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON document."""
        return {
            "file": self.file,
            "rows": self.rows,
            "classes": self.classes,
            "k": self.k,
            "average_class": self.sizes.average,
            "largest_class": self.sizes.largest,
            "records_alone": self.sizes.alone,
            "records_under_required_k": self.sizes.under_required,
            "columns": list(self.columns),
            "quasi_identifiers": list(self.quasi_identifiers),
            "requirements": [
                {"name": asked.name, "required": asked.required, "reached": asked.reached, "met": asked.met}
                for asked in self.requirements
            ],
            "met": self.met,
            "warnings": list(self.warnings),
        }


def audit(
    target: str | Path | object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    sensitive: Sequence[str] = (),
    class_: str | None = None,
    requirements: Mapping[str, int] | None = None,
    insensitive: Sequence[str] = (),
    delim: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    database: Database | None = None,
) -> AuditReport:
    """Measure a release: a Parquet or CSV file, ``FILE.duckdb::TABLE``, or a pandas, Arrow or Polars table.

    Quasi-identifiers are by default all columns that are neither sensitive, class nor insensitive; without any, all
    records are one class. NULL is a value of its own; in CSV, unquoted empty is NULL and ``""`` is empty text. A
    requirement (``{"k": 5}``) that is not reached makes ``met`` false; without requirements nothing can fail. Raises
    AuditError for a file that cannot be read, holds no record or lacks a named column.
    """
    requirements = _checked(requirements or {})
    work = database or Database(threads=threads, memory_limit=memory_limit)
    try:
        with open_release(work, target, delim) as file:
            columns = tuple(name for (name,) in work.rows(statement("audit/columns.sql")))
            others = [*sensitive, *([] if class_ is None else [class_]), *insensitive]
            quasi = _quasi_identifiers(columns, quasi_identifiers, others)
            sizes = _class_sizes(work, quasi, requirements.get("k", 1))
            kept = [name for name in columns if name not in quasi and name != class_]
            warnings = [*_lone_records(sizes), *_nearly_unique(work, kept, sizes.rows)]
    finally:
        if database is None:
            work.close()
    reached = [RequirementReached(name, asked, REQUIREMENTS[name](sizes)) for name, asked in requirements.items()]
    return AuditReport(file, columns, quasi, sizes, tuple(reached), tuple(warnings))


# -- what is asked -----------------------------------------------------------------------------------------------------


def _checked(requirements: Mapping[str, int]) -> Mapping[str, int]:
    for name, required in requirements.items():
        if name not in REQUIREMENTS:
            raise AuditError(f"the requirement {name!r} is not known; known are {', '.join(REQUIREMENTS)}")
        if isinstance(required, bool) or not isinstance(required, int) or required < 1:
            raise AuditError(f"the requirement {name} must be a whole number of 1 or more; it is {required!r}")
    return requirements


def _quasi_identifiers(columns: tuple[str, ...], named: Sequence[str] | None, others: Sequence[str]) -> tuple[str, ...]:
    asked = [*(named or []), *others]
    missing = [name for name in dict.fromkeys(asked) if name not in columns]
    if missing:
        raise AuditError(f"the file has no column {listed(missing)}; its columns are {listed(columns)}")
    twice = [name for name in dict.fromkeys(asked) if asked.count(name) > 1]
    if twice:
        raise AuditError(f"the column {listed(twice)} is named more than once; a column has one role")
    return tuple(named) if named is not None else tuple(name for name in columns if name not in others)


# -- measures ----------------------------------------------------------------------------------------------------------


def _class_sizes(work: Database, quasi_identifiers: Sequence[str], required: int) -> ClassSizes:
    query = statement("audit/class_sizes.sql", columns={"quasi_identifiers": quasi_identifiers})
    sizes = ClassSizes(*work.row(query, {"required": required}))
    if not sizes.rows:
        raise AuditError("the file holds no records: it protects nobody and tells nothing. Check what wrote it")
    return sizes


def _lone_records(sizes: ClassSizes) -> Iterator[str]:
    if sizes.k == 1:
        yield f"k is 1: {sizes.alone:,} of {sizes.rows:,} records are alone in their class and can be singled out"


def _nearly_unique(work: Database, kept: Sequence[str], rows: int) -> Iterator[str]:
    if rows < FEWEST_ROWS:
        return
    for name in kept:
        distinct = work.value(statement("audit/distinct_values.sql", column={"kept": name}))
        if distinct > NEARLY_UNIQUE * rows:
            yield (
                f"column {name!r} is nearly unique ({distinct:,} values in {rows:,} records): anyone who knows it can "
                "single records out"
            )
