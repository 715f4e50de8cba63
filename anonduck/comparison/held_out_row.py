"""A row by the stricter protocol: each training part is anonymized by itself, and original records are tested.

A fold's records are taken out before anything is chosen: the recoding is that of the training part alone. Models learn
from its release, whose values are lent to the nodes that it shows (Last et al. 2014, section 5.1), and predict the
class of the records of the fold as they came. Records that the part leaves out teach nothing; all records are tested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.comparison.cost import RowClock, measured_cost
from anonduck.comparison.model_scores import told
from anonduck.comparison.question import Contestant
from anonduck.comparison.reading import ReadRelease, described, reader_of, risks_of
from anonduck.comparison.releasing import release_contestant
from anonduck.comparison.source_records import (
    TESTED,
    TRAINED,
    SourceRecords,
    class_codes,
    leaf_codes,
    training_part,
)
from anonduck.comparison.swapped_row import WORDS, known_seed, measured, sizes, swapped_part_table, swaps_reader
from anonduck.config.requirement_change import with_requirement
from anonduck.database.connection import Database
from anonduck.errors import AnonduckError
from anonduck.frequency.frequency_set import FOLDS, few_enough, most_cells
from anonduck.measures.released_cells import shown_nodes
from anonduck.methods.registry import method_named
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import TrainingStoppedError, predict_folds
from anonduck.models.scores import FoldResult, score
from anonduck.rules.rounding import DIGITS
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA

if TYPE_CHECKING:
    from anonduck.comparison.part_rules import PartRules
    from anonduck.release.swap_recoding import SwapRecoding
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace


@dataclass(eq=False)
class _Tested:
    """What came out so far: by model the tested folds; of each part its release, its measures and its risks."""

    folds: dict[str, list[FoldResult]]
    releases: list[dict[str, Any]] = field(default_factory=list)
    measured: list[Mapping[str, Any]] = field(default_factory=list)
    risks: list[Mapping[str, Any]] = field(default_factory=list)
    untrained: list[str] = field(default_factory=list)
    models_cpu_seconds: float = 0.0
    searched_here: float = 0.0
    search_cpu_seconds: float | None = None


def held_out_row(
    workspace: Workspace, contestant: Contestant, k: int, clock: RowClock, records: SourceRecords, rules: PartRules
) -> dict[str, Any]:
    """What a contestant reaches at ``k`` where each training part is anonymized by itself; models are the config's."""
    found = _Tested({model: [] for model in workspace.config.models})
    with measured_cost() as cost:
        for fold in range(FOLDS):
            workspace.reporter.progress("anonymizing training parts", fold, FOLDS)
            try:
                _test_fold(workspace, contestant, k, clock, records, rules, fold, found)
            except AnonduckError as error:
                raise AnonduckError(f"training part {fold + 1} of {FOLDS}: {error}") from None
        workspace.reporter.progress("anonymizing training parts", FOLDS, FOLDS)
    first = found.releases[0]
    smallest = min(found.releases, key=lambda one: int(one["k"]))
    return {
        **first,
        "rule": first["rule"] if all(one["rule"] == first["rule"] for one in found.releases) else None,
        "k": smallest["k"],
        **{name: round(fmean(one[name] for one in found.releases)) for name in ("classes", "records", "suppressed")},
        **_mean(found.measured),
        "risks": _worst(found.risks),
        "models": {
            model: told(score(folds, np.zeros(0, dtype=np.int64)))
            for model, folds in found.folds.items()
            if model not in found.untrained
        },
        "untrained": found.untrained,
        "models_reason": None,
        "seconds": cost.seconds,
        "cpu_seconds": round(cost.cpu_seconds - found.models_cpu_seconds - found.searched_here, 3),
        "search_cpu_seconds": None if found.search_cpu_seconds is None else round(found.search_cpu_seconds, 3),
        "models_cpu_seconds": round(found.models_cpu_seconds, 3),
        "memory_mb": cost.memory_mb,
    }


def _test_fold(
    workspace: Workspace,
    contestant: Contestant,
    k: int,
    clock: RowClock,
    records: SourceRecords,
    rules: PartRules,
    fold: int,
    found: _Tested,
) -> None:
    required = {} if contestant.by is not None else {"k": k}
    config, seed = with_requirement(workspace.config, required), workspace.config.seed

    def use(read: ReadRelease, database: Database) -> None:
        found.measured.append(read.measured)
        found.risks.append(risks_of(read.audited))
        _train(found, lambda: part_table(records, fold, read, database, seed), seed, clock, records)

    def use_swaps(recoding: SwapRecoding, database: Database) -> None:
        found.measured.append(measured(recoding, workspace))
        found.risks.append({})
        swapped.update(sizes(recoding))
        _train(found, lambda: swapped_part_table(records, fold, recoding, database, seed), seed, clock, records)

    swapped: dict[str, Any] = {}
    with training_part(workspace.with_config(config), records, fold) as part:
        if contestant.by is None and method_named(contestant.name).recoding == "swapped":
            row = described(release_contestant(known_seed(part), contestant, k, swaps_reader(use_swaps), None))
            found.releases.append({**row, **swapped, "words": row["words"] + WORDS})
            return
        discovered = None if contestant.by is None else _search(part, contestant.by, rules, fold, found)
        reading = reader_of(part.config, part.roles, use)
        found.releases.append(described(release_contestant(part, contestant, k, reading, discovered)))


def _search(part: Workspace, by: str, rules: PartRules, fold: int, found: _Tested) -> StoredDiscovery:
    """The rules of a part, what they took counted apart: the first row that asks for them waits for all."""
    with measured_cost() as cost:
        discovered = rules.of_part(part, by, fold)
    found.searched_here += cost.cpu_seconds
    found.search_cpu_seconds = (found.search_cpu_seconds or 0.0) + (discovered.cpu_seconds or 0.0)
    return discovered


def _train(
    found: _Tested, table_of: Callable[[], Contingency], seed: int, clock: RowClock, records: SourceRecords
) -> None:
    """Test what models that still have time learn from a part."""
    if not found.folds:
        return
    table = table_of()
    with measured_cost() as cost:
        for model in [one for one in found.folds if one not in found.untrained]:
            tested = _tested(table, model, seed, clock, records)
            if tested is None:
                found.untrained.append(model)
            else:
                found.folds[model].append(tested)
    found.models_cpu_seconds += cost.cpu_seconds


# -- what models are trained and tested on -----------------------------------------------------------------------------


def part_table(records: SourceRecords, fold: int, read: ReadRelease, database: Database, seed: int) -> Contingency:
    """The contingency table of a training part and the fold that was held out, by the leaf codes of all records.

    The records of the part are in the column TRAINED of ``folds``, with the nodes that its release shows; those of the
    fold in TESTED, with their own values, which lend nothing.
    """
    kept = read.records.cells.released
    columns = read.records.columns
    shown = [place for place, one in enumerate(columns) if (kept.levels[place] < one.by_loss.root).any()]
    names = [records.names[place] for place in shown]
    nodes = shown_nodes(kept, columns)
    known = [leaf_codes(database, records, name, LOOKUP_SCHEMA) for name in names]
    leaves = np.column_stack([codes[kept.leaves[place]] for place, codes in zip(shown, known, strict=True)])
    rows, by_fold = records.cells()
    most = most_cells(len(shown))
    trained = few_enough(kept.records, kept.records, most, seed, _untold)
    tested = few_enough(by_fold[:, fold], by_fold[:, fold], most, seed, _untold)
    stay, test = np.flatnonzero(trained), np.flatnonzero(tested)
    original = records.codes[rows][:, shown][test]
    over = [
        _over(columns[place].over, codes, int(records.codes[:, place].max()) + 1)
        for place, codes in zip(shown, known, strict=True)
    ]
    own = np.column_stack([one[original[:, at], 0] for at, one in enumerate(over)])
    table = records.table_of(
        shown,
        np.vstack([leaves[stay], original]),
        np.r_[class_codes(database)[kept.classes[stay]], records.classes[rows][test]],
        np.vstack([_in_column(trained[stay], TRAINED), _in_column(tested[test], TESTED)]),
    )
    part_nodes = np.column_stack([nodes[place] for place in shown])[stay]
    return replace(table, nodes=np.vstack([part_nodes, own]), over=tuple(over))


def _untold(_: str) -> None:
    """That a sample is measured is told once, by the release of all records."""


def _over(part: np.ndarray, codes: np.ndarray, leaves: int) -> np.ndarray:
    """The nodes over each leaf code of all records, from those of the part; a leaf that it lacks is alone."""
    fresh = int(part.max()) + 1
    over = np.repeat(np.arange(fresh, fresh + leaves)[:, None], part.shape[1], axis=1)
    over[codes] = part
    return over


def _in_column(counts: np.ndarray, column: int) -> np.ndarray:
    folds = np.zeros((len(counts), 2), dtype=np.int64)
    folds[:, column] = counts
    return folds


def _tested(table: Contingency, model: str, seed: int, clock: RowClock, records: SourceRecords) -> FoldResult | None:
    """What a model tells of the fold; None where its time was up."""
    try:
        tested = predict_folds(table, model, only=[TESTED], seed=seed, over=clock.over)[TESTED]
    except TrainingStoppedError:
        return None
    return by_class(tested, everyone(table).classes, np.unique(records.classes))


def by_class(tested: FoldResult, labels: np.ndarray, every: np.ndarray) -> FoldResult:
    """The same with a row and column for each class of the source, so that folds that miss one add up."""
    place = np.searchsorted(every, labels)
    confusion = np.zeros((len(every),) * 2, dtype=np.int64)
    confusion[np.ix_(place, place)] = tested.confusion
    return replace(tested, confusion=confusion, survivors=confusion, guess=int(place[tested.guess]))


# -- what the parts come to --------------------------------------------------------------------------------------------


def _mean(measured: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = list(measured[0]["measures"])
    gains = [one["information_gain"] for one in measured if one["information_gain"] is not None]
    return {
        "information_gain": round(fmean(gains), DIGITS) if gains else None,
        "measures": {name: round(fmean(one["measures"][name] for one in measured), DIGITS) for name in names},
    }


def _worst(risks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the worst of the parts reaches of each risk; of what is told in several numbers, that of the first part."""
    from anonduck.privacy.models import MODELS

    found = {}
    for name, reached in risks[0].items():
        values = [one.get(name) for one in risks]
        plain = [value for value in values if isinstance(value, (int, float))]
        worst = max if MODELS[name].at_most else min
        found[name] = worst(plain) if plain and len(plain) == len(values) else reached
    return found
