"""The command run: all of it by the config, for ETL."""

from __future__ import annotations

from typing import Any

import click

from anonduck.cli.discovery_options import changed
from anonduck.cli.options import config_option, json_option
from anonduck.cli.release import print_release
from anonduck.cli.rule_tables import print_expected
from anonduck.cli.terminal import print_json, reporting, say


@click.command("run")
@click.option("-o", "--output", required=True, metavar="FILE", help="FILE.parquet, FILE.csv or FILE.duckdb::table.")
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@click.option(
    "--reselect", is_flag=True, help="Choose a rule anew, even if the last choice still meets the requirement."
)
@click.option("--coverage", multiple=True, type=float, metavar="SHARE", help="As in discover; repeats.")
@click.option("--model", "models", multiple=True, help="As in discover; repeats.")
@click.option("--train", type=click.Choice(["auto", "all", "frontier"]), help="As in discover.")
@click.option("--sample", metavar="N|all", help="As in discover.")
@click.option("--max-rfds", type=click.IntRange(min=1), help="As in discover.")
@click.option("--max-rules", type=click.IntRange(min=1), help="As in discover.")
@click.option("--search", type=click.Choice(["combined", "rfd", "lattice"]), help="As in discover.")
@click.option("--no-report", is_flag=True, help="Write no decision report beside the release.")
@config_option
@json_option
def run_command(
    path: str, as_json: bool, output: str, overwrite: bool, reselect: bool, no_report: bool, **options: Any
) -> None:
    """Do all of it by anonduck.yml, for ETL: discover if needed, select, release, audit."""
    from anonduck.project import Project

    changes = changed(options)
    with reporting() as reporter, Project(path, reporter=reporter) as project:
        done = project.run(output, overwrite=overwrite, reselect=reselect, report=not no_report, **changes)
    if as_json:
        print_json(done.as_json())
        return
    name = done.rule.id if done.rule else "the rule"
    say(f"{name}: {done.reason}")
    print_expected(done.expected)
    print_release(done.release)
    if done.report:
        say(f"report: {done.report}")
