"""Classes judged by the queries that audits ask: what anonduck judges in memory is held against it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonduck.database.connection import Database
from anonduck.measures.judged_classes import ClassesResult
from anonduck.measures.requirement import Requirement
from anonduck.privacy import relations
from anonduck.privacy.audited_tables import sensitive_names
from anonduck.privacy.measures import ReleaseContext, attribute_tables, bound_tables, measure
from anonduck.privacy.requirement import Criterion, CriterionResult
from anonduck.rules.rounding import DIGITS
from anonduck.statements import Statement, statement


def judged_by_queries(
    database: Database, table: str, attributes: Sequence[str], sensitive: Sequence[str], requirement: Requirement
) -> ClassesResult:
    """What ``judge_classes`` comes to; the numbered set holds the classes that stay, too."""
    relations.roll_up(database, table, attributes, sensitive)
    given = ReleaseContext(len(attributes), requirement.sensitive, paths=requirement.paths, chosen=requirement.chosen)
    records = int(database.value(Statement("records", "SELECT coalesce(sum(records), 0)::BIGINT FROM classes")))
    suppressed = suppress(database, given, requirement.asked) if requirement.suppression else 0
    if not requirement.allows(suppressed, records) or suppressed == records:
        return ClassesResult(records, suppressed, ())
    measured = measure(database, given, requirement.asked, everything=False)
    found = [(one, measured[one.model.name]) for one in requirement.asked]
    return ClassesResult(
        records, suppressed, tuple(CriterionResult(one, reached.numbers, reached.worst) for one, reached in found)
    )


def suppress(work: Database, given: ReleaseContext, asked: Sequence[Criterion]) -> int:
    """Remove the classes that fail a requirement decided class by class, until none fails; returns their records.

    Models that compare a class with all records (t-closeness, beta-likeness and others) compare it with the records
    that stay: those change with each round, so that further classes may fail. A class that failed does not come back.
    At the end every class that stays meets every such requirement, on the records that stay.
    """
    class_wise = [one for one in asked if one.model.class_wise]
    left_out = 0
    while True:
        sizes = work.arrays(Statement("sizes", "SELECT class, records FROM classes ORDER BY class"))
        if not len(sizes["class"]):
            return left_out
        failing = _failing(work, given, class_wise, sizes)
        if not len(failing):
            return left_out
        left_out += int(_records_of(sizes, failing).sum())
        relations.leave_out(work, np.asarray(failing, dtype=np.int64))


def _records_of(sizes: dict[str, np.ndarray], classes: np.ndarray) -> np.ndarray:
    return sizes["records"][np.isin(sizes["class"], classes)]


def _failing(
    work: Database, given: ReleaseContext, asked: Sequence[Criterion], sizes: dict[str, np.ndarray]
) -> np.ndarray:
    """The numbers of the classes that fail at least one of the requirements."""
    records = sizes["records"]
    reached = {"k": records, "prosecutor_risk": np.round(1 / records, DIGITS)}
    failed = [sizes["class"][_misses(one, reached[one.model.name])] for one in asked if one.model.reads == "classes"]
    failed += _failing_sensitive(work, given, [one for one in asked if one.model.reads == "cells"])
    return np.unique(np.concatenate(failed)) if failed else np.empty(0, dtype=np.int64)


def _failing_sensitive(work: Database, given: ReleaseContext, asked: Sequence[Criterion]) -> Iterator[np.ndarray]:
    if not asked:
        return
    alone = replace(given, joint=False)
    for column, name in zip(given.sensitive, sensitive_names(len(given.sensitive)), strict=True):
        tables = attribute_tables(work, alone, column, name, [one.model for one in asked])
        for one in asked:
            if set(one.model.tables) <= tables:
                query = statement(f"privacy/{one.model.name}.sql", table=bound_tables(one.model, alone))
                found = work.arrays(query, one.parameters if query.parameters else None)
                yield found["class"][_misses(one, np.round(found["reached"].astype(np.float64), DIGITS))]


def _misses(asked: Criterion, reached: Any) -> Any:
    """For each class, whether it misses the one bound of the requirement."""
    (bound,) = asked.model.bounds
    return ~asked.bound_holds(bound, reached)
