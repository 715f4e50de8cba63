"""The command sql: a release as SQL."""

from __future__ import annotations

from typing import Any

import click

from anonduck.cli.completion import rule_ids
from anonduck.cli.options import config_option, requirements
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.terminal import reporting, say


@click.command(
    "sql",
    short_help="Print the SQL that makes the release of RULE.",
    cls=SectionedCommand,
    sections={
        "What to write": ["of", "as_", "unmapped", "required"],
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
    "--as",
    "as_",
    type=click.Choice(["select", "script", "dbt", "sqlmesh"]),
    default="select",
    show_default=True,
    help="Write one SELECT, a script that makes temporary tables first, a model of dbt, or two of SQLMesh; models are "
    "of the locked rule if no RULE is named.",
)
@click.option(
    "--dialect",
    metavar="NAME",
    default="duckdb",
    show_default=True,
    help="SQL dialect: bigquery, clickhouse, databricks, duckdb, mariadb, mysql, postgres, redshift, snowflake, "
    "spark, sqlite or trino.",
)
@click.option(
    "--table",
    metavar="NAME",
    help="Table or query to read instead of the source, as the dialect names it; in dbt ref('customers') "
    "or source('raw', 'customers').",
)
@click.option(
    "--name", metavar="NAME", help="Name of the SQLMesh model that is published.  [default: anonduck.release]"
)
@click.option(
    "--identifiers",
    type=click.Choice(["quoted", "upper", "lower"]),
    default="quoted",
    show_default=True,
    help="Name columns as the source does, or in upper or lower case, such as upper for Snowflake.",
)
@click.option(
    "--unmapped",
    type=click.Choice(["refuse", "root"]),
    help="Refuse values missing from a nominal taxonomy, or generalize them to the root.  [default: the config's]",
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="NAME=N",
    help="Override a requirement, as in release; labels depend on the required k.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the text to this file, or the models of SQLMesh into this folder, readable only by you.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@config_option
def sql_command(
    path: str, rule: str | None, output: str | None, overwrite: bool, required: tuple[str, ...], **options: Any
) -> None:
    """Print the SELECT that makes the release of RULE.

    The name of a method that recodes by classes, such as mondrian, stands for its release.
    The text lists values of the source. With --of NAME, the query behind a number, for a
    DuckDB shell on the decision database.
    """
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        text = project.sql(rule, requirement=requirements(required), output=output, overwrite=overwrite, **options)
    if output is None:
        click.echo(text, nl=False)
        return
    holds = "; it contains values of the source, so protect it like the source" if options["of"] == "release" else ""
    say(f"wrote {output}{holds}", err=True)
