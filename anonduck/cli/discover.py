"""The command discover: find generalization rules and measure them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.frontier_tables import print_proof
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import config_option, json_option, show_values_option, source_option
from anonduck.cli.rule_tables import print_baseline, print_persons
from anonduck.cli.settings import settings_options
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import opened, print_json, say
from anonduck.config.changes import Changes
from anonduck.errors import SearchCutShort

if TYPE_CHECKING:
    from anonduck.search.discovery import Discovery

SETTINGS = (
    *("search", "coverage", "sample", "models", "budget", "time_limit", "max_rfds", "max_rules"),
    *("keep", "select", "measures", "test_on"),
)
"""Keys of the config that a discovery may be given other values for."""


@click.command(
    "discover",
    cls=SectionedCommand,
    sections={
        "What to search": ["source", "search", "coverage", "sample"],
        "What to keep and compare": ["min_k", "keep", "select", "measures"],
        "Models": ["models", "test_on"],
        "Bounds": ["budget", "time_limit", "max_rfds", "max_rules"],
        "Output": ["as_json", "json_line", "show_values"],
    },
)
@source_option
@settings_options(*SETTINGS)
@click.option(
    "--min-k", type=click.IntRange(min=1), metavar="N", help="Drop rules with a smaller k.  [default: the required k]"
)
@click.option(
    "--method",
    "offers",
    multiple=True,
    metavar="NAME",
    help="Method to offer beside rules, such as mondrian or mondrian:splits=entropy. Repeatable.",
)
@config_option
@json_option
@show_values_option
def discover_command(
    path: str,
    as_json: bool,
    show_values: bool,
    source: str | None,
    min_k: int | None,
    offers: tuple[str, ...],
    changes: Changes,
) -> None:
    """Find and measure generalization rules.

    Results replace those of the last discovery; list them with `anonduck rules` and
    `anonduck frontier`. Options override the config for this discovery; the defaults
    below apply where the config says nothing. Exits with 5 if the time was up before there
    was a rule.
    """
    with opened(path, source) as project:
        discovery = project.discover(min_k=min_k, show_values=show_values, offers=offers, **changes)
    _print(discovery, as_json)
    if discovery.out_of_time:
        click.get_current_context().exit(SearchCutShort.exit_code)


def _print(discovery: Discovery, as_json: bool) -> None:
    from anonduck.rules.measure_names import default_objectives
    from anonduck.search.suppression_curve import gain_by_suppression

    if as_json:
        rules = [rule.as_json() for rule in discovery.rules]
        print_json(
            {**discovery.as_json(), "rules": rules, "frontier": [rule["id"] for rule in rules if rule["on_frontier"]]}
        )
        return
    if discovery.exact is not None:
        print_proof(discovery.as_json())
    if discovery.coverages:
        _print_coverages(discovery.coverages)
    if discovery.explanation:
        print_persons(discovery.as_json())
        say(discovery.explanation)
        return
    print_baseline(discovery.as_json())
    front = sum(rule.on_frontier for rule in discovery.rules)
    compared = default_objectives(discovery.models, has_class=discovery.has_class)[1].replace("_", " ")
    if (offer := gain_by_suppression(discovery)) is not None:
        say(offer)
    tying = sum(bool(rule.tied_with) for rule in discovery.rules if rule.on_frontier)
    ties = f" ({tying} of them no better than one of a larger k but for noise)" if tying else ""
    found = _number(len(discovery.rules), "rule")
    say(f"{found}, {front} on the frontier of k and {compared}{ties}: anonduck frontier")


def _print_coverages(coverages: Any) -> None:
    rows = [
        [
            f"{c['coverage']:g}",
            f"{c['patterns']:,}",
            f"{c['class_differing']:,}",
            f"{c['minimal_class_differing']:,}",
            f"{c['rfds']:,}",
            f"{c['rfds_at_min_k']:,}",
            " + ".join(map(str, c["joined_per_round"])),
            f"{c['rules']:,}",
            "incomplete" if c["incomplete"] else "",
        ]
        for c in coverages
    ]
    names = ["coverage", "patterns", "class-differing", "minimal", "RFDs", "at min k", "joined", "rules", ""]
    print_table(names, rows, right=[*names[:6], "rules"])


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
