"""The making of taxonomies: what is missing or outdated is built or imported; no edit is undone silently.

Makers of one kind are called alike, with what stands in the config:

intervals  (database, column, column type, value of the key, frequency=, ends=), and label_k= if it is by values; they
           write the taxonomy and its bounds, and return the root's level
computed   (options, column type); they return the labels to compute, of which SQL makes the taxonomy
listed     (options); they return the paths that the config lists

Clusters, shipped taxonomies and files have one maker each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from anonduck.config.builders import BUILDERS
from anonduck.config.config import Config
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.database.progress import Progress, Reporter, no_progress
from anonduck.source.source import Announce
from anonduck.statements import statement
from anonduck.taxonomy.bounds import OpenEnds, read_bounds
from anonduck.taxonomy.builders.clusters import ValueBins, value_bins
from anonduck.taxonomy.builders.computed import build_computed
from anonduck.taxonomy.builders.shipped import without_leaf
from anonduck.taxonomy.catalog import (
    Taxonomy,
    entries,
    follow_edits,
    maker_of,
    register,
    root_level,
    stored_taxonomies,
    value_types,
)
from anonduck.taxonomy.files.leaves import import_hierarchies
from anonduck.taxonomy.group_names import name_groups
from anonduck.taxonomy.plans import TaxonomyPlan, is_import, is_outdated, make_plan
from anonduck.taxonomy.tables import keep_levels
from anonduck.words import counted

STAGE = "building taxonomies"


def ensure_taxonomies(
    database: Database,
    config: Config,
    folder: Path,
    columns: Sequence[str],
    *,
    frequency: str = "frequency_set",
    records: str | None = None,
    types: Mapping[str, str],
    label_k: int,
    reporter: Reporter,
    replace: bool = False,
    given: TaxonomyOptions | None = None,
) -> dict[str, Taxonomy]:
    """The taxonomies of ``columns``, made where missing or outdated, all of them with ``replace``.

    Built from the frequency set alone; no generated label names a value that fewer than ``label_k`` records hold. An
    edited table is kept; raises TaxonomyError if its options changed too. Imports of the command line are kept, unless
    the config names a file for the column. ``given`` is how to build them where the config does not say; it holds for
    later calls too.
    ``records`` is the set that holds which values occur together, where the frequency set counts each column by itself;
    clusters need it.
    ``types`` are those of all quasi-identifiers and the class, of which the frequency set may hold some.
    ``reporter`` hears how many were built, and in detail how each of them was.
    """
    stored = entries(database)
    kept: list[str] = []
    made: dict[str, TaxonomyPlan] = {}
    for column in columns:
        entry = stored.get(column)
        plan = make_plan(config, folder, column, types, label_k, given=given, stored=entry)
        if entry is None or replace or is_outdated(database, entry, plan, given is not None):
            made[column] = plan
        elif is_import(entry) and column in config.taxonomies and config.taxonomies[column].file is None:
            kept.append(column)
    _make(database, made, frequency, reporter, records or frequency)
    if kept:
        reporter.announce(
            f"imported taxonomies are kept, though the config names builders for these columns: {', '.join(kept)}; "
            "`anonduck taxonomy build COLUMN --replace` builds one"
        )
    follow_edits(database, [column for column in columns if column not in made], frequency=frequency)
    found = stored_taxonomies(database)
    return {column: found[column] for column in columns}


def _make(
    database: Database, plans: Mapping[str, TaxonomyPlan], frequency: str, reporter: Reporter, records: str
) -> None:
    """Make the taxonomies of some columns."""
    if not plans:
        return
    announce = reporter.announce
    with _shared_bins(database, plans, frequency, records, reporter.progress) as bins:
        imported = _import_all(database, plans, frequency, announce)
        for number, (column, plan) in enumerate(plans.items()):
            reporter.progress(STAGE, number, len(plans))
            maker = partial(_clusters, bins=bins) if plan.kind == "clusters" else MAKERS.get(plan.kind)
            taxonomy = imported[column] if maker is None else maker(database, column, plan, frequency, announce)
            reporter.detail(
                f"taxonomy of {column}: {taxonomy.origin}; {counted(taxonomy.leaves, 'value', 'values')}, "
                f"{counted(taxonomy.root, 'level', 'levels')} above them"
            )
    reporter.progress(STAGE, len(plans), len(plans))
    announce(f"{counted(len(plans), 'taxonomy', 'taxonomies')} built")


def write_from_values(
    database: Database, plans: Mapping[str, TaxonomyPlan], frequency: str, announce: Announce
) -> dict[str, int]:
    """Write the tables of taxonomies that are made from values, and nothing into the register; returns the level of
    each root.

    Their plans are of intervals and clusters; the schemas are there (``prepare``).
    """
    with _shared_bins(database, plans, frequency, frequency) as bins:
        return {
            column: _write_clusters(database, column, plan, frequency, announce, bins)
            if plan.kind == "clusters"
            else _write_intervals(database, column, plan, frequency, announce)
            for column, plan in plans.items()
        }


def _shared_bins(
    database: Database,
    plans: Mapping[str, TaxonomyPlan],
    frequency: str,
    records: str,
    progress: Progress = no_progress,
) -> contextlib.AbstractContextManager[ValueBins | None]:
    """The bins of what describes clustered columns, where several share them."""
    described = {column: plan.options["on"] for column, plan in plans.items() if plan.kind == "clusters"}
    clustered = [column for column, on in described.items() if on]
    kinds = {by: kind for on in described.values() for by, kind in on.items()}
    apart = len(clustered) <= 1 and records == frequency
    return contextlib.nullcontext() if apart else value_bins(database, clustered, kinds, frequency, records, progress)


def _import_all(
    database: Database, plans: Mapping[str, TaxonomyPlan], frequency: str, announce: Announce
) -> dict[str, Taxonomy]:
    """Import the taxonomies of files: all of them, or none where one cannot be imported."""
    plans = {column: plan for column, plan in plans.items() if plan.kind == FILE}
    if not plans:
        return {}
    kinds = value_types(database, plans, frequency)
    files = [
        maker_of(plan.config.builder)(
            database, column, plan.config, plan.folder, kind=kinds[column], noted=plan.options
        )
        for column, plan in plans.items()
    ]
    return import_hierarchies(database, files, frequency=frequency, announce=announce)


def _listed(database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce) -> Taxonomy:
    from anonduck.taxonomy.builders.listed import import_listed

    return import_listed(
        database, column, plan.config, options=dict(plan.options), frequency=frequency, announce=announce
    )


def _shipped(database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce) -> Taxonomy:
    build_shipped = maker_of(plan.config.builder)
    with database.transaction():
        built = build_shipped(database, column, str(plan.config.shipped), frequency=frequency)
        options = {**plan.options, "settled": {"shipped": plan.config.shipped, "root": built.root, "form": built.form}}
        if built.unknown:
            announce(without_leaf(column, str(plan.config.shipped), built.unknown, built.unknown_records))
        return register(database, column, kind=built.kind, ordered=built.ordered, origin=built.origin, options=options)


def _computed(database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce) -> Taxonomy:
    with database.transaction():
        settled, ordered = build_computed(
            database, column, plan.config, plan.options["type"], frequency=frequency, announce=announce
        )
        options = {**plan.options, "settled": settled}
        origin = _words(plan.options["how"])
        return register(database, column, kind="computed", ordered=ordered, origin=origin, options=options)


def _clusters(
    database: Database,
    column: str,
    plan: TaxonomyPlan,
    frequency: str,
    announce: Announce,
    *,
    bins: ValueBins | None = None,
) -> Taxonomy:
    with database.transaction():
        _write_clusters(database, column, plan, frequency, announce, bins)
        origin = f"2-means on {_named(plan.options['on']) or 'how often a value occurs'}"
        return register(database, column, kind="clusters", ordered=False, origin=origin, options=plan.options)


def _write_clusters(
    database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce, bins: ValueBins | None
) -> int:
    """Write a taxonomy of clusters; returns the root's level."""
    build_clusters, on = maker_of(plan.config.builder), plan.options["on"]
    label_k = plan.options["label_k"]
    root: int = build_clusters(database, column, frequency=frequency, on=on, label_k=label_k, bins=bins)
    if plan.config.prune:
        root = prune(database, column, root, bounds=False, announce=announce)
    _name(database, column, plan, frequency, announce)
    return root


def _name(database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce) -> None:
    """Give groups the names that their owner chose, once they are built."""
    if "labels" in plan.options:
        name_groups(
            database,
            column,
            plan.options["labels"],
            root_level(database, column),
            frequency=frequency,
            label_k=plan.options["label_k"],
            lenient=plan.named_before,
            announce=announce,
        )


def _intervals(database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce) -> Taxonomy:
    with database.transaction():
        _write_intervals(database, column, plan, frequency, announce)
        size = plan.options.get("size")
        origin = f"intervals of {size} values, then pairs" if size else _words(plan.options["how"])
        return register(database, column, kind="intervals", ordered=True, origin=origin, options=plan.options)


def _write_intervals(database: Database, column: str, plan: TaxonomyPlan, frequency: str, announce: Announce) -> int:
    """Write a taxonomy of intervals with its bounds; returns the root's level."""
    root = _cut(database, column, plan, frequency)
    return prune(database, column, root, bounds=True, announce=announce) if plan.config.prune else root


def _cut(database: Database, column: str, plan: TaxonomyPlan, frequency: str) -> int:
    chosen, kind = plan.config, plan.options["type"]
    ends = _ends(database, column, kind, chosen)
    k = {"label_k": plan.options["label_k"]} if BUILDERS[chosen.builder].by_values else {}
    build, asked = maker_of(chosen.builder), getattr(chosen, chosen.builder)
    root: int = build(database, column, kind, asked, frequency=frequency, ends=ends, **k)
    return root


def _ends(database: Database, column: str, column_type: str, chosen: TaxonomyOptions) -> OpenEnds:
    read = {
        key: read_bounds(database, column, column_type, [bound], key=key)[0]
        for key, bound in (("bottom", chosen.bottom), ("top", chosen.top))
        if bound is not None
    }
    return OpenEnds(**read)


def _words(how: Mapping[str, Any]) -> str:
    """The builder and its options as a person says them, such as ``dates month, quarter, year``."""
    return "; ".join(f"{name} {_said(value)}" for name, value in how.items())


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(_said(one) for one in value)
    return "NULL" if value is None else str(value)


def _named(names: Mapping[str, str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} other columns"


FILE = "file"
"""The kind of taxonomies that are imported from files, all together."""

MAKERS: Mapping[str, Callable[[Database, str, TaxonomyPlan, str, Announce], Taxonomy]] = {
    "intervals": _intervals,
    "clusters": _clusters,
    "computed": _computed,
    "listed": _listed,
    "shipped": _shipped,
}


def prune(database: Database, column: str, root: int, *, bounds: bool, announce: Callable[[str], None]) -> int:
    """Drop the levels under the root whose k is not above that of the kept level below; returns the root's new level.

    k is the column's alone: the records of the smallest node, NULL left out. Reads the builder's temporary table
    ``leaves``; ``bounds`` says whether ``bounds."<column>"`` follows. Says through ``announce`` what was dropped.
    """
    sizes = [_k(database, column, level) for level in range(root + 1)]
    kept = kept_levels(sizes)
    if len(kept) == root:
        return root
    keep_levels(database, column, kept, bounds=bounds)
    dropped = [f"level {level} (k {sizes[level]})" for level in range(1, root) if level not in kept]
    announce(
        f"taxonomy of {column}: dropped {', '.join(dropped)}: no gain in k over the level below; "
        f"{len(kept)} of {root} levels above the values are left"
    )
    return len(kept)


def kept_levels(sizes: list[int]) -> list[int]:
    """The levels above the leaf that stay, by the k of each level 0 to root: the ones that raise it, and the root."""
    kept, highest = [], sizes[0]
    for level, k in enumerate(sizes[1:-1], 1):
        if k > highest:
            kept.append(level)
            highest = k
    return [*kept, len(sizes) - 1]


def _k(database: Database, column: str, level: int) -> int:
    query = statement(
        "taxonomy/builders/prune_k.sql", table={"taxonomy": ("taxonomy", column)}, column={"node": f"code_{level}"}
    )
    k: int | None = database.value(query)
    return k or 0
