"""The command frontier: the rules that no other dominates."""

from __future__ import annotations

import click

from anonduck.cli.completion import names
from anonduck.cli.options import config_option, json_option
from anonduck.cli.rule_list import print_rule_list
from anonduck.rules.measure_names import OBJECTIVES


@click.command("frontier", short_help="List the best trade-offs, which no rule dominates.")
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    metavar="NAME",
    shell_complete=names(OBJECTIVES),
    help=f"Measure to compare rules by, two or more of {', '.join(OBJECTIVES)}, or a score of one model, as "
    "accuracy.svm.  [default: k, and the accuracy of the first model]",
)
@click.option("--all", "everything", is_flag=True, help="Also list rules that tell nothing of the class.")
@click.option("--plot", is_flag=True, help="Also draw a text chart of k and the first other objective.")
@click.option(
    "--gap", is_flag=True, help="Show how far each rule is from the best at its k, from a search of all rules."
)
@click.option(
    "--expected",
    is_flag=True,
    help="Repeat the search on part of the records, and show the accuracy to expect on unseen records.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop each search of --gap after this many seconds, one per objective.  [default: the config's]",
)
@config_option
@json_option
def frontier_command(
    path: str,
    as_json: bool,
    objectives: tuple[str, ...],
    everything: bool,
    plot: bool,
    gap: bool,
    expected: bool,
    time_limit: float | None,
) -> None:
    """List the best trade-offs: rules that no other rule dominates.

    A rule dominates another if it is at least as good in every objective and better in one.
    A rule that is better than one with a larger k by noise alone is marked as a tie; one that
    is no better than naming the majority class tells nothing, and is listed by --all only.
    """
    if time_limit is not None and not gap:
        raise click.UsageError("--time-limit is for the searches of --gap; add --gap, or drop --time-limit")
    print_rule_list(
        path,
        as_json,
        objectives,
        everything=everything,
        plot=plot,
        gap=gap,
        expected=expected,
        time_limit=time_limit,
    )
