"""Which columns are permuted together (Senavirathne and Torra 2021, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from anonduck.errors import ConfigError


def mutual_information(counts: np.ndarray) -> float:
    """Equation 3, in bits, from records by value of the one and of the other."""
    total = counts.sum()
    if not total:
        return 0.0
    one, other = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    there = counts > 0
    both = (one * other)[there]
    return float((counts[there] * np.log2(counts[there] * float(total) / both)).sum() / total)


def paired(information: Mapping[str, float]) -> list[list[str]]:
    """Columns in pairs by falling information, of equal ones the first first; an odd one joins the last pair."""
    order = sorted(information, key=lambda name: -information[name])
    pairs = [order[first : first + 2] for first in range(0, len(order), 2)]
    if len(pairs) > 1 and len(pairs[-1]) == 1:
        pairs[-2:] = [pairs[-2] + pairs[-1]]
    return pairs


def check_blocks(blocks: Sequence[Sequence[str]], names: Sequence[str]) -> None:
    """Raise ConfigError unless each of the columns is in one of the blocks."""
    named = [name for block in blocks for name in block]
    for name in named:
        if name not in names:
            raise ConfigError(f"the blocks name {name!r}, which is no quasi-identifier of the release")
        if named.count(name) > 1:
            raise ConfigError(f"the blocks name {name!r} twice; a column is permuted with one block")
    missing = [name for name in names if name not in named]
    if missing:
        raise ConfigError(f"no block holds {', '.join(map(repr, missing))}; name each quasi-identifier in one block")
