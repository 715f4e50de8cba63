"""Libraries that are loaded when something of them is first used: much of what is asked needs none of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["AtFirstUse", "np"]


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
    import numpy as np
else:
    np = AtFirstUse("numpy")
