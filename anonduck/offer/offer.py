"""The offer of a project: rules and what methods find, at the required k and above it, measured alike."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config.requirement_change import with_requirement
from anonduck.config.ways import LEARNER, RANGES, SWAPPED, TREE, TYPICAL, WAYS
from anonduck.errors import AnonduckError, ConfigError, RequirementNotMet
from anonduck.evaluation.evaluation import RecodedCells, unlearnable, why_not_held_out
from anonduck.evaluation.finding import recode_by_levels, recode_by_method, recode_in_way
from anonduck.evaluation.holdout import HeldOutParts, protocol_for
from anonduck.evaluation.repeated_search import TOO_FEW, expected_now, why_unestimated
from anonduck.evaluation.source_cells import SourceCells
from anonduck.measures.requirement import requirement_of
from anonduck.methods.method import SWAPPED_ABLE, TYPICAL_ABLE
from anonduck.methods.registry import offered_method
from anonduck.models.cross_validation import TrainingStoppedError
from anonduck.offer.candidates import RULES, Candidate, kept_offer
from anonduck.offer.choice import called, choose, is_unscored, loses, marked, scored_by
from anonduck.offer.found_again import keep_offer
from anonduck.offer.measured import guessed_right, measured, with_detail
from anonduck.offer.nested_choice import chosen_by_part
from anonduck.offer.yardstick import yardstick_of
from anonduck.rules.rule import literal
from anonduck.rules.selection import choose as choose_rule
from anonduck.search.lattice.limits import SearchLimits

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.evaluation.cells import Cells
    from anonduck.evaluation.holdout import RecodedParts, TestedParts
    from anonduck.offer.yardstick import Yardstick
    from anonduck.rules.rule import Rule
    from anonduck.search.expected import ExpectedScore
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

LADDER = (1, 4, 16)
"""The k that candidates are found for, in times of the required one."""
FEWEST_CLASSES = 10
"""A k of the ladder above the required one leaves room for so many classes."""
STAGE = "measuring the offer"
TIME_UP = "the time limit was up first"
HELPED = "{}; the rule was found with the help of these, which is rather too good, and loses even so"
"""How a rule was tested whose search is not repeated."""


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
    begun: Offering | None = None,
) -> tuple[Candidate, ...]:
    """Find and measure candidates of all kinds, keep them in the table ``candidates``, and return them.

    Args:
        workspace: its config has the requirement, the models and what is held out.
        stored: the discovery that the rules are taken from.
        names: methods with their settings.
        limits: of the whole job; what is left of the time is used.
        begun: what methods found before there were rules, where that was begun.

    Raises what reading the source raises. A method that finds nothing is a candidate that says why.
    """
    if begun is None:
        with offering(workspace, names, stored.summary["models"], limits) as own:
            return make_offer(workspace, stored, names, limits, own)
    found = marked(begun.finished(stored), workspace.config)
    keep_offer(workspace, stored, found)
    return found


@contextlib.contextmanager
def offering(
    workspace: Workspace, names: Sequence[str], models: Sequence[str], limits: SearchLimits | None = None
) -> Iterator[Offering]:
    """An offer that is about to be made by named methods, tested by ``models``; raises ConfigError as ``ways_of`` and
    ``shown_ways`` do."""
    ways = ways_of(names)
    for way in ways:
        shown_ways(way, workspace.config)
    with contextlib.ExitStack() as stack:
        counting = workspace.counting_records()
        given = limits or SearchLimits(workspace.config.time_limit, clock=monotonic)
        beside = stack.enter_context(ThreadPoolExecutor(1))
        stack.callback(beside.shutdown, wait=False, cancel_futures=True)
        yield Offering(counting, workspace.config, ways, tuple(models), SourceCells(counting, stack), given, beside)


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


def offer(
    workspace: Workspace,
    stored: StoredDiscovery,
    names: Sequence[str],
    limits: SearchLimits | None = None,
    begun: Offering | None = None,
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
    return make_offer(workspace, stored, names, limits, begun)


def measured_rule(
    workspace: Workspace, levels: Mapping[str, int], expected: Mapping[str, Mapping[str, Any]]
) -> Candidate:
    """What a rule comes to on the source as it is; ``expected`` is what it was expected to reach, by model.

    Raises as ``recode_by_levels`` does, where it misses what a release is judged by.
    """
    counting, words = workspace.counting_records(), literal(levels)
    with contextlib.ExitStack() as stack:
        cells, config = SourceCells(counting, stack).own, with_detail(counting.config)
        wanted = requirement_of(config, counting.folder)
        recoded = recode_by_levels(cells, levels, config, wanted, f"the classes of {words}", words)
        one = Candidate("", RULES, {}, workspace.config.in_persons().requirement.k, levels=dict(levels))
        return measured(one, recoded, config.class_).with_expected(guessed_right(recoded.settled), expected)


@dataclass(frozen=True, eq=False)
class _Looked:
    """A candidate with what its recoding comes to, and what it is tested on.

    ``released`` is how often the class of its people is guessed right, ``parts`` what models learn from, where others
    than the first do, ``tested`` what the first reach, once that is known; None where nothing can be expected.
    """

    one: Candidate
    released: float = 0.0
    parts: RecodedParts | None = None
    tested: Future[TestedParts | None] | None = None

    def scored(self, beside: Mapping[str, ExpectedScore] | None = None) -> Candidate:
        """The candidate with what the first models reach, and what those ``beside`` do."""
        try:
            tested = None if self.tested is None else self.tested.result()
        except AnonduckError as error:
            return replace(self.one, failed=str(error))
        if tested is None:
            return self.one
        found = {**(beside or {}), **tested.expected}
        expected = {model: score.as_json() for model, score in found.items()}
        return replace(self.one, unscored=None).with_expected(self.released, expected)


@dataclass(eq=False)
class Offering:
    """An offer while it is made; ``workspace`` counts k in records, ``asked`` in persons where there is an entity.

    Each candidate is tested by the models that choose, ``deciding``. Others that somebody named decide nothing, and
    take most of the time, so that few candidates are tested by them (see ``_taken``). While one candidate is tested in
    a thread ``beside``, the next is found.
    """

    workspace: Workspace
    asked: Config
    ways: Sequence[Way]
    models: tuple[str, ...]
    source: SourceCells
    limits: SearchLimits
    beside: ThreadPoolExecutor
    _looked: list[_Looked] = field(default_factory=list)

    def find(self) -> None:
        """Find what the methods do, by rising k, and test it; the first is announced with its figures."""
        if self._looked:
            return
        found: dict[tuple[int, int], list[_Looked]] = {}
        steps = [(at, way, place, k) for place, k in enumerate(self.ks) for at, way in enumerate(self.ways)]
        for number, (at, way, place, k) in enumerate(steps):
            self.workspace.reporter.progress(STAGE, number, len(steps))
            found[at, place] = self._of_method(way, k)
            if not number:
                self._announce(found[at, place][0].scored())
        self.workspace.reporter.progress(STAGE, len(steps), len(steps))
        listed = list(chain.from_iterable(found[key] for key in sorted(found)))
        listed.sort(key=lambda one: WAYS.index(one.one.shows))
        self._looked = [replace(one, one=replace(one.one, id=f"M{at}")) for at, one in enumerate(listed, start=1)]

    def _announce(self, first: Candidate) -> None:
        """Say what the first candidate comes to, as the others take a while."""
        name = scored_by([first], self.workspace.config)
        score = first.score(name)
        told = "" if score is None else f", expected {called(name)} {score[0]:.3f} +- {score[1]:.3f}"
        if first.failed is None:
            self.workspace.reporter.announce(
                f"first candidate, {first.words}: k {first.k}, keeps {first.detail:.0%} of the detail{told}"
            )

    def finished(self, stored: StoredDiscovery) -> list[Candidate]:
        """All candidates: the rules of a discovery, then what methods found, by rising k, ranges first."""
        self.find()
        methods = [looked.scored() for looked in self._looked]
        rules = self._of_rules(stored, methods)
        taken = self._taken([*rules, *methods]) if self.others else set()
        found = [
            self._tested_by_others(looked, one) if one.id in taken else one
            for looked, one in zip(self._looked, methods, strict=True)
        ]
        return [*rules, *found]

    @property
    def ks(self) -> list[int]:
        """The required k, and those above it that leave room for some classes."""
        config, total = self.asked, self.source.own.total
        k = config.in_persons().requirement.k
        return [k, *(k * times for times in LADDER[1:] if config.records_for(k * times) * FEWEST_CLASSES <= total)]

    @cached_property
    def tested(self) -> tuple[str, ...]:
        """The models that candidates are tested by: those that somebody named, by `models` or `select`, and LEARNER.

        `models: [tree]`, the default, by which rules are searched, tells nothing of a candidate beside LEARNER.
        """
        named = () if self.models == (TREE,) else self.models
        weighed = self.asked.weighed_by.partition(".")[2]
        return tuple(dict.fromkeys([*named, *([weighed] if weighed in self.models else []), LEARNER]))

    @cached_property
    def deciding(self) -> tuple[str, ...]:
        """The models that each candidate is tested by: the one that ``learner_of`` names, and the one that `select`
        does; all where subgroups are told apart."""
        if self.asked.subgroups:
            return self.tested
        named = self.asked.weighed_by.partition(".")[2]
        return tuple(model for model in self.tested if model in (LEARNER, named))

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The models that are named and do not choose."""
        return tuple(model for model in self.tested if model not in self.deciding)

    def _taken(self, candidates: Sequence[Candidate]) -> set[str]:
        """The ids of those that all models are tested on: what is chosen, or would be without a part of the tested
        people, and each that does not lose by far."""
        config = self.workspace.config
        choice = choose(candidates, config)
        taken = set() if choice is None else {choice.chosen.id, *chosen_by_part(choice.chosen, candidates, config)}
        return taken | {one.id for one in candidates if not loses(one, candidates, config)}

    # -- methods -------------------------------------------------------------------------------------------------------

    def _of_method(self, way: Way, k: int) -> list[_Looked]:
        """What a method finds, in each way that it may be shown; the same classes are searched once."""
        workspace, found = self.workspace.with_config(self._measuring), {}

        def classes(cells: Cells, at: int) -> RecodedCells:
            if cells not in found:
                found[cells] = recode_by_method(workspace, cells, way.method, way.settings, at)
            return found[cells]

        def in_way(shows: str) -> Callable[[Cells, int], RecodedCells]:
            return lambda cells, at: recode_in_way(workspace, classes(cells, at), way.method, at, shows)

        return [
            self._looked_at(Candidate("", way.method, dict(way.settings), k, shows=shows), in_way(shows))
            for shows in shown_ways(way, self.asked)
        ]

    def _looked_at(self, one: Candidate, recode: Callable[[Cells, int], RecodedCells]) -> _Looked:
        k = self.asked.records_for(one.k_required)
        try:
            recoded = recode(self.source.cells(k), k)
            parts = self._parts(recode, k)
            tested = None if parts is None else self.beside.submit(self._test, parts, self.deciding)
            if tested is not None and self.asked.subgroups:
                tested.result()  # what raises is said of the candidate
        except AnonduckError as error:
            return _Looked(replace(one, failed=str(error)))
        found = measured(one, recoded, self.asked.class_)
        if self.asked.class_ is not None:
            found = replace(found, unscored=self._why_unscored or TIME_UP)
        found = self._by_yardstick(found, recoded, tested, k)
        return _Looked(found, guessed_right(recoded.settled), parts if self.others else None, tested)

    def _tested_by_others(self, looked: _Looked, one: Candidate) -> Candidate:
        """The candidate with what the other models reach too."""
        tested = None if looked.parts is None else self._test(looked.parts, self.others)
        return one if tested is None else looked.scored(tested.expected)

    # -- rules ---------------------------------------------------------------------------------------------------------

    def _of_rules(self, stored: StoredDiscovery, methods: Sequence[Candidate]) -> list[Candidate]:
        """The rule that is selected at each k, once.

        The held-out people helped to find a rule, so what it reaches on them is rather too good. Where it loses by far
        even so, nothing more is measured; the search is repeated without them for the others.
        """
        looked = [self._of_rule(rule, k) for rule, k in self._rules(stored)]
        scored = [one.scored() for one in looked]
        lost = [loses(one, methods, self.workspace.config) for one in scored]
        able = [not one.failed and self.asked.class_ is not None for one in scored]
        expected = self._expected_of_rules(stored) if any(np.greater(able, lost)) else {}
        why = why_unestimated(self.workspace, stored) or TIME_UP
        found = []
        for look, one, has_lost, may_score in zip(looked, scored, lost, able, strict=True):
            if has_lost:
                of_each = (one.expected or {}).items()
                words = {model: {**of, "protocol": HELPED.format(of["protocol"])} for model, of in of_each}
                found.append(replace(one, expected=words))
            elif not may_score:
                found.append(one)
            elif expected.get(one.label):
                found.append(look.one.with_expected(look.released, expected[one.label]))
            else:
                found.append(replace(look.one, unscored=why))
        return found

    def _rules(self, stored: StoredDiscovery) -> list[tuple[Rule, int]]:
        """The rule that is selected at each k, with the least of these."""
        found: dict[str, tuple[Rule, int]] = {}
        config, models = self.workspace.config, stored.summary["models"]
        for k in self.ks:
            try:
                choice = choose_rule(
                    stored.rules,
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

    def _of_rule(self, rule: Rule, k: int) -> _Looked:
        one = Candidate(rule.id, RULES, {}, k, levels=dict(rule.levels))
        config, k = self._measuring, self._measuring.requirement.k

        def recode(cells: Cells, at: int) -> RecodedCells:
            of_part = requirement_of(with_requirement(config, {"k": at}), self.workspace.folder)
            return recode_by_levels(cells, rule.levels, config, of_part, f"the classes of {rule.id}", rule.id)

        try:
            recoded = recode(self.source.own, k)
        except (RequirementNotMet, ConfigError) as error:
            return _Looked(replace(one, failed=str(error)))
        tested = self._tested_rule(rule, recode, k)
        found = self._by_yardstick(measured(one, recoded, self.asked.class_), recoded, tested, k)
        return _Looked(found, guessed_right(recoded.settled), None, tested)

    def _tested_rule(
        self, rule: Rule, recode: Callable[[Cells, int], RecodedCells], k: int
    ) -> Future[TestedParts | None] | None:
        """What a rule reaches on held-out people; None also where it misses the requirement without these.

        A class that has k records with these may have fewer without. That k is asked for again only where subgroups are
        told apart, which show who is left out.
        """
        try:
            parts = self._parts(recode if self.asked.subgroups else lambda cells, _: recode(cells, 1), k)
        except RequirementNotMet as error:
            if self.asked.subgroups:
                self.workspace.reporter.announce(
                    f"no scores of {rule.id} by subgroup: without the held-out people, {error}"
                )
            return None
        return None if parts is None else self.beside.submit(self._test, parts, self.deciding)

    def _expected_of_rules(self, stored: StoredDiscovery) -> Mapping[str, Mapping[str, Any]]:
        """What rules are expected to reach, by literal and model: the models that methods are tested by."""
        if not stored.summary["models"]:
            return {}
        ks = [self.asked.records_for(k) for k in self.ks]
        found = expected_now(self.workspace, stored, self.limits, beside=[LEARNER], ks=ks, every=False)
        return {
            of_rule: {model: score for model, score in scores.items() if model in self.tested}
            for of_rule, scores in found.items()
        }

    # -- one candidate -------------------------------------------------------------------------------------------------

    def _by_yardstick(
        self, one: Candidate, recoded: RecodedCells, tested: Future[TestedParts | None] | None, k: int
    ) -> Candidate:
        """The candidate with what it leaves of the workload and of the subgroups of the config."""
        asked = self._yardstick
        if asked is None:
            return one
        settled = recoded.settled
        answered = None if one.shows == SWAPPED else asked.answered(settled)
        known = None if tested is None or not self.asked.subgroups else tested.result()
        return replace(one, workload=answered, subgroups=asked.by_subgroup(settled, known, k))

    @cached_property
    def _yardstick(self) -> Yardstick | None:
        return yardstick_of(self.source, self.workspace.config)

    @property
    def _measuring(self) -> Config:
        return with_detail(self.workspace.config)

    def _parts(self, recode: Callable[[Cells, int], RecodedCells], k: int) -> RecodedParts | None:
        """Training parts as a way to recode shows them; None where nothing can be tested, or the time is up."""
        held = self._held_out
        return None if held is None or self.limits.over_time() else held.recoded(recode, k)

    def _test(self, parts: RecodedParts, models: Sequence[str]) -> TestedParts | None:
        """What models reach on held-out people; None where the time is up."""
        assert self._held_out is not None
        try:
            return self._held_out.tested(parts, models)
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
        several = self.asked.most_of_entity > 1
        return HeldOutParts(cells, protocol, config.seed, self.limits.over_time, persons=several)

    @cached_property
    def _why_unscored(self) -> str:
        """Why nothing is expected of methods; empty where something can be."""
        config, cells = self.workspace.config, self.source.own
        why = why_not_held_out(config, self.models, config.holdout)
        if config.split_by is not None:
            why = why or "`split_by` orders the records, and methods are tested on records that are drawn"
        few = protocol_for(cells.total, config.holdout) is None
        return why or unlearnable(len(np.unique(cells.classes))) or (TOO_FEW if few else "")
