"""The command taxonomy build: taxonomies from the source."""

from __future__ import annotations

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.taxonomy_tables import print_taxonomies
from anonduck.cli.terminal import reporting


@click.command("build")
@click.argument("columns", nargs=-1)
@click.option("--replace", is_flag=True, help="Replace taxonomies that are there, even edited ones.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="How to build, as under `taxonomies:` in the config, such as width=10; repeats.",
)
@click.option("--cluster-on", multiple=True, metavar="COLUMN", help="Cluster values by those of this column; repeats.")
@config_option
@json_option
def taxonomy_build_command(
    path: str,
    as_json: bool,
    columns: tuple[str, ...],
    replace: bool,
    options: tuple[str, ...],
    cluster_on: tuple[str, ...],
) -> None:
    """Build the taxonomies of COLUMNS (all quasi-identifiers by default) as the config says.

    With options, COLUMNS that the config has no taxonomy for are built in that way, and later commands keep to it.
    """
    from anonduck.config_reading import read_options
    from anonduck.project import Project

    if (options or cluster_on) and not columns:
        raise click.UsageError("--option and --cluster-on say how to build single columns; name them")
    given = read_options(options, columns[0], cluster_on) if columns else None
    with reporting(quiet=as_json) as reporter, Project(path, reporter=reporter) as project:
        built = project.build_taxonomies(columns or None, replace=replace, options=given)
    print_taxonomies(built, as_json)
