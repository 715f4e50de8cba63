"""Options of a discovery, which `discover` and `run` take: their help, and what they are as config keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from anonduck.rules.measure_names import OBJECTIVES, UTILITY

F = TypeVar("F", bound=Callable[..., Any])

SELECT_HELP = f"Measure used to pick the best rule: {', '.join(OBJECTIVES)}.  [default: accuracy]"
MEASURE_HELP = f"Utility measure to compute: {', '.join(UTILITY)}, or all. Repeatable."

SEARCHES_OF = {
    "combine": ("auto", "combined"),
    "max_tried": ("auto", "combined"),
    "optimum_only": ("lattice",),
}
"""The searches that an option has a meaning for."""

SHARED = (
    click.option(
        "--search",
        type=click.Choice(["auto", "combined", "rfd", "lattice"]),
        help="How to find rules: auto looks at all rules, and at RFDs where that is too much; combined at RFDs and "
        "what --combine adds, rfd at RFDs alone; lattice proves the best by --select.  [default: auto]",
    ),
    click.option(
        "--coverage",
        multiple=True,
        type=float,
        metavar="SHARE",
        help="Mine the most frequent distance patterns up to this share of record pairs. Repeatable.",
    ),
    click.option(
        "--sample", metavar="N|all", help="Compare the pairs of N sampled records, or of all.  [default: 50000]"
    ),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="Model whose accuracy to measure: tree, svm, logistic, forest, bayes, an import path, or none. "
        "Repeatable.  [default: tree]",
    ),
    click.option(
        "--train",
        type=click.Choice(["auto", "all", "frontier"]),
        help="Train models for all rules or only for those that can be on the frontier.  [default: auto]",
    ),
    click.option(
        "--budget",
        metavar="N|auto",
        help="Stop searching after this much work: level vectors evaluated, and 30 or more for each model trained. "
        "Finds the same rules on every machine.  [default: auto, about a minute]",
    ),
    click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Stop discovering after this many seconds, whatever the search.  [default: 300]",
    ),
    click.option("--max-rfds", type=click.IntRange(min=1), metavar="N", help="Keep at most N RFDs per coverage."),
    click.option("--max-rules", type=click.IntRange(min=1), metavar="N", help="Keep at most N rules per coverage."),
)


def discovery_options(command: F) -> F:
    """The options that every command has that may discover rules."""
    for option in reversed(SHARED):
        command = option(command)
    return command


def refuse_idle(options: Mapping[str, Any], search: str) -> None:
    """Refuse options that have no meaning for this search."""
    for name, searches in SEARCHES_OF.items():
        if options[name] and search not in searches:
            fitting = " or ".join(searches)
            raise click.UsageError(
                f"--{name.replace('_', '-')} works only with --search {fitting}; this search is {search}. "
                "Drop the option, or change the search"
            )


def changed(options: dict[str, Any]) -> dict[str, Any]:
    """Options of discovery as config keys, those not given left out."""
    changes = {name: value for name, value in options.items() if value not in (None, ())}
    if changes.pop("optimum_only", False):
        changes["lattice_frontier"] = False
    for name in ("coverage", "combine", "k_counts", "models", "measures"):
        if name in changes:
            changes[name] = list(changes[name])
    if "keep" in changes:
        changes["keep"] = _kept(changes["keep"])
    if "none" in changes.get("models", ()):
        if len(changes["models"]) > 1:
            raise click.UsageError(
                "--model none cannot be combined with other models; it means that no model is measured"
            )
        changes["models"] = []
    if changes.get("budget", "auto") != "auto":
        if not changes["budget"].isdecimal() or not int(changes["budget"]):
            raise click.UsageError(f"--budget takes a number of at least 1, or auto; got {changes['budget']!r}")
        changes["budget"] = int(changes["budget"])
    if "sample" in changes and changes["sample"] != "all":
        if not changes["sample"].isdecimal():
            raise click.UsageError(f"--sample takes a number of records or all; got {changes['sample']!r}")
        changes["sample"] = int(changes["sample"])
    return changes


def _kept(texts: Sequence[str]) -> dict[str, int | None]:
    """Read ``--keep COLUMN=N``; what follows the last equals sign is a level if it is a number, else of the name."""
    found: dict[str, int | None] = {}
    for text in texts:
        name, _, level = text.rpartition("=")
        column, highest = (name, int(level)) if name and level.isdecimal() else (text, None)
        if column in found:
            raise click.UsageError(f"--keep names {column!r} twice; name it once")
        found[column] = highest
    return found
