"""Commands that make and prove releases: release, sql, audit, run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anonduck.cli.app import config_option, json_option, print_json, requirements, show_values_option
from anonduck.cli.deciding import changed
from anonduck.cli.printing import print_expected, reached, reporting, requirement, say
from anonduck.presets import PRESETS


@click.command("release")
@click.argument("rule")
@click.option("-o", "--output", metavar="FILE", help="FILE.parquet, FILE.csv or FILE.duckdb::table.")
@click.option("--source", metavar="FILE", help="Apply the rule to another export, with the same taxonomies.")
@click.option("--dry-run", is_flag=True, help="Measure only; write nothing.")
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@click.option(
    "--require", "required", multiple=True, metavar="NAME=N", help="Replace one requirement of the config, such as k=3."
)
@click.option("--keep-roots", is_flag=True, help="Keep the attributes that the rule leaves out as their root label.")
@click.option("--unmapped", type=click.Choice(["refuse", "root"]), help="Values that a nominal taxonomy does not know.")
@config_option
@json_option
@show_values_option
def release_command(
    path: str, as_json: bool, rule: str, output: str | None, required: tuple[str, ...], dry_run: bool, **options: Any
) -> None:
    """Write the release of RULE, audited, with its receipt.

    RULE is an id (R12) or a literal (age=3,"odd name"=0), which needs no discovery.
    """
    from anonduck.project import Project

    if output is None and not dry_run:
        raise click.UsageError("name the file to write with -o FILE, or measure only with --dry-run")
    with reporting() as reporter, Project(path, reporter=reporter) as project:
        made = project.release(rule, output, dry_run=dry_run, requirement=requirements(required), **options)
    _finish(made, as_json)


def _finish(made: Any, as_json: bool) -> None:
    document = made.as_json()
    if as_json:
        print_json(document)
    else:
        _print_release(made)
        print_expected(made.receipt["expected"] or {})
    if not document["met"]:
        raise click.exceptions.Exit(1)


def _print_release(made: Any) -> None:
    what = f"wrote {made.target}" if made.written else "would write"
    say(f"{what}: {made.rows:,} records in {made.classes:,} equivalence classes, k = {made.k:,}")
    if made.suppressed:
        say(f"suppressed: {made.suppressed:,} records, those in classes that fail")
    for line in made.receipt["requirements"]:
        lowered = f", lowered from {reached(line['configured'])}" if line["lowered"] else ""
        met = "met" if line["met"] else "NOT met"
        worst = f", column {line['attribute']!r}" if "attribute" in line else ""
        say(f"{requirement(line)}{lowered}: {met} ({reached(line['reached'])}{worst})")
    for warning in made.warnings:
        say(f"warning: {warning}", err=True)
    if made.written:
        say(f"receipt: {made.receipt_path}")


@click.command("sql")
@click.argument("rule")
@click.option("--dialect", default="duckdb", show_default=True, help="bigquery, snowflake, spark, postgres and others.")
@click.option("--table", metavar="NAME", help="The relation to read in place of the source.")
@click.option("--unmapped", type=click.Choice(["refuse", "root"]), help="Values that a nominal taxonomy does not know.")
@click.option(
    "--require", "required", multiple=True, metavar="NAME=N", help="As in release; labels depend on the k required."
)
@click.option("-o", "--output", metavar="FILE", help="Write the script to a file that only you can read.")
@click.option("--overwrite", is_flag=True, help="Replace an existing script.")
@config_option
def sql_command(
    path: str, rule: str, output: str | None, overwrite: bool, required: tuple[str, ...], **options: Any
) -> None:
    """Print the release of RULE as a standalone SQL script with its lookup tables."""
    from anonduck.private_file import write_private
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        if output is not None:
            project.refuse_protected(output)
        text = project.sql(rule, requirement=requirements(required), **options)
    if output is None:
        click.echo(text, nl=False)
        return
    write_private(Path(output), text, overwrite=overwrite)
    say(f"wrote {output}; it holds values of the source: keep it as safe as the source", err=True)


@click.command("audit")
@click.argument("file")
@click.option("-q", "--quasi-identifier", "quasi", multiple=True, metavar="COLUMN", help="Default: all other columns.")
@click.option("--sensitive", multiple=True, metavar="COLUMN", help="What nobody should learn; not a quasi-identifier.")
@click.option("--insensitive", multiple=True, metavar="COLUMN", help="Not a quasi-identifier.")
@click.option("--class", "class_", metavar="COLUMN", help="Not a quasi-identifier.")
@click.option(
    "--sensitive-value",
    "sensitive_value",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Bound this value alone in alpha, lkc, beta and delta_disclosure; COLUMN alone is NULL.",
)
@click.option(
    "--harmless-value",
    "harmless_value",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Bound all other values there; COLUMN alone is NULL.",
)
@click.option(
    "--allow-absent",
    is_flag=True,
    help="Only warn if FILE holds no value of those named by --sensitive-value for a column.",
)
@click.option("--entity", metavar="COLUMN", help="The key of a person, who may have several records; persons count.")
@click.option("--population", metavar="FILE", help="All who could be in the release, generalized as it is.")
@click.option(
    "--taxonomy",
    "taxonomies",
    multiple=True,
    metavar="COLUMN=FILE",
    help="Of a sensitive column, leaf first; for --against also of others.",
)
@click.option("--against", metavar="EARLIER", help="An earlier release of the same people, to intersect classes with.")
@click.option(
    "--uncompared", multiple=True, metavar="COLUMN", help="Not compared with EARLIER, such as values that change."
)
@click.option("--sampling-fraction", type=float, metavar="F", help="The share of the population in the release.")
@click.option("--risk-threshold", type=float, help="A record is at risk over it.  [default: 0.2, or of the preset]")
@click.option(
    "--multiple-sensitive",
    type=click.Choice(["each", "joint"]),
    default="each",
    show_default=True,
    help="joint: in l-diversity the other sensitive columns are quasi-identifiers.",
)
@click.option(
    "--measures",
    type=click.Choice(["all", "required"]),
    default="all",
    show_default=True,
    help="What to measure.",
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="NAME=N",
    help="What must hold, such as k=5, t=0.2 or recursive_l=3,2; without it nothing can fail.",
)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Require the k of a context of publication: "
    + ", ".join(f"{preset.k}" for preset in PRESETS.values())
    + "; --require k=N takes its place.",
)
@click.option("--delim", help="The separator of a CSV file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "junit", "sarif"]),
    default="table",
    show_default=True,
    help="junit and sarif hold the requirements.",
)
@click.option("--sql", "as_sql", is_flag=True, help="Print the query of the classes under k or l; measure nothing.")
@click.option("--table", metavar="NAME", help="The relation that --sql reads in place of FILE.")
@json_option
def audit_command(
    file: str,
    as_json: bool,
    form: str,
    as_sql: bool,
    table: str | None,
    quasi: tuple[str, ...],
    required: tuple[str, ...],
    taxonomies: tuple[str, ...],
    sensitive_value: tuple[str, ...],
    harmless_value: tuple[str, ...],
    **options: Any,
) -> None:
    """Measure a release from FILE alone (Parquet, CSV or FILE.duckdb::table)."""
    from anonduck.auditing import audit, with_preset
    from anonduck.cli.auditing import PRINTERS, lookups, print_offending, sensitive_values
    from anonduck.privacy.asking import read_requirement

    asked = dict(read_requirement(text) for text in required)
    if as_sql:
        print_offending(file, list(quasi) or None, with_preset(asked, options["preset"]), table, options)
        return
    options["sensitive_values"] = sensitive_values(sensitive_value, harmless_value)
    report = audit(file, list(quasi) or None, requirements=asked, taxonomies=lookups(taxonomies), **options)
    PRINTERS["json" if as_json else form](report)
    if not report.met:
        raise click.exceptions.Exit(1)


@click.command("run")
@click.option("-o", "--output", required=True, metavar="FILE", help="FILE.parquet, FILE.csv or FILE.duckdb::table.")
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@click.option(
    "--reselect", is_flag=True, help="Choose a rule anew, even if the last choice still meets the requirement."
)
@click.option("--coverage", multiple=True, type=float, metavar="SHARE", help="As in discover; repeats.")
@click.option("--model", "models", multiple=True, help="As in discover; repeats.")
@click.option("--train", type=click.Choice(["auto", "all", "frontier"]), help="As in discover.")
@click.option("--sample", metavar="N|all", help="As in discover.")
@click.option("--max-rfds", type=click.IntRange(min=1), help="As in discover.")
@click.option("--max-rules", type=click.IntRange(min=1), help="As in discover.")
@click.option("--search", type=click.Choice(["combined", "rfd", "lattice"]), help="As in discover.")
@click.option("--no-report", is_flag=True, help="Write no decision report beside the release.")
@config_option
@json_option
def run_command(
    path: str, as_json: bool, output: str, overwrite: bool, reselect: bool, no_report: bool, **options: Any
) -> None:
    """Do all of it by anonduck.yml, for ETL: discover if needed, select, release, audit."""
    from anonduck.project import Project

    changes = changed(options)
    with reporting() as reporter, Project(path, reporter=reporter) as project:
        done = project.run(output, overwrite=overwrite, reselect=reselect, report=not no_report, **changes)
    if as_json:
        print_json(done.as_json())
        return
    name = done.rule.id if done.rule else "the rule"
    say(f"{name}: {done.reason}")
    print_expected(done.expected)
    _print_release(done.release)
    if done.report:
        say(f"report: {done.report}")
