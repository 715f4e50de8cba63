"""The owner's own yardstick: the queries and the subgroups of the config, by which each candidate is measured.

Queries are asked of what a candidate shows of the counted records, with labels spread over what they stand for, as of a
release. Of each subgroup are measured who is left out, the detail that is kept, and how often models are right about
its people that were not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.engines.arrow import pa
from anonduck.evaluation.spread import ShownLabels, SpreadLabels, spread_labels
from anonduck.evaluation.subgroups import Subgroup, shown_and_others, subgroups_line
from anonduck.evaluation.typical import NONE
from anonduck.evaluation.workload import (
    ASKED,
    COUNTED,
    Answer,
    answers,
    forget_answers,
    original_answers,
    workload_of,
)
from anonduck.frequency.coded_set import coded_frequency_set
from anonduck.frequency.roll_up import distinct
from anonduck.measures.numpy_measures import cells_cost
from anonduck.models.scores import roc_auc
from anonduck.rules.rounding import DIGITS
from anonduck.source.columns import NO_CLASS
from anonduck.statements import Statement, line, statement
from anonduck.statements.column_types import TEXT
from anonduck.statements.expansion import Lists
from anonduck.statements.literals import type_named
from anonduck.statements.pipeline.column_names import code_column, levels_to
from anonduck.statements.template import temporary_table_of

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.database.connection import Database
    from anonduck.evaluation.cells import Cells, CodedColumn
    from anonduck.evaluation.holdout import RankedPart, TestedParts
    from anonduck.evaluation.settled import Settled
    from anonduck.evaluation.source_cells import SourceCells
    from anonduck.source.queries import Workload

SET, CODED = "yardstick_set", "yardstick_coded"
VALUES, SHOWN = "yardstick_rows", "yardstick_shown"
AT, EQUIVALENT = "#at", "#equivalence"


@dataclass(frozen=True, eq=False)
class Groups:
    """A column of subgroups: its values as text, and the place of the value of each row, (rows,)."""

    values: tuple[str | None, ...]
    codes: np.ndarray


@dataclass(frozen=True, eq=False)
class Yardstick:
    """What a config asks of each candidate.

    Attributes:
        database: holds the rows with their values, in the table VALUES.
        types: the columns that may be shown beside quasi-identifiers, and these, with their types in the source.
        beside: what columns are called in VALUES, those that queries read of those that no candidate changes.
        cells: (rows,), the combination of leaves and class of each row, as ``by_class`` of cells numbers them.
        records: (rows,), the records of each row.
        workload: the queries; None without any.
        originals: their answers on the source.
        subgroups: the columns of subgroups, by name.
    """

    database: Database
    types: Mapping[str, str]
    beside: Mapping[str, str]
    cells: np.ndarray
    records: np.ndarray
    workload: Workload | None
    originals: Sequence[Answer]
    subgroups: Mapping[str, Groups]

    # -- queries -------------------------------------------------------------------------------------------------------

    def answered(self, settled: Settled) -> dict[str, Any] | None:
        """``workload`` of a candidate, as that of a release; None without queries."""
        if self.workload is None:
            return None
        kept = settled.kept
        shown = [*kept, *self.beside]
        read = [name for name in shown if name in self.workload.columns] or shown[:1]
        made = [*self._lookups(settled, read)]
        labels = self._labels(settled, [name for name in read if name in kept])
        columns = {name: labels.get(name) or self._unchanged(name) for name in read}
        self.database.register(SHOWN, self._shown(settled, list(labels)))
        try:
            rows = self._shown_rows(read, labels)
            made += spread_labels(self.database, rows, columns, [EQUIVALENT])
            return answers(self.database, self.workload, self.originals, shown, int(self.records.sum()))
        finally:
            self.database.unregister(SHOWN)
            forget_answers(self.database, made)

    def _unchanged(self, name: str) -> SpreadLabels:
        return SpreadLabels(self.types[name], ShownLabels(), "", None)

    def _shown_rows(self, read: Sequence[str], labels: Mapping[str, SpreadLabels]) -> Statement:
        """The rows to be spread: what is shown of quasi-identifiers, and other columns as they are."""
        given = [
            {"name": name, "kind": type_named(TEXT if one.shown.labels else one.kind)} for name, one in labels.items()
        ]
        beside = [{"name": name, "called": self.beside[name]} for name in read if name not in labels]
        return statement("offer/yardstick_shown.sql", lists={"given": given, "beside": beside})

    def _rows(self, settled: Settled) -> tuple[np.ndarray, np.ndarray]:
        """The rows that a candidate releases, and a row of its cells for each."""
        first, _ = settled.cells.by_class
        held = first[self.cells]
        at = np.flatnonzero(settled.stays[held])
        return at, held[at]

    def _shown(self, settled: Settled, names: Sequence[str]) -> Any:
        """What released rows show of quasi-identifiers, as text, with the number of their equivalence class."""
        at, held = self._rows(settled)
        parts: dict[str, Any] = {AT: at, EQUIVALENT: settled.equivalence[held]}
        for name in names:
            place = settled.cells.names.index(name)
            texts = pa.array(settled.shown.columns[place].texts, pa.string())
            parts[name] = texts.take(pa.array(settled.shown.labels[place][held]))
        return pa.table(parts)

    def _labels(self, settled: Settled, names: Sequence[str]) -> dict[str, SpreadLabels]:
        """What is to be spread of the quasi-identifiers that queries read."""
        _, held = self._rows(settled)
        found = {}
        for name in names:
            place = settled.cells.names.index(name)
            column = settled.shown.columns[place]
            levels, labels = settled.shown.levels[place][held], settled.shown.labels[place][held]
            over = levels > 0 if settled.typical is None else (levels > 0) & (settled.typical[place][held] == NONE)
            pairs = sorted(set(zip(levels[over].tolist(), labels[over].tolist(), strict=True)))
            kind, root_label = column.counted.taxonomy.kind, column.texts[column.labels[0, column.root]] or ""
            told = tuple((level, str(column.texts[label])) for level, label in pairs)
            shown = ShownLabels(told, kind, column.root, root_label)
            written = column.written if shown.is_interval else None
            found[name] = SpreadLabels(self.types[name], shown, _lookup_of(place), written)
        return found

    def _lookups(self, settled: Settled, names: Sequence[str]) -> list[str]:
        """Write the values of quasi-identifiers with the nodes over them; returns the temporary tables."""
        made = []
        for place, column in enumerate(settled.shown.columns):
            if column.name in names:
                self.database.register(SHOWN, _leaves(column))
                try:
                    kind = type_named(self.types[column.name])
                    lists: Lists = {"typed": [{"kind": kind}], "levels": levels_to(column.root - 1)}
                    table = {"lookup": _lookup_of(place)}
                    self.database.run(statement("offer/yardstick_lookup.sql", table=table, lists=lists))
                finally:
                    self.database.unregister(SHOWN)
                made.append(_lookup_of(place))
        return made

    # -- subgroups -----------------------------------------------------------------------------------------------------

    def by_subgroup(self, settled: Settled, tested: TestedParts | None, k: int) -> list[dict[str, Any]] | None:
        """``subgroups`` of a candidate: who is left out, as of a release, and beside that the detail that is kept and
        what models reach, by no number from 1 to k - 1; None without subgroups."""
        if not self.subgroups:
            return None
        first, _ = settled.cells.by_class
        stays = settled.stays[first[self.cells]]
        return [self._line(name, groups, settled, stays, tested, k) for name, groups in self.subgroups.items()]

    def _line(
        self, name: str, groups: Groups, settled: Settled, stays: np.ndarray, tested: TestedParts | None, k: int
    ) -> dict[str, Any]:
        before = np.bincount(groups.codes, weights=self.records, minlength=len(groups.values)).astype(int)
        gone = np.bincount(groups.codes, weights=self.records * ~stays, minlength=len(groups.values)).astype(int)
        counted = zip(groups.values, before.tolist(), gone.tolist(), strict=True)
        shown, others = shown_and_others([Subgroup((value,), *counts) for value, *counts in counted], k)
        places = {value: code for code, value in enumerate(groups.values)}

        def figures(group: Subgroup) -> dict[str, Any]:
            within = np.isin(groups.codes, [places[value] for value in group.values])
            scores = {} if tested is None else self._scores(within, settled.cells, tested, k)
            return {**group.as_json(), "detail": self._detail(within, settled, stays), "scores": scores}

        return subgroups_line(name, shown, others, k, figures)

    def _detail(self, within: np.ndarray, settled: Settled, stays: np.ndarray) -> float:
        """The share of detail that some rows keep, 1 - NCP, those left out at 0."""
        first, _ = settled.cells.by_class
        held, records = first[self.cells[within & stays]], self.records[within & stays]
        columns = settled.shown.columns
        cost = sum(
            cells_cost(
                column.cell.by_ncp, settled.cells.leaves[place][held], settled.shown.levels[place][held], records
            )
            for place, column in enumerate(columns)
        )
        total = int(self.records[within].sum())
        return round((int(records.sum()) * len(columns) - cost) / (total * len(columns)), DIGITS)

    def _scores(self, within: np.ndarray, cells: Cells, tested: TestedParts, k: int) -> dict[str, dict[str, Any]]:
        """By model how often it is right about the tested people of some rows, and how well it ranks them; none of
        fewer than k, and nothing by class where a class has fewer.

        Which records of a combination were drawn to be tested is not known: each value has its share of them. Scores of
        models that learned from different parts do not compare, so the area is the mean over the held parts in which
        the group has both classes.
        """
        first, _ = cells.by_class
        of_all = np.bincount(self.cells, weights=self.records, minlength=len(first))
        share = np.bincount(self.cells[within], weights=self.records[within], minlength=len(first)) / of_all
        records = share * tested.records
        total = float(records.sum())
        if total < k:
            return {}
        classes = cells.classes[first]
        by_class = np.bincount(classes, weights=records)
        held = by_class > 0
        told = bool(by_class[held].min() >= k)
        found = {}
        for model, right in tested.right.items():
            accuracy = float((share * right).sum() / total)
            recalls = np.bincount(classes, weights=share * right, minlength=len(by_class))[held] / by_class[held]
            found[model] = {
                "accuracy": round(accuracy, DIGITS),
                "error": round(sqrt(accuracy * (1 - accuracy) / total), DIGITS),
                "balanced_accuracy": round(float(recalls.mean()), DIGITS) if told else None,
                "roc_auc": area_of(tested.ranked[model], share) if told else None,
                "records": round(total),
            }
        return found


def area_of(parts: Sequence[RankedPart], share: np.ndarray) -> float | None:
    """The mean area under the ROC curve of held parts, where a share of each combination's records, (combinations,), is
    tested; None where none has two classes."""
    areas = [roc_auc(one.rankings, one.truth, share[one.rows] * one.records) for one in parts]
    known = [area for area in areas if area is not None]
    return round(fmean(known), DIGITS) if known else None


def _lookup_of(place: int) -> str:
    return f"yardstick_leaves_{place}"


def _leaves(column: CodedColumn) -> Any:
    """The values of a column as text, with their codes and the labels of the nodes over them."""
    texts = pa.array(column.texts, pa.string())
    labels = np.where(column.unknown[:, None], 0, column.labels)[1:]
    levels = {f"level_{level}": texts.take(pa.array(labels[:, level])) for level in range(1, column.root)}
    values = texts.take(pa.array(column.labels[1:, 0]))
    return pa.table({"value": values, "code_0": np.arange(1, len(column.labels)), **levels})


def yardstick_of(source: SourceCells, config: Config) -> Yardstick | None:
    """The yardstick of a config over the records of a source; None where it names neither queries nor subgroups.

    The source is read once more, with the columns that no candidate changes. Raises ConfigError for queries that cannot
    be asked.
    """
    if config.workload is None and not config.subgroups:
        return None
    workspace, cells = source.counted, source.own
    database, (opened, roles) = workspace.database, workspace.opened
    workload = workload_of(workspace)
    groups = list(dict.fromkeys(config.subgroups))
    quasi = list(roles.quasi_identifiers)
    unchanged = [name for name in (roles.class_, *roles.kept) if name != NO_CLASS]
    asked = [] if workload is None else workload.columns
    read = [name for name in unchanged if name in asked or name in groups] or unchanged[:1]
    names = list(dict.fromkeys([*quasi, roles.class_, *read, *groups]))
    called = {name: f"v{place}" for place, name in enumerate(names)}
    opened.engine.frequency_set(names, SET)
    leaves = [code_column(name, 0) for name in quasi]
    try:
        database.run(coded_frequency_set(CODED, dict.fromkeys(quasi, 1), roles.class_, frequency=SET, kept=called))
        text = 'SELECT row_number() OVER (ORDER BY each(ordered, "{name}")) - 1 AS "#at", * FROM "{coded}"'
        numbered = line("offer/yardstick.yardstick_of", text, ordered=list(called.values()), coded=CODED)
        database.run(temporary_table_of(VALUES, numbered))
    finally:
        database.drop(SET, CODED)
    columns = {"leaves": leaves, "ordered": [AT]}
    rows = database.arrays(statement("measures/class_leaves.sql", columns=columns, table={"coded": VALUES}))
    coded = [rows[leaf].astype(np.int64) for leaf in leaves]
    originals: Sequence[Answer] = ()
    if workload is not None:
        try:
            originals = original_answers(database, opened, workload)
        finally:
            forget_answers(database, (ASKED, COUNTED))
    return Yardstick(
        database,
        {name: opened.column(name).type for name in (*quasi, *unchanged)},
        {name: called[name] for name in read},
        _cells_of(cells, [*coded, rows["class_code"].astype(np.int64)]),
        rows["records"].astype(np.int64),
        workload,
        originals,
        {name: _groups(database, called[name]) for name in groups},
    )


def _cells_of(cells: Cells, codes: Sequence[np.ndarray]) -> np.ndarray:
    """The combination of leaves and class of each row, as ``by_class`` numbers them; each is one of the cells."""
    first, _ = cells.by_class
    own = [*(one[first] for one in cells.leaves), cells.classes[first]]
    return distinct([np.r_[one, other] for one, other in zip(own, codes, strict=True)])[1][len(first) :]


def _groups(database: Database, called: str) -> Groups:
    text = 'SELECT "{called}"::VARCHAR FROM "{rows}" ORDER BY "#at"'
    rows = database.rows(line("offer/yardstick._groups", text, called=called, rows=VALUES))
    values = dict.fromkeys(value for (value,) in rows)
    places = {value: place for place, value in enumerate(values)}
    return Groups(tuple(values), np.array([places[value] for (value,) in rows], dtype=np.int64))
