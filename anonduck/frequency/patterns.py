"""Distance patterns: for pairs of records, per attribute the lowest level at which they fall together; counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.frequency.frequency_set import sample_records
from anonduck.source.source import Announce
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column
from anonduck.statements.pipeline.builder_patterns import (
    CLASS_FIELD,
    WordLayout,
    block_histogram,
    decoded_patterns,
    empty_blocks,
    equal_pairs,
    largest_values,
    pack,
    packed_records,
    top_patterns,
)

if TYPE_CHECKING:
    import numpy as np

BLOCK_ROWS = 2048

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PairJoin:
    """What was joined: records in the source, records whose pairs were joined, and pairs."""

    records: int
    joined_records: int
    pairs: int
    class_differing_pairs: int
    patterns: int
    sampled: bool
    seed: int


@dataclass(frozen=True)
class CoveredPatterns:
    """The most frequent patterns that cover a share of the pairs, those tied with the last one included."""

    coverage: float
    threshold: int
    patterns: int
    class_differing: int
    pairs: int


def join_pairs(
    database: Database,
    roots: Mapping[str, int],
    config: Config,
    *,
    announce: Announce = lambda _: None,
    progress: Progress = lambda done, total: None,
    over: Callable[[], bool] = lambda: False,
) -> PairJoin:
    """Write ``distance_patterns``, the histogram over all pairs of records (or of an unbiased sample of records).

    Args:
        database: holds ``coded_frequency_set``.
        roots: the root level of each attribute.
        config: says how many records are sampled, and the seed.
        announce: is told when a sample is joined.
        progress: is called with the pairs done and the pairs in all.
        over: tells between blocks that the time is up; the patterns of the pairs so far are taken then.

    The paper's generalization map (section 6.1, RFD Extraction): keys are distance patterns, values numbers of pairs.
    """
    records, sampled = _choose_records(database, config, announce)
    layout = pack(_largest_codes(database, roots))
    database.run(packed_records(layout, "joined_records"))
    rows, joined, largest, inside = database.row(statement("frequency/pattern_joined_size.sql"))
    database.run(empty_blocks(layout))
    _join_blocks(database, layout, rows, weighted=largest > 1, progress=progress, over=over)
    if inside:
        database.run(equal_pairs(layout), {"pairs": inside})
    database.run(decoded_patterns(layout, roots))
    for table in ("pattern_blocks", "packed_records"):
        database.run(statement("frequency/drop.sql", table={"working": table}))
    database.run(
        statement("frequency/pattern_join.sql"),
        {"records": records, "joined": joined, "sampled": sampled, "seed": config.seed},
    )
    patterns, pairs, differing = database.row(statement("frequency/pattern_totals.sql"))
    return PairJoin(records, joined, pairs, differing, patterns, sampled, config.seed)


def _choose_records(database: Database, config: Config, announce: Announce) -> tuple[int, bool]:
    import numpy as np

    counts = database.arrays(statement("frequency/pattern_cell_records.sql"))
    records = int(counts["records"].sum())
    if config.sample == "all" or records <= config.sample:
        database.run(statement("frequency/pattern_all_records.sql"))
        return records, False
    drawn = sample_records(counts["records"], config.sample, seed=config.seed)
    announce(
        f"comparing the pairs of an unbiased sample of {config.sample:,} of {records:,} records (seed {config.seed}); "
        "`sample=N` sets its size, `sample='all'` compares all"
    )
    import pandas as pd

    database.register("drawn_records", pd.DataFrame({"cell": np.arange(len(drawn)), "records": drawn}))
    database.run(statement("frequency/pattern_sampled_records.sql"))
    database.unregister("drawn_records")
    return records, True


def _largest_codes(database: Database, roots: Mapping[str, int]) -> dict[tuple[str, int], int]:
    places = [(name, level) for name, root in roots.items() for level in range(root)]
    columns = [code_column(name, level) for name, level in places]
    largest = database.row(largest_values("joined_records", columns))
    codes = {place: int(code) for place, code in zip(places, largest, strict=True)}
    codes[(CLASS_FIELD, 0)] = int(database.value(statement("frequency/pattern_largest_class.sql")))
    return codes


def _join_blocks(
    database: Database, layout: WordLayout, rows: int, *, weighted: bool, progress: Progress, over: Callable[[], bool]
) -> None:
    block = block_histogram(layout, weighted=weighted)
    total = rows * (rows - 1) // 2
    for first in range(1, rows + 1, BLOCK_ROWS):
        last = min(first + BLOCK_ROWS - 1, rows)
        if over():
            break
        database.run(block, {"first": first, "last": last})
        left = rows - last
        progress(total - left * (left - 1) // 2, total)


def cover(database: Database, join: PairJoin, coverage: float, over: str) -> CoveredPatterns:
    """The most frequent patterns whose pairs reach a share of all pairs (``over="class_differing"``: of those
    pairs)."""
    differing = over == "class_differing"
    total = join.class_differing_pairs if differing else join.pairs
    if total == 0:
        return CoveredPatterns(coverage, 0, 0, 0, 0)
    needed = ceil(Fraction(repr(coverage)) * total)
    threshold = database.value(
        statement("frequency/pattern_threshold.sql"), {"needed": needed, "class_differing": differing}
    )
    parameters = {"threshold": threshold, "class_differing": differing}
    return CoveredPatterns(coverage, threshold, *database.row(statement("frequency/pattern_covered.sql"), parameters))


def class_differing_patterns(database: Database, roots: Mapping[str, int], threshold: int) -> np.ndarray:
    """Distances of the class-differing patterns with at least ``threshold`` pairs, (patterns, attributes) uint8."""
    import numpy as np

    fetched = database.arrays(top_patterns(list(roots)), {"threshold": threshold})
    return np.column_stack([np.asarray(column, dtype=np.uint8) for column in fetched.values()])
