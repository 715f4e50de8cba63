"""What a recoding comes to: privacy, what is lost, and what models reach that learn from what it shows.

Two protocols: ``released`` cross-validates models on the released records (Caruccio et al. 2022, section 6);
``held-out`` recodes each training part by itself and tests the original records of the fold that was taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import fmean
from time import process_time
from typing import Any, Protocol

import numpy as np

from anonduck.config.config import Config
from anonduck.database.progress import Reporter, no_message
from anonduck.errors import AnonduckError
from anonduck.evaluation.cells import Cells
from anonduck.evaluation.settled import Settled
from anonduck.frequency.frequency_set import FOLDS, most_cells, sampled_if_many
from anonduck.measures.counted_cells import fold_records
from anonduck.measures.released_cells import (
    ReleasedCells,
    ReleaseMeasurer,
    original_tables,
    released_contingency,
    shown_nodes,
)
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import TrainingStoppedError, never, predict_folds
from anonduck.models.known_scores import KNOWN
from anonduck.models.scores import FoldResult, Predictions, Scores, score
from anonduck.privacy.models import MODELS
from anonduck.rules.measure_names import HELD_OUT, ORIGINAL, RELEASED
from anonduck.rules.rounding import DIGITS
from anonduck.source.source import MAX_CLASS_VALUES

STAGE = "anonymizing training parts"
UNSCORED = Scores()
UNPREDICTED = "there is no class to predict"
TRAINED, TESTED = 0, 1
"""The folds of a table of a training part and of the fold that was taken out."""


Tables = Contingency | tuple[Iterable[Sequence[Contingency]], np.ndarray]
"""What models learn from: one table, on the folds that a discovery draws; or those of each fold, whose last column is
tested, and the class codes of the source."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a recoding comes to on the records of a source.

    Attributes:
        k: the records of the smallest equivalence class that is released; of the worst training part, held out.
        classes: how many of these there are.
        records: the records that are released.
        suppressed: the records that are left out.
        information_gain: in bits; None of swapped records, and without a class.
        measures: the utility measures of the config, by name.
        risks: what an audit measures beside k, by name.
        detail: the share of detail that each quasi-identifier keeps, 1 - NCP; empty where that is not measured.
        scores: what models reach.

    Held out, numbers are the mean over the training parts, risks those of the worst.
    """

    k: int
    classes: int
    records: int
    suppressed: int
    information_gain: float | None
    measures: dict[str, float]
    risks: dict[str, Any]
    detail: Mapping[str, float] = field(default_factory=dict)
    scores: Scores = UNSCORED


class Recoded(Protocol):
    """Records that were recoded: what that comes to, and what models reach that learn from it."""

    @property
    def words(self) -> str:
        """How the recoding was found."""

    @property
    def levels(self) -> Mapping[str, int] | None:
        """Those of a rule; None where columns have no one level."""

    @property
    def measured(self) -> Evaluation:
        """What it comes to, without models."""

    @property
    def unscored(self) -> str | None:
        """Why models learn nothing from what is released, in words; None where they can."""

    def tables(self, reporter: Reporter) -> Tables:
        """The tables of what is released."""

    def part_table(self, cells: Cells, fold: np.ndarray) -> Contingency:
        """The table of what a training part shows and of the fold that was taken out (see ``part_table``)."""


@dataclass(frozen=True, eq=False)
class RecodedCells:
    """Cells that a recoding by classes, cuts or levels made; see Recoded."""

    settled: Settled
    config: Config
    levels: Mapping[str, int] | None
    words: str

    @cached_property
    def measured(self) -> Evaluation:
        """See Recoded."""
        return measure(self.settled, self.config)

    @property
    def unscored(self) -> str | None:
        """See Recoded."""
        if self.settled.swapped is not None and self.settled.cells.blocks is not None:
            return "`split_by` orders the records, and swapped ones show values of several"
        return unlearnable(len(np.unique(self.settled.cells.classes)))

    def tables(self, reporter: Reporter) -> Tables:
        """See Recoded."""
        if self.settled.swapped is not None:
            return _swapped_table(self.settled.swapped, self.settled, self.config, reporter)
        if self.settled.typical is None:
            return released_table(self.settled, self.config, reporter)
        by_fold = ([one] for one in _typical_tables(self.settled, self.config, reporter))
        return by_fold, np.unique(self.settled.cells.classes)

    def part_table(self, cells: Cells, fold: np.ndarray) -> Contingency:
        """See Recoded."""
        return part_table(self.settled, cells, fold, self.config.seed)


def evaluate(recoded: Recoded, config: Config, reporter: Reporter, over: Callable[[], bool]) -> Evaluation:
    """What a recoding of all records comes to, by the protocol ``released``; models are the config's."""
    reason = recoded.unscored if config.class_ is not None else UNPREDICTED
    if reason is not None or not config.models:
        return replace(recoded.measured, scores=Scores(reason=reason))
    began = process_time()
    scores = scores_on(recoded.tables(reporter), config, over)
    return replace(recoded.measured, scores=replace(scores, cpu_seconds=process_time() - began))


def evaluate_held_out(
    recode: Callable[[int], Recoded],
    cells: Cells,
    folds: np.ndarray,
    config: Config,
    reporter: Reporter,
    over: Callable[[], bool],
) -> Evaluation:
    """What a way to recode comes to, by the protocol ``held-out``; models are the config's.

    Records that a part leaves out teach nothing; all records are tested.

    Args:
        recode: recodes the training part of a fold by itself.
        cells: all records.
        folds: (rows, folds), the records of each row in each fold.
        config: the models, and the seed.
        reporter: hears which part is recoded.
        over: whether the time is up.

    Raises what ``recode`` raises, with the number of the part.
    """
    tests = FoldTests(config.models, np.unique(cells.classes), config.seed, over)
    parts, spent = [], 0.0
    for fold in range(FOLDS):
        reporter.progress(STAGE, fold, FOLDS)
        try:
            part = recode(fold)
            parts.append(part.measured)
            began = process_time()
            if config.models:
                tests.add([part.part_table(cells, folds[:, fold])])
            spent += process_time() - began
        except AnonduckError as error:
            raise AnonduckError(f"training part {fold + 1} of {FOLDS}: {error}") from None
    reporter.progress(STAGE, FOLDS, FOLDS)
    return replace(_of_parts(parts), scores=replace(tests.scores(HELD_OUT), cpu_seconds=spent))


class FoldTests:
    """Models that are tested on one fold after the other, each by a table of its own.

    Attributes:
        tested: by model, what it reached on each fold so far.
        untrained: the models that had no time left for a fold.
    """

    def __init__(self, models: Sequence[str], every: np.ndarray, seed: int, over: Callable[[], bool]) -> None:
        self.tested: dict[str, list[FoldResult]] = {model: [] for model in models}
        self.untrained: list[str] = []
        self._asked = every, seed, over

    def add(self, tables: Sequence[Contingency]) -> None:
        """Test the models on the last fold of a table; several tables of one fold are pooled."""
        for model in [one for one in self.tested if one not in self.untrained]:
            try:
                self.tested[model].append(_pooled([tested_by(table, model, *self._asked) for table in tables]))
            except TrainingStoppedError:
                self.untrained.append(model)

    def scores(self, protocol: str = RELEASED) -> Scores:
        """What the models reached that had time for all folds."""
        done = {model: found for model, found in self.tested.items() if model not in self.untrained}
        return Scores({model: score(found, protocol=protocol) for model, found in done.items()}, tuple(self.untrained))


def scores_on(tables: Tables, config: Config, over: Callable[[], bool] = never) -> Scores:
    """What the config's models reach."""
    if isinstance(tables, Contingency):
        return KNOWN.scores(tables, config.models, config.seed, over=over)
    by_fold, every = tables
    tests = FoldTests(config.models, every, config.seed, over)
    for of_fold in by_fold:
        tests.add(of_fold)
    return tests.scores()


def tested_by(table: Contingency, model: str, every: np.ndarray, seed: int, over: Callable[[], bool]) -> FoldResult:
    """What a model that learns from the other folds reaches on the last one; ``every`` (classes,) are those of the
    source. Raises TrainingStoppedError where the time is up."""
    last = table.folds.shape[1] - 1
    found = predict_folds(table, model, only=[last], seed=seed, over=over)[last]
    return by_class(found, everyone(table).classes, every)


def _pooled(tested: Sequence[FoldResult]) -> FoldResult:
    """One fold by all its tables together: their counts, and the mean of their areas."""
    if len(tested) == 1:
        return tested[0]
    confusion = np.sum([one.confusion for one in tested], axis=0)
    areas = [one.roc_auc for one in tested if one.roc_auc is not None]
    return replace(tested[0], confusion=confusion, roc_auc=fmean(areas) if areas else None)


def by_class(tested: FoldResult, labels: np.ndarray, every: np.ndarray) -> FoldResult:
    """The same with a row and column for each class of the source, so that folds that miss one add up."""
    place = np.searchsorted(every, labels)
    confusion = np.zeros((len(every),) * 2, dtype=np.int64)
    confusion[np.ix_(place, place)] = tested.confusion
    given = tested.predictions
    return replace(
        tested,
        confusion=confusion,
        guess=int(place[tested.guess]),
        predictions=None if given is None else _placed(given, place, len(every)),
    )


def _placed(given: Predictions, place: np.ndarray, classes: int) -> Predictions:
    """Predictions by their place among more classes."""
    if given.rankings is None:
        return Predictions(place[given.classes], None)
    rankings = np.zeros((len(given.classes), classes))
    rankings[:, place] = given.rankings
    return Predictions(place[given.classes], rankings)


def _of_parts(parts: Sequence[Evaluation]) -> Evaluation:
    gains = [one.information_gain for one in parts if one.information_gain is not None]
    return Evaluation(
        k=min(one.k for one in parts),
        classes=round(fmean(one.classes for one in parts)),
        records=round(fmean(one.records for one in parts)),
        suppressed=round(fmean(one.suppressed for one in parts)),
        information_gain=round(fmean(gains), DIGITS) if gains else None,
        measures={name: round(fmean(one.measures[name] for one in parts), DIGITS) for name in parts[0].measures},
        risks=_worst([one.risks for one in parts]),
    )


def _worst(risks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the worst of the parts reaches of each risk; of one with several numbers, that of the first part."""
    found = {}
    for name, reached in risks[0].items():
        values = [one.get(name) for one in risks]
        plain = [value for value in values if isinstance(value, (int, float))]
        worst = max if MODELS[name].at_most else min
        found[name] = worst(plain) if plain and len(plain) == len(values) else reached
    return found


def measure(found: Settled, config: Config) -> Evaluation:
    """What is released, measured without models."""
    sizes = found.classes.sizes
    columns = [column.cell for column in found.shown.columns]
    measurer = ReleaseMeasurer(found.released, columns, k=config.requirement.k, weights=config.weights)
    return Evaluation(
        k=int(sizes.min()),
        classes=len(sizes),
        records=int(sizes.sum()),
        suppressed=found.suppressed,
        information_gain=None if config.class_ is None else measurer.information_gain(),
        measures=measurer(config.measures),
        risks=found.risks(),
        detail=measurer.detail(),
    )


def released_table(found: Settled, config: Config, reporter: Reporter) -> Contingency:
    """The contingency table of what a recoding releases, on the folds that a discovery draws."""
    folds = found.cells.sampled_folds(config.seed, reporter.announce)
    columns = [column.cell for column in found.shown.columns]
    return released_contingency(found.released, columns, folds, originals=config.test_on == ORIGINAL)


def _typical_tables(found: Settled, config: Config, reporter: Reporter) -> Iterable[Contingency]:
    """For each fold the table of the typical values of the others and of its own original records."""
    folds = found.cells.sampled_folds(config.seed, reporter.announce)
    columns = [column.cell for column in found.shown.columns]
    return original_tables(found.released, found.taught, columns, folds)


def _swapped_table(swapped: ReleasedCells, found: Settled, config: Config, reporter: Reporter) -> Contingency:
    """The contingency table of swapped records, on folds that are drawn on what these show."""
    columns = [column.cell for column in found.shown.columns]
    folds = fold_records(swapped.records, swapped.classes, len(columns), config.seed, reporter.announce, None)
    return released_contingency(swapped, columns, folds, originals=False)


def unlearnable(values: int) -> str | None:
    """Why no model can be trained for a class with so many values, in words; None where one can."""
    if values < 2:
        return "the class has a single value; models need at least two"
    if values > MAX_CLASS_VALUES:
        return f"the class has {values:,} distinct values; models are trained for up to {MAX_CLASS_VALUES}"
    return None


def why_not_held_out(config: Config, models: Sequence[str], holdout: float) -> str:
    """Why no records are held out to test ``models``, in words; empty where they can be."""
    if not models:
        return UNPREDICTED if config.class_ is None else "no model was measured; name one with `models`"
    if not holdout:
        return "`holdout` is 0 in the config; 0.2 would hold out a fifth of the records"
    by_class = [name for name, one in config.taxonomies.items() if config.class_ in (one.cluster_on or ())]
    if by_class:
        return f"the taxonomy of {by_class[0]!r} is built from the class of all records, including those to be held out"
    return ""


# -- a training part ---------------------------------------------------------------------------------------------------


def part_table(found: Settled, cells: Cells, fold: np.ndarray, seed: int) -> Contingency:
    """The contingency table of a recoded part and of the fold that was taken out, by leaf codes of all records.

    Models learn from the nodes that the part shows, whose values are lent to them (Last et al. 2014, section 5.1), or
    from the typical values that stand in their place. The records of the part are in the column TRAINED of ``folds``;
    those of the fold in TESTED, with their own values, which lend nothing.

    Args:
        found: what the recoding of the part releases, by the codes of the part.
        cells: all records.
        fold: (rows of ``cells``,), the records that were taken out.
        seed: draws the samples where there are many combinations.
    """
    part = found.taught.released
    places = [place for place, column in enumerate(cells.columns) if column.name in found.kept]
    columns = [one.cell for one in found.shown.columns]
    nodes = shown_nodes(part, columns)
    known = [_codes_in(found, cells, place) for place in places]
    leaves = np.column_stack([codes[part.leaves[place]] for place, codes in zip(places, known, strict=True)])
    first, _ = cells.by_class
    most = most_cells(len(places))
    trained = sampled_if_many(part.records, part.records, most, seed, no_message)
    tested = tested_records(cells, fold, len(places), seed)
    stay, test = np.flatnonzero(trained), np.flatnonzero(tested)
    original = np.column_stack([cells.leaves[place][first][test] for place in places])
    over = [
        _over(columns[place].over, codes, len(cells.columns[place].labels))
        for place, codes in zip(places, known, strict=True)
    ]
    own = np.column_stack([one[original[:, at], 0] for at, one in enumerate(over)])
    folds = np.zeros((len(stay) + len(test), 2), dtype=np.int64)
    folds[: len(stay), TRAINED], folds[len(stay) :, TESTED] = trained[stay], tested[test]
    table = cells.original_table(
        places,
        np.vstack([leaves[stay], original]),
        np.r_[_class_codes_in(found, cells)[part.classes[stay]], cells.classes[first][test]],
        folds,
    )
    shown = np.column_stack([nodes[place] for place in places])[stay]
    return replace(table, nodes=np.vstack([shown, own]), over=tuple(over))


def tested_records(cells: Cells, fold: np.ndarray, columns: int, seed: int) -> np.ndarray:
    """The records of a fold that models of so many columns are tested on, by combination of leaves and class; those of
    an unbiased sample where there are many combinations."""
    first, cell = cells.by_class
    held = np.bincount(cell, weights=fold, minlength=len(first)).astype(np.int64)
    return sampled_if_many(held, held, most_cells(columns), seed, no_message)


def _codes_in(found: Settled, cells: Cells, place: int) -> np.ndarray:
    """By leaf code of the part, the leaf code of the same value among all records; 0 for NULL's."""
    part, whole = found.shown.columns[place], cells.columns[place]
    codes = {whole.texts[at]: code for code, at in enumerate(whole.labels[:, 0].tolist()) if code}
    return np.array([0, *(codes[part.texts[at]] for at in part.labels[1:, 0].tolist())])


def _class_codes_in(found: Settled, cells: Cells) -> np.ndarray:
    """By class code of the part, the class code among all records."""
    codes = {text: code for code, text in enumerate(cells.class_texts)}
    return np.array([codes[text] for text in found.cells.class_texts])


def _over(part: np.ndarray, codes: np.ndarray, leaves: int) -> np.ndarray:
    """The nodes over each leaf code of all records, from those of the part; a leaf that it lacks is alone."""
    fresh = int(part.max()) + 1
    over = np.repeat(np.arange(fresh, fresh + leaves)[:, None], part.shape[1], axis=1)
    over[codes] = part
    return over
