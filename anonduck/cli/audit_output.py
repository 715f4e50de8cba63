"""What the audit prints: tables of measures and requirements, JUnit or SARIF for pipelines, or a query.

JUnit and SARIF report the requirements only. Neither holds a value of a cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import click

import anonduck
from anonduck.auditing.report import CLOSING, AuditReport, composed_words
from anonduck.cli.figures import number, numbers, reached_words
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, say, tracer
from anonduck.privacy.kept_columns import KEPT_RARE, ways_out, worst_column
from anonduck.privacy.measures import PrivacyMeasure
from anonduck.privacy.requirement import PRESETS, CriterionResult

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
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
    if report.receipt_words is not None:
        say(on_one_line(report.receipt_words))
    for column, named in report.sensitive_values.items():
        say(on_one_line(f"values of {column} checked by alpha, lkc, beta and delta_disclosure: {named.words}"))
    others = [measured for name, measured in report.measures.items() if name not in ("k", "linked_k")]
    if others:
        print_table(["model", "reached", "safer", "meaning"], [_line(measured) for measured in others])
    if report.linked_words is not None:
        say(on_one_line(report.linked_words))
    if "composition" in report.measures:
        say(composed_words(report.measures["composition"].details))
    for reached in report.requirements:
        say(f"{reached.asked.text}: {'met' if reached.met else 'NOT met'} ({reached_words(reached)})")
    for line in report.kept.lines:
        say(on_one_line(line))
    if KEPT_RARE in [one.name for one in report.requirements if not one.met]:
        say(on_one_line(ways_out(worst_column(report.kept.rare), report.kept.most)))
    if report.row_order is not None:
        say(report.row_order.words)
    if report.preset is not None:
        chosen = PRESETS[report.preset]
        say(f"preset {report.preset}, for {chosen.context}: k = {chosen.k}, risk {chosen.risk:.2f}")
    say(CLOSING)
    for warning in report.warnings:
        say(f"warning: {warning}", err=True)


def _line(measured: PrivacyMeasure) -> list[str]:
    model = measured.model
    details: dict[str, Any] = {**measured.parameters, **({} if model.name == "composition" else measured.details)}
    details |= {} if measured.worst is None else {"worst": measured.worst}
    shown = ", ".join(f"{name} = {number(value)}" for name, value in details.items() if value is not None)
    meaning = f"{model.title} ({shown})" if shown else model.title
    safer = "lower" if model.at_most else "higher"
    reached = numbers(measured.numbers) if measured.upper is None else f"<= {number(measured.upper)}"
    return [model.name, reached, "" if len(measured.numbers) > 1 else safer, meaning]


def print_offending(
    file: str,
    quasi: Sequence[str] | None,
    required: Mapping[str, Any],
    sensitive: Sequence[str],
    others: Sequence[str],
    entity: str | None,
    table: str | None,
    delim: str | None,
) -> None:
    """Print the query of the classes that miss what is required; ``others`` are the columns without such a role."""
    from anonduck.auditing.offenders import offending_query

    query = offending_query(
        file,
        quasi,
        requirements=required,
        sensitive=sensitive,
        others=others,
        entity=entity,
        table=table,
        delim=delim,
        tracer=tracer(),
    )
    click.echo(query)


def junit(report: AuditReport) -> str:
    """A JUnit document: one test case per requirement, failed if it is not met."""
    failures = sum(not reached.met for reached in report.requirements)
    counts = {"tests": str(len(report.requirements)), "failures": str(failures), "errors": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": f"anonduck audit {report.file}", **counts})
    for reached in report.requirements:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "anonduck.audit", "name": reached.asked.text})
        if not reached.met:
            failure = ElementTree.SubElement(case, "failure", {"type": reached.name, "message": message(reached)})
            failure.text = message(reached)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)


def sarif(report: AuditReport) -> str:
    """A SARIF 2.1.0 document: one rule and one result per requirement, of kind fail or pass."""
    driver = {
        "name": "anonduck",
        "version": anonduck.__version__,
        "rules": [_rule(reached) for reached in report.requirements],
    }
    run = {
        "tool": {"driver": driver},
        "results": [_result(report, number, reached) for number, reached in enumerate(report.requirements)],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def message(reached: CriterionResult) -> str:
    """A sentence of what is required and reached."""
    return f"{reached.asked.text} is required and {'is met' if reached.met else 'is not met'}: {reached_words(reached)}"


def _rule(reached: CriterionResult) -> dict[str, Any]:
    model = reached.asked.model
    return {"id": model.name, "shortDescription": {"text": model.title}, "fullDescription": {"text": model.formula}}


def _result(report: AuditReport, number: int, reached: CriterionResult) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": quote(report.file or "table")}}
    return {
        "ruleId": reached.name,
        "ruleIndex": number,
        "kind": "pass" if reached.met else "fail",
        "level": "none" if reached.met else "error",
        "message": {"text": message(reached)},
        "locations": [{"physicalLocation": place}],
    }


PRINTERS: Mapping[str, Callable[[AuditReport], None]] = {
    "table": print_report,
    "json": lambda report: print_json(report.as_json()),
    "junit": lambda report: click.echo(junit(report)),
    "sarif": lambda report: click.echo(sarif(report)),
}
"""How a report is printed, by format."""
