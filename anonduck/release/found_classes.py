"""The classes of combinations of quasi-identifiers that a method finds, or found before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import RequirementNotMet
from anonduck.evaluation.finding import found_classes, group_judge, method_records, refuse_too_few
from anonduck.measures.group_judge import GroupJudge, steers_classes
from anonduck.measures.requirement import Requirement
from anonduck.methods.coded_records import CodedRecords
from anonduck.methods.cut_tree import CutTree
from anonduck.methods.flexible import shown_levels
from anonduck.methods.method import Method, RaisedClasses
from anonduck.methods.noted_cuts import NotedCuts
from anonduck.methods.pruning import kept_detail, pruned
from anonduck.methods.recodings import Partition
from anonduck.methods.settings import READING_OF
from anonduck.release.class_recoder import Assignment
from anonduck.release.coded_release import read_cells, read_counted, read_labels, read_node_names, read_placed
from anonduck.release.preprocessing import Preprocessing
from anonduck.release.recoded_columns import (
    COMBINATIONS,
    COMBINED,
    FOUND,
    LEAST_LEVELS,
    assigned_combinations,
    combined_set,
)
from anonduck.release.recoder import RELEASE_SET, ReleaseInputs
from anonduck.release.released_rows import Assigner, by_combination
from anonduck.release.tree_places import find_bounds, places_of
from anonduck.rules.rounding import DIGITS
from anonduck.source.engine import SourceEngine
from anonduck.source.source import Roles
from anonduck.statements import line, statement
from anonduck.statements.column_types import has_order
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import temporary_table_of
from anonduck.words import counted

GIVEN = "given_classes"
MADE = (COMBINED, FOUND, COMBINATIONS, LEAST_LEVELS, "shown_secrets")
UNCOVERED = (
    "{} in no class of the recoding that was found before, and {} nothing under a root. `--reselect` finds it anew, "
    "and so does `anonduck lock METHOD` where it is locked"
)
MERGED = (
    "{merged:,} of {classes:,} classes of the tree do not meet the requirement with these records and are merged; the "
    "release keeps {detail:.1%} of the detail, {detail_at_first:.1%} when the tree was made, and all cuts would keep "
    "{detail_unpruned:.1%}"
)
OUTWORN = (
    "the tree keeps {share:.0%} of the detail that it had at first, less than `cut_anew: {least:g}`: it is time to cut "
    "anew, by `anonduck run -o FILE --reselect`, or `anonduck lock ID` where it is locked"
)
REVEALING = (
    "whoever knows the method sees at which classes it aimed higher levels because their sensitive values were hardly "
    "uncertain. Of the records, {} are in such a class with a single value; HA need not count them. Require "
    "l-diversity, or set the option `levels` to `least`"
)


def weighed_columns(method: Method, roles: Roles) -> tuple[str, ...]:
    """The columns that a method reads as sensitive ones: the class where no column has that role."""
    return (tuple(roles.sensitive) or (roles.class_,)) if method.weighed else ()


@dataclass
class Findings:
    """What is known once a method has found classes, or given ones were applied.

    ``ended`` is what the method said of how it ended, ``reported`` what else it reports. ``revealed`` is the share of
    the records whose value the levels of classes reveal, by sensitive column. ``records`` with their ``classes``, those
    that were found, or the ``cuts`` that made them, stay until the release is made. ``pruned`` is what pruning a tree
    did, for the owner.
    """

    ended: list[str] = field(default_factory=list)
    reported: dict[str, Any] = field(default_factory=dict)
    revealed: dict[str, float] = field(default_factory=dict)
    records: CodedRecords | None = None
    classes: RaisedClasses | None = None
    cuts: NotedCuts | None = None
    pruned: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundClasses(Assignment):
    """The classes that a method finds for combinations of quasi-identifiers: equal ones have one class.

    ``preprocessing`` may change values before. ``weighed`` are the columns whose values it reads as sensitive ones.
    ``given`` classes are applied in the place of finding some; a tree of them is pruned if it ``prunes``, and where it
    keeps less than the share ``cut_anew`` of its first detail, that is said. With ``notes_cuts`` the cuts that make the
    classes are noted, so that they can be given as data.
    """

    method: Method
    options: Mapping[str, Any]
    seed: int
    names: tuple[str, ...]
    requirement: Requirement
    preprocessing: Preprocessing
    weighed: tuple[str, ...] = ()
    given: Partition | CutTree | None = None
    prunes: bool = True
    cut_anew: float = 0.0
    notes_cuts: bool = True
    findings: Findings = field(default_factory=Findings, compare=False)

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
        return self.method.weighed or isinstance(self.given, Partition)

    @property
    def assigner(self) -> Assigner:
        """The combinations with their classes."""
        return by_combination(self.names)

    @property
    def free_intervals(self) -> bool:
        """Whether numbers and dates are shown by intervals that need be no nodes."""
        return self.options.get("numbers") == "intervals"

    @property
    def _finds_tree(self) -> bool:
        """Whether the classes are given as a cut tree."""
        return self.method.finds_tree(self.options) and not self.preprocessing.columns

    @property
    def _is_data(self) -> bool:
        """Whether the classes can be given by the nodes of each: no values were changed before, and nodes are shown."""
        return not self.preprocessing.columns and not self.free_intervals and not self._finds_tree

    def scanned_column(self, name: str) -> str:
        """Beside the values of a column that is pre-processed."""
        return self.preprocessing.scanned_column(name)

    def scan(self, engine: SourceEngine, held: Sequence[str]) -> None:
        """Scan the source, and leave out numbers that are outliers."""
        engine.frequency_set(list(dict.fromkeys([*held, *self.weighed])), RELEASE_SET)
        self.preprocessing.leave_out_outliers(engine.database)

    def assign(self, database: Database, inputs: ReleaseInputs, reporter: Reporter) -> None:
        """Fill in what is missing, number the combinations, find their classes, and give each row its class."""
        self.preprocessing.fill_in(database)
        database.run(combined_set(self.names, inputs.roles.class_))
        self._keep(database, self._found(database, inputs, reporter))
        database.run(statement("release/found_set.sql", lists={"names": self.names}))
        text = 'SELECT DISTINCT "#assigned" AS class, "#assigned" AS assigned FROM release_set'
        database.run(temporary_table_of("assigned_classes", line("release/found_classes.assign", text)))
        if inputs.roles.kept or inputs.requirement.linked_k is not None:
            database.run(assigned_combinations(self.names, self.scanned_column))

    def _found(self, database: Database, inputs: ReleaseInputs, reporter: Reporter) -> np.ndarray | RaisedClasses:
        cells = read_cells(database, inputs) if self.free_intervals else {}
        weighed = [name for name in self.weighed if name != inputs.roles.class_]
        counted_cells = read_counted(database, inputs, [*inputs.requirement.sensitive, *weighed])
        columns = read_placed(database, inputs, counted_cells, cells)
        records = method_records(self.method, self.options, counted_cells, columns, weighed)
        refuse_too_few(records, inputs.requirement.k)
        judge = group_judge(counted_cells, inputs.requirement)
        if isinstance(self.given, CutTree):
            return self._by_tree(self.given, places_of(database, inputs, self.given, records), records, judge, reporter)
        self.findings.records = records if self._is_data else None
        if self.given is not None:
            return self._applied(self.given, database, inputs, records, reporter)
        if self._finds_tree and self.notes_cuts:
            self.findings.cuts = NotedCuts(records, [has_order(inputs.source.column(one).type) for one in self.names])
        found = found_classes(
            self.method,
            self.options,
            records,
            inputs.requirement,
            judge,
            self.seed,
            reporter,
            self.names,
            self.findings.cuts,
        )
        self.findings.ended[:] = found.ended
        if self.method.weighed:
            useful = found.usefulness
            graded = [] if useful is None else useful.graded(READING_OF[str(self.options["weights"])])
            self.findings.reported["usefulness"] = graded
        return found.found

    def _by_tree(
        self,
        tree: CutTree,
        places: Sequence[np.ndarray],
        records: CodedRecords,
        judge: GroupJudge | None,
        reporter: Reporter,
    ) -> np.ndarray:
        """The classes of a tree, without the sides that do not meet the requirement if it prunes."""
        left = pruned(tree, places, records.records, self.requirement.k, judge) if self.prunes else tree
        leaves, nodes = tree.classes(places), left.classes(places)
        if len(tree.node) and not nodes.any():
            raise RequirementNotMet(f"no cut of the tree that {self.method.name} found before meets the requirement")
        before, classes = (np.unique(one, return_inverse=True)[1] for one in (leaves, nodes))
        kept = kept_detail(records, classes)
        self.findings.pruned = found = {
            "classes": int(before.max(initial=-1)) + 1,
            "merged": len(np.unique(leaves[leaves != nodes])),
            "detail_unpruned": round(kept_detail(records, before), DIGITS),
            "detail": round(kept, DIGITS),
            "detail_at_first": round(tree.detail, DIGITS),
        }
        self.findings.ended.clear()
        if found["merged"]:
            self.findings.ended.append(MERGED.format(**found))
        if kept < self.cut_anew * tree.detail:
            self.findings.ended.append(OUTWORN.format(share=kept / tree.detail, least=self.cut_anew))
        for words in self.findings.ended:
            reporter.announce(f"{self.method.name}: {words}")
        return classes

    def _applied(
        self,
        given: Partition,
        database: Database,
        inputs: ReleaseInputs,
        records: CodedRecords,
        reporter: Reporter,
    ) -> RaisedClasses:
        """The given classes of the combinations; raises RequirementNotMet where they cover none."""
        labels = read_labels(database, inputs)
        classes, levels = given.assigned(labels, records.codes)
        roots = np.array([column.root for column in labels])
        at_root = (np.column_stack(levels) == roots).all(axis=1)
        uncovered = 0 if given.covers_all(labels) else int(records.records[at_root[classes]].sum())
        if uncovered == records.total:
            raise RequirementNotMet(f"no record is in a class of the recoding that {self.method.name} found before")
        self.findings.ended.clear()
        if uncovered:
            one = uncovered == 1
            what = f"{counted(uncovered, 'record', 'records')} {'is' if one else 'are'}"
            self.findings.ended.append(UNCOVERED.format(what, "shows" if one else "show"))
            reporter.announce(f"{self.method.name}: {self.findings.ended[-1]}")
        revealed = [given.revealed[name] for name in self.weighed]
        return RaisedClasses(classes, levels, given.reported, revealed)

    def _keep(self, database: Database, found: np.ndarray | RaisedClasses) -> None:
        if isinstance(found, RaisedClasses):
            self._keep_levels(database, found)
            self.findings.reported.update(found.receipt)
            self.findings.revealed = dict(zip(self.weighed, found.revealed, strict=True))
        else:
            least = np.zeros(int(found.max(initial=-1)) + 1, dtype=np.int64)
            found = RaisedClasses(found, (least,) * len(self.names), {}, ())
        self.findings.classes = found
        classes = found.classes
        with database.registered(GIVEN, arrow_table({"combination": np.arange(len(classes)), "assigned": classes})):
            database.run(statement("database/kept_rows.sql", table={"given": GIVEN, "kept": FOUND}))

    def _keep_levels(self, database: Database, found: RaisedClasses) -> None:
        count = len(found.levels[0])
        table = arrow_table(
            {
                "attribute": [name for name in self.names for _ in range(count)],
                "assigned": np.tile(np.arange(count), len(self.names)),
                "least_level": np.concatenate(found.levels),
            }
        )
        with database.registered(GIVEN, table):
            database.run(statement("database/kept_rows.sql", table={"given": GIVEN, "kept": LEAST_LEVELS}))

    def described(self, database: Database, staying: str) -> dict[str, Any]:
        """The method, its options, how it ended, and what each class had to meet."""
        model = {one.model.name: one.required for one in self.requirement.own if steers_classes(one)}
        reported = self.preprocessing.described(database, staying) | self.findings.reported
        return {
            **self.method.described(self.options, model),
            "remarks": list(self.findings.ended),
            **({"found": reported | {"released": self._released(database)}} if reported else {}),
            **({"pruned": self.findings.pruned} if self.findings.pruned else {}),
        }

    def _released(self, database: Database) -> list[dict[str, Any]]:
        """What somebody who finds a person's class learns of its sensitive values, by sensitive column.

        ``disclosure`` is the share of guesses that are right if the most frequent value of the class is guessed (PD,
        equation 20), ``homogeneity`` that of records in classes with a single value (HA, equation 21), ``revealed``
        that of records in classes with a single value, before classes shown alike became one, as their levels show.
        """
        figures = []
        for name, revealed in self.findings.revealed.items():
            secret = {"secret_value": value_column(name)}
            database.run(statement("release/shown_secrets.sql", column=secret, lists={"names": self.names}))
            rows = database.arrays(statement("release/class_uncertainty.sql"))
            records, total = rows["records"], int(rows["records"].sum())
            figures.append(
                {
                    "name": name,
                    "uncertainty": round(float(rows["uncertainty"].mean()), DIGITS),
                    "disclosure": round(int(rows["largest"].sum()) / total, DIGITS),
                    "homogeneity": round(int(records[rows["held_values"] == 1].sum()) / total, DIGITS),
                    "revealed": round(revealed, DIGITS),
                }
            )
        return figures

    @property
    def warnings(self) -> list[str]:
        """That values may be invented."""
        return self.preprocessing.warnings

    @property
    def remarks(self) -> list[str]:
        """How many values are invented, and the sensitive values that levels reveal."""
        shares = self.findings.revealed.items()
        found = " and ".join(f"{100 * share:.3g} % ({name!r})" for name, share in shares if share)
        return self.preprocessing.remarks + [REVEALING.format(found)] * bool(found)

    def as_data(self, database: Database, inputs: ReleaseInputs) -> Partition | CutTree | None:
        """The tree of the cuts that made the classes, or the classes by the labels of their nodes.

        None where values were changed before, or where classes that no cuts made show intervals.
        """
        if self.given is not None:
            return self.given
        if self.findings.cuts is not None:
            assert self.findings.classes is not None
            kept = kept_detail(self.findings.cuts.data, self.findings.classes.classes)
            bounds = partial(find_bounds, database, inputs, self.names)
            return self.findings.cuts.tree(self.names, read_node_names(database, inputs), bounds, kept)
        if not self._is_data:
            return None
        records, found = self.findings.records, self.findings.classes
        assert records is not None
        assert found is not None
        held, number = np.unique(found.classes, return_inverse=True)
        parts = zip(records.columns, records.places, found.levels, strict=True)
        levels = [shown_levels(column, places, number, least[held]) for column, places, least in parts]
        labels = read_labels(database, inputs)
        return Partition.of(
            self.names, labels, records.codes, number, levels, self.findings.reported, self.findings.revealed
        )

    def forget(self, database: Database) -> None:
        """Remove the combinations and their classes."""
        self.findings.records = self.findings.classes = self.findings.cuts = None
        for made in MADE:
            database.drop(("temp", made))
