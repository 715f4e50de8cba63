"""The command taxonomy import: hierarchy files as taxonomies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anonduck.cli.options import config_option, json_option, show_values_option
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.taxonomy_tables import print_taxonomies
from anonduck.cli.terminal import reporting


@click.command(
    "import",
    cls=SectionedCommand,
    sections={
        "File": ["format_", "sep", "header", "encoding"],
        "Columns": ["column", "mapped"],
        "Output": ["as_json", "json_line", "show_values"],
    },
)
@click.argument("file", type=click.Path())
@click.option(
    "--format",
    "format_",
    type=click.Choice(["plain", "blocks"]),
    default="plain",
    show_default=True,
    help="Kind of file.",
)
@click.option(
    "--column",
    metavar="COLUMN",
    help="Column that a plain file is for.  [default: the file name without its extension]",
)
@click.option("--map", "mapped", multiple=True, metavar="BLOCK=COLUMN", help="Column that a block is for. Repeatable.")
@click.option("--sep", help="Separator of levels.  [default: detected]")
@click.option(
    "--header/--no-header", default=None, help="Whether the first line names the levels.  [default: detected]"
)
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the file.")
@config_option
@json_option
@show_values_option
def taxonomy_import_command(path: str, as_json: bool, file: str, **options: Any) -> None:
    """Import taxonomies from a hierarchy file.

    A plain file has one column per level, leaf first; a file of blocks has several taxonomies.
    """
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        imported = project.import_taxonomies(Path(file), mapping=_mapping(options.pop("mapped")), **options)
    print_taxonomies(imported, as_json)


def _mapping(texts: tuple[str, ...]) -> dict[str, str]:
    mapping = {}
    for text in texts:
        block, equals, column = text.partition("=")
        if not (block and equals and column):
            raise click.UsageError(f"--map takes BLOCK=COLUMN, such as educationNum=education-num; got {text!r}")
        mapping[block] = column
    return mapping
