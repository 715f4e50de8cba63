"""Audits of releases, of sources and of two releases together, beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import checks, truth
from .case import Case
from .commands import Outcome, by_command
from .released import Finding, Released
from .tables import Table
from .ways import by_method, by_rule


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


def two_releases(case: Case) -> None:
    """`audit --against` an earlier release of the same people, whose true places the tags tell."""
    table = case.table
    if table.tag is None or table.entity or table.form == "pandas":
        return
    first, second = by_rule(case), (by_rule if case.random.random() < 0.6 else by_method)(case)
    if first is None or second is None or not first.records or not second.records:
        return
    places = [truth.classes_of(made.columns, shown_quasi(made)) for made in (first, second)]
    true = truth.smallest_intersection(places[0], first.records, places[1], second.records)
    roles = audit_roles(table, first.columns)
    for how in (
        ["--uncompared", "tag"],
        ["--entity", "tag"],
        ["--uncompared", "tag", "--original", table.source, *exported(case)],
    ):
        needed = case.random.choice((2, 3, 5))
        asked = ["audit", first.job.target, *without_tag(roles, how), "--against", second.job.target, *how, "--json"]
        outcome = by_command(table.folder, [*asked, "--measures", "required", "--require", f"composition={needed}"])
        case.commands.append(f"{asked} -> {outcome.code}")
        case.done.append(
            (
                f"against {how[0]}{' --original' if '--original' in how else ''}",
                "released" if outcome.code < 2 else "refused",
                f"{outcome.code}: {outcome.reason}" if outcome.code >= 2 else "",
            )
        )
        case.find(composed(outcome, true, needed, " ".join(map(repr, asked))), None)


def without_tag(roles: list[str], how: list[str]) -> list[str]:
    """Roles without the tag where it is the key of persons."""
    if "--entity" not in how:
        return roles
    pairs = [(roles[index], roles[index + 1]) for index in range(0, len(roles), 2)]
    return [arg for pair in pairs if pair[1] != "tag" for arg in pair]


def exported(case: Case) -> list[str]:
    """Options of `audit` with the taxonomies of texts, exported."""
    options = []
    for index, name in enumerate(case.table.named("quasi")):
        file = f"taxonomy{index}.csv"
        outcome = by_command(case.table.folder, ["taxonomy", "export", name, "-o", file, "--overwrite"])
        if outcome.code == 0 and case.table.column(name).kind in (
            "VARCHAR",
            "ENUM",
            "BOOLEAN",
            "UUID",
            "INTERVAL",
            "BLOB",
        ):
            options += ["--taxonomy", f"{name}={file}"]
    return options


def composed(outcome: Outcome, true: int | None, needed: int, what: str) -> Iterator[Finding]:
    """What was said of two releases together, beside the truth."""
    yield from checks.check_ending({}, {}, outcome)
    measure = outcome.document.get("measures", {}).get("composition")
    if true is None or measure is None or measure.get("reached") is None:
        return
    if outcome.code == 0 and true < needed:
        yield Finding("not met", f"composition {needed} is required, {true} is true, exit code 0: {what}")
    said, bound = checks.figure(measure["reached"]), measure.get("upper_bound") or measure.get("not_shown")
    if not bound and said > true:
        yield Finding("false promise", f"composition = {said}, true {true}: {what} {measure}")
    if said < true and said != 1:
        yield Finding("understated", f"composition {said}, true {true}: {what} {measure}")
