"""The audit of a release by distributions together with its original (Last et al. 2014, Definition 3.3, section 4.5).

Each record shows a closure and a distribution of its own, so the file alone does not determine k. The original does: a
released record *covers* an original one if its labels are over the original's values and its distribution gives the
original's class value a share. k of Definition 3.3 is the number of originals that each released record covers. The
number of released records that cover each original is smaller, and smaller still after the attack of section 4.5:
somebody who knows all originals rules out each link that is in no perfect matching.

Section 5.4 adds inference after Kifer's deFinetti attack (2009): naive Bayes learns from the published distributions (a
released record counts for each class value by its share, its label for each value under it equally) and guesses the
class of the originals. It is a breach only if it succeeds more often with these people than with people outside the
release, which ``held_out`` holds (Figure 6); what it learns about everybody is what the release is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonduck.auditing.cover import (
    MOST_EDGES,
    CoverColumn,
    Degrees,
    cover_column,
    covered_pairs,
    degrees_of,
    encoded,
    labels_over,
)
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import listed, open_release
from anonduck.privacy.distributions import is_shaped_as_distribution, read_distributions
from anonduck.privacy.requirement import ask

LEAST = 1e-9
"""The smallest chance, for values that no label of a class is over."""
HELD_OUT = "table of people held out"
NAMES = {"k": ("non_homogeneous_k", "k"), "l": ("distribution_l", "frequency_l")}
"""What can be required: its name in the report, and the model that judges the number."""


@dataclass(frozen=True)
class ClassInference:
    """Shares of originals whose class is guessed right: by naive Bayes, and by always naming the likeliest
    class value. ``held_out`` are the same shares of people who are not in the release, None where none are given.
    """

    naive_bayes: float
    baseline: float
    held_out: ClassInference | None = None

    @property
    def lift(self) -> float | None:
        """How many times more often naive Bayes is right; None if the baseline never is."""
        return self.naive_bayes / self.baseline if self.baseline else None

    @property
    def excess(self) -> float | None:
        """By how much more often naive Bayes is right for people of the release than for others."""
        return None if self.held_out is None else self.naive_bayes - self.held_out.naive_bayes

    def as_json(self) -> dict[str, Any]:
        """The inference as part of a JSON document; ``held_out`` and ``excess`` where people are held out."""
        lift, excess = self.lift, self.excess
        found: dict[str, Any] = {
            "naive_bayes": round(self.naive_bayes, 6),
            "baseline": round(self.baseline, 6),
            "lift": None if lift is None else round(lift, 6),
        }
        if self.held_out is not None and excess is not None:
            found |= {"held_out": self.held_out.as_json(), "excess": round(excess, 6)}
        return found


@dataclass(frozen=True, eq=False)
class People:
    """People whose class is guessed, by distinct rows.

    ``covers`` has for each quasi-identifier whether each label of the release is over each value, (labels, values);
    ``value_of`` the value of each row, (rows,); ``held`` (rows,) is the class value of each row, -1 for one that the
    release does not know; ``records`` (rows,) are counts.
    """

    covers: Sequence[np.ndarray]
    value_of: Sequence[np.ndarray]
    held: np.ndarray
    records: np.ndarray


def class_inference(
    columns: Sequence[CoverColumn],
    shares: np.ndarray,
    released: np.ndarray,
    people: People,
    others: People | None = None,
) -> ClassInference:
    """Guess the class of people from their quasi-identifiers and what the release says about them.

    Args:
        columns: the quasi-identifiers of the release and its original, row by row.
        shares: the share of each class value in each released row; shape (released rows, values).
        released: the number of records of each released row.
        people: those of the original.
        others: people who are not in the release.

    A label counts for each value of the original under it equally, and for a value that others alone have as much.
    """
    weights = shares * released[:, None]
    by_class = weights.sum(axis=0)
    by_label, under = [], []
    for column in columns:
        summed = np.zeros((len(column.covers), shares.shape[1]))
        np.add.at(summed, column.label_of, weights)
        by_label.append(summed)
        under.append(np.maximum(column.covers.sum(axis=1, keepdims=True), 1))

    def right(asked: People) -> tuple[float, float]:
        chances = np.tile(np.log(np.maximum(by_class / by_class.sum(), LEAST)), (len(asked.held), 1))
        for covers, value_of, summed, values in zip(asked.covers, asked.value_of, by_label, under, strict=True):
            by_value = (covers / values).T @ summed / np.maximum(by_class, LEAST)
            chances += np.log(np.maximum(by_value, LEAST))[value_of]
        guesses = (chances.argmax(axis=1), by_class.argmax())
        total = asked.records.sum()
        by_bayes, by_baseline = (float(asked.records[guess == asked.held].sum() / total) for guess in guesses)
        return by_bayes, by_baseline

    outside = None if others is None else ClassInference(*right(others))
    return ClassInference(*right(people), held_out=outside)


@dataclass(frozen=True)
class OriginalReport:
    """A release by distributions, compared with its original.

    ``covered`` are the originals that each released record covers, ``covering`` the released records that cover each
    original, ``matched`` the ones left after matching. ``inference`` is how well naive Bayes guesses the class.
    Shares are of records under ``k``: the required k, or else the smallest number of originals that a released record
    covers.
    """

    file: str | None
    records: int
    k: int
    l: float  # noqa: E741
    one_valued: float
    degrees: Degrees
    inference: ClassInference
    required: Mapping[str, float]
    remarks: tuple[str, ...] = ()

    @property
    def requirements(self) -> list[dict[str, Any]]:
        """Each requirement with what is reached."""
        return [self._judged(name, required) for name, required in self.required.items()]

    def _judged(self, name: str, required: float) -> dict[str, Any]:
        shown, model = NAMES[name]
        reached = {"k": int(self.degrees.covered.min()), "l": self.l}[name]
        (criterion,) = ask({model: required})
        met = bool(criterion.met_by({model: reached}))
        return {"name": shown, "required": required, "reached": reached, "met": met}

    @property
    def met(self) -> bool:
        """Whether all requirements are met."""
        return all(line["met"] for line in self.requirements)

    @property
    def failed(self) -> str:
        """The requirements that are not met, in words."""
        return ", ".join(
            f"{line['name']} = {line['reached']:.6g} (required {line['required']:g})"
            for line in self.requirements
            if not line["met"]
        )

    @property
    def warnings(self) -> list[str]:
        """All warnings, and how files were read."""
        return [*self.remarks, *self.of_file, *self.of_original]

    @property
    def of_file(self) -> list[str]:
        """Warnings that follow from the released file."""
        if self.one_valued <= 0:
            return []
        return [
            f"{self.one_valued:.1%} of the distributions have one value, which they reveal for all records they cover"
        ]

    @property
    def of_original(self) -> list[str]:
        """Warnings that reveal something about the original."""
        return list(self._of_original())

    def _of_original(self) -> Iterator[str]:
        degrees, k = self.degrees, self.k
        under = (degrees.covering < k).mean()
        if under > 0:
            yield (
                f"{under:.1%} of the original records are covered by fewer than {k:,} released records, the least by "
                f"{degrees.covering.min():,}"
            )
        if degrees.matched is None:
            yield (
                f"released records cover more than {MOST_EDGES:,} pairs of records, too many to be matched: that the "
                "release is a generalization of the original, and what matching leaves of k, is not shown"
            )
            return
        left = (degrees.matched < k).mean()
        alone = (degrees.matched == 1).mean()
        if left > under:
            yield (
                f"somebody who knows all original records can rule out so many pairs that {left:.1%} of these are left "
                f"with fewer than {k:,} released records, {alone:.1%} with one"
            )

    def as_json(self) -> dict[str, Any]:
        """The report as ``anonduck audit --original --json`` prints it."""
        degrees, k = self.degrees, self.k
        named = {
            "originals_per_released": degrees.covered,
            "released_per_original": degrees.covering,
            "after_matching": degrees.matched,
        }
        return {
            "file": self.file,
            "rows": self.records,
            "original": {
                "model": "non-homogeneous (k, l)",
                "k": int(degrees.covered.min()),
                "l": round(self.l, 6),
                "one_valued": round(self.one_valued, 6),
                "under": k,
                "inference": self.inference.as_json(),
                **{name: None if one is None else _summary(one, k) for name, one in named.items()},
            },
            "requirements": self.requirements,
            "met": self.met,
            "warnings": self.warnings,
        }


def audit_original(
    target: object,
    original: object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    distribution: str,
    requirements: Mapping[str, float] | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    held_out: object | None = None,
    delim: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    tracer: Tracer | None = None,
) -> OriginalReport:
    """Compare a release by distributions with the table that it was made of.

    Args:
        target: the release; a Parquet or CSV file, ``FILE.duckdb::TABLE``, or a pandas, Arrow or Polars table.
        original: the source, in the same forms, with all columns of the release.
        quasi_identifiers: those of the release; by default all columns but the distribution.
        distribution: the column of distributions, which in the original is the class.
        requirements: ``k`` and ``l`` at least, by name.
        taxonomies: lookup files (or DataFrames) of one column per level, leaf first, by column. Labels of intervals,
            such as ``[10, 20)``, need none.
        held_out: people like those of the original who are not in the release, in the same forms and columns; their
            class is guessed too.
        delim: the separator of CSV files.
        threads, memory_limit, tracer: as for ``anonduck.audit``.

    Raises:
        AuditError: a file cannot be read, shares are not those of a distribution, nobody is held out, or the release
            does not generalize the original (there is no perfect matching).
    """
    asked = _asked(requirements or {})
    work = Database(threads=threads, memory_limit=memory_limit, tracer=tracer)
    try:
        with open_release(work, target, delim) as opened:
            columns = DuckDBFile(work).columns()
            names = _names(columns, quasi_identifiers, distribution)
            released = work.arrow(grouped_texts.distinct_rows(names, distribution))
        wanted = [*names, distribution]
        _, originals = read_rows(work, original, delim, wanted, noun="original")
        others = None
        if held_out is not None:
            _, others = read_rows(work, held_out, delim, wanted, noun=HELD_OUT)
        remarks = work.take_remarks()
    finally:
        work.close()
    found = compared(opened.file, names, released, originals, asked, taxonomies or {}, distribution, others)
    return replace(found, remarks=remarks)


def read_rows(
    work: Database, target: object, delim: str | None, names: Sequence[str], *, noun: str
) -> tuple[str | None, Any]:
    """The name of a file, None for a table, and its distinct rows: the columns as texts, and their records.

    Raises AuditError if it cannot be read, lacks a column, or has no rows where people are held out.
    """
    with open_release(work, target, delim, noun=noun, one_zero=True) as opened:
        _refuse_missing(DuckDBFile(work).columns(), names)
        rows = work.arrow(grouped_texts.distinct_rows(names))
    if noun == HELD_OUT and not rows.num_rows:
        raise AuditError(f"the {HELD_OUT} has no rows; name one of people like the original's")
    return opened.file, rows


def shown_columns(work: Database, target: object, delim: str | None, named: Sequence[str]) -> list[str]:
    """The columns of a release; raises AuditError where it lacks one of those named."""
    with open_release(work, target, delim):
        columns = DuckDBFile(work).columns()
        _refuse_missing(columns, named)
    return list(columns)


def holds_distributions(target: object, class_: str, delim: str | None = None, tracer: Tracer | None = None) -> bool:
    """Whether a release has a distribution, right or wrong, in its class: one by swapping has values there."""
    work = Database(tracer=tracer)
    try:
        with open_release(work, target, delim):
            _refuse_missing(DuckDBFile(work).columns(), [class_])
            texts = work.arrow(grouped_texts.distinct_rows([], class_)).column(0).to_pylist()
    finally:
        work.close()
    return any(is_shaped_as_distribution(text) for text in texts if text is not None)


def compared(
    file: str | None,
    names: Sequence[str],
    released: Any,
    originals: Any,
    asked: Mapping[str, float],
    taxonomies: Mapping[str, Any],
    distribution: str,
    others: Any = None,
) -> OriginalReport:
    """Compare the distinct rows of a release with those of its original, and of people who are not in it.

    All tables have the columns ``names`` and ``distribution`` as texts, and last the number of records of each row.
    """
    shares = read_distributions(released.column(len(names)).to_pylist(), distribution)
    counts = [np.asarray(table.column(-1)).astype(np.int64) for table in (released, originals)]
    if counts[0].sum() != counts[1].sum():
        raise AuditError(
            f"the release has {counts[0].sum():,} records and the original {counts[1].sum():,}; name the table that "
            "the release was made of"
        )
    columns: list[CoverColumn] = [
        cover_column(name, released.column(number), originals.column(number), taxonomies.get(name))
        for number, name in enumerate(names)
    ]
    held, value_of = encoded(originals.column(len(names)))
    columns.append(CoverColumn(shares.supports(held), shares.of_row, value_of))
    degrees = degrees_of(covered_pairs(columns, len(counts[1])), *counts)
    quasi = columns[:-1]
    people = People([one.covers for one in quasi], [one.value_of for one in quasi], value_of, counts[1])
    outside = None if others is None else _outside(names, released, others, taxonomies, held)
    inference = class_inference(quasi, shares.of_values(held), counts[0], people, outside)
    largest, alone = shares.largest, shares.one_valued
    return OriginalReport(
        file,
        int(counts[0].sum()),
        int(asked.get("k", degrees.covered.min())),
        1 / float(largest.max()),
        float(counts[0][alone].sum() / counts[0].sum()),
        degrees,
        inference,
        asked,
    )


def _outside(
    names: Sequence[str], released: Any, others: Any, taxonomies: Mapping[str, Any], classes: Sequence[str | None]
) -> People:
    """People who are not in the release; a value that no label is over says nothing of them."""
    covers, value_of = [], []
    for number, name in enumerate(names):
        labels, _ = encoded(released.column(number))
        values, of_row = encoded(others.column(number))
        covers.append(labels_over(name, labels, values, taxonomies.get(name)))
        value_of.append(of_row)
    known = {value: at for at, value in enumerate(classes)}
    held = np.array([known.get(value, -1) for value in others.column(len(names)).to_pylist()], dtype=np.int64)
    return People(covers, value_of, held, np.asarray(others.column(-1)).astype(np.int64))


def _asked(requirements: Mapping[str, float]) -> dict[str, float]:
    unknown = [name for name in requirements if name not in NAMES]
    if unknown:
        raise AuditError(f"with an original, k and l can be required, not {listed(unknown)}")
    return dict(requirements)


def _names(columns: Sequence[str], named: Sequence[str] | None, distribution: str) -> list[str]:
    _refuse_missing(columns, [*(named or []), distribution])
    return [name for name in (named if named is not None else columns) if name != distribution]


def _refuse_missing(columns: Sequence[str], asked: Sequence[str]) -> None:
    missing = [name for name in asked if name not in columns]
    if missing:
        raise AuditError(f"there is no column {listed(missing)}; the columns are {listed(columns)}")


def _summary(numbers: np.ndarray, k: int) -> dict[str, float]:
    return {
        "least": int(numbers.min()),
        "mean": round(float(numbers.mean()), 4),
        "under": round(float((numbers < k).mean()), 6),
        "one": round(float((numbers == 1).mean()), 6),
    }
