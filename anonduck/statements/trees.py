"""sqlglot, loaded when it first reads or writes something: most commands need none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonduck.words import AtFirstUse

__all__ = ["exp", "sqlglot"]


if TYPE_CHECKING:
    import sqlglot
    from sqlglot import exp
else:
    sqlglot = AtFirstUse("sqlglot")
    exp = AtFirstUse("sqlglot.expressions")
