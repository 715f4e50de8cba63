"""The recoding by distributions: every record shows the closure of itself and k - 1 others, and how often these have
each value of the class.

Records have closures of their own, so that the file has no classes of k records. A closure is a value where all have
the same, else a node of the taxonomy, or an interval from a bound of the taxonomy to another one, between which there
are k records at least. A column where each closure is a value keeps its type; one where each is the root is left out.
The order of the rows follows from their values, so that nothing links them to the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.engines.arrow import pa
from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.evaluation.finding import refuse_too_few
from anonduck.evaluation.only_k import refuse_all_but_k
from anonduck.evaluation.spread import ShownLabels
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.column_labels import value_texts
from anonduck.methods.method import Method
from anonduck.methods.nsvdist import Distributions
from anonduck.methods.recodings import ClassDistributions
from anonduck.release.coded_release import read_labels, read_records
from anonduck.release.distribution_columns import (
    DISTRIBUTIONS,
    GIVEN,
    DistributionColumn,
    ShownColumn,
    grouped_closures,
)
from anonduck.release.distribution_tables import (
    ClosureLabels,
    class_shares,
    class_values,
    closure_labels,
    distribution_table,
    proven_with_original,
    refuse_l,
)
from anonduck.release.recoded_columns import COMBINED, combined_set
from anonduck.release.recoder import (
    RELEASE_SET,
    NodelessRecoder,
    ReleaseInputs,
    group_labels,
)
from anonduck.statements.pipeline.column_names import RECORDS, value_column

MADE = (COMBINED,)
MODEL = "non_homogeneous_k"


@dataclass(frozen=True, eq=False)
class ShownCells:
    """What cells show: by column the label and the level of the closure of each cell; the number of its distribution,
    (cells,), the shares of each distribution, and the mean loss of a record."""

    closures: Sequence[tuple[pa.Array, np.ndarray]]
    distribution: np.ndarray
    shares: Sequence[Mapping[str, float]]
    loss: float


@dataclass(frozen=True, kw_only=True)
class DistributionRecoder(NodelessRecoder):
    """The closures and distributions that a method finds; once settled, with the columns that are released.

    ``found`` holds what is known once they are found: by column the labels over single values and how many records show
    which level, and of all the loss. Models learn from tables that are drawn from the release.
    """

    noun: ClassVar[str] = "distributions"
    marks_lowering: ClassVar[bool] = False

    as_json: bool
    given: ClassDistributions | None = None
    columns: tuple[ShownColumn | DistributionColumn, ...]
    found: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def highest_levels(self) -> Mapping[str, int]:
        """The highest level that a record shows, for columns that none shows at the root; known once they are found."""
        highest = {name: max(levels) for name, (levels, _) in self.found.get("columns", {}).items()}
        return {name: level for name, level in highest.items() if level < self.inputs.taxonomies[name].root}

    # -- filled --------------------------------------------------------------------------------------------------------

    @property
    def _scanned(self) -> list[str]:
        return [*self.inputs.roles.quasi_identifiers, self.inputs.roles.class_]

    def group(self, database: Database) -> None:
        """Group the cells by what they show."""
        database.run(grouped_closures(self.columns, as_json=self.as_json))

    def _find(self, database: Database, reporter: Reporter) -> None:
        names, k = self.inputs.roles.quasi_identifiers, self.inputs.requirement.k
        database.run(combined_set(names, self.inputs.roles.class_))
        records = read_records(database, self.inputs)
        values = class_values(database, self.inputs.roles.class_)
        refuse_too_few(records, k)
        refuse_l(records, k, self.options["l"])
        if self.given is not None:
            self._show(database, records, self._applied(database, self.given, records, values))
            return
        labels = [
            closure_labels(
                database,
                self.inputs.taxonomies[name],
                self.inputs.source.column(name).type,
                column,
                self.inputs.root_label(name),
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
        """Name what was found, and write it."""
        assert records.cells is not None
        counts, kind = np.unique(found.values, axis=0, return_inverse=True)
        shares = class_shares(counts, values, self.options["l"])
        closures = [one.of(found.firsts[:, at], found.lasts[:, at]) for at, one in enumerate(labels)]
        loss = round(found.loss(records.cells.records, len(records.columns)), 6)
        self._show(database, records, ShownCells(closures, kind.ravel(), shares, loss))

    def _applied(
        self, database: Database, given: ClassDistributions, records: CodedRecords, values: Sequence[str]
    ) -> ShownCells:
        """What given distributions show of the cells; raises RequirementNotMet for cells that they are not of."""
        assert records.cells is not None
        rows = given.rows(self._cell_texts(database, records, values))
        lost = int(records.cells.records[rows < 0].sum())
        if lost:
            raise RequirementNotMet(
                f"{lost:,} records are in none of the distributions, which were made of other records; anonymize anew "
                f"by {self.method.name}"
            )
        closures = []
        for at in range(len(given.names)):
            nodes = [given.shown[row][0][at] for row in rows.tolist()]
            levels = np.array([level for level, _ in nodes], dtype=np.int64)
            closures.append((pa.array([label for _, label in nodes], type=pa.string()), levels))
        return ShownCells(closures, rows, [shares for _, shares in given.shown], given.loss)

    def _cell_texts(
        self, database: Database, records: CodedRecords, values: Sequence[str]
    ) -> list[tuple[str | None, ...]]:
        """The values of each cell as text, that of the class last."""
        assert records.cells is not None
        texts = value_texts(read_labels(database, self.inputs), records.codes)
        pairs = zip(records.cells.combinations.tolist(), records.cells.classes.tolist(), strict=True)
        return [(*texts[combination], values[class_]) for combination, class_ in pairs]

    def _show(self, database: Database, records: CodedRecords, shown: ShownCells) -> None:
        """Write what each cell shows into the tables that ``grouped_closures`` reads."""
        assert records.cells is not None
        held = records.cells.records
        table: dict[str, Any] = {}
        self.found.update(columns={}, labels={}, records=records, shown=shown)
        for name, (texts, levels) in zip(self.inputs.roles.quasi_identifiers, shown.closures, strict=True):
            table[value_column(name)] = texts
            by_level = np.bincount(levels, weights=held).astype(np.int64)
            over = sorted({text for text, level in zip(texts.to_pylist(), levels, strict=True) if level and text})
            self.found["labels"][name] = _at_levels(texts, levels)
            self.found["columns"][name] = {int(level): int(by_level[level]) for level in by_level.nonzero()[0]}, over
        if self.options["frequencies"]:
            self.found["frequencies"] = self._frequencies(database, records)
        database.register(GIVEN, pa.table({**table, RECORDS: held, "distribution": shown.distribution}))
        database.register(DISTRIBUTIONS, distribution_table(shown.shares))

    def _frequencies(self, database: Database, records: CodedRecords) -> dict[str, dict[str, int]]:
        """By column, how many records hold each value that k of them hold."""
        found = {}
        labels = read_labels(database, self.inputs)
        for name, column, codes in zip(self.inputs.roles.quasi_identifiers, labels, records.codes, strict=True):
            held = np.bincount(codes, weights=records.records).astype(np.int64)
            common = np.flatnonzero(held >= self.inputs.requirement.k).tolist()
            texts = [(column.texts[0][code], int(held[code])) for code in common]
            found[name] = {text: count for text, count in texts if text is not None}
        return found

    # -- settled -------------------------------------------------------------------------------------------------------

    def settled(self, database: Database, *, numbered: bool) -> DistributionRecoder:
        """The closures without columns that all records show at the root, and with types where all show values."""
        settled = replace(self, columns=tuple(self._shown()))
        settled.group(database)
        return settled

    def _shown(self) -> Iterator[ShownColumn | DistributionColumn]:
        roots = {name: self.inputs.taxonomies[name].root for name in self.generalized}
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
            elif column.name in under_root or self.inputs.keep_roots:
                values = levels[column.name] == {0}
                yield replace(column, type=self.inputs.source.column(column.name).type if values else None)

    # -- written -------------------------------------------------------------------------------------------------------

    def described(self, database: Database) -> dict[str, Any]:
        """No rule; the method, its options, and what each record was promised."""
        k, diversity = self.inputs.requirement.k, self.options["l"]
        words = (
            f"Non-homogeneous: each record covers {k:,} records of the original, but the file has no classes of {k:,} "
            "records"
        )
        method = self.method.described(self.options, {MODEL: k, "l": diversity}, words)
        method["loss"] = self.found["shown"].loss
        frequencies = self.found.get("frequencies")
        return {
            "rule": None,
            "method": method,
            "warnings": list(_left_out(self.inputs.roles.sensitive)),
            **({} if frequencies is None else {"value_frequencies": {n: frequencies[n] for n in self.generalized}}),
        }

    def entry(self, database: Database, name: str) -> dict[str, Any]:
        """The column's taxonomy, how many records show which level, and the labels over level 0; words of the class."""
        if name == self.inputs.roles.class_:
            return {"level": None, "words": "how often the records that are covered have each value"}
        taxonomy, (levels, labels) = self.inputs.taxonomies[name], self.found["columns"][name]
        entry: dict[str, Any] = {
            "level": None,
            "levels": taxonomy.root,
            "taxonomy": taxonomy.kind,
            "at_levels": {str(level): records for level, records in levels.items()},
        }
        return {**entry, "words": "the value itself"} if set(levels) == {0} else entry | group_labels(labels)

    def labelled(self, database: Database, name: str) -> ShownLabels:
        """The labels over level 0, with their levels; intervals that are no nodes have that of the node over them."""
        taxonomy = self.inputs.taxonomies[name]
        labels = self.found["labels"][name]
        return ShownLabels(labels, taxonomy.kind, taxonomy.root, self.inputs.root_label(name), RELEASE_SET)

    def proven(self, database: Database, written: object) -> dict[str, Any]:
        """Definition 3.3 of the written file and the source, and what is left of k after matching."""
        asked = {"k": self.inputs.requirement.k, "l": self.options["l"]}
        return proven_with_original(database, written, self.inputs, self.generalized, asked)

    def as_data(self, database: Database) -> ClassDistributions:
        """What each cell shows."""
        if self.given is not None:
            return self.given
        shown: ShownCells = self.found["shown"]
        numbers: dict[tuple[Any, ...], int] = {}
        nodes = [zip(levels.tolist(), texts.to_pylist(), strict=True) for texts, levels in shown.closures]
        rows = list(zip(*nodes, shown.distribution.tolist(), strict=True))
        of_cell = [numbers.setdefault(row, len(numbers)) for row in rows]
        values = class_values(database, self.inputs.roles.class_)
        cells = self._cell_texts(database, self.found["records"], values)
        return ClassDistributions(
            tuple(self.inputs.roles.quasi_identifiers),
            tuple((row[:-1], shown.shares[row[-1]]) for row in numbers),
            dict(zip(cells, of_cell, strict=True)),
            shown.loss,
        )

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


def distribution_recoder(
    method: Method,
    options: Mapping[str, Any],
    seed: int,
    inputs: ReleaseInputs,
    given: ClassDistributions | None = None,
    *,
    as_json: bool,
) -> DistributionRecoder:
    """The distributions of a method on a source, or given ones.

    Raises ConfigError for what they cannot meet or keep.
    """
    refuse_all_but_k(method, inputs.requirement, ", and l by its own option, for each record and not for classes: it")
    if inputs.roles.insensitive:
        raise ConfigError(
            f"{method.name} shows quasi-identifiers and the distribution of the class alone: it has no place for the "
            f"columns {_listed(inputs.roles.insensitive)}. Give them the role of identifiers, which are left out"
        )
    return DistributionRecoder(
        method=method,
        options=options,
        seed=seed,
        inputs=inputs,
        given=given,
        as_json=as_json,
        columns=tuple(_columns(inputs)),
    )


def _left_out(sensitive: Sequence[str]) -> Iterator[str]:
    """That sensitive columns are not in the release, whose records show one distribution: that of the class."""
    if sensitive:
        are = "columns are" if len(sensitive) > 1 else "column is"
        yield f"the sensitive {are} left out, as records show the distribution of the class alone: {_listed(sensitive)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _columns(inputs: ReleaseInputs) -> Iterator[ShownColumn | DistributionColumn]:
    for column in inputs.source.columns:
        if column.name == inputs.roles.class_:
            yield DistributionColumn(column.name)
        elif column.name in inputs.roles.quasi_identifiers:
            yield ShownColumn(column.name)
