"""What was done while records were swapped: counts for the owner, and what to warn of; nothing of the swaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonduck.methods.permutation import Permuted
from anonduck.methods.probabilistic import Clusters
from anonduck.release.swapped_records import SwappedRecords


@dataclass
class Swapped:
    """What was done: the blocks, counts for the owner, and what the measures read."""

    blocks: list[list[str]] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    unique: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    made: tuple[SwappedRecords, Permuted] | None = None

    @property
    def alone(self) -> dict[str, int]:
        """How many values one record alone has, of the columns that have some."""
        return {name: count for name, count in self.unique.items() if count}

    def note(
        self,
        records: SwappedRecords,
        clusters: Clusters,
        permuted: Permuted,
        cluster: np.ndarray,
        blocks: list[list[str]],
    ) -> None:
        """Count what was done: clusters, blocks of clusters that are unchanged, clusters of one class."""
        sizes, classes = clusters.sizes, records.classes[records.rows]
        kinds = np.unique(np.column_stack([cluster, classes]), axis=0)[:, 0]
        self.blocks = blocks
        self.counts = {
            "clusters": len(sizes),
            "smallest": int(sizes.min()),
            "largest": int(sizes.max()),
            "blocks_in_clusters": len(sizes) * len(blocks),
            "unchanged": int(sum(int(one.sum()) for one in permuted.unchanged)),
            "homogeneous": int(permuted.homogeneous.sum()),
            "one_class": int((np.bincount(kinds) == 1).sum()),
        }
        self.made = (records, permuted)

    def warnings(self, *, seed_given: bool) -> Iterator[str]:
        """What everybody should know; ``seed_given``: the swaps were drawn by the config's seed."""
        alone = self.alone
        if alone:
            yield (
                f"{counted(alone)} in one record alone. Who knows of such a value sees that its person is in the "
                "release; the option `top` shows larger numbers as one, `levels` shows labels of a taxonomy"
            )
        if seed_given:
            yield (
                "the swaps were drawn by the config's seed: whoever knows it and all quasi-identifiers can draw them "
                "again. Keep it secret, or leave it out for one that nobody knows"
            )

    @property
    def unhidden(self) -> Iterator[str]:
        """What whoever releases it should know of clusters that swapping does not hide."""
        counts = self.counts
        if counts["unchanged"]:
            yield (
                f"{counts['unchanged']:,} of {counts['blocks_in_clusters']:,} blocks of clusters are unchanged, as all "
                f"their records are alike; {counts['homogeneous']:,} of {counts['clusters']:,} clusters are unchanged "
                "in all blocks and have k-anonymity alone"
            )
        if counts["one_class"]:
            yield (
                f"the records of {counts['one_class']:,} of {counts['clusters']:,} clusters have one value of the "
                "class: swapping does not hide it from somebody who finds the cluster"
            )


def lone_words(records: int, alone: int, k: int) -> str:
    """What records that are like no other in the file mean where values were swapped in clusters of k records."""
    return (
        f"k is 1 in the file: {alone:,} of {records:,} records show a combination of values that no other shows. "
        f"Their values changed places in clusters of at least {k:,} records, so that such a record need not be one "
        "person's, and the file does not tell which values are"
    )


def counted(alone: Mapping[str, int]) -> str:
    """Which columns have how many such values, in words."""
    named = ", ".join(f"{name!r} ({count:,})" for name, count in alone.items())
    return f"values of {named} stand"
