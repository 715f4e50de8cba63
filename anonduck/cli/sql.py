"""The commands sql and dbt-package: a release as SQL, and the dbt package of tests and hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anonduck.cli.completion import query_files, rule_ids
from anonduck.cli.config_options import unmapped_option
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import (
    config_option,
    labels_require_option,
    overwrite_option,
)
from anonduck.cli.terminal import opened, say


@click.command(
    "sql",
    short_help="Print the SQL that makes the release of RULE.",
    cls=SectionedCommand,
    sections={
        "What to write": ["of", "file", "as_", "unmapped", "required"],
        "Engine": ["dialect", "table", "name", "identifiers"],
        "Output": ["output", "overwrite"],
    },
)
@click.argument("rule", required=False, shell_complete=rule_ids)
@click.option(
    "--of",
    metavar="NAME",
    default="release",
    show_default=True,
    help="Print the query that answers another question: k, classes, entropy, information-gain or contingency of RULE; "
    "frequency-set or patterns, without RULE.",
)
@click.option(
    "--file",
    metavar="NAME",
    shell_complete=query_files,
    help="Print a query file of sql/, such as release/combined_set.sql, with the project's names in it, for a DuckDB "
    "shell; without RULE and --of.",
)
@click.option(
    "--as",
    "as_",
    type=click.Choice(["select", "script", "dbt", "sqlmesh"]),
    default="select",
    show_default=True,
    help="Write one SELECT, a script that makes temporary tables first, a model of dbt, or two of SQLMesh; models are "
    "of what is locked if no RULE is named.",
)
@click.option(
    "--dialect",
    metavar="NAME",
    default="duckdb",
    show_default=True,
    help="SQL dialect: bigquery, databricks, duckdb, postgres, snowflake or spark.",
)
@click.option(
    "--table",
    metavar="NAME",
    help="Table or query to read instead of the source, as the dialect names it; in dbt ref('customers') "
    "or source('raw', 'customers').",
)
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the SQLMesh model that is published, or of the dbt model in a folder.  [default: anonduck.release, "
    "anonduck_release]",
)
@click.option(
    "--identifiers",
    type=click.Choice(["quoted", "upper", "lower"]),
    default="quoted",
    show_default=True,
    help="Name columns as the source does, or in upper or lower case, such as upper for Snowflake.",
)
@unmapped_option
@labels_require_option
@click.option(
    "-o",
    "--output",
    metavar="TARGET",
    help="Write the text to this file, FILE.sql, or into this folder: with its long lookup tables as CSV files, as the "
    "models of SQLMesh, or as a model of dbt with its seeds. Only you can read them.",
)
@overwrite_option()
@config_option
def sql_command(
    path: str,
    rule: str | None,
    of: str,
    file: str | None,
    as_: str,
    dialect: str,
    table: str | None,
    name: str | None,
    identifiers: str,
    unmapped: str | None,
    required: dict[str, Any],
    output: str | None,
    overwrite: bool,
) -> None:
    """Print the SELECT that makes the release of RULE.

    The name of a method that recodes by classes, such as mondrian, stands for its release.
    The text lists values of the source. With --of NAME, the query behind a number, for a
    DuckDB shell on the decision database; with --file NAME, a query file for the same.
    """
    with opened(path) as project:
        text = project.sql(
            rule,
            of=of,
            file=file,
            as_=as_,
            dialect=dialect,
            table=table,
            identifiers=identifiers,
            name=name,
            requirement=required,
            unmapped=unmapped,
            output=output,
            overwrite=overwrite,
        )
    if output is None:
        click.echo(text, nl=False)
        return
    release = of == "release" and file is None
    holds = "; it contains values of the source, so protect it like the source" if release else ""
    say(f"wrote {output}{holds}", err=True)


@click.command("dbt-package", short_help="Show or copy the dbt package of tests and hooks.")
@click.argument("folder", required=False)
def dbt_package_command(folder: str | None) -> None:
    """Show where the dbt package is, or copy it to FOLDER.

    It has the tests k_anonymity and l_diversity and the post-hooks anonduck_require_k and
    anonduck_require_l. Name its folder in packages.yml as `local:`; a copy can be in git.
    """
    from anonduck.release.dbt.model import copy_package, package_folder

    if folder is None:
        click.echo(str(package_folder()))
        return
    copied = copy_package(Path(folder))
    say(f"wrote {copied}; name it in packages.yml: `- local: {folder}`")
