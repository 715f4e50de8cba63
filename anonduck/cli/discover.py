"""The command discover: find generalization rules and measure them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from anonduck.cli.discovery_options import changed, refuse_idle
from anonduck.cli.options import config_option, json_option, show_values_option
from anonduck.cli.rule_tables import print_baseline
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import print_json, reporting, say


@click.command("discover")
@click.option(
    "--coverage", multiple=True, type=float, metavar="SHARE", help="Share of pairs whose patterns are mined; repeats."
)
@click.option("--min-k", type=click.IntRange(min=1), help="Drop rules under this k.  [default: the required k]")
@click.option(
    "--k-counts", multiple=True, type=click.Choice(["class"]), help="Count this beside the quasi-identifiers in k."
)
@click.option("--model", "models", multiple=True, help="A model to measure, such as tree, or none; repeats.")
@click.option(
    "--test-on",
    type=click.Choice(["generalized", "original"]),
    help="Test models on generalized or original records.  [default: generalized]",
)
@click.option(
    "--train",
    type=click.Choice(["auto", "all", "frontier"]),
    help="Which rules models are trained for.  [default: auto]",
)
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A utility measure, or all; repeats.")
@click.option("--sample", metavar="N|all", help="Records whose pairs are joined.  [default: 50000]")
@click.option("--max-rfds", type=click.IntRange(min=1), help="Bound on the RFDs of one coverage.")
@click.option("--max-rules", type=click.IntRange(min=1), help="Bound on the rules of one coverage.")
@click.option("--pool", is_flag=True, default=None, help="Join rules across coverages too.")
@click.option(
    "--search",
    type=click.Choice(["combined", "rfd", "lattice"]),
    help="How rules are found.  [default: the config's, or combined]",
)
@click.option(
    "--combine",
    multiple=True,
    type=click.Choice(["tolerant", "refined"]),
    help="What a combined search adds to the rules of RFDs; repeats.  [default: refined]",
)
@click.option("--max-tried", type=click.IntRange(min=1), help="Bound on the level vectors that each of these tries.")
@click.option("--select", metavar="NAME", help="What rules are to be best in.  [default: the config's]")
@click.option("--optimum-only", is_flag=True, help="A lattice search finds the optimum without the frontier.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Bound on a lattice search; or on the joins of a coverage, and on what a combined search adds.",
)
@config_option
@json_option
@show_values_option
def discover_command(path: str, as_json: bool, show_values: bool, min_k: int | None, **options: Any) -> None:
    """Find generalization rules, measure them, mark the frontier; replaces earlier results."""
    from anonduck.discovery import default_objectives
    from anonduck.project import Project

    changes = changed(options)
    with reporting(quiet=False) as reporter, Project(path, reporter=reporter) as project:
        refuse_idle(options, changes.get("search") or project.config.search)
        discovery = project.discover(min_k=min_k, show_values=show_values, **changes)
    if as_json:
        rules = [rule.as_json() for rule in discovery.rules]
        print_json(
            {**discovery.as_json(), "rules": rules, "frontier": [rule["id"] for rule in rules if rule["on_frontier"]]}
        )
        return
    if discovery.lattice is not None:
        _print_lattice(discovery.lattice)
    else:
        _print_coverages(discovery.coverages)
        _print_combined(discovery.combined or {})
    if discovery.explanation:
        say(discovery.explanation)
        return
    print_baseline(discovery.as_json())
    front = sum(rule.on_frontier for rule in discovery.rules)
    compared = default_objectives(discovery.models)[1].replace("_", " ")
    say(f"{len(discovery.rules):,} rules, {front} on the frontier of k and {compared}: anonduck frontier")


def _print_lattice(found: Mapping[str, Any]) -> None:
    """What a search of the lattice found, and what of it is proven."""
    measure = found["objective"].replace("_", " ")
    evaluated = f"{found['evaluated']:,} of {found['nodes']:,} level vectors evaluated"
    if found["trained"] is not None:
        evaluated += f", models trained for {found['trained']:,}"
    if found["optimum"] is None:
        say(evaluated)
        return
    proven = "the optimum" if found["optimal"] else "the best found"
    bound = "" if found["optimal"] or found["bound"] is None else f" (none is better than {found['bound']:.4f})"
    say(f"{found['optimum']}: {proven} in {measure}, {found['value']:,.4f}{bound}; {evaluated}")
    if found["frontier"] != "none":
        say(f"frontier of k and {measure}: {found['frontier']}")


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


def _print_combined(combined: Mapping[str, Any]) -> None:
    """What a combined search added to the rules of RFDs."""
    for part, found in combined.items():
        ended = "" if found["complete"] else ", incomplete"
        added, tried = _number(found["added"], "rule"), _number(found["tried"], "level vector")
        say(f"{part}: {added} added, {tried} tried{ended}")


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
