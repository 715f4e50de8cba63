"""The whole search repeated without some of the records, which the rules that it picks are then tested on.

A frontier shows the best of hundreds of rules, by records that were also used to find them: what it says of a rule is
optimistic. How much a rule found in this way really keeps is told by doing the same again (mining, joining, refining,
selecting) without a part of the records, and testing a model that learns from the release of the rest on that part, as
Varma and Simon (2006) ask of any selection. Where the source has records enough, one part is held out; else each of
five parts is, in turn (nested cross-validation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.config import Config
from anonduck.contingency import Contingency, everyone
from anonduck.discovery import Discovery, default_objectives, discover_rules, kept_rows
from anonduck.errors import RuleError
from anonduck.expected import Expected, expected_of, keep_expected, kept_expected
from anonduck.frequency import MODEL_CELLS
from anonduck.frontier import best_rule
from anonduck.holdout import HELD, WHOLE, Protocol, hold_out, protocol_for
from anonduck.lattice_discovery import discover_in_lattice
from anonduck.measures import CODED, RuleMeasurer, baseline_contingency, contingency
from anonduck.models import predict_folds
from anonduck.requiring import Demand, RuleJudge, demanded
from anonduck.rules import LATTICE, Rule, Space, literal
from anonduck.scoring import Tested
from anonduck.statements import statement
from anonduck.stored_rules import refuse_changed
from anonduck.training import keeps_the_best

if TYPE_CHECKING:
    from anonduck.database import Database
    from anonduck.project import Project
    from anonduck.store import Stored
    from anonduck.taxonomy.catalog import Taxonomy

LIMITS = 10  # times the config's time limit: no further turn begins after so long


@dataclass(frozen=True)
class Target:
    """What is picked from each repeated search: the best by ``objective`` among the rules of at least ``k``."""

    objective: str
    k: int


def expect(project: Project, stored: Stored) -> dict[str, dict[str, Expected]]:
    """Estimate what each rule of the frontier, and the one that ``run`` selects, keeps for people who were not there.

    Returns the estimates by the rule's literal and by model, and keeps them in the decision database; empty where the
    discovery measured no model, or ``holdout`` is 0. A rule of the frontier is the best at its k; what is expected of
    it is what the rules reach that repeated searches find best at that k. Where they see a share of the records, they
    ask for that share of k, so that groups are as coarse. Raises RuleError if the decision database holds other records
    than the rules were found on.
    """
    refuse_changed(project, stored)
    config = _config_of(stored)
    asked = asked_now(project)
    records = int(stored.summary["rows"])
    targets = _targets(project, stored, config)
    why = _why_nothing(project, stored, config, targets)
    protocol = None if why else protocol_for(records, project.config.holdout, config.split_by)
    if protocol is None:
        project.reporter.announce(f"no expected accuracy: {why or 'there are too few records to hold any out'}")
        keep_expected(project.database, {}, asked)
        return {}
    project.reporter.announce(protocol.announcement)
    turns = list(_turns(project, stored, config, protocol, list(dict.fromkeys(targets.values()))))
    estimates = {rule: _estimates(turns, target, config.models, protocol) for rule, target in targets.items()}
    keep_expected(project.database, estimates, asked)
    return estimates


def asked_now(project: Project) -> dict[str, Any]:
    """What estimates depend on beside the discovery: the records, what is held out, and what ``run`` selects by."""
    content, target = project.content_fingerprint(), selected_target(project)
    return {"content": content or "", "holdout": project.config.holdout, "select": target.objective, "k": target.k}


def expected_now(project: Project, stored: Stored) -> dict[str, dict[str, Any]]:
    """The estimates by a rule's literal and by model, as JSON tells them: the kept ones where they are of what is
    asked now, else measured now."""
    kept = kept_expected(project.database)
    if kept is None or kept.asked != asked_now(project):
        expect(project, stored)
        kept = kept_expected(project.database)
    assert kept is not None
    return {rule: dict(models) for rule, models in kept.rules.items()}


def _why_nothing(project: Project, stored: Stored, config: Config, targets: Mapping[str, Target]) -> str:
    """Why there is no expected accuracy; empty where there can be one."""
    if not config.models:
        return "no model was measured; name one with `models`"
    if not project.config.holdout:
        return "`holdout` is 0 in the config; 0.2 holds a fifth of the records out"
    if not targets:
        return "there is no rule"
    told = [name for name, one in config.taxonomies.items() if config.class_ in (one.cluster_on or ())]
    if told:
        return f"the taxonomy of {told[0]!r} is made by the class of all records, those to be held out included"
    return "" if config.split_by is None else _why_no_order(project, stored, config)


def _why_no_order(project: Project, stored: Stored, config: Config) -> str:
    """Why the last records in a column's order cannot be held out; empty where they can."""
    if demanded(config, project.folder, **stored.summary["requirement"]).sensitive:
        return "`split_by` holds the last records out, which is not done where sensitive values are required to differ"
    if project.database.value(statement("expected/cells.sql", table={"coded": CODED})) > MODEL_CELLS:
        return f"`split_by` holds the last records out, which is done for {MODEL_CELLS:,} distinct combinations at most"
    return ""


def _config_of(stored: Stored) -> Config:
    """The config that rules were found with, changes for once included."""
    if not stored.config:
        raise RuleError("an earlier version of anonduck found these rules; run `project.discover()` again")
    return Config.model_validate(stored.config)


def _targets(project: Project, stored: Stored, config: Config) -> dict[str, Target]:
    """What each rule was picked by: those of the frontier as the best at their k, the selected one by ``select``."""
    objective = default_objectives(config.models)[1]
    asked = between([rule.measures.k for rule in stored.rules if rule.on_frontier], int(stored.summary["min_k"]))
    targets = {
        literal(rule.levels): Target(objective, asked[rule.measures.k]) for rule in stored.rules if rule.on_frontier
    }
    selected = selected_target(project)
    best = best_rule(stored.rules, selected.objective, config.models, k=selected.k)
    return targets | ({literal(best.levels): selected} if best else {})


def between(ks: Sequence[int], least: int) -> dict[int, int]:
    """For the k of each rule of a frontier, a k that it is the best at for sure: the geometric mean of its own and of
    the smallest that it is the best at. A few records more or less in a class then do not make another rule the best.

    >>> between([147, 15], 5)
    {15: 9, 147: 49}
    """
    known = sorted(set(ks))
    return {k: ceil(sqrt((below + 1) * k)) for below, k in zip([least - 1, *known], known, strict=False)}


def selected_target(project: Project) -> Target:
    """What ``run`` picks."""
    return Target(project.config.select, project.config.requirement.k)


# -- one turn ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """What one repeated search came to: by target and model what was tested, and of the data as it came; ``found`` are
    the targets that a rule was found for."""

    tested: Mapping[Target, Mapping[str, Tested]]
    baseline: Mapping[str, Tested]
    found: frozenset[Target]


def _turns(
    project: Project, stored: Stored, config: Config, protocol: Protocol, targets: Sequence[Target]
) -> Iterator[Turn]:
    begun = monotonic()
    for number, held in enumerate(protocol.turns):
        if number and config.time_limit and monotonic() - begun > LIMITS * config.time_limit:
            return
        yield _turn(project, stored, config, protocol, held, targets)
        project.reporter.progress("repeating the search on fewer records", number + 1, len(protocol.turns))


def _turn(
    project: Project,
    stored: Stored,
    config: Config,
    protocol: Protocol,
    held: tuple[int, ...],
    targets: Sequence[Target],
) -> Turn:
    """Search, select and train without the held parts, test on them, all in a database apart."""
    names = tuple(stored.settings["nodes"])
    taxonomies = {name: project.taxonomies[name] for name in names}
    requirement = {"k": stored.summary["min_k"], **stored.summary["requirement"]}
    asked = demanded(config, project.folder, **requirement)
    with project.database.apart() as home:
        database = project.database
        read = {"sensitive": len(asked.sensitive), "seed": config.seed}
        before, after = hold_out(database, home, taxonomies, protocol, held, **read)
        demand = demanded(config, project.folder, **(requirement | {"k": _scaled(asked.k, before, after)}))
        found = _search(database, config, taxonomies, demand)
        bench = Bench(database, config, taxonomies, found, demand)
        picked = {
            target: best_rule(found.rules, target.objective, config.models, k=_scaled(target.k, before, after))
            for target in targets
        }
        try:
            return bench.turn(picked)
        finally:
            bench.judge.forget()


def _scaled(k: int, before: int, after: int) -> int:
    """The k that is asked of ``after`` records where ``k`` is asked of ``before``."""
    return max(1, ceil(k * after / before))


def _search(database: Database, config: Config, taxonomies: Mapping[str, Taxonomy], demand: Demand) -> Discovery:
    if config.train == "auto" and keeps_the_best(config):
        config = config.model_copy(update={"train": "frontier"})  # what it leaves out is best at no k
    if config.search == LATTICE:
        return discover_in_lattice(database, config, taxonomies, tuple(taxonomies), demand=demand)
    return discover_rules(database, config, taxonomies, tuple(taxonomies), min_k=demand.k, demand=demand)


# -- testing on the held records ---------------------------------------------------------------------------------------


class Bench:
    """Trains on the searched records and tests on the held ones, in the database apart."""

    def __init__(
        self,
        database: Database,
        config: Config,
        taxonomies: Mapping[str, Taxonomy],
        found: Discovery,
        demand: Demand,
    ) -> None:
        self.database = database
        self.config = config
        self.taxonomies = taxonomies
        space = Space(tuple(taxonomies), tuple(one.root for one in taxonomies.values()))
        measurer = RuleMeasurer(database, space, found.totals, with_class=demand.with_class)
        self.judge = RuleJudge(database, space, measurer, demand, found.totals.records)
        self.class_codes = 1 + int(database.value(statement("expected/class_codes.sql", table={"whole": WHOLE})))
        self._known: dict[str, dict[str, Tested]] = {}

    def turn(self, picked: Mapping[Target, Rule | None]) -> Turn:
        """What each picked rule comes to; where none was found, the majority class is guessed."""
        roots = {name: one.root for name, one in self.taxonomies.items()}
        raw = _joined(
            *(baseline_contingency(self.database, roots, self.taxonomies, rows=rows) for rows in (CODED, HELD))
        )
        guessed = self._guess(raw)
        return Turn(
            tested={
                target: dict.fromkeys(self.config.models, guessed) if rule is None else self._tested(rule)
                for target, rule in picked.items()
            },
            baseline={model: self._test(raw, model) for model in self.config.models},
            found=frozenset(target for target, rule in picked.items() if rule is not None),
        )

    def _tested(self, rule: Rule) -> dict[str, Tested]:
        if rule.id not in self._known:
            table = _joined(*(self._table(rule, rows) for rows in (kept_rows(rule, self.judge), HELD)))
            self._known[rule.id] = {model: self._test(table, model) for model in self.config.models}
        return self._known[rule.id]

    def _table(self, rule: Rule, rows: str) -> Contingency:
        return contingency(self.database, rule.levels, self.taxonomies, test_on=self.config.test_on, rows=rows)

    def _test(self, table: Contingency, model: str) -> Tested:
        last = table.folds.shape[1] - 1
        tested = predict_folds(table, model, only=[last], seed=self.config.seed)[last]
        return self._by_code(tested, everyone(table).classes)

    def _guess(self, table: Contingency) -> Tested:
        """The majority class of the searched records, guessed of the held ones."""
        known, last = everyone(table), table.folds.shape[1] - 1
        confusion = np.zeros((len(known.classes),) * 2, dtype=np.int64)
        confusion[:, known.guesses[last]] = known.folds[:, last]
        chance = 0.5 if np.count_nonzero(known.folds[:, last]) > 1 else None
        guessed = Tested(confusion, confusion, np.zeros(0, dtype=np.int64), chance, "")
        return self._by_code(guessed, known.classes)

    def _by_code(self, tested: Tested, labels: np.ndarray) -> Tested:
        """The same with a row and column for every class code, so that turns that miss a class add up."""
        confusion = np.zeros((self.class_codes, self.class_codes), dtype=np.int64)
        confusion[np.ix_(labels, labels)] = tested.confusion
        return replace(tested, confusion=confusion)


def _joined(searched: Contingency, held: Contingency) -> Contingency:
    """Both contingency tables as one, the held records in a last fold of their own.

    Searched records that the rule leaves out teach nothing and are not tested, so they are not in it.
    """
    train = np.hstack([searched.folds, np.zeros((len(searched.folds), 1), dtype=np.int64)])
    test = np.zeros((len(held.folds), train.shape[1]), dtype=np.int64)
    test[:, -1] = held.folds.sum(axis=1)

    def both(name: str) -> Any:
        first, second = getattr(searched, name), getattr(held, name)
        return None if first is None else np.concatenate([first, second])

    return replace(
        searched,
        codes=both("codes"),
        sizes=tuple(map(max, searched.sizes, held.sizes)),
        classes=both("classes"),
        folds=np.concatenate([train, test]),
        values=both("values"),
        nodes=both("nodes"),
        left_out=None,
    )


def _estimates(turns: Sequence[Turn], target: Target, models: Sequence[str], protocol: Protocol) -> dict[str, Expected]:
    return {
        model: expected_of(
            [turn.tested[target][model] for turn in turns],
            [turn.baseline[model] for turn in turns],
            protocol=protocol.words(len(turns)),
            found=sum(target in turn.found for turn in turns),
        )
        for model in models
    }
