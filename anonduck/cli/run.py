"""The command run: all of it by the config, for ETL."""

from __future__ import annotations

from typing import Any

import click

from anonduck.cli.discovery_options import changed, discovery_options
from anonduck.cli.options import config_option, json_option
from anonduck.cli.release import print_release
from anonduck.cli.rule_tables import print_expected
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.terminal import print_json, reporting, say


@click.command(
    "run",
    short_help="Run it all: discover, select, release, audit.",
    cls=SectionedCommand,
    sections={
        "Release": ["output", "overwrite", "select", "within", "reselect", "locked", "keep_roots", "no_report"],
        "Discovery": [
            "search",
            "coverage",
            "sample",
            "models",
            "train",
            "budget",
            "time_limit",
            "max_rfds",
            "max_rules",
        ],
        "Output": ["as_json"],
    },
)
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="Release to write: .parquet, .csv or FILE.duckdb::TABLE."
)
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@click.option("--select", metavar="NAME", help="Measure used to pick the best rule.  [default: accuracy]")
@click.option(
    "--within",
    type=click.Choice(["1se"]),
    help="Pick the largest k within one standard error of the best, not the best itself.",
)
@click.option("--reselect", is_flag=True, help="Select a rule again, even if the last one still meets the requirement.")
@click.option("--locked", is_flag=True, help="Release by anonduck.lock.yml alone; refuse if anything in it changed.")
@click.option("--keep-roots", is_flag=True, help="Keep columns that the rule leaves out, filled with their root label.")
@click.option("--no-report", is_flag=True, help="Do not write a decision report next to the release.")
@discovery_options
@config_option
@json_option
def run_command(
    path: str,
    as_json: bool,
    output: str,
    overwrite: bool,
    select: str | None,
    within: str | None,
    reselect: bool,
    locked: bool,
    keep_roots: bool,
    no_report: bool,
    **options: Any,
) -> None:
    """Run everything unattended: discover, select, release, audit.

    For nightly jobs: does what the config says, and discovers rules only if needed. Exits
    with 3 if no rule can meet the requirement.
    """
    from anonduck.project import Project

    changes = changed(options)
    with reporting() as reporter, Project(path, reporter=reporter) as project:
        if within is not None:
            changes["select"] = {"measure": select or project.config.select, "within": within}
        elif select is not None:
            changes["select"] = select
        how = {"overwrite": overwrite, "reselect": reselect, "keep_roots": keep_roots, "report": not no_report}
        how["locked"] = locked
        done = project.run(output, **how, **changes)
    if as_json:
        print_json(done.as_json())
        return
    method = done.release.receipt["method"]["name"]
    name = done.rule.id if done.rule else "the rule" if done.levels else method
    say(f"{name}: {done.reason}")
    print_expected(done.expected)
    print_release(done.release)
    if done.report:
        say(f"report: {done.report}")
