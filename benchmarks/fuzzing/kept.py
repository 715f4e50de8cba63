"""Columns that a release keeps, its NULLs and its swapped values, held against the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from . import reading, truth
from .released import Finding, Released

LOSSY = ("HUGEINT", "UHUGEINT", "INTERVAL", "BIT", "BLOB", "UUID")
"""Types that a file of another format holds as another type, so that kept values are not compared."""


ZEROS: dict[str | None, str | None] = {"-0.0": "0.0", reading.told(-0.0): reading.told(0.0)}
"""Minus zero is zero in a source."""


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
        kind = "false promise" if alone < true else "understated"
        yield Finding(kind, f"{where}: {alone} unique records, true {true}")


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
        shown = made.columns[name]
        if records is not None:
            pairs = ((source[record], value) for record, value in zip(records, shown, strict=True))
            wrong = Counter(pair for pair in pairs if pair[0] != pair[1])
        else:
            wrong = Counter({("?", value): count for value, count in (Counter(shown) - Counter(source)).items()})
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
