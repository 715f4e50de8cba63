"""The recoding by distributions: every record shows the closure of itself and k - 1 others, and how often these have
each value of the class.

Records have closures of their own, so that the file has no classes of k records. A closure is a value where all have
the same, else a node of the taxonomy, or an interval from a bound of the taxonomy to another one, between which there
are k records at least. A column where each closure is a value keeps its type; one where each is the root is left out.
The rows come in the order of their values, so that nothing links them to the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from anonduck.auditing.report import AuditReport
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.arrow import pa
from anonduck.errors import ConfigError, ReleaseError
from anonduck.evaluation.finding import refuse_too_few
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.method import Method
from anonduck.methods.nsvdist import Distributions
from anonduck.release.coded_release import read_records
from anonduck.release.distribution_proof import proven_with_original
from anonduck.release.distribution_tables import (
    ClosureLabels,
    class_values,
    closure_labels,
    distribution_table,
    refuse_l,
)
from anonduck.release.recoding import (
    GROUPED,
    RELEASE_SET,
    Ground,
    NodelessRecoding,
    check_scanned,
    listed_labels,
    look_up,
)
from anonduck.release.value_groups import ShownLabels
from anonduck.source.engine import SourceEngine
from anonduck.statements.pipeline import builder_methods
from anonduck.statements.pipeline.builder_distributions import (
    DISTRIBUTIONS,
    GIVEN,
    DistributionColumn,
    ShownColumn,
    grouped_closures,
)
from anonduck.statements.pipeline.builder_frequency import RECORDS, value_column

MADE = (builder_methods.COMBINED,)
MODEL = "non_homogeneous_k"


@dataclass(frozen=True, kw_only=True)
class DistributionRecoding(NodelessRecoding):
    """The closures and distributions that a method finds; once settled, with the columns that are released.

    ``found`` holds what is known once they are found: by column the labels over single values and how many records show
    which level, and of all the loss. Models learn from tables that are drawn from the release.
    """

    noun: ClassVar[str] = "distributions"
    marks_lowering: ClassVar[bool] = False

    as_json: bool
    columns: tuple[ShownColumn | DistributionColumn, ...]
    found: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def generalized(self) -> list[str]:
        """The released quasi-identifiers."""
        return [column.name for column in self.columns if column.generalized]

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The highest level that a record shows, for columns that none shows at the root; known once they are found."""
        highest = {name: max(levels) for name, (levels, _) in self.found.get("columns", {}).items()}
        return {name: level for name, level in highest.items() if level < self.ground.taxonomies[name].root}

    # -- filled --------------------------------------------------------------------------------------------------------

    def fill(self, engine: SourceEngine, *, show_values: bool, reporter: Reporter) -> dict[str, dict[str, int]]:
        """Scan the source, find closures and distributions, and group the records by what they show."""
        database, roles = engine.database, self.ground.roles
        names = list(roles.quasi_identifiers)
        engine.frequency_set([*names, roles.class_], RELEASE_SET)
        check_scanned(database, names, self.ground.requirement, show_values=show_values, reporter=reporter)
        counts = {
            name: look_up(
                database,
                self.ground.taxonomies[name],
                root_label=self._root_label(name),
                refuse=self.ground.unmapped != "root",
                show_values=show_values,
                reporter=reporter,
            )
            for name in names
        }
        self._find(database, reporter)
        database.run(grouped_closures(self.columns, GROUPED, as_json=self.as_json))
        return {name: unmapped for name, unmapped in counts.items() if unmapped["values"]}

    def _find(self, database: Database, reporter: Reporter) -> None:
        names, k = self.ground.roles.quasi_identifiers, self.ground.requirement.k
        database.run(builder_methods.combined_set(names))
        records = read_records(database, self.ground, with_class=True)
        values = class_values(database, self.ground.roles.class_)
        refuse_too_few(records, k)
        refuse_l(records, k, self.options["l"])
        labels = [
            closure_labels(
                database,
                self.ground.taxonomies[name],
                self.ground.source.column(name).type,
                column,
                self._root_label(name),
            )
            for name, column in zip(names, records.columns, strict=True)
        ]
        options = {name: value for name, value in self.options.items() if name in ("loss", "clusters", "repair")}
        found: Distributions = self.method.algorithm(
            records,
            k,
            diversity=self.options["l"],
            numbers=[one.numbers if self.options["intervals"] else None for one in labels],
            seed=self.seed,
            progress=reporter.progress,
            **options,
        )
        self._keep(database, records, found, labels, values)

    def _keep(
        self,
        database: Database,
        records: CodedRecords,
        found: Distributions,
        labels: Sequence[ClosureLabels],
        values: Sequence[str],
    ) -> None:
        """Write what each cell shows into the tables that ``grouped_closures`` reads."""
        assert records.cells is not None
        held = records.cells.records
        kinds, kind = np.unique(found.values, axis=0, return_inverse=True)
        shown: dict[str, Any] = {}
        self.found["columns"] = {}
        for number, (name, one) in enumerate(zip(self.ground.roles.quasi_identifiers, labels, strict=True)):
            texts, levels = one.of(found.firsts[:, number], found.lasts[:, number])
            shown[value_column(name)] = texts
            by_level = np.bincount(levels, weights=held).astype(np.int64)
            over = sorted({text for text, level in zip(texts.to_pylist(), levels, strict=True) if level and text})
            self.found.setdefault("labels", {})[name] = _at_levels(texts, levels)
            self.found["columns"][name] = {int(level): int(by_level[level]) for level in by_level.nonzero()[0]}, over
        alone = ((found.values > 0).sum(axis=1) == 1) & (self.ground.requirement.k > 1)
        if self.options["frequencies"]:
            self.found["frequencies"] = self._frequencies(records, labels)
        summary = {
            "loss": round(found.loss(held, len(records.columns)), 6),
            "one_valued": int(held[alone].sum()),
            "records": records.total,
        }
        self.found.update(summary)
        database.register(GIVEN, pa.table({**shown, RECORDS: held, "distribution": kind.ravel()}))
        database.register(DISTRIBUTIONS, distribution_table(kinds, values, self.options["l"]))

    def _frequencies(self, records: CodedRecords, labels: Sequence[ClosureLabels]) -> dict[str, dict[str, int]]:
        """By column, how many records hold each value that k of them hold."""
        found = {}
        for name, column, places in zip(self.ground.roles.quasi_identifiers, labels, records.places, strict=True):
            held = np.bincount(places, weights=records.records).astype(np.int64)
            shown = np.flatnonzero(held >= self.ground.requirement.k).tolist()
            texts = [(column.texts[0][place], int(held[place])) for place in shown]
            found[name] = {text: count for text, count in texts if text is not None}
        return found

    def _root_label(self, name: str) -> str:
        return self.ground.root_labels.get(name, "*")

    # -- settled -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> DistributionRecoding:
        """The closures without columns that all records show at the root, and with types where all show values."""
        settled = replace(self, columns=tuple(self._shown()))
        database.run(grouped_closures(settled.columns, GROUPED, as_json=self.as_json))
        return settled

    def _shown(self) -> Iterator[ShownColumn | DistributionColumn]:
        roots = {name: self.ground.taxonomies[name].root for name in self.generalized}
        levels = {name: set(self.found["columns"][name][0]) for name in roots}
        under_root = [name for name, root in roots.items() if levels[name] != {root}]
        if not under_root:
            raise ReleaseError(
                f"{self.text} are at the root in all columns, so that there is nothing to release; require less, or "
                "give fewer columns the role of quasi-identifiers"
            )
        for column in self.columns:
            if isinstance(column, DistributionColumn):
                yield column
            elif column.name in under_root or self.ground.keep_roots:
                values = levels[column.name] == {0}
                yield replace(column, type=self.ground.source.column(column.name).type if values else None)

    # -- written -------------------------------------------------------------------------------------------------------

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method, its options, and what each record was promised."""
        k, diversity = self.ground.requirement.k, self.options["l"]
        method = {
            "name": self.method.name,
            "options": dict(self.options),
            "model": {MODEL: k, "l": diversity},
            "loss": self.found["loss"],
            "words": f"{self.method.name}: {self.method.words} ({self.method.source}). Non-homogeneous: each record "
            f"covers {k:,} records of the original, but the file has no classes of {k:,} records",
            "attacks": self.method.attacks(),
        }
        frequencies = self.found.get("frequencies")
        return {
            "rule": None,
            "method": method,
            **({} if frequencies is None else {"value_frequencies": {n: frequencies[n] for n in self.generalized}}),
        }

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """The column's taxonomy, how many records show which level, and the labels over level 0; words of the class."""
        if name == self.ground.roles.class_:
            return {"level": None, "words": "how often the records that are covered have each value"}
        taxonomy, (levels, labels) = self.ground.taxonomies[name], self.found["columns"][name]
        entry: dict[str, Any] = {
            "level": None,
            "levels": taxonomy.root,
            "taxonomy": taxonomy.kind,
            "at_levels": {str(level): records for level, records in levels.items()},
        }
        return {**entry, "words": "the value itself"} if set(levels) == {0} else entry | listed_labels(labels)

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels over level 0, with their levels; intervals that are no nodes have that of the node over them."""
        taxonomy = self.ground.taxonomies[name]
        labels = self.found["labels"][name]
        return ShownLabels(labels, taxonomy.kind, taxonomy.root, self._root_label(name), RELEASE_SET)

    def proven(self, database: Database, written: object) -> dict[str, Any]:
        """Definition 3.3 of the written file and the source, and what is left of k after matching."""
        asked = {"k": self.ground.requirement.k, "l": self.options["l"]}
        return proven_with_original(database, written, self.ground, self.generalized, asked)

    def warned(self, report: AuditReport) -> tuple[str, ...]:
        """The warnings of the audit as they are."""
        return report.warnings

    def forget(self, database: Database) -> None:
        """Remove the combinations and what they show."""
        for given in (GIVEN, DISTRIBUTIONS):
            database.unregister(given)
        for made in MADE:
            database.drop(("temp", made))


def _at_levels(texts: pa.Array, levels: np.ndarray) -> tuple[tuple[int, str], ...]:
    """The distinct labels over single values, with their levels."""
    pairs = zip(levels.tolist(), texts.to_pylist(), strict=True)
    return tuple(sorted({(level, text) for level, text in pairs if level and text}))


def distribution_recoding(
    method: Method, options: Mapping[str, Any], seed: int, ground: Ground, *, as_json: bool
) -> DistributionRecoding:
    """The distributions of a method on a source; raises ConfigError for what they cannot meet or keep."""
    requirement = ground.requirement
    other = [one.model.name for one in (*requirement.asked, *requirement.of_file) if one.model.name != "k"]
    if other or requirement.with_class:
        what = ", ".join(other) or "`k_counts: [class]`"
        raise ConfigError(
            f"{method.name} meets k, and l by its own option, for each record and not for classes: it cannot meet "
            f"{what}. Take that out of the config, or choose another method"
        )
    if ground.roles.kept:
        raise ConfigError(
            f"{method.name} shows quasi-identifiers and the distribution of the class alone: it has no place for the "
            f"columns {', '.join(map(repr, ground.roles.kept))}. Give them the role of identifiers, which are left out"
        )
    return DistributionRecoding(
        method=method, options=options, seed=seed, ground=ground, as_json=as_json, columns=tuple(_columns(ground))
    )


def _columns(ground: Ground) -> Iterator[ShownColumn | DistributionColumn]:
    for column in ground.source.columns:
        if column.name == ground.roles.class_:
            yield DistributionColumn(column.name)
        elif column.name in ground.roles.quasi_identifiers:
            yield ShownColumn(column.name)
