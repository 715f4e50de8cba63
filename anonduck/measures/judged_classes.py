"""The equivalence classes of a table, judged: those that fail left out where that is allowed, the rest measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.database.connection import Database
from anonduck.measures.requirement import Requirement
from anonduck.privacy import relations
from anonduck.privacy.measures import ReleaseContext, measure
from anonduck.privacy.requirement import CriterionResult, finite
from anonduck.privacy.suppression import suppress
from anonduck.statements import statement


@dataclass(frozen=True)
class ClassesResult:
    """What the classes of a table reach, once those that fail are left out, where that is allowed.

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
    given = ReleaseContext(len(attributes), requirement.sensitive, paths=requirement.paths, chosen=requirement.chosen)
    records = int(database.value(statement("measures/judged_records.sql", table={"classes": relations.CLASSES})))
    suppressed = suppress(database, given, requirement.asked) if requirement.suppression else 0
    if not requirement.allows(suppressed, records) or suppressed == records:
        return ClassesResult(records, suppressed, ())
    measured = measure(database, given, requirement.asked, everything=False)
    found = [(one, measured[one.model.name]) for one in requirement.asked]
    return ClassesResult(
        records, suppressed, tuple(CriterionResult(one, reached.numbers, reached.worst) for one, reached in found)
    )


def reached_beside_k(reached: Sequence[CriterionResult]) -> dict[str, Any]:
    """What is reached by name: a number, or several by name; k has its own place."""
    return {one.name: finite(one.reached) for one in reached if one.name != "k"}


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
