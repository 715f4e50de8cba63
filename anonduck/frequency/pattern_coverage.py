"""The most frequent distance patterns that cover a share of the pairs of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.frequency.patterns import PairJoin
from anonduck.statements import line, statement

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class CoveredPatterns:
    """The most frequent patterns that cover a share of the pairs, those tied with the last one included.

    ``reached`` is False if the kept patterns cover less; then they are all of these. ``exact`` says that no other
    pattern of the pairs counted has as many.
    """

    coverage: float
    threshold: int
    patterns: int
    class_differing: int
    pairs: int
    reached: bool = True
    exact: bool = True


def cover(database: Database, join: PairJoin, coverage: float, over: str) -> CoveredPatterns:
    """The most frequent patterns whose pairs reach a share of all pairs (``over="class_differing"``: of those
    pairs)."""
    differing = over == "class_differing"
    total = join.class_differing_pairs if differing else join.pairs
    if total == 0:
        return CoveredPatterns(coverage, 0, 0, 0, 0, reached=join.exact)
    needed = ceil(Fraction(repr(coverage)) * total)
    threshold = database.value(
        statement("frequency/pattern_threshold.sql"), {"needed": needed, "class_differing": differing}
    )
    parameters = {"threshold": threshold or 0, "class_differing": differing}
    patterns, class_differing, pairs = database.row(statement("frequency/pattern_covered.sql"), parameters)
    reached = threshold is not None
    exact = reached and (join.missed_pairs == 0 or _is_certain(database, join, parameters))
    return CoveredPatterns(coverage, threshold or 0, patterns, class_differing, pairs, reached=reached, exact=exact)


def _is_certain(database: Database, join: PairJoin, parameters: Mapping[str, int]) -> bool:
    """Whether no pattern that is not counted in full can have as many pairs as the threshold. One that is not kept has
    at most as many counted as it can miss."""
    if parameters["threshold"] <= 2 * join.missed_pairs:
        return False
    text = (
        'SELECT count(*) FROM distance_patterns WHERE "#missed" > 0 AND "#pairs" + "#missed" >= $threshold '
        'AND ("#class_differs" OR NOT $class_differing)'
    )
    return bool(database.value(line("frequency/pattern_coverage._is_certain", text, *parameters), parameters) == 0)


def class_differing_patterns(database: Database, roots: Mapping[str, int], threshold: int) -> np.ndarray:
    """Distances of the class-differing patterns with at least ``threshold`` pairs, (patterns, attributes) uint8."""
    import numpy as np

    top = statement("frequency/pattern_top.sql", lists={"attributes": list(roots)})
    fetched = database.arrays(top, {"threshold": threshold})
    return np.column_stack([np.asarray(column, dtype=np.uint8) for column in fetched.values()])
