"""sqlglot, loaded when a tree is first read or written: most statements are filled into texts that were kept."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["AtFirstUse", "exp", "sqlglot"]


class AtFirstUse:
    """A module that is imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """What the module has by that name, which is found without this from then on."""
        value = getattr(importlib.import_module(self._name), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import sqlglot
    from sqlglot import exp
else:
    sqlglot = AtFirstUse("sqlglot")
    exp = AtFirstUse("sqlglot.expressions")
