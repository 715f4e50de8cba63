"""The command taxonomy mapping: what a rule makes of each value."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.options import config_option, requirements, show_values_option
from anonduck.cli.terminal import reporting, say


@click.command("mapping")
@click.argument("rule")
@click.option("-o", "--output", required=True, metavar="FILE", help="A CSV or Parquet file that only you can read.")
@click.option(
    "--require", "required", multiple=True, metavar="NAME=N", help="As in release; labels depend on the k required."
)
@click.option("--overwrite", is_flag=True)
@config_option
@show_values_option
def taxonomy_mapping_command(path: str, rule: str, output: str, required: tuple[str, ...], **options: bool) -> None:
    """Write what RULE makes of each value of the source, old to new; it holds values of the source."""
    from anonduck.mapping import write_mapping
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        write_mapping(project, rule, Path(output), requirement=requirements(required), **options)
    say(f"wrote {output}; it holds values of the source: keep it as safe as the source", err=True)
