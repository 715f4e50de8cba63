"""The command taxonomy mapping: what a rule makes of each value."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.completion import rule_ids
from anonduck.cli.options import config_option, requirements, show_values_option
from anonduck.cli.terminal import reporting, say


@click.command("mapping")
@click.argument("rule", shell_complete=rule_ids)
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="CSV or Parquet file to write, readable only by you."
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="NAME=N",
    help="Override a requirement, as in release; labels depend on the required k.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@config_option
@show_values_option
def taxonomy_mapping_command(path: str, rule: str, output: str, required: tuple[str, ...], **options: bool) -> None:
    """Write what each source value becomes under RULE.

    The file maps old values to new ones, so it contains values of the source.
    """
    from anonduck.project import Project
    from anonduck.release.mapping import write_mapping

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        write_mapping(project.workspace, rule, Path(output), requirement=requirements(required), **options)
    say(f"wrote {output}; it contains values of the source, so protect it like the source", err=True)
