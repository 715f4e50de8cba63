"""The discovery of a project: rules found by its config, and kept in place of earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any

from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.errors import ConfigError
from anonduck.frequency import preparation
from anonduck.rules.frontier import is_score, objective
from anonduck.search.freshness import settings
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.database.progress import Reporter
    from anonduck.search.discovery import Discovery
    from anonduck.search.lattice.limits import Clock, SearchLimits


def discover(
    workspace: Workspace,
    *,
    min_k: int | None = None,
    show_values: bool = False,
    limits: SearchLimits | None = None,
    until: float = 1.0,
    clock: Clock = monotonic,
    prepared: Callable[[], None] | None = None,
    **changes: Any,
) -> Discovery:
    """Find rules, with the config's keys in ``changes`` changed for once, and store them in place of an earlier
    discovery.

    The time limit, by a ``clock`` of seconds or that of a larger job's ``limits``, starts once the source is read and
    coded: how long a scan takes says nothing of how much of the search is enough. The search ends when ``until`` of the
    time is used; a larger job has the rest. That job may do something as soon as the source is ``prepared``, before
    rules are searched; it looks at no suppression either, by which `anonduck rules` compares.
    """
    from anonduck.frequency.floors import measured_at, read_floor
    from anonduck.frequency.frequency_set import announce_if_slow, held_nodes
    from anonduck.init.advice import announce_if_wide
    from anonduck.measures.requirement import requirement_of
    from anonduck.privacy.chosen_values import refuse_absent
    from anonduck.search.dependencies import with_dependencies
    from anonduck.search.discovery import discover_rules
    from anonduck.search.lattice.limits import SearchLimits
    from anonduck.search.store import write_discovery
    from anonduck.search.suppression_curve import with_suppression_curve
    from anonduck.source.engine import SENSITIVE_SET
    from anonduck.statements.pipeline.column_names import value_column

    if changes.get("entity") is not None:
        raise ConfigError("entity: which records there are depends on it; set it in the config")
    began = process_time()
    config = with_changes(workspace.config, changes)
    limits = limits or SearchLimits(config.time_limit, clock=clock)
    limits.begin("reading and coding the source")
    _refuse_unknown_select(config)
    requirement = requirement_of(
        config, workspace.folder, **({} if min_k is None else {"k": config.records_for(min_k)})
    )
    persons = workspace.person_counts(requirement.k, [one.model.name for one in requirement.own], requirement.linked_k)
    taxonomies = preparation.prepare(
        workspace.database,
        config,
        workspace.folder,
        workspace.source,
        workspace.roles,
        label_k=config.requirement.k,
        sensitive=requirement.sensitive,
        show_values=show_values,
        reporter=workspace.reporter,
        k=requirement.k,
        suppression=requirement.suppression,
    )
    limits.restart()
    searching = limits.until(until)
    floor = read_floor(workspace.database)
    config = measured_at(config, floor, workspace.reporter)
    columns = {name: value_column(name) for name in requirement.sensitive}
    refuse_absent(workspace.database, SENSITIVE_SET, columns, requirement.chosen, workspace.reporter.announce)
    announce_if_slow(workspace.database, workspace.roles, config, workspace.reporter.announce)
    announce_if_wide(workspace.roles.quasi_identifiers, workspace.reporter)
    if prepared is not None:
        prepared()
    chosen = {name: taxonomies[name] for name in workspace.roles.quasi_identifiers}
    given = (workspace.database, config, chosen)
    discovery = discover_rules(*given, requirement=requirement, limits=searching, reporter=workspace.reporter)
    limits.begin("explaining rules and looking at suppression")
    held = held_nodes(workspace.database, chosen)
    discovery = with_dependencies(workspace.database, discovery, chosen, workspace.roles.named_class, groups=held)
    if prepared is None and workspace.roles.has_class:  # by which the curve compares what more suppression buys
        discovery = with_suppression_curve(
            discovery, *given, requirement=requirement, over=searching.over_time, reporter=workspace.reporter
        )
    discovery = replace(_with_steps(discovery, limits, workspace.reporter), floor=floor, entity=persons)
    depends_on = settings(workspace, chosen, config) | {"held": held}
    write_discovery(workspace.database, discovery, depends_on, config, round(process_time() - began, 3))
    return discovery


def _with_steps(discovery: Discovery, limits: SearchLimits, reporter: Reporter) -> Discovery:
    """The discovery with the seconds of its steps, which are announced, if the time ended one of them."""
    if not limits.work.out_of_time:
        return discovery
    taken = limits.taken()
    listed = ", ".join(f"{step} {seconds:.0f} s" for step, seconds in taken.items())
    reporter.announce(f"the time limit of {limits.seconds:g} s cut the discovery short: {listed}")
    return replace(discovery, cut=None if discovery.cut is None else {**discovery.cut, "seconds": taken})


def _refuse_unknown_select(config: Config) -> None:
    """Raise ConfigError if the config selects by no measure there is; without models, scores are left open."""
    if config.models or not is_score(config.select):
        objective(config.select, config.models)
