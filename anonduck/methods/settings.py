"""What options of methods may be set to, where both an option and its algorithm name it."""

from __future__ import annotations

LOSSES = ("lm", "entropy")
QUARTILE = "quartile"
IMPUTE = "impute"
TABLE_5, EQUATION_8 = "table-5", "equation-8"
READING_OF = {TABLE_5: "paper", EQUATION_8: "predictive"}
"""The reading of usefulness (anonduck.models.usefulness) by the option ``weights``: its place in the paper."""
DETAIL = 1.0
"""How much detail weighs in guided cuts, unless the option says otherwise."""
