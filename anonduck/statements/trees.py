"""sqlglot, loaded when a tree is first read or written: most statements are filled into texts that were kept."""

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
