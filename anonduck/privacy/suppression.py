"""Record suppression: the classes that fail a requirement are left out, and what stays is looked at again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.privacy import relations
from anonduck.privacy.measures import ReleaseContext, attribute_tables, bound_tables
from anonduck.privacy.requirement import Criterion
from anonduck.rules.rounding import DIGITS
from anonduck.statements import statement
from anonduck.statements.builder_privacy import sensitive_names

if TYPE_CHECKING:
    import numpy as np


def suppress(work: Database, given: ReleaseContext, asked: Sequence[Criterion]) -> int:
    """Remove the classes that fail a requirement decided class by class, until none fails; returns their records.

    Models that compare a class with all records (t-closeness, beta-likeness and others) compare it with the records
    that stay: those change with each round, so that further classes may fail. A class that failed does not come back.
    At the end every class that stays meets every such requirement, on the records that stay.
    """
    import pandas as pd

    class_wise = [one for one in asked if one.model.class_wise]
    left_out = 0
    while True:
        sizes = work.arrays(statement("privacy/class_sizes.sql", table={"classes": relations.CLASSES}))
        if not len(sizes["class"]):
            return left_out
        failing = _failing(work, given, class_wise, sizes)
        if not len(failing):
            return left_out
        left_out += int(_records_of(sizes, failing).sum())
        relations.leave_out(work, pd.DataFrame({"class": failing}))


def _records_of(sizes: dict[str, np.ndarray], classes: np.ndarray) -> np.ndarray:
    import numpy as np

    return sizes["records"][np.isin(sizes["class"], classes)]


def _failing(
    work: Database, given: ReleaseContext, asked: Sequence[Criterion], sizes: dict[str, np.ndarray]
) -> np.ndarray:
    """The numbers of the classes that fail at least one of the requirements."""
    import numpy as np

    records = sizes["records"]
    reached = {"k": records, "prosecutor_risk": np.round(1 / records, DIGITS)}
    failed = [sizes["class"][_misses(one, reached[one.model.name])] for one in asked if one.model.reads == "classes"]
    failed += _failing_sensitive(work, given, [one for one in asked if one.model.reads == "cells"])
    return np.unique(np.concatenate(failed)) if failed else np.empty(0, dtype=np.int64)


def _failing_sensitive(work: Database, given: ReleaseContext, asked: Sequence[Criterion]) -> Iterator[np.ndarray]:
    import numpy as np

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
