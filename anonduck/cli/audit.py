"""The command audit: the measures of a release, from its file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from anonduck.cli.completion import columns
from anonduck.cli.file_roles import roles_by_config
from anonduck.cli.options import json_option, lookups
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.terminal import tracer
from anonduck.privacy.requirement import PRESETS


@click.command(
    "audit",
    short_help="Measure the privacy of a release from its file alone.",
    cls=SectionedCommand,
    sections={
        "Columns": ["quasi", "sensitive", "insensitive", "class_", "entity", "taxonomies", "project"],
        "Requirements": ["required", "preset", "measures", "risk_threshold", "multiple_sensitive"],
        "Sensitive values": ["sensitive_value", "harmless_value", "allow_absent"],
        "Population and earlier releases": ["population", "sampling_fraction", "against", "uncompared", "original"],
        "Input and output": ["engine", "delim", "form", "as_json", "json_line", "as_sql", "table"],
    },
)
@click.argument("file")
@click.option(
    "-q",
    "--quasi-identifier",
    "quasi",
    multiple=True,
    metavar="COLUMN",
    shell_complete=columns,
    help="Quasi-identifier. Repeatable.  [default: all other columns]",
)
@click.option(
    "--sensitive",
    multiple=True,
    metavar="COLUMN",
    shell_complete=columns,
    help="Column whose values nobody should learn. Repeatable.",
)
@click.option(
    "--insensitive",
    multiple=True,
    metavar="COLUMN",
    shell_complete=columns,
    help="Column that is neither a quasi-identifier nor sensitive. Repeatable.",
)
@click.option(
    "--class", "class_", metavar="COLUMN", shell_complete=columns, help="Class column, not a quasi-identifier."
)
@click.option(
    "--sensitive-value",
    "sensitive_value",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Check only this value in alpha, lkc, beta, enhanced_beta and delta_disclosure; COLUMN alone means NULL. "
    "Repeatable.",
)
@click.option(
    "--harmless-value",
    "harmless_value",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Check every other value in those; COLUMN alone means NULL. Repeatable.",
)
@click.option("--allow-absent", is_flag=True, help="Only warn if none of a column's --sensitive-value is in FILE.")
@click.option(
    "--entity",
    metavar="COLUMN",
    shell_complete=columns,
    help="Key of a person, who may have several records; count persons, and how alike all rows of each are.",
)
@click.option(
    "--population", metavar="FILE", help="Table of everyone who could be in the release, generalized the same way."
)
@click.option(
    "--taxonomy",
    "taxonomies",
    multiple=True,
    metavar="COLUMN=FILE",
    help="Taxonomy of a sensitive column, leaf first; with --against, of any column. Repeatable.",
)
@click.option(
    "--against", metavar="EARLIER", help="Earlier release of the same people, to measure what both reveal together."
)
@click.option(
    "--uncompared",
    multiple=True,
    metavar="COLUMN",
    shell_complete=columns,
    help="Column not to compare with EARLIER, such as one whose values change. Repeatable.",
)
@click.option(
    "--original",
    metavar="SOURCE",
    help="Table that FILE and EARLIER were made of, to count who is in both; without --against, the one that nsvdist "
    "made FILE of, to measure what each of its records is covered by.",
)
@click.option(
    "--sampling-fraction", type=float, metavar="SHARE", help="Share of the population that is in the release."
)
@click.option(
    "--risk-threshold",
    type=float,
    metavar="RISK",
    help="Count records above this risk as at risk.  [default: 0.2, or the preset's]",
)
@click.option(
    "--multiple-sensitive",
    type=click.Choice(["each", "joint"]),
    default="each",
    show_default=True,
    help="With joint, l-diversity treats the other sensitive columns as quasi-identifiers.",
)
@click.option(
    "--measures",
    type=click.Choice(["all", "required"]),
    default="all",
    show_default=True,
    help="Measure everything, or only what is required.",
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="NAME=N",
    help="Fail unless this holds, such as k=5, t=0.2 or recursive_l=3,2. Repeatable.",
)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Require the k of this publication context ("
    + ", ".join(f"{preset.k}" for preset in PRESETS.values())
    + "); --require k=N overrides it.",
)
@click.option(
    "--engine",
    metavar="KIND",
    help="Engine that holds FILE, a table or a folder of Parquet files, such as spark; it counts there.",
)
@click.option("--delim", metavar="TEXT", help="Separator of a CSV file.  [default: detected]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "junit", "sarif"]),
    default="table",
    show_default=True,
    help="Output format; junit and sarif report the requirements only.",
)
@click.option(
    "--sql", "as_sql", is_flag=True, help="Measure nothing; print the query that finds the classes below k or l."
)
@click.option(
    "-p",
    "--project",
    metavar="PATH",
    help="Config, or its folder, to take the roles of columns from; nothing but FILE is measured.",
)
@click.option("--table", metavar="NAME", help="Table that the query of --sql reads, instead of FILE.")
@json_option
@click.pass_context
def audit_command(
    context: click.Context,
    /,
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
    original: str | None,
    project: str | None,
    **options: Any,
) -> None:
    """Measure the privacy of a released table from its file alone.

    FILE is Parquet, CSV or FILE.duckdb::TABLE; with --engine, a table. Exits with 1 if a requirement is not met;
    without --require or --preset, nothing is required.
    """
    from anonduck.auditing.audit import audit
    from anonduck.auditing.options import with_preset
    from anonduck.cli.audit_tables import PRINTERS, print_offending
    from anonduck.privacy.requirement import read_requirement

    asked = dict(read_requirement(text) for text in required)
    config = project or context.find_root().params.get("path")
    covered = original is not None and options["against"] is None
    if config is not None and covered:
        raise click.UsageError("-p is for audits of the file alone; with --original, name the --class")
    if options["engine"] is not None and (as_sql or original is not None):
        raise click.UsageError("--engine is for audits of the table alone, without --sql and --original")
    roles = None
    if config is not None:
        roles = roles_by_config(config, file, options["delim"], _given(quasi, options), options["engine"])
    options |= {} if roles is None else roles.arguments
    if as_sql:
        del options["engine"]
        print_offending(file, list(quasi) or None, with_preset(asked, options["preset"]), table, options)
        return
    if original is not None and covered:
        del options["engine"]
        from anonduck.cli.original_audit import audit_with_original

        audit_with_original(
            file,
            original,
            quasi,
            asked,
            lookups(taxonomies),
            options | {"form": form, "values": (sensitive_value, harmless_value)},
            as_json=as_json or form == "json",
        )
        return
    options["original"] = original
    options["sensitive_values"] = sensitive_values(sensitive_value, harmless_value)
    report = audit(
        file, list(quasi) or None, requirements=asked, taxonomies=lookups(taxonomies), tracer=tracer(), **options
    )
    if roles is not None:
        report = replace(report, roles_from=roles.words, warnings=(*roles.warnings, *report.warnings))
    PRINTERS["json" if as_json else form](report)
    if not report.met:
        raise click.exceptions.Exit(1)


def _given(quasi: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that are named on the command line, by role."""
    return {"quasi": quasi, **{name: options[name] for name in ("class_", "sensitive", "insensitive", "entity")}}


def sensitive_values(concerning: Sequence[str], harmless: Sequence[str]) -> dict[str, Any]:
    """Read ``--sensitive-value`` and ``--harmless-value``, COLUMN=VALUE or COLUMN for NULL; raises click.UsageError."""
    from anonduck.privacy.chosen_values import EXCEPT

    found, safe = _by_column(concerning), _by_column(harmless)
    both = sorted(found.keys() & safe.keys())
    if both:
        raise click.UsageError(
            f"column {both[0]!r} is given both sensitive and harmless values; give only one kind, because every "
            "value that is not named counts as the other"
        )
    return {**found, **{column: {EXCEPT: values} for column, values in safe.items()}}


def _by_column(texts: Sequence[str]) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        found.setdefault(column, []).append(value if equals else None)
    return found
