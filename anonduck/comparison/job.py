"""Compares ways to anonymize: a row for each, at each k and by each protocol, kept as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.comparison.comparability import marks
from anonduck.comparison.comparison import DONE, FAILED, NOTHING, OUT_OF_TIME, SEARCH, Comparison
from anonduck.comparison.cost import RowClock, TimeIsUpError
from anonduck.comparison.drawn_release import HELD_OUT_REASON
from anonduck.comparison.imported_release import recoded_elsewhere
from anonduck.comparison.model_scores import score_json
from anonduck.comparison.question import (
    FRONTIER,
    PROTOCOLS,
    RULES,
    ComparisonQuestion,
    Contestant,
    check_ks,
    check_protocols,
    check_time_limit,
    contestants_of,
    in_each_way,
)
from anonduck.comparison.rows import PartRules, best_rule_at, held_out_row, released_row, row_of
from anonduck.comparison.stored_rows import KeptRows, keep_last
from anonduck.config.reading import with_changes
from anonduck.config.without_class import refuse_method, refuse_without
from anonduck.database.fingerprints import files_fingerprint, fingerprint_key
from anonduck.database.lake_tables import OWN_FILE, refuse_lake_files
from anonduck.errors import AnonduckError, ConfigError, ModelError
from anonduck.evaluation.evaluation import scores_on
from anonduck.evaluation.source_cells import SourceCells
from anonduck.frequency.frequency_set import FOLDS, check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.methods.registry import method_named
from anonduck.privacy.audited_file import PARQUET
from anonduck.rules.frontier import objective
from anonduck.rules.measure_names import HELD_OUT, RELEASED, is_of_class
from anonduck.rules.rounding import DIGITS
from anonduck.search.freshness import refuse_changed, tell_stale
from anonduck.search.job import discover
from anonduck.search.store import read_discovery
from anonduck.search.stored_rules import discovered

if TYPE_CHECKING:
    from anonduck.search.store import StoredDiscovery
    from anonduck.workspace import Workspace

STAGE = "comparing"
BASELINE = Contestant("ungeneralized")


def compare(
    workspace: Workspace,
    methods: Sequence[str],
    ks: Sequence[int],
    *,
    at: str | None = None,
    models: Sequence[str] | None = None,
    protocols: Sequence[str] = (),
    select: Sequence[str] = (),
    imports: Mapping[str, str] | None = None,
    time_limit: float | None = None,
    again: bool = False,
) -> Comparison:
    """Compare methods, and with ``"rules"`` the best rules, at each of ``ks``; with ``at="frontier"`` also at each k
    that a rule of the stored frontier reaches.

    ``again`` makes all rows anew; else a finished row is reused where nothing that it depends on has changed.
    The report shows the last comparison.
    Where the config has an entity, ``ks`` are of persons, and the rows hold the records that stand for them. Where
    rules are asked for and none were discovered, they are discovered first.
    Raises ConfigError for what cannot be asked.
    """
    written = workspace
    ks, workspace = [workspace.config.records_for(k) for k in check_ks(ks)], workspace.counting_records()
    if models is not None:
        workspace = workspace.with_config(with_changes(workspace.config, {"models": list(models)}))
    contestants = contestants_of(methods, select or [workspace.config.select])
    for one in contestants:
        if one.by is None:
            refuse_method(workspace.config, one.name, one.settings)
    contestants = in_each_way(contestants, workspace.config)
    found = _rules(workspace, contestants, at, written)
    question = ComparisonQuestion(
        contestants,
        _ks(workspace, ks, at, found),
        tuple(workspace.config.models),
        check_protocols(protocols),
        _imports(imports or {}, contestants),
        check_time_limit(time_limit) or workspace.config.time_limit,
    )
    if not contestants and not question.imports:
        raise ConfigError("nothing is to be compared; name methods, such as rules and mondrian")
    if HELD_OUT in question.protocols and workspace.config.split_by is not None:
        raise ConfigError(
            f"`split_by` orders the folds, and the protocol {HELD_OUT} draws them at random; compare by {RELEASED}, or "
            "take `split_by` out of the config"
        )
    check_source(workspace.source.engine, workspace.roles, workspace.config)
    with ExitStack() as stack:
        comparing = _Comparing(workspace, question, found, stack, again)
        compared = comparing.result()
        keep_last(workspace, compared.as_json(), comparing.kept.compared)
        return compared


def _rules(
    workspace: Workspace, contestants: Sequence[Contestant], at: str | None, written: Workspace
) -> StoredDiscovery | None:
    """The stored rules, where something is asked of them; where none are, those that are discovered as is ``written``
    in the config."""
    if at not in (None, FRONTIER):
        raise ConfigError(f"`at` is {FRONTIER!r} or nothing; got {at!r}")
    if at is None and all(one.by is None for one in contestants):
        return None
    if read_discovery(workspace.database) is None:
        written.reporter.announce("rules are to be compared, and none were discovered yet: discovering them first")
        discover(written)
    stored = discovered(workspace)
    tell_stale(workspace, stored)
    refuse_changed(workspace, stored)
    for one in contestants:
        if one.by is not None:
            objective(one.by, stored.summary["models"])
            if is_of_class(one.by):
                refuse_without(workspace.config, f"rules are to be compared by {one.by}, which is of the class")
    return stored


def _ks(workspace: Workspace, ks: Sequence[int], at: str | None, found: StoredDiscovery | None) -> tuple[int, ...]:
    reached = [rule.measures.k for rule in found.rules if rule.on_frontier] if at and found is not None else []
    if at and not reached:
        raise ConfigError("no rule is on the frontier; name values of k, or run `anonduck discover` again")
    return check_ks([*ks, *reached] or [workspace.config.requirement.k])


def _imports(imports: Mapping[str, str], contestants: Sequence[Contestant]) -> dict[str, str]:
    taken = {one.label for one in contestants}
    for name, file in imports.items():
        if name in taken:
            raise ConfigError(f"the release of another tool cannot be called {name!r}, as something compared is")
        if file.lower().endswith(PARQUET):
            refuse_lake_files([file], f"{file}, to be compared as {name!r},", ConfigError, OWN_FILE)
        if not Path(file).is_file():
            raise ConfigError(f"there is no file {file}, which is to be compared as {name!r}")
    return dict(imports)


@dataclass(eq=False)
class _Comparing:
    """A comparison while it is made: what is asked, and what rows share."""

    workspace: Workspace
    question: ComparisonQuestion
    found: StoredDiscovery | None
    stack: ExitStack
    again: bool

    def __post_init__(self) -> None:
        config, quasi = self.workspace.config, list(self.workspace.roles.quasi_identifiers)
        self.kept = KeptRows(self.workspace, taxonomies_of(self.workspace, quasi, config.requirement.k))
        self.source = SourceCells(self.workspace, self.stack)
        floor = {} if self.found is None else self.found.summary["floor"]
        self.part_rules = PartRules(self.source, self.question.ks, self.question.models, floor)

    def result(self) -> Comparison:
        """All rows in their order: protocol by protocol, method by method, by rising k; then what is imported."""
        steps, rows = list(self._steps()), []
        reporter = self.workspace.reporter
        for number, step in enumerate(steps):
            reporter.progress(STAGE, number, len(steps))
            rows.append(step())
        reporter.progress(STAGE, len(steps), len(steps))
        baseline, *others = rows
        return self._compared(baseline, others)

    def _compared(self, baseline: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Comparison:
        config, found = self.workspace.config, self.found
        rules = (
            None
            if found is None
            else {"found": len(found.rules), "min_k": found.summary["min_k"], "cpu_seconds": found.cpu_seconds}
        )
        return Comparison(
            source=config.source or self.workspace.source.description,
            records=baseline["records"],
            models=self.question.models,
            protocols={name: PROTOCOLS[name] for name in self.question.protocols},
            rows=tuple(rows),
            baseline=baseline["models"],
            majority_share=baseline["majority_share"],
            folds=FOLDS,
            seed=config.seed,
            rules=rules,
        )

    def _steps(self) -> Iterator[Callable[[], dict[str, Any]]]:
        yield self._baseline
        for protocol in self.question.protocols:
            for one in self.question.contestants:
                for k in self.question.ks:
                    yield lambda one=one, k=k, protocol=protocol: self._row(one, k, protocol)  # type: ignore[misc]
        for name, file in self.question.imports.items():
            for protocol in self.question.protocols:
                yield lambda name=name, file=file, protocol=protocol: self._imported(name, file, protocol)  # type: ignore[misc]

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _baseline(self) -> dict[str, Any]:
        """What models reach on the ungeneralized data."""
        key = self.kept.fingerprint(Contestant(BASELINE.name, by=""), RELEASED, 1, self.question.models)

        def make(one: Workspace, clock: RowClock) -> dict[str, Any]:
            cells, config = self.source.own, self.workspace.config
            held = np.bincount(cells.classes, weights=cells.records)
            found: dict[str, Any] = {}
            untrained: list[str] = []
            for model in config.models:
                try:
                    alone = config.model_copy(update={"models": [model]})
                    scores = scores_on(cells.ungeneralized(config.seed), alone, clock.over)
                except ModelError as error:
                    self.workspace.reporter.announce(f"{model} has no baseline: {error}")
                    continue
                found |= {name: score_json(one) for name, one in scores.by_model.items()}
                if scores.untrained:
                    untrained.append(model)
                    self.workspace.reporter.announce(f"{model} has no baseline: {self._up}")
            total = cells.total
            share = round(float(held.max()) / total, DIGITS) if config.class_ is not None else None
            return {"models": found, "untrained": untrained, "records": total, "majority_share": share}

        named = {"method": BASELINE.name, "kind": "baseline", "protocol": RELEASED, "k_required": None}
        return self._made(key, named, make)

    def _row(self, contestant: Contestant, k: int, protocol: str) -> dict[str, Any]:
        kind = RULES if contestant.by is not None else "method"
        named = {"method": contestant.label, "kind": kind, "protocol": protocol, "k_required": k}
        named |= marks(contestant.label, kind, protocol)
        if contestant.by is None and protocol == HELD_OUT and method_named(contestant.name).recoding == "distributions":
            return {**named, **NOTHING, "status": FAILED, "reason": HELD_OUT_REASON}
        more: list[Any] = []
        if contestant.by is not None and protocol == RELEASED:
            try:
                assert self.found is not None  # a comparison of rules begins with stored ones
                found = self.found.rules, self.found.summary["models"]
                more.append(dict(best_rule_at(*found, contestant.by, k)[0].levels))
            except AnonduckError as error:
                return {**named, **NOTHING, "status": FAILED, "reason": str(error)}
        if contestant.by is not None and protocol == HELD_OUT:
            more.append(min(self.question.ks))

        def make(one: Workspace, clock: RowClock) -> dict[str, Any]:
            if protocol == RELEASED:
                return released_row(one, contestant, k, clock, self.source, self.found)
            return held_out_row(one, contestant, k, clock, self.source, self.part_rules)

        key = self.kept.fingerprint(contestant, protocol, k, self.question.models, *more)
        row = self._made(key, named, make)
        if contestant.by is not None and protocol == RELEASED and self.found is not None:
            row[SEARCH] = self.found.cpu_seconds
        return row

    def _imported(self, name: str, file: str, protocol: str) -> dict[str, Any]:
        path = Path(file)
        named = {"method": name, "kind": "import", "protocol": protocol, "k_required": None}
        named |= marks(name, "import", protocol)
        if protocol == HELD_OUT:
            reason = "not applicable: a release that another tool made of all records tells of no training part"
            return {**named, **NOTHING, "status": FAILED, "reason": reason}
        key = self.kept.of_file(
            files_fingerprint(fingerprint_key(self.workspace.database), [path]), self.question.models
        )
        total = int(self.workspace.source.engine.count())
        return self._made(
            key, named, lambda one, clock: row_of(one, clock, lambda: recoded_elsewhere(one, path, total))
        )

    @property
    def _up(self) -> str:
        limit = self.question.time_limit
        return f"the {limit:g} seconds that a row may take were up; `--time-limit SECONDS` changes the bound"

    def _made(
        self, key: str, named: dict[str, Any], make: Callable[[Workspace, RowClock], dict[str, Any]]
    ) -> dict[str, Any]:
        """The row: the one that is kept under its fingerprint, else made now, whatever comes of it, and kept."""
        limit = self.question.time_limit
        kept = None if self.again else self.kept.read(key, limit)
        if kept is not None:
            return {**kept, **named}
        clock = RowClock(limit)
        one = self.workspace.with_reporter(clock.listening(self.workspace.reporter))
        one = one.with_config(one.config.model_copy(update={"time_limit": limit}))
        try:
            row = {**named, **NOTHING, **make(one, clock), "status": DONE, "reason": None}
        except TimeIsUpError:
            row = {**named, **NOTHING, "status": OUT_OF_TIME, "reason": self._up}
        except AnonduckError as error:
            row = {**named, **NOTHING, "status": FAILED, "reason": str(error)}
        if row["untrained"]:
            reason = f"{', '.join(row['untrained'])} was not trained: {self._up}"
            row |= {"status": OUT_OF_TIME, "reason": reason}
        self.kept.keep(key, row, limit)
        return row
