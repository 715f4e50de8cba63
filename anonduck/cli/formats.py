"""An audit's requirements in the formats that pipelines read: JUnit and SARIF. Neither holds a value of a cell."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import anonduck
from anonduck.auditing.report import AuditReport
from anonduck.cli.figures import reached_words
from anonduck.privacy.requirement import CriterionResult

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


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
