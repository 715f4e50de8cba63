"""What a release promises, held against what its file holds and what only the fuzzer knows."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import reading, truth
from .commands import Job, Outcome
from .tables import Table

EPSILON = 1e-6
LOSSY = ("HUGEINT", "UHUGEINT", "INTERVAL", "BIT", "BLOB", "UUID")
"""Types that a file of another format holds as another type, so that kept values are not compared."""


ZEROS: dict[str | None, str | None] = {"-0.0": "0.0", reading.told(-0.0): reading.told(0.0)}
"""Minus zero is zero in a source."""


@dataclass(frozen=True)
class Finding:
    """Something that is not as promised."""

    kind: str
    words: str


@dataclass
class Released:
    """A release and all that was said of it."""

    table: Table
    job: Job
    outcome: Outcome
    target: str
    columns: dict[str, list[str | None]]
    receipt: dict[str, Any] = field(default_factory=dict)

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers that were released, and the class where k counts it."""
        counted = [self.table.keys["class"]] if self.table.keys.get("k_counts") else []
        return [name for name in self.table.named("quasi") if name in self.columns] + counted

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(next(iter(self.columns.values()), []))

    @property
    def method(self) -> str:
        """What it was made by."""
        return str((self.receipt.get("method") or {}).get("name", ""))

    @property
    def records(self) -> list[int] | None:
        """The record behind each row, by its tag."""
        if self.table.tag is None or self.table.tag not in self.columns:
            return None
        place = {tag: index for index, tag in enumerate(self.table.column(self.table.tag).texts)}
        return [place[str(tag)] for tag in self.columns[self.table.tag]]


def released(table: Table, folder: Path, job: Job, outcome: Outcome) -> Released:
    """Read a release that was written into a folder."""
    target = str(folder / job.target)
    receipt = json.loads(Path(beside(target) + ".receipt.json").read_text(encoding="utf-8"))
    return Released(table, job, outcome, target, reading.released_columns(target), receipt)


def beside(target: str) -> str:
    """How names of the files beside a release begin."""
    file, _, name = target.partition("::")
    return f"{file}.{name}" if name else file


def check_ending(before: Mapping[str, int], after: Mapping[str, int], outcome: Outcome) -> Iterator[Finding]:
    """Exit codes are those that are documented; what was refused leaves nothing."""
    if outcome.code not in (0, 1, 2, 3):
        yield Finding(f"exit {outcome.code}", outcome.err[-1500:])
    elif "Traceback" in outcome.err:
        yield Finding("traceback", outcome.err[-1500:])
    if outcome.code != 0 and before != after:
        yield Finding(
            "files left", f"exit {outcome.code}, and new or changed: {sorted(set(after.items()) ^ set(before.items()))}"
        )


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
    for where, document in (("printed", made.outcome.release), ("receipt", made.receipt)):
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
    printed = made.outcome.release
    for where, document in (("printed", printed), ("receipt", made.receipt)):
        if "k" in document:
            yield where, "k", document["k"]
        for one in document.get("requirements", ()):
            if one["name"] != "k" or made.method not in ("nsvdist", "probabilistic"):
                yield f"{where}, requirement", one["name"], figure(one["reached"])
    for match in re.finditer(r"records in [\d,]+ equivalence class(?:es)?, k = ([\d,]+)", made.outcome.out):
        yield "printed", "k", float(match[1].replace(",", ""))


def check_promises(made: Released) -> Iterator[Finding]:
    """No figure is safer than what the rows reach."""
    reached = truth.measured(
        made.columns, made.quasi, made.table.named("sensitive") if made.method != "nsvdist" else []
    )
    for where, name, promised in promises(made):
        if name in reached and worse(name, promised, reached[name]):
            yield Finding("false promise", f"{where}: {name} = {promised}, true {reached[name]}")
        elif name in reached and worse(name, reached[name], promised):
            yield Finding("understated", f"{where}: {name} = {promised}, true {reached[name]}")
    for where, document in (("printed", made.outcome.release), ("receipt", made.receipt)):
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
    share = float(needed.get("suppression", 0))
    left_out = 1 - made.rows / used_records(made.table)
    slack = (needed["k"] / used_records(made.table)) if dict(made.job.settings).get("suppress") else 0
    if left_out > share + slack + EPSILON:
        yield Finding("not met", f"suppression {share} is allowed, {left_out} is true, exit code 0")


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
    together = truth.linked(truth.classes_of(made.columns, made.quasi), persons.__getitem__)
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
    for where, document in (("printed", made.outcome.release), ("receipt", made.receipt)):
        left_out = document.get("suppressed")
        if left_out is not None and left_out + made.rows != used_records(made.table):
            yield Finding(
                "miscounted", f"{where}: {made.rows} rows and {left_out} left out of {used_records(made.table)}"
            )


def check_rare(document: Mapping[str, Any], columns: truth.Columns, where: str) -> Iterator[Finding]:
    """Kept columns have no more rare values, and no more records are unique, than is said."""
    under, alone = document.get("rare_under"), document.get("unique_with_kept")
    for name, told in (document.get("kept") or {}).items():
        counts = Counter(columns[name])
        rare = sum(count for count in counts.values() if under and count < under)
        if told.get("rare") is not None and told["rare"] != rare:
            kind = "false promise" if told["rare"] < rare else "understated"
            yield Finding(kind, f"{where}: {told['rare']} records of {name!r} are rare under {under}, true {rare}")
    rows = Counter(zip(*columns.values(), strict=True))
    true = sum(count == 1 for count in rows.values())
    if alone is not None and alone != true:
        yield Finding(
            "false promise" if alone < true else "understated", f"{where}: {alone} unique records, true {true}"
        )


def comparable(made: Released, name: str) -> list[str | None] | None:
    """What the source holds in a column, as the release's format tells it; None where the two cannot be compared."""
    column = made.table.column(name)
    if made.table.form in ("csv", "pandas") and name != made.table.tag:
        return None
    if column.kind in LOSSY:
        return None
    source = made.table.truth[reading.form_of(made.target)][name]
    return [ZEROS.get(text, text) if column.kind in ("FLOAT", "DOUBLE") else text for text in source]


def check_kept(made: Released) -> Iterator[Finding]:
    """Kept columns have the source's values, of the same record; levels 0 of a rule too."""
    kept = made.table.named("class", "sensitive", "insensitive") if made.method != "nsvdist" else []
    records = made.records
    levels = (made.receipt.get("rule") or {}).get("levels", {})
    exact = [name for name in kept if name in made.columns]
    exact += [name for name, level in levels.items() if level == 0 and name in made.columns]
    for name in exact:
        source = comparable(made, name)
        if source is None:
            continue
        if records is not None:
            wrong = Counter((source[record], value) for record, value in zip(records, made.columns[name], strict=True))
            wrong = Counter({pair: count for pair, count in wrong.items() if pair[0] != pair[1]})
        else:
            wrong = Counter(
                {("?", value): count for value, count in (Counter(made.columns[name]) - Counter(source)).items()}
            )
        if wrong:
            collation = made.table.column(name).collation
            kind = f"{made.table.column(name).kind} {made.table.column(name).role} {collation or ''}".strip()
            yield Finding("value", f"{name!r} ({kind}): of the source and of the release {dict(wrong.most_common(3))}")
    for name in kept:
        if name not in made.columns:
            yield Finding("column", f"{name!r} is not released")


def check_nulls(made: Released) -> Iterator[Finding]:
    """A NULL of the source is one of the release under the root, and no other value is."""
    imputed = dict(made.job.settings).get("missing") == "impute" or "outliers" in made.job.settings
    if made.method == "probabilistic" or imputed or made.table.form in ("csv", "pandas"):
        return
    records = made.records
    for name in made.table.named("quasi"):
        if name not in made.columns:
            continue
        source = made.table.truth["text"][name]
        if records is None:
            if made.columns[name].count(None) > source.count(None):
                yield Finding("null", f"{name!r} has more NULLs than the source")
            continue
        for record, value in zip(records, made.columns[name], strict=True):
            if (value is None) != (source[record] is None) and value != "*":
                yield Finding("null", f"{name!r}: {source[record]!r} became {value!r}")
                break


def check_swaps(made: Released) -> Iterator[Finding]:
    """Swapped columns have each value as often as before."""
    if made.method != "probabilistic" or made.job.settings.get("top") or made.job.settings.get("levels"):
        return
    for name in made.table.named("quasi"):
        source = comparable(made, name)
        if source is None or made.table.entity or name not in made.columns:
            continue
        used = Counter(source[row] for row in made.table.used)
        if used != Counter(made.columns[name]):
            yield Finding("value", f"the values of {name!r} are not those of the source, swapped")


def check_audit(document: Mapping[str, Any], reached: Mapping[str, float], what: str) -> Iterator[Finding]:
    """No measure of an audit is safer than the truth."""
    for name, measure in document.get("measures", {}).items():
        if name not in reached or "reached" not in measure:
            continue
        said, true = figure(measure["reached"]), reached[name]
        if worse(name, said, true):
            yield Finding("false promise", f"{what}: {name} = {said}, true {true}")
        elif worse(name, true, said):
            yield Finding("understated", f"{what}: {name} = {said}, true {true}")


def same_rows(first: Mapping[str, Sequence[str | None]], second: Mapping[str, Sequence[str | None]]) -> bool:
    """Whether two tables have the same columns and the same rows, in any order."""
    if set(first) != set(second):
        return False
    names = list(first)
    return Counter(zip(*(first[n] for n in names), strict=True)) == Counter(
        zip(*(second[n] for n in names), strict=True)
    )
