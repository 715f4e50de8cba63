"""What the columns of frequency sets and of taxonomies are called."""

from __future__ import annotations

from anonduck.statements.expansion import Item

RECORDS = "#records"
CELL = "#cell"
CLASS = "#class"
CODED_SENSITIVE = "coded_sensitive_set"


def value_column(name: str) -> str:
    """The name of a source column's raw values in the frequency set."""
    return f"{name}@value"


def code_column(name: str, level: int) -> str:
    """The name of a source column's node codes at one level in the coded frequency set."""
    return f"{name}@{level}"


def levels_to(root: int, lowest: int = 1) -> list[Item]:
    """The levels of a taxonomy up to a root, as query files list them: ``level_{level}`` and ``code_{level}``."""
    return [{"level": level} for level in range(lowest, root + 1)]
