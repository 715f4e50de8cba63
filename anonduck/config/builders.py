"""The builders of taxonomies: how each is called, and which options belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Builder:
    """A way to make the taxonomy of a column.

    ``kind`` is what it makes: intervals, clusters, computed, listed, shipped or file. ``maker`` is the function that
    does, ``module:function`` of the room ``anonduck.taxonomy``, called as all makers of its kind are (see
    ``anonduck.taxonomy.taxonomies``). ``options`` are the keys that belong to it. ``by_values``: its nodes follow from
    how many records hold each value, so that the taxonomy belongs to a k.
    """

    kind: str
    maker: str
    options: tuple[str, ...] = ()
    by_values: bool = False


CUT = ("top", "bottom", "prune")

BUILDERS: Mapping[str, Builder] = {
    "intervals": Builder("intervals", "builders.intervals:build_intervals", CUT, by_values=True),
    "width": Builder("intervals", "builders.grids:build_width", CUT),
    "quantiles": Builder("intervals", "builders.intervals:build_quantiles", CUT, by_values=True),
    "log": Builder("intervals", "builders.grids:build_log", CUT),
    "breaks": Builder("intervals", "builders.grids:build_breaks", CUT),
    "clusters": Builder("clusters", "builders.clusters:build_clusters", ("cluster_on", "prune"), by_values=True),
    "mask": Builder("computed", "builders.codes:mask_labels", ("step", "length", "pad")),
    "prefix": Builder("computed", "builders.codes:prefix_labels"),
    "dates": Builder("computed", "builders.dates:date_labels", ("zone", "format")),
    "ip": Builder("computed", "builders.codes:ip_labels"),
    "email": Builder("computed", "builders.codes:email_labels"),
    "geohash": Builder("computed", "builders.geohash:geohash_labels"),
    "order": Builder("listed", "builders.listed:order_hierarchy", ("group",)),
    "groups": Builder("listed", "builders.listed:group_hierarchy"),
    "shipped": Builder("shipped", "builders.shipped:build_shipped"),
    "file": Builder("file", "files.files:read_file", ("block", "sep", "header")),
}
"""Each builder by its key in the config."""


def owners(option: str) -> list[str]:
    """The builders that an option belongs to."""
    return [name for name, builder in BUILDERS.items() if option in builder.options]
