"""What a release may be made by, and what its classes may show."""

from __future__ import annotations

RULES = "rules"
RANGES, TYPICAL, SWAPPED = WAYS = ("ranges", "typical", "swapped")
"""What the classes of a method show in a column."""
BOUND_TEXT, BOUND_COLUMNS = "text", "columns"
"""How ranges are written: one text, or two columns.

They have the names of the column with `_from` and `_to`.
"""
TREE = "tree"
"""Tests rules where no model is named."""
LEARNER = "boosting"
"""Tests candidates beside the models of the config: those prefer coarse releases where they are simple."""
