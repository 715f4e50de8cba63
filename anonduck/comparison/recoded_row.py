"""A row of a method or of the best rule, by either protocol, measured on the counted records of the source.

By ``released`` all records are recoded together, and models are cross-validated on what they show (Caruccio et al.
2022, section 6). By ``held-out`` each training part is recoded by itself: models learn from its release, whose values
are lent to the nodes that it shows (Last et al. 2014, section 5.1), and predict the records of the fold as they came.
Records that the part leaves out teach nothing; all records are tested.
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
from anonduck.comparison.swapped_row import measured_part
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import AnonduckError, ConfigError, RuleError
from anonduck.evaluation.cells import Cells
from anonduck.evaluation.evaluation import (
    TESTED,
    Evaluation,
    cross_validated,
    evaluate,
    part_table,
    released_table,
    unlearnable,
)
from anonduck.evaluation.finding import found_levels, show_found, with_allowance
from anonduck.evaluation.settled import Settled, settle
from anonduck.evaluation.shown import show_levels
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.copies import in_memory
from anonduck.frequency.frequency_set import FOLDS
from anonduck.measures.requirement import requirement_of
from anonduck.methods.registry import method_named
from anonduck.models.contingency import Contingency, everyone
from anonduck.models.cross_validation import TrainingStoppedError, predict_folds
from anonduck.models.scores import FoldResult, score
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import choose

if TYPE_CHECKING:
    from anonduck.comparison.part_rules import PartRules
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

Opened = Callable[[], Any]
"""Opens, for a block, a workspace with a database of its own that holds the records."""


@dataclass(frozen=True, eq=False)
class _Recoded:
    """What a contestant makes of records: what they show, the levels of its rule if it is one, and words."""

    settled: Settled
    levels: Mapping[str, int] | None
    words: str

    @property
    def described(self) -> dict[str, Any]:
        """The recoding in words."""
        return {"rule": None if self.levels is None else literal(self.levels), "words": self.words}


# -- a contestant ------------------------------------------------------------------------------------------------------


def best_rule_at(found: StoredDiscovery, by: str, k: int) -> tuple[Rule, str]:
    """The best rule by a measure among those of at least ``k``, and why; raises RuleError where there is none."""
    choice = choose(found.rules, by, found.summary["models"], k=k)
    if choice is None:
        raise RuleError(f"no rule that was found has k >= {k:,} and a {by}")
    return choice.rule, choice.reason


def _by_rule(workspace: Workspace, cells: Cells, by: str, k: int, found: StoredDiscovery) -> _Recoded:
    """The best rule, with the labels of the k that the config requires, as it was found."""
    rule, reason = best_rule_at(found, by, k)
    config = with_requirement(workspace.config, {"k": min(k, workspace.config.requirement.k)})
    required = requirement_of(config, workspace.folder)
    settled = settle(cells, show_levels(cells, rule.levels), required, f"the classes of {rule.id}")
    return _Recoded(settled, rule.levels, reason)


def _by_method(workspace: Workspace, cells: Cells, contestant: Contestant, k: int, opened: Opened) -> _Recoded:
    """What a method finds at ``k``."""
    method, config = method_named(contestant.name), workspace.config
    options = method.settled(config.methods.get(contestant.name, {}), contestant.settings)
    _refuse_preprocessing(contestant, options)
    whose = f"the classes of {method.name}"
    words = f"{method.name}: {method.words} ({method.source})"
    required: dict[str, Any] = {"k": k}
    if method.recoding == "levels":
        required = with_allowance(config, lambda: cells.total, method, options, required)
        wanted = requirement_of(with_requirement(config, required), workspace.folder)
        with opened() as one:
            label_k = max(k, config.requirement.k)
            levels = found_levels(one, method, options, wanted, label_k=label_k, unmapped=config.unmapped)
        return _Recoded(settle(cells, show_levels(cells, levels), wanted, whose), levels, words)
    wanted = requirement_of(with_requirement(config, required), workspace.folder)
    secrets = tuple(workspace.roles.sensitive) if method.weighed else ()
    shown = show_found(method, options, cells, wanted, secrets, config.seed, workspace.reporter)
    return _Recoded(settle(cells, shown, wanted, whose), None, words)


def _refuse_preprocessing(contestant: Contestant, options: Mapping[str, Any]) -> None:
    """Raise ConfigError for settings that change values before classes are found, which no comparison does."""
    changed = [name for name in ("missing", "outliers") if options.get(name) not in (None, "", "keep")]
    if changed:
        raise ConfigError(
            f"a comparison takes the values of the source as they are, and {contestant.label} changes some by its "
            f"option {changed[0]!r}; `project.anonymize({contestant.name!r}, dry_run=True)` measures such a release"
        )


# -- all records together ----------------------------------------------------------------------------------------------


def released_row(
    workspace: Workspace,
    contestant: Contestant,
    k: int,
    clock: RowClock,
    source: SourceCells,
    found: StoredDiscovery | None,
) -> dict[str, Any]:
    """What the release of a contestant at ``k`` reaches; models are the config's."""
    config = workspace.config
    cells = source.cells(k if contestant.by is None else config.requirement.k)
    with measured_cost() as cost:
        if contestant.by is not None:
            assert found is not None  # a comparison of rules begins with those that were found
            recoded = _by_rule(workspace, cells, contestant.by, k, found)
        else:
            recoded = _by_method(workspace, cells, contestant, k, lambda: in_memory(workspace))
        row = {**_measures(evaluate(recoded.settled, config)), **recoded.described}
    reason = unlearnable(len(np.unique(cells.classes)))
    row |= {"models": {}, "untrained": [], "models_reason": reason}
    with measured_cost() as training:
        if reason is None and config.models:
            table = released_table(recoded.settled, config, workspace.reporter)
            scores = cross_validated(table, config.models, config.seed, clock.over)
            row["models"] = {name: told(one) for name, one in scores.by_model.items()}
            row["untrained"] = list(scores.untrained)
    return {
        **row,
        "seconds": round(cost.seconds + training.seconds, 3),
        "cpu_seconds": cost.cpu_seconds,
        "models_cpu_seconds": training.cpu_seconds,
        "memory_mb": training.memory_mb,
    }


def _measures(found: Evaluation) -> dict[str, Any]:
    return {
        "k": found.k,
        "classes": found.classes,
        "records": found.records,
        "suppressed": found.suppressed,
        "information_gain": found.information_gain,
        "measures": found.measures,
        "risks": found.risks,
    }


# -- each training part by itself --------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Tested:
    """What came out so far: by model the tested folds; of each part what its recoding comes to."""

    folds: dict[str, list[FoldResult]]
    parts: list[dict[str, Any]] = field(default_factory=list)
    untrained: list[str] = field(default_factory=list)
    models_cpu_seconds: float = 0.0
    searched_here: float = 0.0
    search_cpu_seconds: float | None = None


def held_out_row(
    workspace: Workspace, contestant: Contestant, k: int, clock: RowClock, source: SourceCells, rules: PartRules
) -> dict[str, Any]:
    """What a contestant reaches at ``k`` where each training part is recoded by itself; models are the config's."""
    found = _Tested({model: [] for model in workspace.config.models})
    with measured_cost() as cost:
        for fold in range(FOLDS):
            workspace.reporter.progress("anonymizing training parts", fold, FOLDS)
            try:
                table = _recode_part(workspace, contestant, k, source, rules, fold, found)
                _train(found, table, workspace.config.seed, clock, source.own)
            except AnonduckError as error:
                raise AnonduckError(f"training part {fold + 1} of {FOLDS}: {error}") from None
        workspace.reporter.progress("anonymizing training parts", FOLDS, FOLDS)
    first = found.parts[0]
    return {
        **first,
        "rule": first["rule"] if all(one["rule"] == first["rule"] for one in found.parts) else None,
        "k": min(int(one["k"]) for one in found.parts),
        **{name: round(fmean(one[name] for one in found.parts)) for name in ("classes", "records", "suppressed")},
        **_mean(found.parts),
        "risks": _worst([one["risks"] for one in found.parts]),
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


def _recode_part(
    workspace: Workspace,
    contestant: Contestant,
    k: int,
    source: SourceCells,
    rules: PartRules,
    fold: int,
    found: _Tested,
) -> Callable[[], Contingency]:
    """Recode the training part of a fold; returns what makes the table that models are trained and tested on."""
    config = workspace.config
    if contestant.by is not None:
        with source.opened_part(fold, workspace) as part, measured_cost() as cost:
            stored = rules.of_part(part, contestant.by, fold)
        found.searched_here += cost.cpu_seconds
        found.search_cpu_seconds = (found.search_cpu_seconds or 0.0) + (stored.cpu_seconds or 0.0)
        cells = source.part(fold, config.requirement.k)
        recoded = _by_rule(workspace, cells, contestant.by, k, stored)
    elif method_named(contestant.name).recoding == "swapped":
        row, table = measured_part(workspace, contestant, k, source, fold)
        found.parts.append(row)
        return lambda: table
    else:
        cells = source.part(fold, k)
        required = workspace.with_config(with_requirement(config, {"k": k}))
        recoded = _by_method(workspace, cells, contestant, k, lambda: source.opened_part(fold, required))
    found.parts.append({**_measures(evaluate(recoded.settled, config)), **recoded.described})
    return lambda: part_table(recoded.settled, source.own, source.folds[:, fold], config.seed)


def _train(found: _Tested, table_of: Callable[[], Contingency], seed: int, clock: RowClock, cells: Cells) -> None:
    """Test what models that still have time learn from a part."""
    if not found.folds:
        return
    table = table_of()
    with measured_cost() as cost:
        for model in [one for one in found.folds if one not in found.untrained]:
            tested = _tested(table, model, seed, clock, cells)
            if tested is None:
                found.untrained.append(model)
            else:
                found.folds[model].append(tested)
    found.models_cpu_seconds += cost.cpu_seconds


def _tested(table: Contingency, model: str, seed: int, clock: RowClock, cells: Cells) -> FoldResult | None:
    """What a model reaches on the fold; None where its time was up."""
    try:
        tested = predict_folds(table, model, only=[TESTED], seed=seed, over=clock.over)[TESTED]
    except TrainingStoppedError:
        return None
    return by_class(tested, everyone(table).classes, np.unique(cells.classes))


def by_class(tested: FoldResult, labels: np.ndarray, every: np.ndarray) -> FoldResult:
    """The same with a row and column for each class of the source, so that folds that miss one add up."""
    place = np.searchsorted(every, labels)
    confusion = np.zeros((len(every),) * 2, dtype=np.int64)
    confusion[np.ix_(place, place)] = tested.confusion
    return replace(tested, confusion=confusion, survivors=confusion, guess=int(place[tested.guess]))


def _mean(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = list(parts[0]["measures"])
    gains = [one["information_gain"] for one in parts if one["information_gain"] is not None]
    return {
        "information_gain": round(fmean(gains), DIGITS) if gains else None,
        "measures": {name: round(fmean(one["measures"][name] for one in parts), DIGITS) for name in names},
    }


def _worst(risks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the worst of the parts reaches of each risk; of one with several numbers, that of the first part."""
    from anonduck.privacy.models import MODELS

    found = {}
    for name, reached in risks[0].items():
        values = [one.get(name) for one in risks]
        plain = [value for value in values if isinstance(value, (int, float))]
        worst = max if MODELS[name].at_most else min
        found[name] = worst(plain) if plain and len(plain) == len(values) else reached
    return found
