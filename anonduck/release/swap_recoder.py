"""The recoding by swapping: records that are alike are clustered, and blocks of columns permuted within each cluster.

Columns keep their values and types, and each value its number of records. Whose values a record shows is in memory
alone, while the release is made. Whoever knows the quasi-identifiers of all records and the seed could find the same
clusters and swaps, so that the seed is drawn anew for each release unless the config names one.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from anonduck.auditing.report import AuditReport
from anonduck.config.config import Config
from anonduck.config.ways import SWAPPED
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ReleaseError, RequirementNotMet
from anonduck.evaluation.finding import refuse_too_few
from anonduck.evaluation.only_k import refuse_unmet
from anonduck.evaluation.spread import ShownLabels
from anonduck.methods.method import Method
from anonduck.methods.permutation import mutual_information, paired
from anonduck.methods.probabilistic import Clusters
from anonduck.methods.recodings import Recoding, Swaps
from anonduck.release.handed_out import BY_ORIGINAL
from anonduck.release.recoder import (
    RELEASE_SET,
    NodelessRecoder,
    Placing,
    ReleaseInputs,
    group_labels,
    kept_column,
)
from anonduck.release.recoder import shown_labels as labels_of
from anonduck.release.swap_settings import SwapSettings, check_settings, swap_settings
from anonduck.release.swapped_columns import SWAP_SET, SWAPS, SwappedColumn, swap_set, swapped_rows
from anonduck.release.swapped_records import (
    Swapped,
    SwappedRecords,
    codes_table,
    counted,
    dealt_to,
    handed_over,
    lone_words,
    make_codes,
    read_all_together,
    read_swapped,
    read_together,
    shown_codes,
    swap,
)
from anonduck.release.swapped_utility import SwappedColumns, swapped_utility
from anonduck.source.columns import Column
from anonduck.statements import line, statement
from anonduck.statements.pipeline.builder_release import RuleColumn
from anonduck.statements.pipeline.column_names import value_column

MODEL = "probabilistic_k"
WORDS = (
    "Each record was put into a cluster with at least k - 1 like it, and blocks of columns were permuted within each "
    "cluster. The file alone shows neither the clusters nor that values were swapped"
)


@dataclass(frozen=True, kw_only=True)
class SwapRecoder(NodelessRecoder):
    """The swaps of a method on a source; ``configured`` is the config's k, ``found`` is known once it is filled.

    It measures itself, see ``utility``.
    """

    noun: ClassVar[str] = "swaps"
    marks_lowering: ClassVar[bool] = True

    settings: SwapSettings
    columns: tuple[SwappedColumn | RuleColumn, ...]
    configured: int
    found: Swapped = field(default_factory=Swapped, compare=False)

    @property
    def generalized(self) -> list[str]:
        """The columns that show a level of their taxonomy."""
        return [column.name for column in self.swapped if column.level]

    @property
    def swapped(self) -> tuple[SwappedColumn, ...]:
        """The columns that are swapped."""
        return tuple(column for column in self.columns if isinstance(column, SwappedColumn))

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The level of each column, 0 for its own values."""
        return {column.name: column.level for column in self.swapped}

    # -- filled --------------------------------------------------------------------------------------------------------

    @property
    def _scanned(self) -> list[str]:
        names = [column.name for column in self.columns]
        return list(dict.fromkeys([*names, self.inputs.roles.class_]))

    @property
    def _placings(self) -> list[Placing]:
        return [self.inputs.placing(name, refuse=True) for name in self.generalized]

    def _find(self, database: Database, reporter: Reporter) -> None:
        names = [column.name for column in self.swapped]
        kept = [name for name in self._scanned if name not in names]
        shown = self._found_shown(database, reporter)
        database.run(swap_set(shown, kept, beside=self._beside))
        class_ = self.inputs.roles.class_
        for column in self.swapped:
            make_codes(database, column.name, self.numbered(column))
        make_codes(database, class_, None)
        records = read_swapped(database, names, class_)
        refuse_too_few(records.data, self.inputs.requirement.k)
        blocks = self._blocks(database, names)
        random = np.random.default_rng([self.seed, len(names)])
        cluster = self._cluster_of(database, records, random, reporter)
        self.found.note(records, swap(records, cluster, blocks, random), cluster, blocks)

    def _found_shown(self, database: Database, reporter: Reporter) -> Sequence[SwappedColumn]:
        """Find what is to be known before records are read; returns what each column shows of them."""
        return self.swapped

    @property
    def _beside(self) -> Sequence[str]:
        """The columns of RELEASE_SET that are read too, and hold no values of the source."""
        return ()

    def _cluster_of(
        self, database: Database, records: SwappedRecords, random: np.random.Generator, reporter: Reporter
    ) -> np.ndarray:
        """The cluster of each record, from 0."""
        return dealt_to(records, self._clusters(database, records, reporter), random)

    def _blocks(self, database: Database, names: Sequence[str]) -> list[list[str]]:
        if self.settings.blocks:
            return [list(block) for block in self.settings.blocks]
        class_ = self.inputs.roles.class_
        return paired({name: mutual_information(read_together(database, name, class_)) for name in names})

    def _clusters(self, database: Database, records: SwappedRecords, reporter: Reporter) -> Clusters:
        dissimilarity = self.options["dissimilarity"]
        together = read_all_together(database, records.names) if dissimilarity == "ahmad-dey" else {}
        self.found.remarks.clear()
        clusters: Clusters = self.method.algorithm(
            records.data,
            self.inputs.requirement.k,
            together,
            seed=self.seed,
            dissimilarity=dissimilarity,
            progress=reporter.progress,
            note=self.found.remarks.append,
        )
        for words in self.found.remarks:
            reporter.announce(f"{self.method.name}: {words}")
        return clusters

    def group(self, database: Database) -> None:
        """Group what the records show, and count the values that one record alone has."""
        assert self.found.made is not None
        with database.registered(SWAPS, handed_over(*self.found.made)):
            database.run(swapped_rows([one.name for one in self.columns], self.found.blocks))
        for column in self.swapped:
            text = 'SELECT count(*) FROM (SELECT sum("#records") AS n FROM release_rows GROUP BY "{value}") WHERE n = 1'
            query = line("release/swap_recoder.group", text, value=value_column(column.name))
            self.found.unique[column.name] = int(database.value(query))
        alone = self.found.alone
        if alone and not self.settings.unique:
            raise RequirementNotMet(
                f"{counted(alone)} in one record alone, and none is to be shown; nothing was written. "
                "Show no larger numbers than `top`, levels of taxonomies by `levels`, or make the column "
                "an identifier, which is left out"
            )

    def numbered(self, column: SwappedColumn) -> Column | None:
        """The column of the source whose values are shown; None where labels are, which are no numbers."""
        return self.inputs.source.column(column.name) if self._shows_values(column.name) else None

    def _shows_values(self, name: str) -> bool:
        """Whether all that a column shows is of its type."""
        return name not in self.settings.levels

    # -- written -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> SwapRecoder:
        """The same: no record is left out."""
        return self

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method, its options, blocks and counts, and how its clusters were made; nothing of the swaps."""
        model = {MODEL: self.inputs.requirement.k}
        method = self.method.described(self.options, model, WORDS, recoding=SWAPPED)
        found = {"blocks": self.found.blocks, **self.found.counts, "remarks": list(self.found.remarks)}
        return {"rule": None, "method": method | found}

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """What the column shows, the number of its block, and how many of its values one record alone has."""
        column = next(one for one in self.swapped if one.name == name)
        block = next(number for number, block in enumerate(self.found.blocks, start=1) if name in block)
        entry = {"level": column.level, "block": block, "unique": self.found.unique[name]}
        if column.level:
            taxonomy = self.inputs.taxonomies[name]
            shown = {"levels": taxonomy.root, "taxonomy": taxonomy.kind, **group_labels(labels_of(database, column))}
            return {**entry, **shown}
        if column.top is not None:
            words = f"its own values, those over {column.top:,} shown as that, swapped"
            return {**entry, "top": column.top, "words": words}
        return {**entry, "words": "its own values, swapped within clusters"}

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels of a column that shows a level of its taxonomy; none where it shows its own values."""
        column = next(one for one in self.swapped if one.name == name)
        if not column.level:
            return ShownLabels()
        taxonomy, root_label = self.inputs.taxonomies[name], self.inputs.root_label(name)
        labels = tuple((column.level, label) for label in labels_of(database, column))
        return ShownLabels(labels, taxonomy.kind, taxonomy.root, root_label, RELEASE_SET)

    def proven(self, database: Database, written: str) -> dict[str, Any]:
        """The sizes of clusters, and that each column has its values as often as before.

        Raises ReleaseError where it does not.
        """
        for column in self.swapped:
            query = statement("release/swap_marginals.sql", column={"swapped_value": value_column(column.name)})
            if database.value(query):
                raise ReleaseError(
                    f"the release of {self.text} changed how often column {column.name!r} has its values; nothing was "
                    "kept. This is a bug of anonduck: report it"
                )
        k, reached = self.inputs.requirement.k, self.found.counts["smallest"]
        line = {
            "name": MODEL,
            "configured": self.configured,
            "required": k,
            "reached": reached,
            "met": reached >= k,
            "lowered": k < self.configured,
            BY_ORIGINAL: True,
        }
        return {
            "proven_by": "receipt and original",
            "requirements": [line],
            "warnings": list(self.found.warnings(seed_given=self.seed_given)),
            "remarks": list(self.found.unhidden),
        }

    def warned(self, report: AuditReport) -> list[str]:
        """The warnings of the audit; records that are alone in the file are not said to be singled out."""
        sizes = report.sizes
        lone = lone_words(sizes.rows, sizes.alone, self.inputs.requirement.k)
        return [lone if words == sizes.lone_words else words for words in report.warnings]

    @property
    def seed_given(self) -> bool:
        """Whether the seed is the config's."""
        return self.seed < DRAWN

    def utility(self, config: Config) -> dict[str, Any]:
        """``utility``, for the owner: what of mutual information is lost."""
        return swapped_utility(self.shown, config)

    @property
    def shown(self) -> SwappedColumns:
        """The records as they came and as they are shown, once it is filled and until it is forgotten."""
        assert self.found.made is not None
        records, permuted = self.found.made
        originals = [codes[records.rows] for codes in records.codes]
        shown = list(shown_codes(records, permuted, self.found.blocks))
        return SwappedColumns(records.data.columns, originals, shown, records.classes[records.rows])

    def as_data(self, database: Database) -> Recoding | None:
        """The blocks."""
        return Swaps(tuple(map(tuple, self.found.blocks)))

    def forget(self, database: Database) -> None:
        """Remove the rows that were swapped, and their codes."""
        self.found.made = None
        made = [codes_table(name) for name in (*(one.name for one in self.swapped), self.inputs.roles.class_)]
        for table in (SWAP_SET, *made):
            database.drop(("temp", table))


DRAWN = 1 << 127
"""Seeds that were drawn are from here on."""


def swap_recoder(
    method: Method, options: Mapping[str, Any], config: Config, inputs: ReleaseInputs, given: Swaps | None = None
) -> SwapRecoder:
    """The swaps of a method on a source, by given blocks or those of its options, else by blocks that it finds.

    A seed of 0 stands for one that is drawn for this release and forgotten.

    Raises ConfigError for what they cannot meet, and for columns that cannot be shown as the options say.
    """
    refuse_unmet(method, inputs.requirement)
    settings = swap_settings(options)
    if given is not None:
        settings = replace(settings, blocks=given.blocks)
    check_settings(settings, inputs)
    columns = tuple(swapped_columns(inputs, settings))
    return SwapRecoder(
        method=method,
        options=options,
        seed=drawn_seed(config),
        inputs=inputs,
        columns=columns,
        settings=settings,
        configured=config.requirement.k,
    )


def drawn_seed(config: Config) -> int:
    """The seed of a config; where it is 0, one that is drawn for this release."""
    return config.seed or DRAWN + secrets.randbits(127)


def swapped_columns(inputs: ReleaseInputs, settings: SwapSettings) -> Iterator[SwappedColumn | RuleColumn]:
    """The columns of a release by swapping, in the order of the source."""
    for column in inputs.source.columns:
        kept = kept_column(inputs, column)
        if kept is not None:
            yield kept
        elif column.name in inputs.roles.quasi_identifiers:
            level, top = settings.levels.get(column.name, 0), settings.top.get(column.name)
            yield SwappedColumn(column.name, column.type, level, top, column.floating)
