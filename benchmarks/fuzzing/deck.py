"""What may be done with a table, and the hand of it that a case is dealt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import audits, ways
from .case import Case
from .released import Released

WAYS: tuple[Callable[[Case], Any], ...] = (
    *(ways.by_rule, ways.by_method, ways.by_method, ways.by_method, ways.by_run, ways.by_lock, ways.by_classes),
    *(ways.by_sql, ways.by_other_export, ways.hidden_change, audits.two_releases),
)


def play(case: Case) -> None:
    """Do a few things with a table."""
    (case.table.folder / "out").mkdir()
    for _ in range(3):
        audits.of_the_source(case)
    for way in case.random.sample(WAYS, k=3):
        made = way(case)
        if isinstance(made, Released) and case.random.random() < 0.5:
            audits.audited(case, made)
