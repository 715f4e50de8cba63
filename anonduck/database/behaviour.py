"""Whether this DuckDB behaves as queries expect: checked once a process, if its version was not tested."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb

from anonduck.errors import DatabaseError
from anonduck.statements import Statement

if TYPE_CHECKING:
    from anonduck.statements.builder_behaviour import Behaviour

Ask = Callable[[Statement], Any]
"""Returns the rows of a statement, or raises an error of DuckDB's."""

TESTED = ("1.5.0", "2.0.1")
"""The versions of DuckDB that the whole test suite passes with."""

_DIFFERING: dict[str, tuple[Behaviour, ...]] = {}
"""The behaviours that differ, by version of DuckDB; a process has one version."""


def differing(ask: Ask) -> tuple[Behaviour, ...]:
    """The behaviours in which this DuckDB differs from what queries expect; a tested version is not asked."""
    version = duckdb.__version__
    if version in TESTED:
        return ()
    if version not in _DIFFERING:
        from anonduck.statements.builder_behaviour import EXPECTED

        _DIFFERING[version] = tuple(one for one in EXPECTED if not _holds(ask, one))
    return _DIFFERING[version]


def refuse(statement: Statement, behaviours: tuple[Behaviour, ...]) -> None:
    """Raise DatabaseError if a statement relies on a behaviour that this DuckDB does not have."""
    from anonduck.statements.builder_behaviour import rests_on

    for one in rests_on(statement.sql, behaviours):
        raise DatabaseError(
            f"DuckDB {duckdb.__version__} is not among the versions that anonduck was tested with "
            f"({', '.join(TESTED)}), and differs from them: that {one.words} does not hold. The query "
            f"{statement.origin} rests on it ({one.figures}), so it was not run. Install a tested version, such as "
            f"`pip install duckdb=={TESTED[-1]}`, or a newer anonduck"
        )


def _holds(ask: Ask, behaviour: Behaviour) -> bool:
    """Whether a behaviour is as expected; one whose expression DuckDB refuses is not."""
    from anonduck.statements.builder_behaviour import question

    try:
        ((answer,),) = ask(question([behaviour]))
    except duckdb.Error:
        return False
    return answer is True
