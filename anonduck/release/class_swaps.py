"""Classes that show swapped values: each column permuted by itself within the classes of a method.

It promises what swapping in clusters does (anonduck.release.swap_recoder), and is proven and attacked as that is: a
record is linked with a chance of 1/k at most, and the file has no classes of k records. Values that fewer than k
records hold are generalized first, unless the config bounds their records by ``kept_rare``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.config.ways import SWAPPED
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import RequirementNotMet
from anonduck.evaluation.only_k import WITHIN_CLASSES, refuse_unmet
from anonduck.evaluation.spread import ShownLabels
from anonduck.methods.method import Method
from anonduck.methods.permutation import whole_blocks
from anonduck.methods.recodings import Recoding
from anonduck.privacy.kept_columns import KEPT_RARE
from anonduck.release.found_classes import FoundClasses
from anonduck.release.rare_values import count_rare, generalize_rare
from anonduck.release.recoded_columns import ASSIGNED
from anonduck.release.recoder import RELEASE_SET, Placing, ReleaseInputs, group_labels
from anonduck.release.swap_recoder import SwapRecoder, drawn_seed, swapped_columns
from anonduck.release.swap_settings import AS_THEY_ARE
from anonduck.release.swapped_columns import SwappedColumn, rare_table
from anonduck.release.swapped_records import SwappedRecords
from anonduck.source.engine import SourceEngine
from anonduck.statements import line
from anonduck.statements.column_types import has_order

OWN = "its own values, swapped within classes"
NEAREST = f"{OWN}; any that fewer than k records hold show a common or a round value near them"
GROUPS = f"{OWN}; any that fewer than k records hold show the label of a group that k records hold"


@dataclass(frozen=True, kw_only=True)
class ClassSwapRecoder(SwapRecoder):
    """The swaps within the classes that a method finds, or found before; rare values stay with ``keeps_rare``."""

    assignment: FoundClasses
    keeps_rare: bool

    @property
    def shows(self) -> str:
        """Swapped values."""
        return SWAPPED

    @property
    def generalized(self) -> list[str]:
        """All that is swapped: the taxonomies of these columns decide the classes."""
        return [column.name for column in self.swapped]

    @property
    def rare_kept(self) -> Mapping[str, int]:
        """By column the records with a rare value, where these are counted and not generalized."""
        return {name: one.records for name, one in self.found.rare.items()} if self.keeps_rare else {}

    # -- filled --------------------------------------------------------------------------------------------------------

    def scan(self, engine: SourceEngine) -> None:
        """Scan what the classes are found by too."""
        self.assignment.scan(engine, self._scanned)

    @property
    def _placings(self) -> list[Placing]:
        return [self.inputs.placing(name, refuse=True) for name in self.generalized]

    def _found_shown(self, database: Database, reporter: Reporter) -> tuple[SwappedColumn, ...]:
        self.assignment.assign(database, self.inputs, reporter)
        self.found.remarks[:] = self.assignment.findings.ended
        k = max(self.inputs.requirement.k, self.inputs.requirement.rare_under)
        find = count_rare if self.keeps_rare else generalize_rare
        self.found.rare = find(database, self.inputs, k)
        return self._as_shown

    @property
    def _as_shown(self) -> tuple[SwappedColumn, ...]:
        """The columns with what is known of their rare values."""
        if self.keeps_rare:
            return self.swapped
        rare = self.found.rare
        return tuple(
            replace(one, rare=rare[one.name].records > 0, labelled=bool(rare[one.name].labels)) for one in self.swapped
        )

    @property
    def _beside(self) -> tuple[str, ...]:
        return (ASSIGNED,)

    def _blocks(self, database: Database, names: Sequence[str]) -> list[list[str]]:
        return whole_blocks(self.settings.blocks, names)

    def _cluster_of(
        self, database: Database, records: SwappedRecords, random: np.random.Generator, reporter: Reporter
    ) -> np.ndarray:
        text = 'SELECT "#assigned" AS assigned FROM swap_set ORDER BY "#row"'
        assigned = database.arrays(line("release/class_swaps._cluster_of", text))["assigned"]
        cluster: np.ndarray = np.unique(assigned, return_inverse=True)[1].reshape(-1)[records.rows]
        least, k = int(np.bincount(cluster).min()), self.inputs.requirement.k
        if least < k:
            raise RequirementNotMet(
                f"{self.assignment.text} have {least:,} records at least, fewer than the required k = {k:,}; nothing "
                f"was written. {self.assignment.advice}"
            )
        return cluster

    def _shows_values(self, name: str) -> bool:
        return not self.found.rare[name].labels

    # -- written -------------------------------------------------------------------------------------------------------

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """What the column shows, the number of its block, and how many of its values one record alone has.

        Whether values are rare that the release does not show is not said.
        """
        rare, taxonomy = self.found.rare[name], self.inputs.taxonomies[name]
        known = {"shows": SWAPPED, **super().entry(database, name)}
        if self.keeps_rare:
            return {**known, "words": OWN}
        ordered = taxonomy.ordered and has_order(self.inputs.source.column(name).type)
        known |= {"rare": "generalized", "words": NEAREST if ordered and not rare.labels else GROUPS}
        labels = list(dict.fromkeys(label for _, label in rare.labels))
        return {**known, "taxonomy": taxonomy.kind, **group_labels(labels)} if labels else known

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels that stand for rare values."""
        taxonomy, labels = self.inputs.taxonomies[name], self.found.rare[name].labels
        if not labels:
            return ShownLabels()
        return ShownLabels(labels, taxonomy.kind, taxonomy.root, self.inputs.root_label(name), RELEASE_SET)

    def as_data(self, database: Database) -> Recoding | None:
        """The classes; whose values a record shows is drawn anew."""
        return self.assignment.as_data(database, self.inputs)

    def forget(self, database: Database) -> None:
        """Remove the classes too, and what rare values showed."""
        super().forget(database)
        self.assignment.forget(database)
        for name in self.generalized:
            database.drop(("temp", rare_table(name)))


def class_swap_recoder(
    assignment: FoundClasses, method: Method, config: Config, inputs: ReleaseInputs
) -> ClassSwapRecoder:
    """The swaps within the classes of a method; raises ConfigError for what swapping cannot meet."""
    refuse_unmet(method, inputs.requirement, but=(KEPT_RARE,), shows=WITHIN_CLASSES)
    blocks = tuple(map(tuple, config.blocks))
    whole_blocks(blocks, inputs.roles.quasi_identifiers)
    return ClassSwapRecoder(
        method=method,
        options=assignment.options,
        seed=drawn_seed(config),
        inputs=inputs,
        columns=tuple(swapped_columns(inputs, AS_THEY_ARE)),
        settings=replace(AS_THEY_ARE, blocks=blocks),
        configured=config.requirement.k,
        assignment=assignment,
        keeps_rare=config.requirement.kept_rare is not None,
    )
