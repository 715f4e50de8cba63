"""The rows of a comparison: each recoding is evaluated in one way, by either protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, Any

from anonduck.comparison.cost import Cost, RowClock, measured_cost
from anonduck.comparison.drawn_release import recode_by_distributions
from anonduck.comparison.model_scores import scores_json
from anonduck.comparison.question import Contestant
from anonduck.comparison.swapped_release import recode_by_swaps, recode_part_by_swaps
from anonduck.config.reading import with_changes
from anonduck.config.requirement_change import with_requirement
from anonduck.database.progress import no_message
from anonduck.errors import RuleError
from anonduck.evaluation.cells import Cells
from anonduck.evaluation.evaluation import STAGE, Evaluation, Recoded, RecodedCells, evaluate, evaluate_held_out
from anonduck.evaluation.finding import recode_by_levels, recode_by_method, recode_in_way
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.frequency_set import FOLDS
from anonduck.measures.requirement import requirement_of
from anonduck.methods.registry import method_named
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import choose
from anonduck.search.budgets import budget_of
from anonduck.search.discovery import searched_rules
from anonduck.search.lattice.limits import SearchLimits
from anonduck.search.store import StoredDiscovery

if TYPE_CHECKING:
    from anonduck.workspace import Workspace


@dataclass(frozen=True)
class SearchedPart:
    """The rules of a training part, the models that they were measured by, and the seconds of the processor."""

    rules: tuple[Rule, ...]
    models: Sequence[str]
    cpu_seconds: float


class PartRules:
    """Searches a training part where it is first asked for, and keeps the rules.

    A search has the limits of the config, and trains those models alone that its rules are selected by.

    Args:
        source: the records.
        ks: all that are asked for; rules of the least one are searched.
        models: the compared models.
        floor: the level of each column under which the discovery of all records looked for no rule.
    """

    def __init__(self, source: SourceCells, ks: Sequence[int], models: Sequence[str], floor: Mapping[str, int]) -> None:
        self.source = source
        self.ks = ks
        self.models = models
        self.floor = floor
        self._known: dict[tuple[str, int], SearchedPart] = {}

    def of_part(self, workspace: Workspace, by: str, fold: int) -> SearchedPart:
        """The rules of a fold's training part, to be selected by a measure."""
        if (by, fold) not in self._known:
            began = process_time()
            config = with_changes(workspace.config, {"models": self._needed(by), "select": by})
            records = self.source.part_records(fold)
            judge = records.judge(requirement_of(config, workspace.folder, k=min(self.ks)), self.floor)
            budget = budget_of(config, len(records.cells.by_class[0]), len(records.columns))
            quiet = replace(workspace.reporter, announce=no_message)
            rules = searched_rules(records, judge, config, SearchLimits(config.time_limit, budget), quiet)
            quiet.progress(STAGE, fold, FOLDS)  # stops a row here whose search was cut
            self._known[by, fold] = SearchedPart(rules, config.models, process_time() - began)
        return self._known[by, fold]

    def _needed(self, by: str) -> list[str]:
        score, _, model = by.partition(".")
        if score in UTILITY or score.startswith("information_gain"):
            return []
        return [model] if model else list(self.models[:1])


def best_rule_at(rules: Sequence[Rule], models: Sequence[str], by: str, k: int) -> tuple[Rule, str]:
    """The best rule by a measure among those of at least ``k``, and why; raises RuleError where there is none."""
    choice = choose(rules, by, models, k=k)
    if choice is None:
        raise RuleError(f"no rule that was found has k >= {k:,} and a {by}")
    return choice.chosen, choice.reason


def _by_rule(workspace: Workspace, cells: Cells, k: int, best: tuple[Rule, str]) -> RecodedCells:
    """The best rule, with the labels of the k that the config requires, as it was found."""
    (rule, reason), config = best, workspace.config
    required = with_requirement(config, {"k": min(k, config.requirement.k)})
    wanted = requirement_of(required, workspace.folder)
    return recode_by_levels(cells, rule.levels, config, wanted, f"the classes of {rule.id}", reason)


def released_row(
    workspace: Workspace,
    contestant: Contestant,
    k: int,
    clock: RowClock,
    source: SourceCells,
    found: StoredDiscovery | None,
) -> dict[str, Any]:
    """What the release of a contestant at ``k`` reaches: all records are recoded together."""
    name, by = contestant.name, contestant.by
    kind = None if by is not None else method_named(name).recoding
    if kind == "swapped":
        return row_of(workspace, clock, lambda: recode_by_swaps(workspace, contestant, k))
    if kind == "distributions":
        return row_of(workspace, clock, lambda: recode_by_distributions(workspace, contestant, k))
    cells = source.cells(k if by is None else workspace.config.requirement.k)
    if by is None:
        return row_of(workspace, clock, lambda: _by_method(workspace, cells, contestant, k))
    assert found is not None  # a comparison of rules begins with stored ones
    best = best_rule_at(found.rules, found.summary["models"], by, k)
    return row_of(workspace, clock, lambda: _by_rule(workspace, cells, k, best))


def _by_method(workspace: Workspace, cells: Cells, contestant: Contestant, k: int) -> RecodedCells:
    """What a method finds, as its classes show it."""
    found = recode_by_method(workspace, cells, contestant.name, contestant.settings, k)
    return recode_in_way(workspace, found, contestant.name, k, contestant.shows)


def row_of(workspace: Workspace, clock: RowClock, recode: Callable[[], Recoded]) -> dict[str, Any]:
    """The row of a recoding of all records."""
    with measured_cost() as cost:
        recoded = recode()
        evaluated = evaluate(recoded, workspace.config, workspace.reporter, clock.over)
    return {**_evaluation_json(evaluated, cost), **_described(recoded)}


def held_out_row(
    workspace: Workspace, contestant: Contestant, k: int, clock: RowClock, source: SourceCells, rules: PartRules
) -> dict[str, Any]:
    """What a contestant reaches at ``k`` where each training part is recoded by itself."""
    config, described = workspace.config, list[dict[str, Any]]()
    searched_here, search_cpu_seconds = 0.0, list[float]()

    def recode_part(fold: int) -> Recoded:
        nonlocal searched_here
        name, by = contestant.name, contestant.by
        if by is None and method_named(name).recoding == "swapped":
            return recode_part_by_swaps(workspace, contestant, k, source, fold)
        if by is None:
            return _by_method(workspace, source.part(fold, k), contestant, k)
        began = process_time()
        searched = rules.of_part(workspace, by, fold)
        searched_here += process_time() - began
        search_cpu_seconds.append(searched.cpu_seconds)
        best = best_rule_at(searched.rules, searched.models, by, k)
        return _by_rule(workspace, source.part(fold, config.requirement.k), k, best)

    def recode(fold: int) -> Recoded:
        recoded = recode_part(fold)
        described.append(_described(recoded))
        return recoded

    with measured_cost() as cost:
        evaluated = evaluate_held_out(recode, source.own, source.folds, config, workspace.reporter, clock.over)
    alike = all(one["rule"] == described[0]["rule"] for one in described)
    return {
        **_evaluation_json(evaluated, cost, searched_here),
        "rule": described[0]["rule"] if alike else None,
        "words": described[0]["words"],
        "search_cpu_seconds": round(sum(search_cpu_seconds), 3) if search_cpu_seconds else None,
    }


def _described(recoded: Recoded) -> dict[str, Any]:
    """The recoding in words."""
    return {"rule": None if recoded.levels is None else literal(recoded.levels), "words": recoded.words}


def _evaluation_json(found: Evaluation, cost: Cost, elsewhere: float = 0.0) -> dict[str, Any]:
    """An evaluation as part of a row, and what it cost, less the seconds of the processor that went ``elsewhere``."""
    sizes = ("k", "classes", "records", "suppressed", "information_gain", "measures", "risks")
    return {
        **{name: getattr(found, name) for name in sizes},
        **scores_json(found.scores),
        "seconds": cost.seconds,
        "cpu_seconds": round(cost.cpu_seconds - found.scores.cpu_seconds - elsewhere, 3),
        "memory_mb": cost.memory_mb,
    }
