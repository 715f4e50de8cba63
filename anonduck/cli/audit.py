"""The command audit: the measures of a release, from its file alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from anonduck.cli.options import json_option, lookups
from anonduck.presets import PRESETS


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
    from anonduck.cli.audit_tables import PRINTERS, print_offending
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


def sensitive_values(concerning: Sequence[str], harmless: Sequence[str]) -> dict[str, Any]:
    """Read ``--sensitive-value`` and ``--harmless-value``, COLUMN=VALUE or COLUMN for NULL; raises click.UsageError."""
    from anonduck.privacy.choosing import EXCEPT

    found, safe = _by_column(concerning), _by_column(harmless)
    both = sorted(found.keys() & safe.keys())
    if both:
        raise click.UsageError(
            f"column {both[0]!r} has sensitive and harmless values; name the ones or the others, for all values "
            "that are not named are the opposite"
        )
    return {**found, **{column: {EXCEPT: values} for column, values in safe.items()}}


def _by_column(texts: Sequence[str]) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        found.setdefault(column, []).append(value if equals else None)
    return found
