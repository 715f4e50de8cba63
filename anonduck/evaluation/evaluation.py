"""What a recoding comes to: privacy, what is lost, and what models reach that learn from what it shows.

Two protocols: ``released`` cross-validates models on the released records (Caruccio et al. 2022, section 6);
``held-out`` recodes each training part by itself and tests the original records of the fold that was taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.evaluation.cells import Cells
from anonduck.evaluation.settled import Settled
from anonduck.frequency.frequency_set import few_enough, most_cells
from anonduck.measures.measures import ORIGINAL
from anonduck.measures.released_cells import ReleaseMeasurer, released_contingency, shown_nodes
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import TrainingStoppedError, cross_validate
from anonduck.models.scores import Score
from anonduck.source.source import MAX_CLASS_VALUES

TRAINED, TESTED = 0, 1
"""The folds of a table of a training part and of the fold that was taken out."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What models reach: ``by_model``, those that had no time left, and why there are none, in words."""

    by_model: dict[str, Score] = field(default_factory=dict)
    untrained: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a recoding comes to on the records of a source.

    ``k`` and ``classes`` are those of the records that are released; ``measures`` the utility measures of the config,
    ``risks`` what an audit measures beside k.
    """

    k: int
    classes: int
    records: int
    suppressed: int
    information_gain: float
    measures: dict[str, float]
    risks: dict[str, Any]


def evaluate(found: Settled, config: Config) -> Evaluation:
    """Evaluate what a recoding shows, without models."""
    sizes = found.classes.sizes
    released = found.released
    measurer = ReleaseMeasurer(
        released,
        [column.cell for column in found.shown.columns],
        k=config.requirement.k,
        weights=config.weights,
    )
    return Evaluation(
        k=int(sizes.min()),
        classes=len(sizes),
        records=int(sizes.sum()),
        suppressed=found.suppressed,
        information_gain=measurer.information_gain(),
        measures=measurer(config.measures),
        risks=found.risks(),
    )


def cross_validated(table: Contingency, models: Sequence[str], seed: int, over: Callable[[], bool]) -> Scores:
    """The scores of models on a contingency table."""
    found: dict[str, Score] = {}
    for number, model in enumerate(models):
        try:
            found[model] = cross_validate(table, model, seed=seed, over=over)
        except TrainingStoppedError:
            return Scores(found, tuple(models[number:]))
    return Scores(found)


def released_table(found: Settled, config: Config, reporter: Reporter) -> Contingency:
    """The contingency table of what a recoding releases, on the folds that a discovery draws."""
    folds = found.cells.sampled_folds(config.seed, reporter.announce)
    columns = [column.cell for column in found.shown.columns]
    return released_contingency(found.released, columns, folds, originals=config.test_on == ORIGINAL)


def unlearnable(values: int) -> str | None:
    """Why no model can be trained for a class with so many values, in words; None where one can."""
    if values < 2:
        return "the class has a single value; models need at least two"
    if values > MAX_CLASS_VALUES:
        return f"the class has {values:,} distinct values; models are trained for up to {MAX_CLASS_VALUES}"
    return None


# -- a training part ---------------------------------------------------------------------------------------------------


def part_table(found: Settled, cells: Cells, fold: np.ndarray, seed: int) -> Contingency:
    """The contingency table of a recoded part and of the fold that was taken out, by leaf codes of all records.

    Models learn from the nodes that the part shows, whose values are lent to them (Last et al. 2014, section 5.1). The
    records of the part are in the column TRAINED of ``folds``; those of the fold in TESTED, with their own values,
    which lend nothing.

    Args:
        found: what the recoding of the part releases, by the codes of the part.
        cells: all records.
        fold: (rows of ``cells``,), the records that were taken out.
        seed: draws the samples where there are many combinations.
    """
    part = found.released.released
    places = [place for place, column in enumerate(cells.columns) if column.name in found.kept]
    columns = [one.cell for one in found.shown.columns]
    nodes = shown_nodes(part, columns)
    known = [_codes_in(found, cells, place) for place in places]
    leaves = np.column_stack([codes[part.leaves[place]] for place, codes in zip(places, known, strict=True)])
    first, cell = cells.by_class
    held = np.bincount(cell, weights=fold, minlength=len(first)).astype(np.int64)
    most = most_cells(len(places))
    trained = few_enough(part.records, part.records, most, seed, _unannounced)
    tested = few_enough(held, held, most, seed, _unannounced)
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


def _unannounced(_: str) -> None:
    """Announce nothing: that a sample is measured is said once, of all records."""
