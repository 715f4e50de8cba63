"""What the audit prints: the classes, the privacy models and risks, and the requirements beside what is reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from anonduck.auditing import AuditReport
from anonduck.cli.printing import print_table
from anonduck.privacy import Measured

SIZES = ("rows", "classes", "k", "average_class", "largest_class", "records_alone")


def lookups(texts: Sequence[str]) -> dict[str, str]:
    """Read ``--taxonomy COLUMN=FILE``; raises click.UsageError."""
    found = {}
    for text in texts:
        column, _, file = text.rpartition("=")
        if not column or not file:
            raise click.UsageError(f"--taxonomy takes COLUMN=FILE, such as diagnosis=icd.csv; it got {text!r}")
        found[column] = file
    return found


def print_report(report: AuditReport) -> None:
    """The report as tables on stdout, its warnings on stderr."""
    document = report.as_json()
    print_table(
        ["measure", "value"], [[name.replace("_", " "), number(document[name])] for name in SIZES], right=["value"]
    )
    click.echo("quasi-identifiers: " + ", ".join(report.quasi_identifiers))
    others = [measured for name, measured in report.measures.items() if name != "k"]
    if others:
        print_table(["model", "reached", "safer", "meaning"], [_line(measured) for measured in others])
    for reached in report.requirements:
        click.echo(f"{reached.asked.text}: {'met' if reached.met else 'NOT met'} ({numbers(reached.numbers)})")
    for warning in report.warnings:
        click.echo(f"warning: {warning}", err=True)


def _line(measured: Measured) -> list[str]:
    model = measured.model
    told = {**measured.parameters, **measured.details}
    shown = ", ".join(f"{name} = {number(value)}" for name, value in told.items() if value is not None)
    meaning = f"{model.title} ({shown})" if shown else model.title
    safer = "lower" if model.at_most else "higher"
    return [model.name, numbers(measured.numbers), "" if len(measured.numbers) > 1 else safer, meaning]


def numbers(reached: Mapping[str, Any]) -> str:
    """What is reached: one number, or several by name."""
    if len(reached) == 1:
        return number(next(iter(reached.values())))
    return ", ".join(f"{name} = {number(value)}" for name, value in reached.items())


def number(value: float | str) -> str:
    """A number as a person reads it; words stay."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == float("inf"):
        return "infinite"
    return f"{value:,.2f}" if value >= 10 else f"{value:.4g}"
