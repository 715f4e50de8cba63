"""The state behind the explorer's page: columns with their levels, measures of a rule, and a rule saved
in the config.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from anonduck.config.config import Config
from anonduck.config.persons import PersonCounts, persons_in, records_for
from anonduck.config.pinned_rule import PinnedRule, pin_rule
from anonduck.config.reading import read_config
from anonduck.config.taxonomy import MAX_COUNT
from anonduck.config.ways import RULES
from anonduck.errors import AnonduckError, ConfigError, RuleError
from anonduck.frequency import preparation
from anonduck.frequency.copies import in_memory
from anonduck.frequency.frequency_set import held_nodes
from anonduck.measures.judge import RuleJudge, VectorJudge
from anonduck.measures.measures import measure_totals
from anonduck.measures.requirement import Requirement, requirement_of
from anonduck.offer.candidates import Candidate, kept_offer, learner_of
from anonduck.privacy.requirement import TOLERANCE, ask
from anonduck.rules.rule import LevelVector, Measures, RuleSpace, check_levels, literal
from anonduck.search.lattice.costs import Goal, make_goal
from anonduck.search.searched_records import StoredRecords
from anonduck.search.store import read_discovery, read_last_choice
from anonduck.search.stored_rules import rule_levels
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.workspace import Workspace

LOSS = "loss"
STEPS = (1, 2, 5)
MOST_STARTS = 60
NO_RULE = "no column is under its root, so that there is nothing to release"


@dataclass(frozen=True)
class SizeRange:
    """The equivalence classes of a rule with sizes from ``lower`` up to the next range: their number and
    their records.
    """

    lower: int
    classes: int
    records: int


@dataclass(frozen=True)
class Answer:
    """The measures of a rule.

    ``failing`` records are in classes that miss the requirement; they are suppressed (``measures.suppressed``) if so
    many may be. ``unmet`` names what is missed. ``sizes`` are those of the remaining classes, smallest first.
    """

    measures: Measures
    loss: float
    failing: int
    unmet: tuple[str, ...]
    sizes: tuple[SizeRange, ...]


def asked_for(requirement: Requirement, k: int, suppression: float) -> Requirement:
    """The requirement with another k and another share of suppression."""
    required = {one.model.name: one.required for one in requirement.own} | {"k": k}
    return replace(requirement, asked=ask(required), suppression=suppression)


def answer_of(judge: VectorJudge, goal: Goal, vector: LevelVector) -> Answer:
    """The answer for the rule at a level vector, under the requirement of the judge; ``goal`` is the loss."""
    requirement, found = judge.requirement, judge.verdict(vector)
    left_out = judge.classes.verdict(vector).left_out
    rolled = judge.table.at(vector)
    return Answer(
        measures=found.measures,
        loss=goal.of(judge.table, rolled, left_out),
        failing=judge.classes.failing(vector),
        unmet=found.unmet,
        sizes=tuple(size_ranges(rolled.sizes if left_out is None else rolled.sizes[~left_out], requirement.k)),
    )


def size_ranges(sizes: np.ndarray, k: int) -> list[SizeRange]:
    """Sizes of equivalence classes by range, those under k in one range; empty ranges are left out.

    >>> [(one.lower, one.classes, one.records) for one in size_ranges(np.array([1, 4, 5, 9, 30]), 5)]
    [(1, 2, 5), (5, 2, 14), (20, 1, 30)]
    """
    largest = int(sizes.max()) if len(sizes) else 1
    series = (step * 10**power for power in range(math.ceil(math.log10(largest)) + 1) for step in STEPS)
    bounds = sorted({1, k, *(one for one in series if one > k)})
    places = np.searchsorted(bounds, sizes, side="right") - 1
    classes = np.bincount(places, minlength=len(bounds))
    records = np.bincount(places, weights=sizes, minlength=len(bounds))
    return [SizeRange(bounds[at], int(classes[at]), int(records[at])) for at in np.flatnonzero(classes)]


@dataclass(eq=False)
class Explorer:
    """Answers the page, one question at a time, because memory is shared.

    ``starts`` are rules to begin with, by name: the pinned one, the last choice, those of the frontier. ``held`` are
    the numbers of value groups of each column at each level. ``judge`` is that of the last question; it keeps rolled-up
    counts for the next one. ``goal`` is the loss. ``pinned`` is the last saved rule, the one numbered ``saves``. If
    ``persons`` may have several records, the page's k counts persons. ``offered`` are the candidates of the offer that
    came to something, those on its frontier first.
    """

    workspace: Workspace
    taxonomies: Mapping[str, Taxonomy]
    requirement: Requirement
    judge: VectorJudge
    goal: Goal
    starts: Mapping[str, Mapping[str, int]]
    held: Mapping[str, list[int]]
    offered: Sequence[Candidate] = ()
    persons: PersonCounts | None = None
    pinned: PinnedRule | None = None
    saves: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def config(self) -> Config:
        """The config when the explorer started; only its rule may have changed when a rule is saved."""
        return self.workspace.written

    def state(self) -> dict[str, Any]:
        """The initial state of the page."""
        config, path = self.config, self.workspace.config_path
        return {
            "source": config.source,
            "class": config.class_,
            "records": self.judge.totals.records,
            "entropy": None if config.class_ is None else round(self.judge.totals.entropy, 6),
            "columns": [
                {"name": name, "root": one.root, "groups": self.held[name], "cap": cap}
                for (name, one), cap in zip(self.taxonomies.items(), self.judge.space.coarsest, strict=True)
            ],
            "required": self.requirement.as_json(),
            "k": persons_in(self.requirement.k, self.requirement.most),
            "most": self.requirement.most,
            "persons": None if self.persons is None else self.persons.as_json(),
            "suppression": self.requirement.suppression,
            "starts": [{"name": name, "levels": dict(levels)} for name, levels in self.starts.items()],
            "offered": [self._line(one) for one in self.offered],
            "config": None if path is None else path.name,
            "savable": path is not None and config.method == RULES,
        }

    def measure(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Measure a rule: ``levels`` by column, ``k`` (of persons, if they may have several records) and
        ``suppression``.

        Raises RuleError for invalid levels, ConfigError for an invalid requirement.
        """
        vector = self._vector(asked)
        k, suppression = _asked_numbers(asked)
        requirement = asked_for(self.requirement, records_for(k, self.requirement.most), suppression)
        started = perf_counter()
        with self._lock:
            self.judge = self.judge.under(requirement)
            answer = answer_of(self.judge, self.goal, vector)
            configured = self.judge.under(self.requirement).verdict(vector).unmet
        taken = perf_counter() - started
        return self._as_json(vector, requirement, answer) | {
            "misses": list(self._unmet(vector, configured)),
            "beaten_by": self._beaten_by(answer),
            "milliseconds": round(1000 * taken, 1),
        }

    def save(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Pin a rule in the config file. Raises ConfigError if it does not meet the config's requirement."""
        path = self.workspace.config_path
        if path is None:
            raise ConfigError("this project has no config file to save a rule in; it was made of arguments")
        vector = self._vector(asked)
        with self._lock:
            unmet = list(self._unmet(vector, self.judge.under(self.requirement).verdict(vector).unmet))
            rule = literal(self.judge.space.named(vector))
            if unmet:
                required = f"; the config requires {self.requirement.text}"
                raise ConfigError(f"{rule or 'this rule'} was not saved: {'; '.join(unmet)}{required}")
            _refuse_changed(read_config(path), self.config, str(path))
            self.pinned = pin_rule(path, rule)
            self.saves += 1
            return {"rule": rule, "config": path.name, "save": self.saves}

    def undo(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Restore the config file from before ``save``, the number of the last saved rule; returns the rule in it then.

        Raises ConfigError if another rule was saved since, as on another page, or if the file changed.
        """
        with self._lock:
            if self.pinned is None:
                raise ConfigError("no rule was saved here")
            if asked.get("save") != self.saves:
                raise ConfigError("another page saved a rule after this one; take that back there, or edit the config")
            self.pinned.undo()
            path, self.pinned = self.pinned.path, None
        return {"rule": read_config(path).rule}

    def _vector(self, asked: Mapping[str, Any]) -> LevelVector:
        levels = asked.get("levels")
        if not isinstance(levels, Mapping) or not all(type(level) is int for level in levels.values()):
            raise RuleError("levels are whole numbers by column")
        roots = dict(zip(self.judge.space.attributes, self.judge.space.roots, strict=True))
        return self.judge.space.vector(check_levels(levels, roots))

    def _as_json(self, vector: LevelVector, requirement: Requirement, answer: Answer) -> dict[str, Any]:
        found, left_out = answer.measures, answer.measures.suppressed
        allowed = requirement.allows(left_out, self.judge.totals.records)
        levels = self.judge.space.named(vector)
        return {
            "literal": literal(levels),
            "levels": levels,
            "records": self.judge.totals.records - (left_out if allowed else 0),
            "suppressed": left_out if allowed else 0,
            "failing": answer.failing,
            "allowed": int(requirement.suppression * (1 + TOLERANCE) * self.judge.totals.records),
            "k": found.k,
            "persons": persons_in(found.k, self.requirement.most),
            "k_required": requirement.k,
            "classes": found.classes,
            "information_gain": None if self.config.class_ is None else found.information_gain,
            "loss": round(answer.loss, 6),
            "privacy": dict(found.privacy),
            "required": requirement.text,
            "unmet": list(self._unmet(vector, answer.unmet)),
            "sizes": [asdict(one) for one in answer.sizes],
        }

    def _line(self, one: Candidate) -> dict[str, Any]:
        """A candidate as the page lists it; its levels where it is a rule of these columns."""
        roots = dict(zip(self.judge.space.attributes, self.judge.space.roots, strict=True))
        fits = one.levels is not None and all(level <= roots.get(name, -1) for name, level in one.levels.items())
        return {
            "id": one.id,
            "words": one.words,
            "k": persons_in(one.k, self.requirement.most),
            "columns": list(one.columns),
            "loss": _loss_of(one),
            "learner": learner_of(one.expected) or None,
            "score": one.score("accuracy"),
            "inference": None if one.inference is None else dict(one.inference),
            "on_frontier": one.on_frontier,
            "levels": dict(one.levels) if fits and one.levels is not None else None,
        }

    def _beaten_by(self, answer: Answer) -> list[str]:
        """The candidates that lose less detail than a rule at as large a k, and leave out as few records."""
        left_out = answer.measures.suppressed
        return [
            one.id
            for one in self.offered
            if one.k >= answer.measures.k and one.suppressed <= left_out and _loses_less(one, answer.loss)
        ]

    def _unmet(self, vector: LevelVector, missed: tuple[str, ...]) -> Iterator[str]:
        yield from missed
        if not self.judge.space.named(vector):
            yield NO_RULE


def _loss_of(one: Candidate) -> float | None:
    """The loss of a candidate; None where the config does not measure it."""
    return (one.measures or {}).get(LOSS)


def _loses_less(one: Candidate, loss: float) -> bool:
    """Whether a candidate loses less than that, by more than it is rounded."""
    own = _loss_of(one)
    return own is not None and own < loss - TOLERANCE


@contextlib.contextmanager
def explorer_of(workspace: Workspace) -> Iterator[Explorer]:
    """Read the source into an explorer for the duration of the block.

    The decision database is not changed, and is free for others once everything is in memory.
    """
    with workspace.exclusive(), in_memory(workspace) as own:
        explorer = _opened(workspace, own)
    if workspace.session.path is not None:
        workspace.close()
    yield explorer


def _opened(workspace: Workspace, own: Workspace) -> Explorer:
    """An explorer on a database of its own. Folds are not drawn, because no model is trained."""
    engine = workspace.config.engine.model_copy(update={"max_cells": sys.maxsize})  # sliders reach any level
    config = workspace.config.model_copy(update={"models": [], "engine": engine})
    requirement = requirement_of(config, workspace.folder)
    source, roles = own.opened
    taxonomies = preparation.prepare(
        own.database,
        config,
        workspace.folder,
        source,
        roles,
        label_k=config.requirement.k,
        sensitive=requirement.sensitive,
        reporter=workspace.reporter,
        folds=False,
    )
    space = RuleSpace.keeping({name: taxonomies[name].root for name in roles.quasi_identifiers}, requirement.keep)
    chosen = {name: taxonomies[name] for name in space.attributes}
    totals = measure_totals(own.database)
    records = StoredRecords(own.database, chosen, totals.records)
    goal = make_goal(LOSS, list(chosen), list(records.attributes(LOSS).values()), k=1, weights={})
    judge = RuleJudge(own.database, space, requirement, totals).under(requirement)  # reads all, as the database closes
    starts, persons = (
        _starts(workspace, space, requirement.most),
        workspace.person_counts(requirement.k, (), requirement.linked_k),
    )
    held = held_nodes(own.database, chosen)
    return Explorer(workspace, chosen, requirement, judge, goal, starts, held, _offered(workspace), persons)


def _offered(workspace: Workspace) -> list[Candidate]:
    """The candidates of the last offer that came to something, those on its frontier first, by falling k."""
    stored = read_discovery(workspace.database)
    found = () if stored is None else kept_offer(workspace, stored)
    able = [one for one in found if one.failed is None]
    return sorted(able, key=lambda one: (not one.on_frontier, -one.k, -one.detail))


def _starts(workspace: Workspace, space: RuleSpace, most: int) -> dict[str, dict[str, int]]:
    """Rules to begin with that fit these taxonomies, by name."""
    found: dict[str, Mapping[str, int]] = {}
    if workspace.config.rule is not None:
        with contextlib.suppress(AnonduckError):  # the discovery of a pinned id may be gone
            found[f"{workspace.config.rule} (pinned)"] = rule_levels(workspace, workspace.config.rule)[1]
    last = read_last_choice(workspace.database)
    if last:
        found[f"{literal(last)} (released last)"] = last
    stored = read_discovery(workspace.database)
    leading = (
        sorted((one for one in stored.rules if one.on_frontier), key=lambda one: -one.measures.k) if stored else []
    )
    unit = " persons" if most > 1 else ""
    found |= {
        f"{one.id}: {literal(one.levels)} (k {persons_in(one.measures.k, most):,}{unit})": one.levels
        for one in leading[:MOST_STARTS]
    }
    roots = dict(zip(space.attributes, space.roots, strict=True))
    fits = {
        name: dict(levels)
        for name, levels in found.items()
        if all(one in roots and level <= roots[one] for one, level in levels.items())
    }
    return fits | {"every column as coarse as it gets": {name: max(root - 1, 0) for name, root in roots.items()}}


def _asked_numbers(asked: Mapping[str, Any]) -> tuple[int, float]:
    k, suppression = asked.get("k"), asked.get("suppression")
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MAX_COUNT:
        raise ConfigError(f"k is a whole number from 1 to {MAX_COUNT:,}")
    if not isinstance(suppression, (int, float)) or isinstance(suppression, bool) or not 0 <= suppression < 1:
        raise ConfigError("suppression is a share of the records, from 0 to less than 1")
    return k, float(suppression)


def _refuse_changed(now: Config, explored: Config, path: str) -> None:
    """Raise ConfigError if a config differs from the explored one in anything but its rule."""
    if _without_rule(now) != _without_rule(explored):
        raise ConfigError(f"{path} was changed since it was read; start the explorer again")


def _without_rule(config: Config) -> Config:
    """A config without its rule."""
    return config.model_copy(update={"rule": None})
