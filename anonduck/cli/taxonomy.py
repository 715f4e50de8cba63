"""The group taxonomy: commands on the lookup tables that generalize values."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from anonduck.cli.completion import columns as known_columns
from anonduck.cli.completion import rule_ids
from anonduck.cli.groups import LazyGroup, SectionedCommand
from anonduck.cli.options import (
    config_option,
    json_option,
    labels_require_option,
    overwrite_option,
    read_pairs,
    show_values_option,
)
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import line_width, opened, print_json, say

COMMANDS = ("list", "build", "import", "show", "check", "export", "mapping")


@click.group("taxonomy", cls=LazyGroup, homes=dict.fromkeys(COMMANDS, "taxonomy"), prefix="taxonomy_")
def taxonomy_command() -> None:
    """Build, import, show, check and export taxonomies.

    A taxonomy is a lookup table that generalizes the values of a column, level by level.
    """


@click.command("list")
@json_option
def taxonomy_list_command(as_json: bool) -> None:
    """List the taxonomies that ship with anonduck.

    Use one with `shipped: NAME` under `taxonomies:` in the config.
    """
    from anonduck.taxonomy.builders.shipped import list_shipped

    shipped = list_shipped()
    if as_json:
        print_json({"taxonomies": [one.as_json() for one in shipped]})
        return
    rows = [[one.name, one.leaves, " > ".join(one.levels), one.origin] for one in shipped]
    print_table(["name", "leaves", "levels", "origin"], rows)


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

    if (options or cluster_on) and not columns:
        raise click.UsageError("--option and --cluster-on say how to build particular columns; name the COLUMNS")
    given = read_options(options, columns[0], cluster_on) if columns else None
    with opened(path, quiet=as_json) as project:
        built = project.build_taxonomies(columns or None, replace=replace, options=given)
    _print_taxonomies(built, as_json)


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
def taxonomy_import_command(
    path: str,
    as_json: bool,
    file: str,
    format_: str,
    column: str | None,
    mapped: tuple[str, ...],
    sep: str | None,
    header: bool | None,
    encoding: str,
    show_values: bool,
) -> None:
    """Import taxonomies from a hierarchy file.

    A plain file has one column per level, leaf first; a file of blocks has several taxonomies.
    """
    with opened(path) as project:
        imported = project.import_taxonomies(
            Path(file),
            format_=format_,
            column=column,
            mapping=read_pairs(mapped, "--map", "BLOCK=COLUMN", "educationNum=education-num"),
            sep=sep,
            header=header,
            encoding=encoding,
            show_values=show_values,
        )
    _print_taxonomies(imported, as_json)


@click.command("show")
@click.argument("column", shell_complete=known_columns)
@click.option("--level", type=click.IntRange(min=0), metavar="N", help="List the nodes of this level.")
@config_option
@json_option
@show_values_option
def taxonomy_show_command(path: str, as_json: bool, column: str, level: int | None, show_values: bool) -> None:
    """Draw the taxonomy of COLUMN with record counts."""
    from anonduck.taxonomy.view import as_json as view_as_json
    from anonduck.taxonomy.view import draw

    with opened(path) as project:
        view = project.show_taxonomy(column, level=level, show_values=show_values)
    if as_json:
        print_json(view_as_json(view))
        return
    say(draw(view, line_width() or 100))


@click.command("check")
@click.argument("columns", nargs=-1, shell_complete=known_columns)
@config_option
@json_option
@show_values_option
def taxonomy_check_command(path: str, as_json: bool, columns: tuple[str, ...], show_values: bool) -> None:
    """Check taxonomies against the source.

    Checks those of COLUMNS, or all. Exits with 2 if one is broken.
    """
    with opened(path) as project:
        findings = project.check_taxonomies(columns or None, show_values=show_values)
    broken = [finding for finding in findings if finding.severity == "error"]
    if as_json:
        print_json({"findings": [asdict(finding) for finding in findings], "ok": not broken})
    else:
        for finding in findings:
            say(f"{finding.severity}: {finding.message}")
            for example in finding.examples:
                say(f"  {example}")
        say(f"{len(broken)} errors, {len(findings) - len(broken)} warnings")
    if broken:
        raise click.exceptions.Exit(2)


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
@overwrite_option()
@config_option
def taxonomy_export_command(
    path: str, column: str, output: str, format_: str, sep: str | None, header: bool | None, overwrite: bool
) -> None:
    """Write the taxonomy of COLUMN to a file.

    One row per value, leaf first, then a column per level. The file contains values of the
    source.
    """
    from anonduck.taxonomy.files.export import export_files, export_taxonomy

    with opened(path) as project:
        project.refuse_protected(*export_files(Path(output), format_))
        written = export_taxonomy(
            project.database, column, Path(output), format_=format_, sep=sep, header=header, overwrite=overwrite
        )
    names = " and ".join(map(str, written))
    say(f"wrote {names}; values of the source are in it, so protect it like the source", err=True)


@click.command("mapping")
@click.argument("rule", shell_complete=rule_ids)
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="CSV or Parquet file to write, readable only by you."
)
@labels_require_option
@overwrite_option()
@config_option
@show_values_option
def taxonomy_mapping_command(
    path: str, rule: str, output: str, required: dict[str, Any], overwrite: bool, show_values: bool
) -> None:
    """Write what each source value becomes under RULE.

    The file maps old values to new ones, so it contains values of the source.
    """
    from anonduck.release.mapping import write_mapping

    with opened(path) as project:
        write_mapping(
            project.workspace, rule, Path(output), requirement=required, overwrite=overwrite, show_values=show_values
        )
    say(f"wrote {output}; it contains values of the source, so protect it like the source", err=True)


def _print_taxonomies(taxonomies: Any, as_json: bool) -> None:
    """Kind, number of values and nodes of each taxonomy."""
    if as_json:
        print_json({"taxonomies": [asdict(taxonomy) for taxonomy in taxonomies.values()]})
        return
    rows = [
        [t.column, t.kind, f"{t.leaves:,}", str(t.root), " > ".join(f"{n:,}" for n in t.nodes)]
        for t in taxonomies.values()
    ]
    print_table(["column", "kind", "values", "root level", "nodes per level"], rows, right=["values", "root level"])
