"""Releases by a method: classes of combinations of quasi-identifiers that an algorithm found, and their release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from anonduck.config.reading import with_changes
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.evaluation.finding import found_classes, refuse_too_few
from anonduck.measures.group_judge import steers_classes
from anonduck.measures.requirement import Requirement
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.flexible import READING_OF
from anonduck.methods.method import Method, RaisedClasses
from anonduck.methods.registry import method_named
from anonduck.release.class_recoding import class_recoding
from anonduck.release.coded_release import (
    read_cells,
    read_group_judge,
    read_labels,
    read_records,
    read_secrets,
)
from anonduck.release.cut_recoding import cut_recoding
from anonduck.release.distribution_recoding import distribution_recoding
from anonduck.release.job import release_by
from anonduck.release.made_releases import keep_made
from anonduck.release.preprocessing import Preprocessing, number_ranges, preprocessing
from anonduck.release.recoding import RELEASE_SET, Ground, Recipe, Recoding, asked_of_file
from anonduck.release.release import Release
from anonduck.release.stored_recoding import (
    ColumnLabels,
    Keep,
    StoredCuts,
    StoredLevels,
    StoredPartition,
    StoredRecoding,
)
from anonduck.release.swap_recoding import swap_recoding
from anonduck.release.swap_settings import swap_settings
from anonduck.release.target import ReleaseTarget
from anonduck.rules.rounding import DIGITS
from anonduck.source.engine import SourceEngine
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_classes, builder_methods, builder_released
from anonduck.statements.pipeline.builder_classes import Assigner
from anonduck.words import counted
from anonduck.workspace import Workspace

GIVEN = "given_classes"
MADE = (
    builder_methods.COMBINED,
    builder_methods.FOUND,
    builder_methods.COMBINATIONS,
    builder_classes.LEAST_LEVELS,
    builder_released.SECRETS,
)
UNCOVERED = "{} in no class of the last recoding, and {} nothing under a root. `reselect=True` finds it anew"
REVEALING = (
    "whoever knows the method sees at which classes it aimed higher levels because their sensitive values were hardly "
    "uncertain. Of the records, {} are in such a class with a single value; HA need not count them. Require "
    "l-diversity, or set the option `levels` to `least`"
)


@dataclass(frozen=True)
class FoundClasses:
    """The classes that a method finds for combinations of quasi-identifiers: equal ones have one class.

    ``ended`` is what the method said of how it ended, ``findings`` what else it reports. ``secrets`` are the columns
    whose values it reads as sensitive ones, ``revealed`` the share of the records whose value the levels of classes
    reveal, by these columns. ``preprocessing`` changes values before.
    ``stored`` classes are applied in the place of finding some; ``keep`` is handed those that are found.
    """

    method: Method
    options: Mapping[str, Any]
    seed: int
    names: tuple[str, ...]
    requirement: Requirement
    secrets: tuple[str, ...] = ()
    preprocessing: Preprocessing | None = None
    stored: StoredPartition | None = None
    keep: Keep | None = None
    ended: list[str] = field(default_factory=list, compare=False)
    findings: dict[str, Any] = field(default_factory=dict, compare=False)
    revealed: list[float] = field(default_factory=list, compare=False)

    @property
    def text(self) -> str:
        """Whose classes they are."""
        return f"the classes of {self.method.name}"

    @property
    def advice(self) -> str:
        """What to do where even all records together are too few, or too much alike."""
        return "Require less, or anonymize more records"

    @property
    def more_in_common(self) -> str:
        """What to do where no cut is allowed."""
        words = "require less, or give fewer columns the role of quasi-identifiers"
        eased = self.method.eased if self.method.reads_class(self.options) else ""
        return f"{words}, or set {eased}" if eased else words

    @property
    def raised(self) -> bool:
        """Whether classes are raised above their smallest common nodes: by the method, or as they were stored."""
        return self.method.weighed or self.stored is not None

    @property
    def assigner(self) -> Assigner:
        """The combinations with their classes."""
        return builder_methods.by_combination(self.names)

    @property
    def free_intervals(self) -> bool:
        """Whether numbers and dates are shown by intervals that need be no nodes."""
        return self.options.get("numbers") == "intervals"

    @property
    def prepared(self) -> tuple[str, ...]:
        """The columns that are pre-processed."""
        return self.preprocessing.columns if self.preprocessing else ()

    def scan(self, engine: SourceEngine, held: Sequence[str]) -> None:
        """Scan the source, and leave out numbers that are outliers."""
        engine.frequency_set(list(dict.fromkeys([*held, *self.secrets])), RELEASE_SET)
        if self.preprocessing:
            self.findings["preprocessing"] = self.preprocessing.leave_out_outliers(engine.database)

    def assign(self, database: Database, ground: Ground, held: Sequence[str], reporter: Reporter) -> None:
        """Fill in what is missing, number the combinations, find their classes, and give each row its class."""
        if self.preprocessing:
            self.preprocessing.fill_in(database, self.findings["preprocessing"])
        database.run(builder_methods.combined_set(self.names))
        self._keep(database, self._found(database, ground, reporter))
        database.run(builder_methods.found_set(RELEASE_SET, [*held, *self.secrets], self.prepared))
        database.run(statement("release/method_classes.sql"))
        if ground.roles.kept or ground.requirement.linked_k is not None:
            database.run(builder_methods.assigned_combinations(self.names, self.prepared))

    def _found(self, database: Database, ground: Ground, reporter: Reporter) -> np.ndarray | RaisedClasses:
        cells = read_cells(database, ground) if self.free_intervals else {}
        with_class = self.method.reads_class(self.options)
        records = read_records(database, ground, with_class=with_class, cells=cells)
        refuse_too_few(records, ground.requirement.k)
        if self.stored is not None:
            return self._applied(self.stored, database, ground, records, reporter)
        if self.method.weighed:
            records = replace(records, sensitive=read_secrets(database, self.secrets))
        found = found_classes(
            self.method,
            self.options,
            records,
            ground.requirement,
            read_group_judge(database, ground),
            self.seed,
            reporter,
            self.names,
        )
        self.ended[:] = found.ended
        if self.method.weighed:
            weighed = found.usefulness
            self.findings["usefulness"] = (
                [] if weighed is None else weighed.graded(READING_OF[str(self.options["weights"])])
            )
        if self.keep is not None and isinstance(found.found, np.ndarray) and not self.free_intervals:
            self.keep(_as_partition(self.names, read_labels(database, ground), records, found.found))
        return found.found

    def _applied(
        self,
        stored: StoredPartition,
        database: Database,
        ground: Ground,
        records: CodedRecords,
        reporter: Reporter,
    ) -> RaisedClasses:
        """The stored classes of the combinations; raises RequirementNotMet where they cover none."""
        labels = read_labels(database, ground)
        classes, levels = stored.assigned(labels, records.codes)
        roots = np.array([column.root for column in labels])
        at_root = (np.column_stack(levels) == roots).all(axis=1)
        uncovered = int(records.records[at_root[classes]].sum())
        if uncovered == records.total:
            raise RequirementNotMet(f"no record is in a class of the last recoding of {self.method.name}")
        self.ended.clear()
        if uncovered:
            one = uncovered == 1
            what = f"{counted(uncovered, 'record', 'records')} {'is' if one else 'are'}"
            self.ended.append(UNCOVERED.format(what, "shows" if one else "show"))
            reporter.announce(f"{self.method.name}: {self.ended[-1]}")
        return RaisedClasses(classes, levels, {}, ())

    def _keep(self, database: Database, found: np.ndarray | RaisedClasses) -> None:
        classes = found.classes if isinstance(found, RaisedClasses) else found
        if isinstance(found, RaisedClasses):
            self._keep_levels(database, found)
            self.findings.update(found.receipt)
            self.revealed[:] = found.revealed
        database.register(GIVEN, pa.table({"combination": np.arange(len(classes)), "assigned": classes}))
        try:
            database.run(statement("release/method_found.sql"))
        finally:
            database.unregister(GIVEN)

    def _keep_levels(self, database: Database, found: RaisedClasses) -> None:
        count = len(found.levels[0])
        table = pa.table(
            {
                "attribute": [name for name in self.names for _ in range(count)],
                "assigned": np.tile(np.arange(count), len(self.names)),
                "least_level": np.concatenate(found.levels),
            }
        )
        database.register(GIVEN, table)
        try:
            database.run(statement("release/method_levels.sql"))
        finally:
            database.unregister(GIVEN)

    def described(self, database: Database, staying: str) -> dict[str, Any]:
        """The method, its options, how it ended, and what each class had to meet."""
        if self.preprocessing:
            self.preprocessing.tell_shown(database, self.findings["preprocessing"], staying)
        model = {one.model.name: one.required for one in self.requirement.asked if steers_classes(one)}
        return {
            "name": self.method.name,
            "options": dict(self.options),
            "model": model,
            "words": f"{self.method.name}: {self.method.words} ({self.method.source})",
            "remarks": list(self.ended),
            "attacks": self.method.attacks(model),
            **({"found": self.findings | {"released": self._released(database)}} if self.findings else {}),
        }

    def _released(self, database: Database) -> list[dict[str, Any]]:
        """What somebody who finds a person's class learns of its sensitive values, by sensitive column.

        ``disclosure`` is the share of guesses that are right if the most frequent value of the class is guessed (PD,
        equation 20), ``homogeneity`` that of records in classes with a single value (HA, equation 21), ``revealed``
        that of records in classes with a single value, before those shown alike became one, whose levels tell so.
        """
        told = []
        for name, revealed in zip(self.secrets, self.revealed, strict=True):
            database.run(builder_released.shown_secrets(self.names, name))
            rows = database.arrays(statement("release/class_uncertainty.sql"))
            records, total = rows["records"], int(rows["records"].sum())
            told.append(
                {
                    "name": name,
                    "uncertainty": round(float(rows["uncertainty"].mean()), DIGITS),
                    "disclosure": round(int(rows["largest"].sum()) / total, DIGITS),
                    "homogeneity": round(int(records[rows["held_values"] == 1].sum()) / total, DIGITS),
                    "revealed": round(revealed, DIGITS),
                }
            )
        return told

    @property
    def warnings(self) -> list[str]:
        """That values may be invented."""
        return self.preprocessing.warnings if self.preprocessing else []

    @property
    def remarks(self) -> list[str]:
        """How many values are invented, and the sensitive values that levels reveal."""
        invented = self.preprocessing.remarks(self.findings["preprocessing"]) if self.preprocessing else []
        shares = zip(self.secrets, self.revealed, strict=True)
        found = " and ".join(f"{100 * share:.3g} % ({name!r})" for name, share in shares if share)
        return invented + [REVEALING.format(found)] * bool(found)

    def forget(self, database: Database) -> None:
        """Remove the combinations and their classes."""
        for made in MADE:
            database.drop(("temp", made))


def _as_partition(
    names: Sequence[str], labels: Sequence[ColumnLabels], records: CodedRecords, classes: np.ndarray
) -> StoredPartition:
    """The classes of combinations with their smallest common nodes."""
    held, number = np.unique(classes, return_inverse=True)
    levels = []
    for column, placed, codes, places in zip(labels, records.columns, records.codes, records.places, strict=True):
        least, largest = np.full(len(held), placed.nodes.shape[1]), np.zeros(len(held), dtype=np.int64)
        known = np.ones(len(held), dtype=bool)
        np.minimum.at(least, number, places)
        np.maximum.at(largest, number, places)
        np.logical_and.at(known, number, column.known[codes])
        levels.append(np.where(known, placed.common_levels(least, largest), column.root))
    return StoredPartition.of(names, labels, records.codes, number, levels)


def anonymize(workspace: Workspace, name: str, target: ReleaseTarget | None, **options: Any) -> Release:
    """Anonymize the source by a method, as ``release_by_method`` does, and keep a written release in mind."""
    made = release_by_method(workspace, name, target, **options)
    if made.written and target is not None:
        keep_made(workspace.database, target, made)
    return made


def release_by_method(
    workspace: Workspace,
    name: str,
    target: ReleaseTarget | None,
    *,
    k: int | None = None,
    requirement: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    models: Sequence[str] | None = None,
    stored: StoredRecoding | None = None,
    keep: Keep | None = None,
    **options: Any,
) -> Release:
    """Anonymize the source by a method; ``options`` are those of ``release_by``.

    ``k`` replaces the required one, as ``requirement`` does; ``settings`` are options of the method, over those of the
    config. ``models`` replace those of the config. A ``stored`` recoding is applied, and none found; ``keep`` is handed
    the one that is found, if it can be applied again. Raises ConfigError for a method or a setting that is not known.
    """
    method = method_named(name)
    if models is not None:
        workspace = workspace.with_config(with_changes(workspace.config, {"models": list(models)}))
    settled = method.resolve_options(workspace.config.methods.get(name, {}), settings or {})
    ranges = number_ranges(settled)
    required = dict(requirement or {})
    if k is not None:
        if "k" in required:
            raise ConfigError("k is given twice, as `k=N` and by `requirement={'k': N}`; give it once")
        required["k"] = k

    def make(ground: Ground) -> Recoding:
        if method.recoding == "cuts":
            cuts = stored if isinstance(stored, StoredCuts) else None
            return cut_recoding(method, settled, workspace.config.seed, ground, stored=cuts, keep=keep)
        if method.recoding == "distributions":
            written = None if target is None else target.kind
            return distribution_recoding(method, settled, workspace.config.seed, ground, as_json=written == "csv")
        if method.recoding == "swapped":
            return swap_recoding(method, settled, workspace.config, ground)
        roles, names = ground.roles, tuple(ground.roles.quasi_identifiers)
        secrets = (tuple(roles.sensitive) or (roles.class_,)) if method.weighed else ()
        before = preprocessing(ground, settled, ranges)
        classes = stored if isinstance(stored, StoredPartition) else None
        found = FoundClasses(
            method, settled, workspace.config.seed, names, ground.requirement, secrets, before, classes, keep
        )
        return class_recoding(found, ground)

    if method.recoding == "levels":
        from anonduck.release.found_levels import release_levels

        levels = stored if isinstance(stored, StoredLevels) else None
        return release_levels(workspace, method, settled, target, required, stored=levels, keep=keep, **options)
    return release_by(workspace, _recipe(method, settled, make), target, requirement=required, **options)


def _recipe(method: Method, settled: Mapping[str, Any], make: Callable[[Ground], Recoding]) -> Recipe:
    """Swapping takes the taxonomies of those columns alone that show a level."""
    if method.recoding == "swapped":
        return Recipe(make, swap_settings(settled).levels, asked_of_file, method.name)
    if method.recoding == "distributions":
        return Recipe(make, of_file=asked_of_file, proven=method.name)
    return Recipe(make)
