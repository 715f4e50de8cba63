"""The offer of a project: rules and what methods find, at the required k and above it, measured alike."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.reading import with_changes
from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import LEARNER, RANGES, SWAPPED, TYPICAL, WAYS
from anonduck.errors import AnonduckError, ConfigError, RequirementNotMet
from anonduck.evaluation.evaluation import RecodedCells, unlearnable, why_not_held_out
from anonduck.evaluation.finding import recode_by_levels, recode_by_method, recode_in_way
from anonduck.evaluation.holdout import HeldOutParts, protocol_for
from anonduck.evaluation.repeated_search import TOO_FEW, expected_now, why_unestimated
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.roll_up import distinct
from anonduck.measures.numpy_measures import alike_pairs
from anonduck.measures.requirement import requirement_of
from anonduck.methods.method import SWAPPED_ABLE, TYPICAL_ABLE
from anonduck.methods.registry import offered_method
from anonduck.models.cross_validation import TrainingStoppedError
from anonduck.offer.candidates import RULES, Candidate, identity, inference_of, keep_candidates, kept_offer
from anonduck.offer.choice import is_unscored, marked
from anonduck.offer.refinement import refinement
from anonduck.offer.yardstick import yardstick_of
from anonduck.rules.dependency import AlikePairs
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import literal
from anonduck.rules.selection import choose as choose_rule
from anonduck.search.lattice.limits import SearchLimits

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.evaluation.cells import Cells
    from anonduck.evaluation.holdout import TestedParts
    from anonduck.evaluation.settled import Settled
    from anonduck.offer.yardstick import Yardstick
    from anonduck.rules.rule import Rule
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

LADDER = (1, 4, 16)
"""The k that candidates are found for, in times of the required one."""
FEWEST_CLASSES = 10
"""A k of the ladder above the required one leaves room for so many classes."""
STAGE = "measuring the offer"
TIME_UP = "the time limit was up first"


@dataclass(frozen=True)
class Way:
    """A way to find candidates: a method with options over those of the config."""

    method: str
    settings: Mapping[str, Any]


def ways_of(names: Sequence[str]) -> tuple[Way, ...]:
    """Read names such as ``mondrian:splits=entropy``; ``rules`` is passed over, as rules are always offered.

    Raises ConfigError for a method or a setting that is not known, for one that is named twice, and for a method that
    promises something else than k of its file.
    """
    found: list[Way] = []
    for name in names:
        if name == RULES:
            continue
        way = Way(*offered_method(name))
        if way in found:
            raise ConfigError(f"the method {name} is named twice; name it once")
        found.append(way)
    return tuple(found)


def make_offer(
    workspace: Workspace,
    stored: StoredDiscovery,
    names: Sequence[str],
    limits: SearchLimits | None = None,
) -> tuple[Candidate, ...]:
    """Find and measure candidates of all kinds, keep them in the table ``candidates``, and return them.

    Args:
        workspace: its config has the requirement, the models and what is held out.
        stored: the discovery that the rules are taken from.
        names: methods with their settings.
        limits: of the whole job; what is left of the time is used.

    Raises what reading the source raises. A method that finds nothing is a candidate that says why.
    """
    ways, of = ways_of(names), identity(workspace, stored)
    for way in ways:
        shown_ways(way, workspace.config)
    counting = workspace.counting_records()
    limits = limits or SearchLimits(workspace.config.time_limit, clock=monotonic)
    with contextlib.ExitStack() as stack:
        offering = _Offering(counting, workspace.config, stored, SourceCells(counting, stack), limits)
        found = offering.candidates(ways)
    named = [replace(one, id=f"M{at}") if one.levels is None else one for at, one in _numbered(found)]
    measured = marked(named, workspace.config)
    keep_candidates(workspace.database, measured, of)
    return measured


def shown_ways(way: Way, config: Config) -> list[str]:
    """In which of the ways of a config what is found can be shown; raises ConfigError where there is none."""
    able = {RANGES: True, TYPICAL: way.method in TYPICAL_ABLE, SWAPPED: way.method in SWAPPED_ABLE}
    found = [one for one in config.ways if able[one]]
    if not found:
        some = TYPICAL_ABLE if TYPICAL in config.ways else SWAPPED_ABLE
        raise ConfigError(
            f"{way.method} cannot show {' or '.join(config.ways)} values, and the config has `show: "
            f"{' and '.join(config.ways)}`; the methods {', '.join(some)} can. Name these alone, or add {RANGES} to "
            "`show`"
        )
    return found


def _numbered(found: Sequence[Candidate]) -> Iterator[tuple[int, Candidate]]:
    """The candidates; each that is no rule has a number."""
    number = 0
    for one in found:
        number += one.levels is None
        yield number, one


def offer(
    workspace: Workspace, stored: StoredDiscovery, names: Sequence[str], limits: SearchLimits | None = None
) -> tuple[Candidate, ...]:
    """The kept candidates, if they are of all named methods and were scored; else candidates that are found now."""
    kept = kept_offer(workspace, stored)
    known = {(one.method, tuple(one.settings.items()), one.shows) for one in kept}
    ways = ways_of(names)
    named = all(
        (way.method, tuple(way.settings.items()), shows) in known
        for way in ways
        for shows in shown_ways(way, workspace.config)
    )
    if kept and named and not is_unscored(kept, workspace.config):
        return kept
    return make_offer(workspace, stored, names, limits)


def measured_rule(
    workspace: Workspace, levels: Mapping[str, int], expected: Mapping[str, Mapping[str, Any]]
) -> Candidate:
    """What a rule comes to on the source as it is; ``expected`` is what it was expected to reach, by model.

    Raises as ``recode_by_levels`` does, where it misses what a release is judged by.
    """
    counting, words = workspace.counting_records(), literal(levels)
    with contextlib.ExitStack() as stack:
        cells, config = SourceCells(counting, stack).own, _with_detail(counting.config)
        wanted = requirement_of(config, counting.folder)
        recoded = recode_by_levels(cells, levels, config, wanted, f"the classes of {words}", words)
        one = Candidate("", RULES, {}, workspace.config.in_persons().requirement.k, levels=dict(levels))
        return _measured(one, recoded, expected, config.class_)


@dataclass(eq=False)
class _Offering:
    """An offer while it is made; ``workspace`` counts k in records, ``asked`` in persons where there is an entity."""

    workspace: Workspace
    asked: Config
    stored: StoredDiscovery
    source: SourceCells
    limits: SearchLimits

    def candidates(self, ways: Sequence[Way]) -> list[Candidate]:
        """All candidates: the rules, then the methods by rising k, ranges first.

        What the time may end is measured last: candidates above the required k, and rules, whose search is repeated.
        """
        ks = self.ks
        rules: list[Callable[[], list[Candidate]]] = [partial(self._of_rule, rule, k) for rule, k in self._rules(ks)]
        of_ways: list[list[Callable[[], list[Candidate]]]] = [
            [partial(self._of_method, way, k) for k in ks] for way in ways
        ]
        steps = [*chain.from_iterable(zip(*of_ways, strict=True)), *rules]
        found: dict[Callable[[], list[Candidate]], list[Candidate]] = {}
        for number, step in enumerate(steps):
            self.workspace.reporter.progress(STAGE, number, len(steps))
            found[step] = step()
        self.workspace.reporter.progress(STAGE, len(steps), len(steps))
        listed = chain.from_iterable(found[step] for step in chain(rules, *of_ways))
        return sorted(listed, key=lambda one: WAYS.index(one.shows))

    @property
    def ks(self) -> list[int]:
        """The required k, and those above it that leave room for some classes."""
        config, total = self.asked, self.source.own.total
        k = config.in_persons().requirement.k
        return [k, *(k * times for times in LADDER[1:] if config.records_for(k * times) * FEWEST_CLASSES <= total)]

    def _rules(self, ks: Sequence[int]) -> list[tuple[Rule, int]]:
        """The rule that is selected at each k, once."""
        found: dict[str, tuple[Rule, int]] = {}
        config, models = self.workspace.config, self.stored.summary["models"]
        for k in ks:
            try:
                choice = choose_rule(
                    self.stored.rules,
                    config.select,
                    models,
                    k=self.asked.records_for(k),
                    within=config.within_of_rules,
                )
            except AnonduckError:  # a measure that this discovery lacks selects no rule
                break
            if choice is not None:
                found.setdefault(choice.chosen.id, (choice.chosen, k))
        return list(found.values())

    # -- one candidate -------------------------------------------------------------------------------------------------

    def _of_rule(self, rule: Rule, k: int) -> list[Candidate]:
        one = Candidate(rule.id, RULES, {}, k, levels=dict(rule.levels))
        config = self._measuring
        wanted = requirement_of(config, self.workspace.folder)
        try:
            recoded = recode_by_levels(
                self.source.own, rule.levels, config, wanted, f"the classes of {rule.id}", rule.id
            )
        except (RequirementNotMet, ConfigError) as error:
            return [replace(one, failed=str(error))]
        expected = self._expected_of_rules.get(one.label, {})

        def recode(cells: Cells, at: int) -> RecodedCells:
            of_part = requirement_of(with_requirement(config, {"k": at}), self.workspace.folder)
            return recode_by_levels(cells, rule.levels, config, of_part, f"the classes of {rule.id}", rule.id)

        tested = self._tested_by_subgroup(rule, recode, config.requirement.k) if config.subgroups else None
        measured = _measured(one, recoded, expected, self.asked.class_)
        if not expected and config.class_ is not None:
            measured = replace(measured, unscored=why_unestimated(self.workspace, self.stored) or TIME_UP)
        return [self._by_yardstick(measured, recoded, tested, config.requirement.k)]

    def _tested_by_subgroup(
        self, rule: Rule, recode: Callable[[Cells, int], RecodedCells], k: int
    ) -> TestedParts | None:
        """What a rule reaches on held-out people; None also where it misses the requirement without these."""
        try:
            return self._tested(recode, k)
        except RequirementNotMet as error:
            self.workspace.reporter.announce(
                f"no scores of {rule.id} by subgroup: without the held-out people, {error}"
            )
            return None

    def _of_method(self, way: Way, k: int) -> list[Candidate]:
        """What a method finds, in each way that it may be shown; the same classes are searched once."""
        workspace, found = self.workspace.with_config(self._measuring), {}

        def classes(cells: Cells, at: int) -> RecodedCells:
            if cells not in found:
                found[cells] = recode_by_method(workspace, cells, way.method, way.settings, at)
            return found[cells]

        def in_way(shows: str) -> Callable[[Cells, int], RecodedCells]:
            return lambda cells, at: recode_in_way(workspace, classes(cells, at), way.method, at, shows)

        return [
            self._recoded(Candidate("", way.method, dict(way.settings), k, shows=shows), in_way(shows))
            for shows in shown_ways(way, self.asked)
        ]

    def _recoded(self, one: Candidate, recode: Callable[[Cells, int], RecodedCells]) -> Candidate:
        k = self.asked.records_for(one.k_required)
        try:
            recoded = recode(self.source.cells(k), k)
            tested = self._tested(recode, k)
        except AnonduckError as error:
            return replace(one, failed=str(error))
        expected = {} if tested is None else {model: score.as_json() for model, score in tested.expected.items()}
        measured = _measured(one, recoded, expected, self.asked.class_)
        if tested is None and self.asked.class_ is not None:
            measured = replace(measured, unscored=self._why_unscored or TIME_UP)
        if one.kind == "classes" and one.shows == RANGES:
            measured = replace(measured, refined=refinement(recoded.settled, self.workspace.config.seed))
        return self._by_yardstick(measured, recoded, tested, k)

    def _by_yardstick(self, one: Candidate, recoded: RecodedCells, tested: TestedParts | None, k: int) -> Candidate:
        """The candidate with what it leaves of the workload and of the subgroups of the config."""
        asked = self._yardstick
        if asked is None:
            return one
        settled = recoded.settled
        answered = None if one.shows == SWAPPED else asked.answered(settled)
        return replace(one, workload=answered, subgroups=asked.by_subgroup(settled, tested, k))

    @cached_property
    def _yardstick(self) -> Yardstick | None:
        return yardstick_of(self.source, self.workspace.config)

    @property
    def _measuring(self) -> Config:
        return _with_detail(self.workspace.config)

    @cached_property
    def _expected_of_rules(self) -> Mapping[str, Mapping[str, Any]]:
        """What rules are expected to reach, by literal and model: the models that methods are tested by."""
        if not self.stored.summary["models"]:
            return {}
        ks = [self.asked.records_for(k) for k in self.ks]
        return expected_now(self.workspace, self.stored, self.limits, beside=[LEARNER], ks=ks, every=False)

    def _tested(self, recode: Callable[[Cells, int], RecodedCells], k: int) -> TestedParts | None:
        """What a way to recode reaches on held-out people; None where nothing can be, or the time is up."""
        held = self._held_out
        if held is None or self.limits.over_time():
            return None
        try:
            return held.tested(recode, k)
        except TrainingStoppedError:
            return None

    @cached_property
    def _held_out(self) -> HeldOutParts | None:
        """What methods are tested on; None without a class, and where nothing can be expected, which is announced."""
        config, cells = self.workspace.config, self.source.own
        if config.class_ is None:
            return None
        protocol = protocol_for(cells.total, config.holdout, config.split_by)
        if protocol is None or self._why_unscored:
            self.workspace.reporter.announce(f"no expected score of methods is measured: {self._why_unscored}")
            return None
        models = list(dict.fromkeys([*self.stored.summary["models"], LEARNER]))
        return HeldOutParts(cells, protocol, models, config.seed, self.limits.over_time)

    @cached_property
    def _why_unscored(self) -> str:
        """Why nothing is expected of methods; empty where something can be."""
        config, cells = self.workspace.config, self.source.own
        why = why_not_held_out(config, self.stored.summary["models"], config.holdout)
        if config.split_by is not None:
            why = why or "`split_by` orders the records, and methods are tested on records that are drawn"
        few = protocol_for(cells.total, config.holdout) is None
        return why or unlearnable(len(np.unique(cells.classes))) or (TOO_FEW if few else "")


def _with_detail(config: Config) -> Config:
    """The config with the measures that every candidate has."""
    return with_changes(config, {"measures": list(dict.fromkeys([*config.measures, "ncp"]))})


def _measured(
    one: Candidate, recoded: RecodedCells, expected: Mapping[str, Mapping[str, Any]], class_: str | None
) -> Candidate:
    """The candidate with what its recoding comes to."""
    found, settled = recoded.measured, recoded.settled
    return replace(
        one,
        k=found.k,
        classes=found.classes,
        suppressed=found.suppressed,
        columns=settled.kept,
        detail=round(1 - found.measures["ncp"], DIGITS),
        detail_by_column=found.detail,
        changed=round(_changed(settled), DIGITS),
        information_gain=found.information_gain,
        dependency=None if class_ is None else _dependency(settled, class_).as_json(),
        measures=found.measures,
        privacy=found.risks,
        expected={model: dict(score) for model, score in expected.items()},
        inference=_inference(settled, expected),
    )


def _changed(settled: Settled) -> float:
    """The share of the values of quasi-identifiers that are not shown as they came, left out ones included.

    A typical value that is by chance the record's own counts as changed: the release does not show which are.
    """
    records, stays = settled.cells.records, settled.stays
    shown = sum(int(records[stays & (levels == 0)].sum()) for levels in settled.shown.levels)
    return 1 - shown / (settled.cells.total * len(settled.shown.levels))


def _dependency(settled: Settled, class_: str) -> AlikePairs:
    """How often two of the records that stay, which look alike, differ in the class."""
    records, held = _classes_held(settled)
    sizes = np.bincount(held, weights=records).astype(np.int64)
    alike = alike_pairs(sizes)
    return AlikePairs(settled.kept, class_, int(records.sum()), alike, alike - alike_pairs(records))


def _classes_held(settled: Settled) -> tuple[np.ndarray, np.ndarray]:
    """Of each equivalence class and class value that stays, how many records, and the number of the former."""
    stays = settled.stays
    first, group = distinct([settled.equivalence[stays], settled.cells.classes[stays]])
    records = np.bincount(group, weights=settled.cells.records[stays], minlength=len(first)).astype(np.int64)
    return records, np.unique(settled.equivalence[stays][first], return_inverse=True)[1]


def _inference(settled: Settled, expected: Mapping[str, Mapping[str, Any]]) -> dict[str, float] | None:
    """How often the class of a person in the release is its most frequent one in the equivalence class, which whoever
    finds that class guesses, against that of people who are not in it."""
    if not expected:
        return None
    records, equivalence = _classes_held(settled)
    most = np.zeros(int(equivalence.max()) + 1)
    np.maximum.at(most, equivalence, records)
    return inference_of(float(most.sum() / records.sum()), expected)
