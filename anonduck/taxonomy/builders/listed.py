"""Taxonomies that a config lists: values in their order, or a tree of groups written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.config.config import Config
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.source.source import Announce
from anonduck.taxonomy.catalog import Taxonomy, maker_of, value_type
from anonduck.taxonomy.files.leaves import HierarchyFile, import_hierarchy
from anonduck.taxonomy.files.text_lines import HierarchyText

GROUP = 2
BETWEEN = "\x1f"


@dataclass(frozen=True)
class Listed:
    """A hierarchy that a config lists: each value with its labels, the nearest first, and whether order counts."""

    paths: Iterable[list[str]]
    ordered: bool


def import_listed(
    database: Database,
    column: str,
    chosen: TaxonomyOptions,
    *,
    options: dict[str, Any],
    frequency: str = "frequency_set",
    announce: Announce | None = None,
) -> Taxonomy:
    """Write the taxonomy of a column whose config has ``order`` or ``groups``; an ordinal one is ordered.

    Raises TaxonomyError where the lists are no tree over the column's values.
    """
    listed: Listed = maker_of(chosen.builder)(chosen)
    whose = f"`{chosen.builder}` of {column} {'in the options of a build' if 'given' in options else 'in the config'}"
    lines = [BETWEEN.join(map(_quoted, path)) for path in listed.paths]
    hierarchy = HierarchyText(whose, lines, 1, BETWEEN, header=False)
    kind = value_type(database, column, frequency)
    file = HierarchyFile(column, hierarchy, kind, options, in_order=listed.ordered)
    return import_hierarchy(database, file, frequency=frequency, announce=announce)


def order_hierarchy(options: TaxonomyOptions) -> Listed:
    """The values that ``order`` names, neighbours under one label."""
    return Listed(order_paths(options.order or [], options.group or GROUP), ordered=True)


def declared_labels(config: Config, column: str) -> list[str]:
    """The values of a column and the labels of their groups, by the order that the config declares; empty without one.

    A group stands before its first value.
    """
    chosen = config.taxonomies.get(column)
    values = (chosen and chosen.order) or config.order.get(column, [])
    paths = order_paths(values, (chosen and chosen.group) or GROUP)
    return list(dict.fromkeys(label for path in paths for label in reversed(path)))


def group_hierarchy(options: TaxonomyOptions) -> Listed:
    """The values that ``groups`` names, under its labels."""
    return Listed(group_paths(options.groups or {}), ordered=False)


def order_paths(values: Sequence[str], group: int) -> Iterator[list[str]]:
    """Each value with its labels: groups of ``group`` neighbours, then pairs, ``*`` last.

    >>> list(order_paths(["none", "primary", "secondary"], 2))
    [['none', 'none to primary', '*'], ['primary', 'none to primary', '*'], ['secondary', 'secondary', '*']]
    """
    sizes = [group]
    while sizes[-1] < len(values):
        sizes.append(sizes[-1] * 2)
    for at, value in enumerate(values):
        labels = [_span(values, at // size * size, at // size * size + size - 1) for size in sizes[:-1]]
        yield [value, *labels, "*"]


def _span(values: Sequence[str], first: int, last: int) -> str:
    """A label for neighbours that is no value outside of them."""
    last = min(last, len(values) - 1)
    label = values[first] if first == last else f"{values[first]} to {values[last]}"
    while first < last and label in values:
        label += "'"
    return label


def group_paths(groups: Mapping[str, Any]) -> Iterator[list[str]]:
    """Each value with the labels above it, the nearest first; ``*`` last, unless a single label is the root.

    >>> list(group_paths({"north": ["Oslo"], "south": ["Rome", "Bari"]}))
    [['Oslo', 'north', '*'], ['Rome', 'south', '*'], ['Bari', 'south', '*']]
    """
    root = [] if len(groups) == 1 else ["*"]
    for path in _paths_under(groups):
        yield [*path, *root]


def _paths_under(groups: Mapping[str, Any]) -> Iterator[list[str]]:
    for label, below in groups.items():
        paths = _paths_under(below) if isinstance(below, Mapping) else ([value] for value in below)
        for path in paths:
            yield [*path, label]


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if '"' in field or "\n" in field or "\r" in field else field
