"""The command run: all of it by the config, for ETL."""

from __future__ import annotations

from typing import Any

import click

from anonduck.cli.completion import names
from anonduck.cli.discovery_options import SELECT_HELP, changed, discovery_options
from anonduck.cli.options import config_option, json_option
from anonduck.cli.release import print_release
from anonduck.cli.rule_tables import print_expected
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.terminal import print_json, reporting, say
from anonduck.rules.measure_names import OBJECTIVES


@click.command(
    "run",
    short_help="Run it all: discover, select, release, audit.",
    cls=SectionedCommand,
    sections={
        "Release": [
            "output",
            "if_exists",
            "overwrite",
            "select",
            "within",
            "reselect",
            "locked",
            "keep_roots",
            "no_report",
        ],
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
        "Output": ["as_json", "json_line"],
    },
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Release to write: .parquet, .csv, FILE.duckdb::TABLE; where an engine reads the source, spark:TABLE "
    "or a folder, NAME.parquet/.",
)
@click.option(
    "--if-exists",
    type=click.Choice(["fail", "overwrite", "skip"]),
    help="What to do with an existing release; skip ends with 0 if it is of the same records and config.  "
    "[default: fail]",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing release, as --if-exists overwrite does.")
@click.option("--select", metavar="NAME", help=SELECT_HELP, shell_complete=names(OBJECTIVES))
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
    if_exists: str | None,
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
        how: dict[str, Any] = {"overwrite": overwrite, "if_exists": if_exists, "report": not no_report}
        how |= {"reselect": reselect, "keep_roots": keep_roots, "locked": locked}
        done = project.run(output, **how, **changes)
    if as_json:
        print_json(done.as_json())
        return
    if done.release.skipped:
        say(f"{done.release.target}: {done.reason}")
        return
    method = done.release.owner["method"]["name"]
    name = done.rule.id if done.rule else "the rule" if done.levels else method
    say(f"{name}: {done.reason}")
    print_expected(done.expected)
    print_release(done.release)
    if done.report:
        say(f"report: {done.report}")
