"""Commands on taxonomies: build, import, export, show, check."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from anonduck.cli.options import config_option, json_option, requirements, show_values_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import print_json, reporting, say


@click.group("taxonomy")
def taxonomy_command() -> None:
    """Build, import, export, show and check the lookup tables that generalize values."""


@taxonomy_command.command("build")
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
def build_command(
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
    _print_taxonomies(built, as_json)


@taxonomy_command.command("import")
@click.argument("file", type=click.Path())
@click.option("--format", "format_", type=click.Choice(["plain", "blocks"]), default="plain", show_default=True)
@click.option("--column", help="The column of a plain file.  [default: the file's name without its ending]")
@click.option("--map", "mapped", multiple=True, metavar="BLOCK=COLUMN", help="The column of a block; repeats.")
@click.option("--sep", help="What stands between levels.  [default: found from the file]")
@click.option("--header/--no-header", default=None, help="Whether the first line names the levels.")
@click.option("--encoding", default="utf-8", show_default=True)
@config_option
@json_option
@show_values_option
def import_command(path: str, as_json: bool, file: str, **options: Any) -> None:
    """Import a hierarchy file: one column per level, leaf first; or a file of several blocks."""
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        imported = project.import_taxonomies(Path(file), mapping=_mapping(options.pop("mapped")), **options)
    _print_taxonomies(imported, as_json)


def _mapping(texts: tuple[str, ...]) -> dict[str, str]:
    mapping = {}
    for text in texts:
        block, equals, column = text.partition("=")
        if not (block and equals and column):
            raise click.UsageError(f"--map takes BLOCK=COLUMN, such as educationNum=education-num; it got {text!r}")
        mapping[block] = column
    return mapping


def _print_taxonomies(taxonomies: Any, as_json: bool) -> None:
    if as_json:
        print_json({"taxonomies": [asdict(taxonomy) for taxonomy in taxonomies.values()]})
        return
    rows = [
        [t.column, t.kind, f"{t.leaves:,}", str(t.root), " > ".join(f"{n:,}" for n in t.nodes)]
        for t in taxonomies.values()
    ]
    print_table(["column", "kind", "values", "root level", "nodes per level"], rows, right=["values", "root level"])


@taxonomy_command.command("export")
@click.argument("column")
@click.option("-o", "--output", required=True, metavar="FILE", help="A file that only you can read.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["arx", "csv", "parquet", "dbt"]),
    default="arx",
    show_default=True,
    help="ARX hierarchy; CSV with a header; Parquet; CSV seed with its properties file.",
)
@click.option("--sep", help="What stands between levels.  [default: ; in arx, else ,]")
@click.option("--header/--no-header", default=None, help="Whether the first line names the levels.")
@click.option("--overwrite", is_flag=True)
@config_option
def export_command(path: str, column: str, output: str, **options: Any) -> None:
    """Write the taxonomy of COLUMN, leaf first, then a column per level; it holds values of the source."""
    from anonduck.project import Project
    from anonduck.taxonomy.exporting import export_files, export_taxonomy

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        project.refuse_protected(*export_files(Path(output), options["format_"]))
        written = export_taxonomy(project.database, column, Path(output), **options)
    names = " and ".join(map(str, written))
    say(f"wrote {names}; it holds values of the source: keep it as safe as the source", err=True)


@taxonomy_command.command("mapping")
@click.argument("rule")
@click.option("-o", "--output", required=True, metavar="FILE", help="A CSV or Parquet file that only you can read.")
@click.option(
    "--require", "required", multiple=True, metavar="NAME=N", help="As in release; labels depend on the k required."
)
@click.option("--overwrite", is_flag=True)
@config_option
@show_values_option
def mapping_command(path: str, rule: str, output: str, required: tuple[str, ...], **options: bool) -> None:
    """Write what RULE makes of each value of the source, old to new; it holds values of the source."""
    from anonduck.mapping import write_mapping
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        write_mapping(project, rule, Path(output), requirement=requirements(required), **options)
    say(f"wrote {output}; it holds values of the source: keep it as safe as the source", err=True)


@taxonomy_command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List the taxonomies that ship with anonduck, for `shipped: NAME` in a config."""
    from anonduck.taxonomy.shipped import list_shipped

    shipped = list_shipped()
    if as_json:
        print_json({"taxonomies": [one.as_json() for one in shipped]})
        return
    rows = [[one.name, one.leaves, " > ".join(one.levels), one.origin] for one in shipped]
    print_table(["name", "leaves", "levels", "origin"], rows)


@taxonomy_command.command("show")
@click.argument("column")
@click.option("--level", type=click.IntRange(min=0), help="List the nodes of one level.")
@config_option
@json_option
@show_values_option
def show_command(path: str, as_json: bool, column: str, level: int | None, show_values: bool) -> None:
    """Draw the taxonomy of COLUMN with the number of records under each node."""
    from anonduck.project import Project
    from anonduck.taxonomy.drawing import draw
    from anonduck.taxonomy.show import as_json as view_as_json

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        view = project.show_taxonomy(column, level=level, show_values=show_values)
    if as_json:
        print_json(view_as_json(view))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
    say(draw(view, width))


@taxonomy_command.command("check")
@click.argument("columns", nargs=-1)
@config_option
@json_option
@show_values_option
def check_command(path: str, as_json: bool, columns: tuple[str, ...], show_values: bool) -> None:
    """Check the taxonomies of COLUMNS (all by default) against the source; exit code 2 if one is broken."""
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
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
