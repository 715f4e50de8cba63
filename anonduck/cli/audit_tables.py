"""What the audit prints: the classes, the privacy models and risks, and the requirements beside what is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from anonduck.auditing.report import CLOSING, AuditReport
from anonduck.cli.figures import number, numbers, reached_words
from anonduck.cli.formats import junit, sarif
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, say, tracer
from anonduck.cli.vocabulary import in_options
from anonduck.privacy.kept_columns import KEPT_RARE, ways_out, worst_column
from anonduck.privacy.measures import PrivacyMeasure
from anonduck.privacy.requirement import PRESETS

SIZES = ("rows", "classes", "k", "linked_k", "average_class", "largest_class", "records_alone")


def print_report(report: AuditReport) -> None:
    """The report as tables on stdout, its warnings on stderr."""
    document = report.as_json()
    print_table(
        ["measure", "value"],
        [[name.replace("_", " "), number(document[name])] for name in SIZES if name in document],
        right=["value"],
    )
    say(on_one_line("quasi-identifiers: " + ", ".join(report.quasi_identifiers)))
    if report.roles_from is not None:
        say(on_one_line(report.roles_from))
    for column, named in report.sensitive_values.items():
        say(on_one_line(f"values of {column} checked by alpha, lkc, beta and delta_disclosure: {named.words}"))
    others = [measured for name, measured in report.measures.items() if name not in ("k", "linked_k")]
    if others:
        print_table(["model", "reached", "safer", "meaning"], [_line(measured) for measured in others])
    if report.linked_words is not None:
        say(on_one_line(report.linked_words))
    if "composition" in report.measures:
        say(_composed(report.measures["composition"].details))
    for reached in report.requirements:
        say(f"{reached.asked.text}: {'met' if reached.met else 'NOT met'} ({reached_words(reached)})")
    for line in report.kept.lines:
        say(on_one_line(line))
    if KEPT_RARE in [one.name for one in report.requirements if not one.met]:
        say(on_one_line(ways_out(worst_column(report.kept.rare), report.kept.most)))
    if report.preset is not None:
        chosen = PRESETS[report.preset]
        say(f"preset {report.preset}, for {chosen.context}: k = {chosen.k}, risk {chosen.risk:.2f}")
    say(CLOSING)
    for warning in report.warnings:
        say(f"warning: {warning}", err=True)


def _composed(told: Mapping[str, Any]) -> str:
    if told["exact"]:
        return (
            f"with the earlier release: {told['pairs']:,} pairs of classes share a person, and {told['pairs_under']:,} "
            f"of them share fewer than {told['under']:,}, with {told['records_under']:,} records of this release"
        )
    return (
        f"with the earlier release: of {told['pairs']:,} pairs of classes that may share a person, "
        f"{told['pairs_under']:,} share fewer than {told['under']:,}, with at most {told['records_under']:,} records "
        f"of this release; if everybody here is in the earlier release, {told['certain']:,} of these pairs certainly "
        f"hold somebody; {told['expected_under']:,} are expected to, if people are spread evenly"
    )


def _line(measured: PrivacyMeasure) -> list[str]:
    model = measured.model
    told: dict[str, Any] = {**measured.parameters, **({} if model.name == "composition" else measured.details)}
    told |= {} if measured.worst is None else {"worst": measured.worst}
    shown = ", ".join(f"{name} = {number(value)}" for name, value in told.items() if value is not None)
    meaning = f"{model.title} ({shown})" if shown else model.title
    safer = "lower" if model.at_most else "higher"
    reached = numbers(measured.numbers) if measured.upper is None else f"<= {number(measured.upper)}"
    return [model.name, reached, "" if len(measured.numbers) > 1 else safer, meaning]


def print_offending(
    file: str,
    quasi: Sequence[str] | None,
    asked: Mapping[str, Any],
    table: str | None,
    options: Mapping[str, Any],
) -> None:
    """The query of the classes that are under what is required."""
    from anonduck.auditing.offenders import offending_query

    others = [*options["insensitive"], *([] if options["class_"] is None else [options["class_"]])]
    query = offending_query(
        file,
        quasi,
        requirements=asked,
        sensitive=options["sensitive"],
        others=others,
        entity=options["entity"],
        table=table,
        delim=options["delim"],
        tracer=tracer(),
    )
    click.echo(query)


PRINTERS: Mapping[str, Callable[[AuditReport], None]] = {
    "table": print_report,
    "json": lambda report: print_json(report.as_json()),
    "junit": lambda report: click.echo(in_options(junit(report))),
    "sarif": lambda report: click.echo(in_options(sarif(report))),
}
"""How a report is printed, by format."""
