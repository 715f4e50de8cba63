"""Database-native anonymization: from a warehouse export to a proven release.

>>> import anonduck
>>> anonduck.Project(class_="churned", source="exports/*.parquet").config.class_
'churned'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anonduck.words import __version__

if TYPE_CHECKING:
    from anonduck.attacks.attack import attack
    from anonduck.attacks.swapped import audit_swapped
    from anonduck.auditing.audit import audit
    from anonduck.auditing.original import audit_original
    from anonduck.auditing.reconstruction import reconstruct
    from anonduck.errors import AnonduckError
    from anonduck.one_call import anonymize
    from anonduck.project import Project

__all__ = [
    "AnonduckError",
    "Project",
    "__version__",
    "anonymize",
    "attack",
    "audit",
    "audit_original",
    "audit_swapped",
    "reconstruct",
]

_HOMES = {
    "anonymize": "anonduck.one_call",
    "attack": "anonduck.attacks.attack",
    "audit": "anonduck.auditing.audit",
    "audit_original": "anonduck.auditing.original",
    "audit_swapped": "anonduck.attacks.swapped",
    "reconstruct": "anonduck.auditing.reconstruction",
    "AnonduckError": "anonduck.errors",
    "Project": "anonduck.project",
}


def __dir__() -> list[str]:
    """The public names, of which some are imported at first use."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import what is asked for at first use, so that ``import anonduck`` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'anonduck' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
