"""What classes show where they show swapped values, on counted records: what models learn from.

A release draws its swaps in the database (anonduck.release.class_swaps), by a seed that stays secret. Here they are
drawn by one that is known, within equivalence classes, where a release tells assigned classes apart that look alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from anonduck.evaluation.rare_groups import groups_by_taxonomy, groups_in_order, rare_codes
from anonduck.evaluation.settled import Settled
from anonduck.evaluation.typical import NONE
from anonduck.evaluation.typical_shown import ReleasedValues
from anonduck.frequency.roll_up import distinct
from anonduck.measures.released_cells import ReleasedCells
from anonduck.methods.permutation import permuted, whole_blocks
from anonduck.statements.column_types import has_order

DRAWING = 3_000_017  # added to the seed, so that swaps are drawn apart from folds


def show_swapped(
    settled: Settled,
    k: int,
    kinds: Mapping[str, str],
    seed: int,
    *,
    keeps_rare: bool,
    blocks: Sequence[Sequence[str]] = (),
) -> Settled:
    """Permute each column, or block of columns, by itself within the equivalence classes; what these come to stays.

    Args:
        settled: the classes, by ranges.
        k: how many records make a value common; rarer ones are generalized first.
        kinds: the types of the columns, by name.
        seed: draws the swaps.
        keeps_rare: whether rare values stay as they are.
        blocks: the columns that change places together.

    Raises ConfigError for blocks that name a column twice, or one that there is not.
    """
    cells = settled.cells
    rows = np.repeat(np.arange(len(cells.records)), cells.records)
    rows = rows[settled.stays[rows]]
    cluster = np.unique(settled.equivalence[rows], return_inverse=True)[1].reshape(-1)
    own = [leaves[rows].astype(np.int64) for leaves in cells.leaves]
    together = whole_blocks(blocks, cells.names)
    values = [distinct([own[cells.names.index(name)] for name in block])[1] for block in together]
    made = permuted(cluster, values, np.random.default_rng([seed, DRAWING]))
    of = {name: sources for block, sources in zip(together, made.sources, strict=True) for name in block}
    codes, levels = [], []
    for column, held in zip(settled.shown.columns, own, strict=True):
        sources = of[column.name]
        kind = kinds[column.name]
        stands, level = _common(ReleasedValues(column, kind, held, np.ones(len(held), dtype=np.int64), k), keeps_rare)
        codes.append(stands[held[sources]])
        levels.append(level[held[sources]])
    classes = cells.classes[rows]
    first, group = distinct([*codes, *levels, classes])
    shown = ReleasedCells(
        leaves=tuple(one[first] for one in codes),
        levels=tuple(one[first] for one in levels),
        classes=classes[first],
        equivalence=np.zeros(len(first), dtype=np.int64),
        records=np.bincount(group, minlength=len(first)).astype(np.int64),
        stays=np.ones(len(first), dtype=bool),
    )
    return replace(settled, swapped=shown)


def _common(column: ReleasedValues, keeps_rare: bool) -> tuple[np.ndarray, np.ndarray]:
    """By leaf code of a column the leaf code, and the level over it, that stand for the value; rare ones for others."""
    stands = np.arange(len(column.held))
    level = np.zeros(len(stands), dtype=np.int64)
    held, k = column.held.astype(np.int64), column.k
    if keeps_rare or not rare_codes(held, k):
        return stands, level
    counted = column.column.counted
    if counted.taxonomy.ordered and has_order(column.kind):
        groups = groups_in_order(held, k)
        codes = column.common_for(groups)
        if not (codes == NONE).any():
            for group, code in zip(groups, codes.tolist(), strict=True):
                stands[list(group)] = code
            return stands, level
    for under in groups_by_taxonomy(counted.paths, held, k):
        level[list(under.codes)] = under.level
    return stands, level
