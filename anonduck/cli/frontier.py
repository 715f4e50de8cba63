"""The command frontier: the rules that no other dominates."""

from __future__ import annotations

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.rule_list import print_rule_list


@click.command("frontier")
@click.option(
    "--objective", "objectives", multiple=True, help="A measure to weigh; two or more.  [default: k, accuracy]"
)
@click.option("--plot", is_flag=True, help="Draw k and the first other objective in text.")
@click.option("--gap", is_flag=True, help="Search the lattice, and tell how far each rule is from the best at its k.")
@click.option(
    "--expected",
    is_flag=True,
    help="Repeat the search on fewer records, and tell how accurate each rule is expected to be on people who were "
    "not there.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Bound on that search, for each objective.  [default: the config's]",
)
@config_option
@json_option
def frontier_command(
    path: str,
    as_json: bool,
    objectives: tuple[str, ...],
    plot: bool,
    gap: bool,
    expected: bool,
    time_limit: float | None,
) -> None:
    """List the rules that no other rule dominates."""
    if time_limit is not None and not gap:
        raise click.UsageError("--time-limit bounds the search that --gap asks for; give --gap too")
    print_rule_list(path, as_json, objectives, plot=plot, gap=gap, expected=expected, time_limit=time_limit)
