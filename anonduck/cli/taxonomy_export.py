"""The command taxonomy export: a taxonomy as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anonduck.cli.completion import columns as known_columns
from anonduck.cli.options import config_option
from anonduck.cli.terminal import reporting, say


@click.command("export")
@click.argument("column", shell_complete=known_columns)
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write, readable only by you.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["arx", "csv", "parquet", "dbt"]),
    default="arx",
    show_default=True,
    help="ARX hierarchy, CSV with a header, Parquet, or dbt seed (CSV) with its properties file.",
)
@click.option("--sep", help="Separator of levels.  [default: ; in arx, else ,]")
@click.option(
    "--header/--no-header",
    default=None,
    help="Write a first line that names the levels, or none.  [default: none in arx]",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@config_option
def taxonomy_export_command(path: str, column: str, output: str, **options: Any) -> None:
    """Write the taxonomy of COLUMN to a file.

    One row per value, leaf first, then a column per level. The file contains values of the
    source.
    """
    from anonduck.project import Project
    from anonduck.taxonomy.files.export import export_files, export_taxonomy

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        project.refuse_protected(*export_files(Path(output), options["format_"]))
        written = export_taxonomy(project.database, column, Path(output), **options)
    names = " and ".join(map(str, written))
    say(f"wrote {names}; values of the source are in it, so protect it like the source", err=True)
