"""Audits of releases and of sources, beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import checks, truth
from .case import Case
from .commands import Outcome, by_command
from .released import Finding, Released
from .tables import Table


def audited(case: Case, made: Released | None) -> None:
    """`audit` of a release, by the roles of its columns."""
    if made is None or made.method == "nsvdist":
        return
    table = case.table
    roles = audit_roles(table, made.columns)
    outcome = by_command(table.folder, ["audit", made.job.target, *roles, "--json", "--require", "k=2"])
    case.commands.append(f"audit {made.job.target} -> {outcome.code}")
    reached = truth.measured(made.columns, shown_quasi(made), table.named("sensitive"))
    case.find(judged(outcome, reached, f"audit {made.job.target}"), made.job)


def shown_quasi(made: Released) -> list[str]:
    """The quasi-identifiers of a release, without the class."""
    return [name for name in made.table.named("quasi") if name in made.columns]


def audit_roles(table: Table, columns: Any) -> list[str]:
    """Options of `audit` that tell the roles."""
    roles = [arg for name in table.named("sensitive") for arg in ("--sensitive", name) if name in columns]
    roles += [arg for name in table.named("insensitive") for arg in ("--insensitive", name) if name in columns]
    return [*roles, "--class", table.keys["class"]]


def judged(outcome: Outcome, reached: dict[str, float], what: str) -> Iterator[Finding]:
    """An audit's figures and exit code beside the truth; k = 2 was required."""
    yield from checks.check_ending({}, {}, outcome)
    yield from checks.check_audit(outcome.document, reached, what)
    if outcome.code == 0 and reached.get("k", 2) < 2:
        yield Finding("not met", f"{what}: k = 2 is required, {reached['k']} is true, exit code 0")


def of_the_source(case: Case) -> None:
    """`audit` of the source itself, as if it were a release; of persons where it has some."""
    table = case.table
    if table.form not in ("parquet", "duckdb"):
        return
    quasi = case.random.sample(table.named("quasi"), k=case.random.randint(1, len(table.named("quasi"))))
    sensitive = table.named("sensitive")
    held = table.truth["arrow" if table.form == "parquet" else "text"]
    arguments = [arg for name in quasi for arg in ("-q", name)] + [
        arg for name in sensitive for arg in ("--sensitive", name)
    ]
    reached = truth.measured(held, quasi, sensitive)
    if table.entity and case.random.random() < 0.7:
        arguments += ["--entity", table.entity]
        persons = held[table.entity]
        classes = truth.classes_of(held, quasi)
        reached = {
            "k": truth.fewest_persons(classes, persons.__getitem__),
            "linked_k": truth.linked(classes, persons.__getitem__),
        }
    outcome = by_command(table.folder, ["audit", table.source, *arguments, "--json", "--require", "k=2"])
    case.commands.append(f"audit {table.source} {arguments} -> {outcome.code}")
    case.done.append(("audit of the source", "released" if outcome.code < 2 else "refused", outcome.reason))
    case.find(judged(outcome, reached, f"audit of the source {arguments}"), None)
