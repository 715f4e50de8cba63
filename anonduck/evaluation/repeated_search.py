"""The whole search repeated without some of the records, which the rules that it picks are then tested on.

A frontier shows the best of hundreds of rules, by records that were also used to find them: what it says of a rule is
optimistic. What a rule found in this way really keeps is measured by doing all again (mining, joining,
selecting) without a part of the records, and testing a model that learns from the release of the rest on that part, as
Varma and Simon (2006) ask of any selection. Where the source has records enough, one part is held out; else each of
five parts is, in turn (nested cross-validation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.config import Config
from anonduck.evaluation.cell_records import read_stored_cells
from anonduck.evaluation.evaluation import why_not_held_out
from anonduck.evaluation.holdout import (
    OF_ONE_PERSON,
    HoldoutProtocol,
    HoldoutTurn,
    SelectionGoal,
    hold_out,
    protocol_for,
    scored_turn,
)
from anonduck.frequency.frequency_set import MODEL_CELLS
from anonduck.measures.measures import CODED
from anonduck.measures.requirement import requirement_of
from anonduck.models.cross_validation import TrainingStoppedError
from anonduck.rules.frontier import best_rule
from anonduck.rules.measure_names import GENERALIZED, default_objectives
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import choose
from anonduck.search.budgets import budget_of, frequency_rows
from anonduck.search.discovery import searched_rules
from anonduck.search.expected import ExpectedScore, expected_of, keep_expected, kept_expected
from anonduck.search.freshness import are_current, asked_of_estimates, refuse_changed, used_config
from anonduck.search.lattice.limits import SECOND, SearchLimits
from anonduck.search.searched_records import StoredRecords

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

TOO_FEW = "there are too few records to hold some out"


def expect(
    workspace: Workspace,
    stored: StoredDiscovery,
    limits: SearchLimits | None = None,
    beside: Sequence[str] | None = None,
    ks: Sequence[int] = (),
    *,
    every: bool = True,
) -> dict[str, dict[str, ExpectedScore]]:
    """Estimate what each rule of the frontier, and those that ``run`` selects at the required k or at ``ks``, reach on
    unseen records.

    Returns the estimates by the rule's literal and by model, and keeps them in the decision database; empty where the
    discovery measured no model, or ``holdout`` is 0. A rule of the frontier is the best at its k; what is expected of
    it is what the rules reach that repeated searches find best at that k. Where they see a share of the records, they
    ask for that share of k, so that groups are as coarse. With ``limits``, those of a whole job, the search is repeated
    in what is left of the time; where that is too little, which is announced, nothing is estimated or kept.

    Rules are searched and selected by the models of the discovery. What is selected is tested by these and by those
    ``beside``: by default, where the config weighs candidates, by the model that other recodings are tested by. Where
    there are such, they are tested on records as they came, as other recodings are; else by ``test_on``.

    Raises RuleError if the decision database holds other records than the rules were found on.
    """
    refuse_changed(workspace, stored)
    config = used_config(stored)
    asked = asked_of_estimates(workspace, beside, ks, every=every)
    records = int(stored.summary["rows"])
    targets = _targets(workspace, stored, config, ks)
    why, protocol = why_unestimated(workspace, stored), protocol_for(records, workspace.config.holdout, config.split_by)
    if why or protocol is None:
        workspace.reporter.announce(f"no expected accuracy is measured: {why}")
        keep_expected(workspace.database, {}, asked)
        return {}
    workspace.reporter.announce(protocol.announcement)
    models = list(dict.fromkeys([*config.models, *asked["beside"]]))
    selected = {replace(selected_target(workspace), k=k) for k in (*ks, selected_target(workspace).k)}
    goals = {goal: models if every or goal in selected else list(config.models) for goal in targets.values()}
    search = _RepeatedSearch(workspace, stored, config, protocol, goals, asked["test_on"])
    turns = list(search.turns(limits))
    if not turns:
        workspace.reporter.announce(
            "the time was up before the expected accuracy was measured; "
            + ("" if limits is None else "`anonduck frontier --expected` measures it by itself, and ")
            + "`time_limit` in the config changes the bound"
        )
        return {}
    words = protocol.words(len(turns)) + ("" if asked["test_on"] == GENERALIZED else ", as they came")
    sizes = workspace.entity_sizes
    words += OF_ONE_PERSON if sizes is not None and sizes.most > 1 else ""
    estimates = {rule: _estimates(turns, goal, goals[goal], words, protocol.share) for rule, goal in targets.items()}
    keep_expected(workspace.database, estimates, asked)
    return estimates


def expected_now(
    workspace: Workspace,
    stored: StoredDiscovery,
    limits: SearchLimits | None = None,
    beside: Sequence[str] | None = None,
    ks: Sequence[int] = (),
    *,
    every: bool = True,
) -> dict[str, dict[str, Any]]:
    """The estimates by a rule's literal and by model, as JSON: the kept ones where they are of what is
    asked now, else measured now, within ``limits``; empty where the time was up. See ``expect`` for the others."""
    kept = kept_expected(workspace.database)
    if not are_current(workspace, kept, beside, ks, every=every):
        expect(workspace, stored, limits, beside, ks, every=every)
        kept = kept_expected(workspace.database)
    if kept is None or not are_current(workspace, kept, beside, ks, every=every):
        return {}
    return {rule: dict(models) for rule, models in kept.rules.items()}


def why_unestimated(workspace: Workspace, stored: StoredDiscovery) -> str:
    """Why there is no expected accuracy of rules; empty where there can be one."""
    config = used_config(stored)
    why = why_not_held_out(config, config.models, workspace.config.holdout)
    if why:
        return why
    if not stored.rules:
        return "there is no rule"
    if protocol_for(int(stored.summary["rows"]), workspace.config.holdout) is None:
        return TOO_FEW
    if stored.summary.get("floor"):
        return "the search started at a floor, so that records cannot be held out as they came"
    return "" if config.split_by is None else _why_no_order(workspace, stored, config)


def _why_no_order(workspace: Workspace, stored: StoredDiscovery, config: Config) -> str:
    """Why the last records in a column's order cannot be held out; empty where they can."""
    if requirement_of(config, workspace.folder, **stored.summary["requirement"]).sensitive:
        return (
            "`split_by` holds out the last records, which is not possible where sensitive values are required to differ"
        )
    if workspace.database.count(CODED) > MODEL_CELLS:
        return (
            f"`split_by` holds out the last records, which is possible for up to {MODEL_CELLS:,} distinct combinations"
        )
    return ""


def _targets(
    workspace: Workspace, stored: StoredDiscovery, config: Config, ks: Sequence[int]
) -> dict[str, SelectionGoal]:
    """What each rule was picked by: those of the frontier as the best at their k, the selected ones by ``select``, at
    ``ks`` and at the required k, which comes first."""
    objective = default_objectives(config.models, has_class=config.class_ is not None)[1]
    asked = between([rule.measures.k for rule in stored.rules if rule.on_frontier], int(stored.summary["min_k"]))
    targets = {
        literal(rule.levels): SelectionGoal(objective, asked[rule.measures.k])
        for rule in stored.rules
        if rule.on_frontier
    }
    required = selected_target(workspace)
    for goal in (*(replace(required, k=k) for k in sorted(ks, reverse=True)), required):
        choice = _chosen(stored.rules, goal, goal.k, config.models)
        targets |= {literal(choice.levels): goal} if choice else {}
    return targets


def _chosen(rules: Sequence[Rule], target: SelectionGoal, k: int, models: Sequence[str]) -> Rule | None:
    """The rule that a target picks among those of at least ``k``."""
    choice = choose(rules, target.objective, models, k=k, within=target.within)
    return None if choice is None else choice.chosen


def between(ks: Sequence[int], least: int) -> dict[int, int]:
    """For the k of each rule of a frontier, a k that it is the best at for sure: the geometric mean of its own and of
    the smallest that it is the best at. A few records more or less in a class then do not make another rule the best.

    >>> between([147, 15], 5)
    {15: 9, 147: 49}
    """
    known = sorted(set(ks))
    return {k: ceil(sqrt((below + 1) * k)) for below, k in zip([least - 1, *known], known, strict=False)}


def selected_target(workspace: Workspace) -> SelectionGoal:
    """What ``run`` picks."""
    config = workspace.config
    return SelectionGoal(config.select, config.requirement.k, config.within_of_rules)


# -- one turn ----------------------------------------------------------------------------------------------------------


class _RepeatedSearch:
    """The search of a discovery, to be repeated on parts of its records.

    All turns share one budget: where the search was cut by it, repeated ones may end earlier.
    """

    def __init__(
        self,
        workspace: Workspace,
        stored: StoredDiscovery,
        config: Config,
        protocol: HoldoutProtocol,
        targets: Mapping[SelectionGoal, Sequence[str]],
        test_on: str,
    ) -> None:
        names = tuple(stored.settings["nodes"])
        self.workspace = workspace
        self.protocol = protocol
        self.targets = targets
        self.test_on = test_on
        self.given = {"k": stored.summary["min_k"], **stored.summary["requirement"]}
        self.asked = requirement_of(config, workspace.folder, **self.given)
        blocks = protocol.split_by is not None
        self.cells = read_stored_cells(workspace.database, names, self.asked, blocks=blocks)
        taxonomies = {name: workspace.taxonomies[name] for name in names}
        self.records = StoredRecords(workspace.database, taxonomies, self.cells.total)
        selected = {target.objective for target in targets}
        changes: dict[str, Any] = {
            "budget": max(1, budget_of(config, frequency_rows(workspace.database), len(names)) // len(protocol.turns)),
            "measures": [name for name in config.measures if name in selected],
        }
        self.config = config.model_copy(update=changes)
        blind = any(self._best_tells_nothing(stored.rules, target, target.k) for target in targets)
        self.picked_by = None if blind else frozenset(selected)

    def turns(self, limits: SearchLimits | None) -> Iterator[HoldoutTurn]:
        """Each part in turn, as far as the limits of the job go; without any, each in the time limit of a search."""
        number_of, seconds = len(self.protocol.turns), self.config.time_limit
        left = SearchLimits(seconds and number_of * seconds) if limits is None else limits.with_budget(None)
        for number, held in enumerate(self.protocol.turns):
            if left.over_time():
                return
            searching, turn = (left.until((number + share) / number_of) for share in (SECOND, 1))
            try:
                yield self._turn(held, searching, turn.over_time)
            except TrainingStoppedError:
                continue
            stage = "repeating the search on part of the records"
            self.workspace.reporter.progress(stage, number + 1, number_of)

    def _turn(self, held: tuple[int, ...], searching: SearchLimits, over: Callable[[], bool]) -> HoldoutTurn:
        """Search, select and train without the held parts, and test on them; raises TrainingStoppedError where it is
        ``over`` before."""
        config = self.config
        records = hold_out(self.records, self.cells, self.protocol, held, config.seed)
        scaled = self.given | {"k": _scaled(self.asked.k, records.share)}
        judge = records.searched.judge(requirement_of(config, self.workspace.folder, **scaled))

        def searched(picked_by: frozenset[str] | None) -> tuple[Rule, ...]:
            each = searching.with_budget(int(config.budget))
            return searched_rules(records.searched, judge, config, each, picked_by=picked_by)

        ks = {target: _scaled(target.k, records.share) for target in self.targets}
        rules = searched(self.picked_by)
        if self.picked_by is not None and any(self._best_tells_nothing(rules, *one) for one in ks.items()):
            rules = searched(None)
        picked = {target: _chosen(rules, target, k, config.models) for target, k in ks.items()}
        every = np.arange(1 + int(self.cells.classes.max()))
        return scored_turn(records, judge, config.seed, self.test_on, self.targets, every, picked, over)

    def _best_tells_nothing(self, rules: Sequence[Rule], target: SelectionGoal, k: int) -> bool:
        """Whether another rule than the best by its measure is picked, which may be on any frontier."""
        best = best_rule(rules, target.objective, self.config.models, k=k)
        return best is not None and bool(best.tells_nothing)


def _scaled(k: int, share: Fraction) -> int:
    """The k that is asked of a share of the records where ``k`` is asked of all."""
    return max(1, ceil(k * share))


def _estimates(
    turns: Sequence[HoldoutTurn], target: SelectionGoal, models: Sequence[str], words: str, share: float
) -> dict[str, ExpectedScore]:
    return {
        model: expected_of(
            [turn.tested[target][model] for turn in turns],
            [turn.baseline[model] for turn in turns],
            protocol=words,
            found=sum(target in turn.found for turn in turns),
            share=share,
        )
        for model in models
    }
