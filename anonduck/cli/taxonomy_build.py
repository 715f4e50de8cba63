"""The command taxonomy build: taxonomies from the source."""

from __future__ import annotations

import click

from anonduck.cli.completion import columns as known_columns
from anonduck.cli.options import config_option, json_option
from anonduck.cli.taxonomy_tables import print_taxonomies
from anonduck.cli.terminal import reporting


@click.command("build")
@click.argument("columns", nargs=-1, shell_complete=known_columns)
@click.option("--replace", is_flag=True, help="Replace existing taxonomies, even edited ones.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Build option, as under `taxonomies:` in the config, such as width=10. Repeatable.",
)
@click.option(
    "--cluster-on",
    multiple=True,
    metavar="COLUMN",
    shell_complete=known_columns,
    help="Cluster values by how they co-occur with this column's. Repeatable.",
)
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
    """Build taxonomies from the values of the source.

    Builds those of COLUMNS, or of all quasi-identifiers, as the config says. --option and
    --cluster-on say how to build COLUMNS that the config has no taxonomy for; later
    commands keep to that.
    """
    from anonduck.config.reading import read_options
    from anonduck.project import Project

    if (options or cluster_on) and not columns:
        raise click.UsageError("--option and --cluster-on say how to build particular columns; name the COLUMNS")
    given = read_options(options, columns[0], cluster_on) if columns else None
    with reporting(quiet=as_json) as reporter, Project(path, reporter=reporter) as project:
        built = project.build_taxonomies(columns or None, replace=replace, options=given)
    print_taxonomies(built, as_json)
