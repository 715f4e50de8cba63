"""Options of a discovery as config keys, and those that belong to another search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

SEARCHES_OF = {
    "combine": ("combined",),
    "max_tried": ("combined",),
    "optimum_only": ("lattice",),
    "time_limit": ("combined", "lattice", "rfd"),
}


def refuse_idle(options: Mapping[str, Any], search: str) -> None:
    """Options that another search takes."""
    for name, searches in SEARCHES_OF.items():
        if options[name] and search not in searches:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for --search {' or '.join(searches)}; this one is {search}. "
                "Leave it out, or change the search"
            )


def changed(options: dict[str, Any]) -> dict[str, Any]:
    """Options of discovery as config keys, those not given left out."""
    changes = {name: value for name, value in options.items() if value not in (None, ())}
    if changes.pop("optimum_only", False):
        changes["lattice_frontier"] = False
    for name in ("coverage", "combine", "k_counts", "models", "measures"):
        if name in changes:
            changes[name] = list(changes[name])
    if "none" in changes.get("models", ()):
        if len(changes["models"]) > 1:
            raise click.UsageError("--model none stands alone; it measures no model")
        changes["models"] = []
    if "sample" in changes and changes["sample"] != "all":
        if not changes["sample"].isdecimal():
            raise click.UsageError(f"--sample takes a number of records or all; it got {changes['sample']!r}")
        changes["sample"] = int(changes["sample"])
    return changes
