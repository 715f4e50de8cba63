"""The equivalence classes of what cells show: judged by what is required, failing ones left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anonduck.errors import ConfigError, ReleaseError, RequirementNotMet
from anonduck.evaluation.cells import Cells, CodedColumn
from anonduck.evaluation.shown import Shown
from anonduck.evaluation.typical import NONE
from anonduck.frequency.roll_up import distinct
from anonduck.measures.class_judge import CodedClasses, Verdict, judged, reached_in
from anonduck.measures.judged_classes import misses
from anonduck.measures.numpy_requirements import TWINS, SensitiveCells
from anonduck.measures.released_cells import ReleasedCells
from anonduck.measures.requirement import Requirement
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import Criterion, finite


@dataclass(frozen=True, eq=False)
class Settled:
    """The records that a recoding releases, by equivalence class.

    Attributes:
        cells: all records of the source.
        shown: what they show; the labels of outer intervals are open where released values decide their bounds.
        equivalence: (rows,), the number of the equivalence class of each row, from 0.
        stays: (rows,), whether the records of a row are released.
        typical: where classes show typical values: by column, (rows,), the leaf code that stands for what each row
            shows; NONE for the label of a node, and for rows that are left out.
        swapped: where classes show swapped values: the released records with these, by the leaf codes of ``cells``.
    """

    cells: Cells
    shown: Shown
    equivalence: np.ndarray
    stays: np.ndarray
    typical: tuple[np.ndarray, ...] | None = None
    swapped: ReleasedCells | None = None

    @cached_property
    def taught(self) -> ReleasedCells:
        """``released``, with what models learn from: typical or swapped values in the place of a record's own."""
        if self.swapped is not None:
            return self.swapped
        if self.typical is None:
            return self.released
        first, _ = self.cells.by_class
        leaves, levels = list(self.released.leaves), list(self.released.levels)
        for place, codes in enumerate(self.typical):
            shown = codes[first] != NONE
            leaves[place] = np.where(shown, codes[first], leaves[place])
            levels[place] = np.where(shown, 0, levels[place])
        return replace(self.released, leaves=tuple(leaves), levels=tuple(levels))

    @cached_property
    def released(self) -> ReleasedCells:
        """All records by leaves, levels, class and equivalence class, in the order in which folds are drawn."""
        first, cell = self.cells.by_class
        return ReleasedCells(
            leaves=tuple(one[first] for one in self.cells.leaves),
            levels=tuple(one[first] for one in self.shown.levels),
            classes=self.cells.classes[first],
            equivalence=self.equivalence[first],
            records=np.bincount(cell, weights=self.cells.records, minlength=len(first)).astype(np.int64),
            stays=self.stays[first],
        )

    @cached_property
    def classes(self) -> CodedClasses:
        """The equivalence classes of the records that are released, with the cells of each sensitive column."""
        return coded_classes(self.cells, self.shown, self.equivalence, self.stays)

    @property
    def suppressed(self) -> int:
        """The records that are left out."""
        return int(self.cells.records[~self.stays].sum())

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that some released record shows under the root; all where values are swapped."""
        if self.swapped is not None:
            return tuple(column.name for column in self.shown.columns)
        parts = zip(self.shown.columns, self.shown.levels, strict=True)
        return tuple(column.name for column, levels in parts if (levels[self.stays] != column.root).any())

    def risks(self) -> dict[str, object]:
        """What the classes reach in each privacy model that can be measured of them, beside k, as an audit of the
        released file finds it."""
        every = {name: _every_value(one) for name, one in self.classes.cells.items()}
        classes = replace(self.classes, cells=every)
        found = {}
        for name, model in MODELS.items():
            if name == "k" or name not in TWINS:
                continue
            defaults = {one: number for one, number in model.defaults.items() if number is not None}
            reached = reached_in(classes, Criterion(model, defaults))
            if reached is not None:
                found[name] = finite(reached.reached)
        return found


def _every_value(cells: SensitiveCells) -> SensitiveCells:
    return replace(cells, values=replace(cells.values, concerning=np.ones_like(cells.values.concerning)))


def settle(cells: Cells, shown: Shown, requirement: Requirement, whose: str) -> Settled:
    """Leave out the classes that fail what is required, where that many records may be left out.

    ``whose`` names the recoding in errors. Raises ConfigError where ``linked_k`` is required, RequirementNotMet where
    the classes that stay do not meet what is, and ReleaseError where no column is under its root.
    """
    if requirement.linked_k is not None:
        raise ConfigError(
            "`linked_k` is judged by whose rows a release holds, which a comparison does not read; "
            "`anonduck anonymize METHOD --dry-run` judges it"
        )
    equivalence, stays = _numbered(shown), np.ones(len(cells.records), dtype=bool)
    classes = coded_classes(cells, shown, equivalence, stays)
    verdict = judged(classes, requirement, whole=True)
    _refuse_under(verdict, requirement, cells.total, whose)
    if verdict.left_out is not None:
        _, group = distinct([equivalence])
        stays = ~verdict.left_out[group]
    found = Settled(cells, shown, equivalence, stays)
    if not found.kept:
        raise ReleaseError(
            f"{whose} have no node under the root in any column, so that there is nothing to release; require less, or "
            "give fewer columns the role of quasi-identifiers"
        )
    opened = _opened(cells, shown, stays)
    return found if opened is shown else replace(found, shown=opened, equivalence=_numbered(opened))


def _refuse_under(verdict: Verdict, requirement: Requirement, records: int, whose: str) -> None:
    if not verdict.met:
        missed = "; ".join(misses(requirement, verdict.reached, verdict.suppressed, records))
        raise RequirementNotMet(
            f"{whose} do not meet what is required: {missed}. Require less, or anonymize more records"
        )


def _numbered(shown: Shown) -> np.ndarray:
    """A number for each distinct combination of labels."""
    return distinct(list(shown.labels))[1]


def coded_classes(cells: Cells, shown: Shown, equivalence: np.ndarray, stays: np.ndarray) -> CodedClasses:
    """The equivalence classes of the rows that stay, in the order of their numbers."""
    first, group = distinct([equivalence[stays]])
    records, count = cells.records[stays], len(first)
    return CodedClasses(
        sizes=np.bincount(group, weights=records, minlength=count).astype(np.int64),
        columns=tuple(one[stays][first] for one in shown.labels),
        cells={
            name: _sensitive_cells(group, one.codes[stays], records, one.values)
            for name, one in cells.sensitive.items()
        },
    )


def _sensitive_cells(group: np.ndarray, codes: np.ndarray, records: np.ndarray, values: object) -> SensitiveCells:
    first, cell = distinct([group, codes])
    holders = np.bincount(cell, weights=records, minlength=len(first)).astype(np.int64)
    starts = np.flatnonzero(np.r_[True, np.diff(group[first]) != 0]) if len(first) else np.zeros(0, dtype=np.int64)
    return SensitiveCells(values, starts, codes[first], holders)  # type: ignore[arg-type]


# -- outer labels ------------------------------------------------------------------------------------------------------


def _opened(cells: Cells, shown: Shown, stays: np.ndarray) -> Shown:
    """The same with open labels of those intervals that the least and the largest released value lie in."""
    columns, labels = list(shown.columns), list(shown.labels)
    for place, column in enumerate(shown.columns):
        held = cells.leaves[place][stays]
        renamed = _renamed(column, held, shown.levels[place][stays], labels[place][stays])
        if renamed:
            texts = {text: at for at, text in enumerate(column.texts)}
            changed = np.arange(len(column.texts))
            for old, new in renamed.items():
                changed[texts[old]] = texts.setdefault(new, len(texts))
            columns[place] = replace(column, texts=tuple(texts))
            labels[place] = np.where(shown.levels[place] == 0, labels[place], changed[labels[place]])
    if all(new is old for new, old in zip(labels, shown.labels, strict=True)):
        return shown
    return Shown(tuple(columns), shown.levels, tuple(labels))


def _renamed(column: CodedColumn, leaves: np.ndarray, levels: np.ndarray, labels: np.ndarray) -> dict[str, str]:
    """What labels over level 0 become, by what they were."""
    opening = column.opening
    held = _in_intervals(column, leaves)
    if opening is None or not len(held):
        return {}
    ends = [[column.texts[at] for at in column.labels[leaf]] for leaf in (held.min(), held.max())]
    found = {}
    over = (levels > 0) & (leaves != 0)
    for level, label in sorted(set(zip(levels[over].tolist(), labels[over].tolist(), strict=True))):
        text = column.texts[label]
        if level == column.root or text is None:
            continue
        if level < column.root:
            low, high = (end[level] == text for end in ends)
        else:
            bounds = opening.bounds(text)
            low, high = (opening.bounds(str(end[1]))[side] == bounds[side] for side, end in enumerate(ends))
        if low or high:
            found[text] = opening.opened_at(text, low=low, high=high)
    return {old: new for old, new in found.items() if old != new}


def _in_intervals(column: CodedColumn, leaves: np.ndarray) -> np.ndarray:
    """The leaf codes of values that lie in an interval: no NULL, no infinity and no NaN."""
    apart = [at for at, text in enumerate(column.texts) if text in ("-inf", "inf", "nan")]
    held: np.ndarray = leaves[(leaves != 0) & ~np.isin(column.labels[leaves, 0], apart)]
    return held
