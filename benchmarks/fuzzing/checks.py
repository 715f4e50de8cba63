"""What a release promises, held against what its file holds and what only the fuzzer knows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from . import truth
from .commands import Outcome
from .kept import check_kept, check_nulls, check_rare, check_swaps
from .released import Finding, Released
from .tables import Table

EPSILON = 1e-6


def check_ending(before: Mapping[str, int], after: Mapping[str, int], outcome: Outcome) -> Iterator[Finding]:
    """Exit codes are those that are documented; what was refused leaves nothing."""
    if outcome.code not in (0, 1, 2, 3, 5):
        yield Finding(f"exit {outcome.code}", outcome.err[-1500:])
    elif "Traceback" in outcome.err:
        yield Finding("traceback", outcome.err[-1500:])
    if outcome.code != 0 and before != after:
        changed = sorted(set(after.items()) ^ set(before.items()))
        yield Finding("files left", f"exit {outcome.code}, and new or changed: {changed}")


def check_release(made: Released) -> Iterator[Finding]:
    """All checks of one release."""
    if not made.rows:
        if made.outcome.release.get("k", 0) or made.receipt.get("k"):
            yield Finding("false promise", f"no rows, and k = {made.receipt.get('k')}")
        return
    yield from check_columns(made)
    yield from check_promises(made)
    yield from check_requirements(made)
    yield from check_persons(made)
    yield from check_accounts(made)
    for where, document in made.documents:
        yield from check_rare(document, made.columns, where)
    yield from check_kept(made)
    yield from check_nulls(made)
    yield from check_swaps(made)


def check_columns(made: Released) -> Iterator[Finding]:
    """No column is released that has no place there."""
    allowed = made.table.named("class", "quasi", "sensitive", "insensitive")
    for name in made.columns:
        if name not in allowed:
            yield Finding("column", f"{name!r} is released")


def worse(name: str, promised: float, true: float) -> bool:
    """Whether a promise is larger than the truth."""
    if name in truth.LARGER_IS_SAFER:
        return promised > true + EPSILON * max(1, abs(true))
    return promised < true - EPSILON * max(1, abs(true)) if math.isfinite(true) else promised < true


def figure(value: Any) -> float:
    """A figure of a document as a number."""
    return math.inf if value == "infinite" else float(value)


def promises(made: Released) -> Iterator[tuple[str, str, float]]:
    """Where a figure stands, its name, and what it says is reached."""
    for where, document in made.documents:
        if "k" in document:
            yield where, "k", document["k"]
        for one in document.get("requirements", ()):
            if one["name"] != "k" or made.method not in ("nsvdist", "probabilistic"):
                yield f"{where}, requirement", one["name"], figure(one["reached"])
    for match in re.finditer(r"records in [\d,]+ equivalence class(?:es)?, k = ([\d,]+)", made.outcome.out):
        yield "printed", "k", float(match[1].replace(",", ""))


def beside_truth(where: str, name: str, said: float, reached: Mapping[str, float]) -> Iterator[Finding]:
    """A figure that is safer than the truth, or less safe."""
    if name not in reached:
        return
    true = reached[name]
    if worse(name, said, true):
        yield Finding("false promise", f"{where}: {name} = {said}, true {true}")
    elif worse(name, true, said):
        yield Finding("understated", f"{where}: {name} = {said}, true {true}")


def check_promises(made: Released) -> Iterator[Finding]:
    """No figure is safer than what the rows reach."""
    sensitive = made.table.named("sensitive") if made.method != "nsvdist" else []
    reached = truth.measured(made.columns, made.quasi, sensitive)
    for where, name, promised in promises(made):
        yield from beside_truth(where, name, promised, reached)
    for where, document in made.documents:
        for name, true in (("rows", made.rows), ("classes", reached["classes"])):
            if document.get(name, true) != true:
                yield Finding("miscounted", f"{where}: {name} = {document[name]}, true {true}")


def check_requirements(made: Released) -> Iterator[Finding]:
    """What the config and the command require is met by the rows, where it was said to be."""
    reached = truth.measured(made.columns, made.quasi, made.table.named("sensitive"))
    needed = {**made.table.keys["requirement"], **made.job.require}
    for name, required in needed.items():
        if name not in reached or made.method in ("nsvdist", "probabilistic"):
            continue
        if name == "k" and made.table.entity:
            continue
        bound = required["c"] if isinstance(required, dict) else float(required)
        if worse(name, bound, reached[name]):
            yield Finding("not met", f"{name} {bound} is required, {reached[name]} is true, exit code 0")
    left_out = used_records(made.table) - made.rows
    allowed = float(needed.get("suppression", 0)) * used_records(made.table)
    if dict(made.job.settings).get("suppress"):  # up to k records, whatever is configured
        allowed = max(allowed, (needed["k"] - 1) * records_of_a_person(made.table) + 1)
    if left_out > allowed + EPSILON:
        yield Finding("not met", f"{allowed} records may be left out, {left_out} are, exit code 0")


def records_of_a_person(table: Table) -> int:
    """The most records that one person has, of those that are used."""
    if table.entity is None:
        return 1
    held = Counter(table.column(table.entity).texts[row] for row in table.used)
    return min(table.keys["entity"].get("at_most", len(table.used)), max(held.values()))


def used_records(table: Table) -> int:
    """The records that a release may be of: those of ``where``, of each person ``at_most`` so many."""
    most = table.keys.get("entity", {}).get("at_most")
    if not most:
        return len(table.used)
    held = Counter(table.column(str(table.entity)).texts[row] for row in table.used)
    return sum(min(most, count) for count in held.values())


def check_persons(made: Released) -> Iterator[Finding]:
    """k counts persons where the config says so, by the tags."""
    records, entity = made.records, made.table.entity
    if entity is None or made.method in ("nsvdist", "probabilistic"):
        return
    texts = made.table.column(entity).texts
    needed = {**made.table.keys["requirement"], **made.job.require}
    classes = truth.classes_of(made.columns, made.quasi)
    if records is None:
        if min(map(len, classes)) < needed["k"]:
            yield Finding("not met", f"{min(map(len, classes))} records in a class cannot be {needed['k']} persons")
        return
    persons = [texts[record] for record in records]
    reached = truth.fewest_persons(classes, persons.__getitem__)
    if reached < needed["k"]:
        yield Finding("not met", f"k of {needed['k']} persons is required, {reached} is true, exit code 0")
    together = truth.linked(classes, persons.__getitem__)
    for where, name, promised in promises(made):
        if name == "linked_k" and promised > together:
            yield Finding("false promise", f"{where}: linked_k = {promised}, true {together}")
    if together < needed.get("linked_k", 0):
        yield Finding("not met", f"linked_k {needed['linked_k']} is required, {together} is true, exit code 0")
    most = made.table.keys["entity"].get("at_most")
    if most and max(Counter(persons).values()) > most:
        yield Finding("not met", f"more than at_most {most} records of a person are released")


def check_accounts(made: Released) -> Iterator[Finding]:
    """Records released and records left out are those of the source."""
    for where, document in made.documents:
        left_out = document.get("suppressed")
        if left_out is not None and left_out + made.rows != used_records(made.table):
            every = used_records(made.table)
            yield Finding("miscounted", f"{where}: {made.rows} rows and {left_out} left out of {every}")


def check_audit(document: Mapping[str, Any], reached: Mapping[str, float], what: str) -> Iterator[Finding]:
    """No measure of an audit is safer than the truth."""
    for name, measure in document.get("measures", {}).items():
        if name in reached and "reached" in measure:
            yield from beside_truth(what, name, figure(measure["reached"]), reached)
