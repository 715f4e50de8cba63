"""Distance patterns: for pairs of records, per attribute the lowest level at which they fall together; counted.

At most `pattern_limit` patterns are held. If there are more, those with the fewest pairs are dropped from time to time,
and each pattern is kept with a bound on the pairs it may have missed, as in lossy counting (Manku & Motwani 2002).
Blocks hold rows drawn at random. So frequent patterns occur before anything is dropped, and their counts are exact; and
the pairs counted when a join ends early are an unbiased sample of all pairs. Within a block, and in the rows it is
joined with, similar rows are neighbours, so that equal patterns occur one after another, which groups faster.

How many distinct patterns there are is estimated first, from a sample of pairs (anonduck.frequency.pattern_estimate).
If they are too many to hold and the frequent ones cover too little, fewer records are joined, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.frequency.packed_words import CLASS_FIELD, WordLayout, pack
from anonduck.frequency.pattern_estimate import PatternSample, records_with, sampled_patterns
from anonduck.models.sampling import sample_records
from anonduck.source.source import Announce
from anonduck.statements import Statement, line, statement
from anonduck.statements.expansion import Lists
from anonduck.statements.pipeline.column_names import CLASS, code_column, levels_to
from anonduck.statements.relations import view_of
from anonduck.statements.template import chained

if TYPE_CHECKING:
    import numpy as np

TIME_UP = "the time was up"
"""Why a join of pairs ended early."""
BLOCK_PAIRS = 1 << 24  # about a second's work, after which the clock is looked at
BLOCK_SHARE = 10  # a block has a tenth of the pairs counted so far, if these are more
FIRST_PAIRS = 1 << 20
LEAST_ROWS, MOST_ROWS = 64, 4096
BLOCK_PATTERNS = 1 << 21
ESTIMATED_RECORDS = 50_000
LEAST_PATTERNS = 1 << 20  # that are held, whatever the budget
PAIRS_OF_PATTERN = 16  # so many pairs for each pattern that is held, where not all records are joined
NARROW_KEYS = 2  # the keys of a pattern of about 120 levels; wider ones take more memory, so that fewer are kept
WORKING = ("distance_patterns", "pattern_blocks", "packed_records", "joined_records")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PairJoin:
    """What was joined: records in the source, records whose pairs were joined, the pairs counted and their patterns.

    ``exact`` says that all pairs of these records were counted, and that ``patterns`` are all of theirs. Otherwise a
    pattern that is not held has at most ``missed_pairs`` of the pairs counted, and ``reason`` says why fewer pairs than
    asked for were counted, if so. ``kept_patterns`` may be among the most frequent. An estimate of the
    patterns of all pairs that were to be joined is None where no pairs were sampled first.
    """

    records: int
    joined_records: int
    pairs: int
    class_differing_pairs: int
    patterns: int
    sampled: bool
    seed: int
    estimated_patterns: int | None = None
    kept_patterns: int = 0
    missed_pairs: int = 0
    exact: bool = True
    reason: str = ""


@dataclass
class _Counted:
    """What was counted so far: all pairs, those of patterns that went, and the most that a pattern that went had."""

    missed: int = 0
    gone_pairs: int = 0
    gone_differing: int = 0
    stopped: str = ""


@dataclass(frozen=True)
class _Plan:
    """The records of each cell whose pairs are joined, and why these."""

    cells: np.ndarray
    limit: int
    sampled: bool
    estimated: int | None = None
    reason: str = ""


def join_pairs(
    database: Database,
    roots: Mapping[str, int],
    config: Config,
    *,
    announce: Announce = no_message,
    progress: Progress = lambda done, total: None,
    over: Callable[[], bool] = lambda: False,
    most_pairs: int | None = None,
) -> PairJoin:
    """Write ``distance_patterns``, the histogram over all pairs of records (or of an unbiased sample of records).

    The table is a temporary one, as all working tables; ``forget_patterns`` drops them.

    Args:
        database: holds ``coded_frequency_set``.
        roots: the root level of each attribute.
        config: says how many records are sampled, how many patterns may be held, and the seed.
        announce: called when a sample is joined, or fewer pairs are counted than asked for.
        progress: is called with the pairs done and the pairs in all.
        over: asked between blocks whether the time is up.
        most_pairs: a bound on the pairs that are joined, as a budget that is the same on every machine.

    The paper's generalization map (section 6.1, RFD Extraction): keys are distance patterns, values numbers of pairs.
    """
    forget_patterns(database)
    cells = database.arrays(statement("frequency/cell_counts.sql", table={"numbered": "coded_frequency_set"}))
    counts = cells["records"]
    plan = _planned(database, roots, config, counts, announce, most_pairs)
    layout = _place(database, roots, plan.cells, config.seed)
    database.run(_empty_blocks(layout))
    records, rows = int(plan.cells.sum()), int((plan.cells > 0).sum())
    counted = _join_blocks(database, layout, rows, plan, progress, over)
    reason = counted.stopped or plan.reason
    if counted.stopped:
        announce(f"the join of pairs ended early: {counted.stopped}; the pairs counted are an unbiased sample of all")
    patterns, pairs, differing = _totals(database, layout)
    _decode(database, layout, roots, least=max(2 if reason else 1, counted.missed + 1))
    join = PairJoin(
        records=int(counts.sum()),
        joined_records=records,
        pairs=pairs + counted.gone_pairs,
        class_differing_pairs=differing + counted.gone_differing,
        patterns=patterns,
        sampled=plan.sampled,
        seed=config.seed,
        estimated_patterns=plan.estimated,
        kept_patterns=_rows_of(database, "distance_patterns"),
        missed_pairs=counted.missed,
        exact=not reason and not counted.missed,
        reason=reason,
    )
    for table in ("pattern_blocks", "packed_records"):
        database.drop(table)
    database.run(statement("frequency/pattern_join.sql"), asdict(join))
    return join


def forget_patterns(database: Database) -> None:
    """Drop the tables that only mining needs; ``joined_cells`` keeps which rows were joined."""
    database.run(line("frequency/patterns.forget_patterns", "DROP VIEW IF EXISTS temp.main.joined_records"))
    for table in WORKING:
        database.drop(table)


# -- what is joined ----------------------------------------------------------------------------------------------------


def _planned(
    database: Database,
    roots: Mapping[str, int],
    config: Config,
    counts: np.ndarray,
    announce: Announce,
    most_pairs: int | None,
) -> _Plan:
    """Choose the records whose pairs are joined, so that no more patterns come up than may be held."""
    records = int(counts.sum())
    asked = records if config.sample == "all" else min(config.sample, records)
    within = asked if most_pairs is None else min(asked, records_with(most_pairs))
    cells = counts if within == records else sample_records(counts, within, seed=config.seed)
    if asked < records:
        announce(
            f"comparing the pairs of an unbiased sample of {asked:,} of {records:,} records (seed {config.seed}); "
            "`--sample N` sets its size, `--sample all` compares all"
        )
    pairs, rows = _pairs_of(within), int((cells > 0).sum())
    reason = f"the budget allows {most_pairs:,} pairs" if within < asked else ""
    if reason:
        what = f"comparing the pairs of {within:,} records (seed {config.seed})" if within > 1 else "comparing no pairs"
        announce(f"{what}: {reason}; `--budget N` changes that")
    if _pairs_of(rows) < config.pattern_limit:
        return _Plan(cells, config.pattern_limit, within < records, None, reason)
    seen, limit = _seen(database, roots, config, cells)
    estimated = seen.patterns_of(pairs)
    if seen.repeated_share < min(config.coverage):
        reason = (
            f"of {seen.pairs:,} sampled pairs, all but {seen.repeated_share:.1%} have a distance pattern of their own, "
            f"so that no patterns are frequent enough to cover a share of {min(config.coverage):g}"
        )
        announce(f"no pairs of records are compared: {reason}")
        return _Plan(counts * 0, limit, within < records, estimated, reason)
    fewer = min(within, records_with(PAIRS_OF_PATTERN * limit))
    held = limit if most_pairs is None else min(limit, max(LEAST_PATTERNS, most_pairs // PAIRS_OF_PATTERN))
    if estimated <= limit or seen.repeated_share >= max(config.coverage) or fewer == within:
        return _Plan(cells, held, within < records, estimated, reason)
    reason = (
        f"those of {within:,} would have an estimated {estimated:,} distance patterns, with {limit:,} held at most, "
        f"and about {seen.repeated_share:.0%} of them would have frequent ones"
    )
    announce(
        f"comparing the pairs of {fewer:,} records (seed {config.seed}): {reason}; `pattern_limit: N` changes that"
    )
    return _Plan(sample_records(cells, fewer, seed=config.seed), held, True, estimated, reason)


def _seen(database: Database, roots: Mapping[str, int], config: Config, cells: np.ndarray) -> tuple[PatternSample, int]:
    """What a sample of pairs shows (where coverages count class-differing ones, of those), and how many patterns may be
    held."""
    if int(cells.sum()) > ESTIMATED_RECORDS:
        cells = sample_records(cells, ESTIMATED_RECORDS, seed=config.seed)
    layout = _place(database, roots, cells, config.seed)
    rows = database.arrays(line("frequency/patterns._seen", "SELECT * EXCLUDE (id) FROM packed_records ORDER BY id"))
    only = None
    if config.coverage_over == "class_differing":
        field = layout.field_of(CLASS_FIELD, 0)
        only = (layout.key_of(field.word), field.flag)
    keys = [[(word, layout.ones_of(word), layout.flags_of(word)) for word in words] for words in layout.keys]
    words = [rows[f"w{word}"] for word in range(layout.words)]
    seen = sampled_patterns(words, rows["n"], keys, seed=config.seed, only=only)
    return seen, config.pattern_limit * (NARROW_KEYS + 1) // (max(NARROW_KEYS, len(layout.keys)) + 1)


def _pairs_of(rows: int) -> int:
    return rows * (rows - 1) // 2


def _place(database: Database, roots: Mapping[str, int], cells: np.ndarray, seed: int) -> WordLayout:
    """Write the rows that are joined into ``packed_records``: in the order of their cells, numbered in a random one."""
    import numpy as np
    import pandas as pd

    chosen = np.flatnonzero(cells)
    order = np.random.default_rng(seed).permutation(len(chosen)) + 1
    with database.registered("drawn_cells", pd.DataFrame({"cell": chosen, "records": cells[chosen], "number": order})):
        text = "CREATE OR REPLACE TABLE joined_cells AS SELECT cell, records, number FROM drawn_cells"
        database.run(line("frequency/patterns._place", text))
    database.run(view_of(_joined_records().sql, "joined_records"))
    layout = pack(_largest_codes(database, roots))
    database.run(statement("frequency/pattern_packed.sql", lists={"words": layout.listed_words}))
    return layout


def _joined_records() -> Statement:
    return statement("frequency/pattern_joined.sql")


def _largest_codes(database: Database, roots: Mapping[str, int]) -> dict[tuple[str, int], int]:
    places = [(name, level) for name, root in roots.items() for level in range(root)]
    columns = [*(code_column(name, level) for name, level in places), CLASS]
    text = 'SELECT each(columns, max("{name}")) FROM joined_records'
    largest = database.row(line("frequency/patterns._largest_codes", text, columns=columns))
    return {place: int(code or 0) for place, code in zip([*places, (CLASS_FIELD, 0)], largest, strict=True)}


# -- the join ----------------------------------------------------------------------------------------------------------


def _empty_blocks(layout: WordLayout) -> Statement:
    """The table that collects the histograms of the blocks."""
    text = "CREATE OR REPLACE TEMPORARY TABLE pattern_blocks (each(keys, key_{n} BIGINT), pairs BIGINT, missed BIGINT)"
    return line("frequency/patterns._empty_blocks", text, keys=layout.listed_keys)


def _join_blocks(
    database: Database, layout: WordLayout, rows: int, plan: _Plan, progress: Progress, over: Callable[[], bool]
) -> _Counted:
    """Count the patterns of all pairs into ``pattern_blocks``, once each.

    A block has so many pairs that it can hardly bring more than BLOCK_PATTERNS patterns, by those of the block before:
    more pairs bring fewer new patterns each.
    """
    lists: Lists = {"keys": layout.listed_keys, "counted": ["n"] if (plan.cells > 1).any() else []}
    block = statement("frequency/pattern_block.sql", lists=lists)
    counted, total, last, held, merged, pairs = _Counted(), _pairs_of(rows), 0, 0, 0, FIRST_PAIRS
    inside = _append_equal(database, layout, rows, 0)
    while last < rows:
        if over():
            counted.stopped = TIME_UP
            break
        left, first = _pairs_of(rows - last), last + 1
        last = min(rows, last + max(LEAST_ROWS, min(MOST_ROWS, pairs // (rows - last))))
        database.run(block, {"first": first, "last": last})
        grown = _rows_of(database, "pattern_blocks")
        rising, done = left - _pairs_of(rows - last), total - _pairs_of(rows - last)
        progress(done, total)
        most = max(BLOCK_PAIRS, done // BLOCK_SHARE)
        pairs = min(most, max(FIRST_PAIRS, BLOCK_PATTERNS * rising // max(1, grown - held)))
        held = grown
        if held > 2 * merged + BLOCK_PATTERNS:
            merged = held = _merge(database, layout, counted, plan.limit)
    if counted.stopped:
        _append_equal(database, layout, last, inside)
    _merge(database, layout, counted, plan.limit)
    return counted


def _append_equal(database: Database, layout: WordLayout, last: int, appended: int) -> int:
    """Append the pairs inside the first rows to ``pattern_blocks``, without the ``appended`` ones.

    Returns how many such pairs there are. They come first, so that their pattern is never dropped.
    """
    text = "SELECT coalesce(sum(n::HUGEINT * (n - 1) // 2), 0)::BIGINT FROM packed_records WHERE id <= $last"
    inside = int(database.value(line("frequency/patterns._append_equal", text, "last"), {"last": last}))
    if inside != appended:
        text = "INSERT INTO pattern_blocks VALUES (each(keys, 0), $pairs, NULL)"
        equal = line("frequency/patterns._append_equal", text, "pairs", keys=layout.listed_keys)
        database.run(equal, {"pairs": inside - appended})
    return inside


def _merge(database: Database, layout: WordLayout, counted: _Counted, limit: int) -> int:
    """Sum up what the blocks have of the same pattern, and let half of the patterns go where they are too many; returns
    how many are left."""
    merged = statement("frequency/pattern_merged.sql", lists={"keys": layout.listed_keys})
    database.run(merged, {"bound": counted.missed})
    _replace_blocks(database)
    held = _rows_of(database, "pattern_blocks")
    if held <= limit:
        return held
    _, pairs, differing = _totals(database, layout)
    counted.missed = int(database.value(statement("frequency/pattern_cut.sql"), {"most": limit // 2}))
    text = "CREATE OR REPLACE TEMPORARY TABLE merged_blocks AS SELECT * FROM pattern_blocks WHERE pairs + missed > $cut"
    database.run(line("frequency/patterns._merge", text, "cut"), {"cut": counted.missed})
    _replace_blocks(database)
    left, kept_pairs, kept_differing = _totals(database, layout)
    counted.gone_pairs += pairs - kept_pairs
    counted.gone_differing += differing - kept_differing
    return left


def _totals(database: Database, layout: WordLayout) -> tuple[int, int, int]:
    """Of merged blocks the patterns, their pairs, and those pairs that differ in class."""
    found = database.row(statement("frequency/pattern_totals.sql", lists={"differs": layout.listed_class}))
    patterns, pairs, differing = map(int, found)
    return patterns, pairs, differing


def _decode(database: Database, layout: WordLayout, roots: Mapping[str, int], *, least: int) -> None:
    """Write ``distance_patterns`` of the merged blocks, those of so many pairs or more."""
    attributes = [
        {"name": name, "levels": [layout.listed_flag(name, level) for level in range(root)]}
        for name, root in roots.items()
    ]
    lists: Lists = {"attributes": attributes, "differs": layout.listed_class}
    database.run(statement("frequency/pattern_decoded.sql", lists=lists), {"least": least})


def counted_pairs(roots: Mapping[str, int]) -> Statement:
    """The rows of ``distance_patterns``, plainly: what the patterns of bits are held against."""
    attributes = [{"name": name, "levels": levels_to(root - 1, lowest=0)} for name, root in roots.items()]
    plain = statement("frequency/pattern_pairs.sql", lists={"attributes": attributes})
    return chained({"joined_records": _joined_records()}, plain)


def _rows_of(database: Database, table: str) -> int:
    return database.count(table)


def _replace_blocks(database: Database) -> None:
    database.drop("pattern_blocks")
    database.run(line("frequency/patterns._replace_blocks", "ALTER TABLE merged_blocks RENAME TO pattern_blocks"))
