"""A release by swapping beside the table that it was made of (Senavirathne and Torra 2021, sections 5.1 to 5.3).

What it costs: mutual information that columns lose, and macro F1 on people who are held out and not changed, by models
that learned from the release against models that learned from the original. What it reveals: how much more often the
class of its own people is guessed than that of people held out. k does not follow from the file; it is the receipt's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonduck.attacks.attack import attack
from anonduck.attacks.inference import WIDE
from anonduck.attacks.rates import Excess, Rate, excess, z_of
from anonduck.attacks.report import INFERENCE, LARGEST_GAIN, Attempt
from anonduck.auditing.original import HELD_OUT, read_rows, shown_columns
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.methods.permutation import information_lost
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import train_and_predict
from anonduck.models.estimators import MODELS, one_thread_each
from anonduck.models.features import features_of
from anonduck.models.scores import mean_f1
from anonduck.privacy.audited_file import read_receipt
from anonduck.rules.rounding import DIGITS

LEARNERS = ("logistic", "tree", "forest")
"""Models whose F1 is compared; of the paper's five those that need no choice of a kernel or of layers."""
OTHERS = 2
"""The place of the people held out among the tables: the original, the release, they."""


@dataclass(frozen=True)
class SwappedReport:
    """What a release by swapping loses and reveals.

    ``k`` is the receipt's, None without one. ``lost`` is the mean mutual information in bits that pairs of columns
    lose: over ``all_columns``, as the paper counts, and over ``quasi_identifiers_and_class``, as the measure of a
    receipt does. ``f1`` has for each model its macro F1 on people held out, as trained on the original and on the
    release. ``inferred`` are the guesses of the class, each with its rate for the people held out; empty, as ``f1``,
    where none are given.
    """

    file: str | None
    records: int
    k: int | None
    lost: Mapping[str, float]
    f1: Mapping[str, tuple[float, float]]
    inferred: Sequence[Attempt]

    @property
    def f1_lost(self) -> float | None:
        """The mean over models of the macro F1 that is lost."""
        return None if not self.f1 else sum(before - after for before, after in self.f1.values()) / len(self.f1)

    def as_json(self) -> dict[str, Any]:
        """The report as ``anonduck audit --json`` prints it."""
        f1_lost = self.f1_lost
        return {
            "file": self.file,
            "rows": self.records,
            "swapped": {
                "k": self.k,
                "mutual_information_lost": {name: round(value, DIGITS) for name, value in self.lost.items()},
                "f1": {
                    name: {"original": round(before, DIGITS), "release": round(after, DIGITS)}
                    for name, (before, after) in self.f1.items()
                },
                "f1_lost": None if f1_lost is None else round(f1_lost, DIGITS),
                "inference": {
                    one.attack: {
                        "people": round(one.success.share, DIGITS),
                        "held_out": round(control.share, DIGITS),
                        "excess": round(over.value, DIGITS),
                        "excess_low": round(over.low, DIGITS),
                        "excess_high": round(over.high, DIGITS),
                        "found": over.found,
                    }
                    for one, control, over in _over_control(self.inferred)
                },
            },
        }


def audit_swapped(
    target: object,
    original: object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    class_: str,
    held_out: object | None = None,
    delim: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    tracer: Tracer | None = None,
) -> SwappedReport:
    """Compare a release by swapping with the table that it was made of.

    Args:
        target: the release, in the forms that ``anonduck.audit_original`` takes.
        original: the source, with all columns of the release.
        quasi_identifiers: what attackers know; by default all columns but the class. Models learn from all columns.
        class_: the column that models and attackers guess.
        held_out: people like those of the original who are not in the release, with the same columns. Without them
            nothing is learned, and mutual information alone is compared.
        delim: the separator of CSV files.
        threads, memory_limit, tracer: as for ``anonduck.audit``.

    Raises:
        AuditError: a file cannot be read, lacks a column, or a column has other values than in the original, or other
            numbers of them, as no release by swapping has; one whose rare values were generalized, by its receipt, may.
    """
    work = Database(threads=threads, memory_limit=memory_limit, tracer=tracer)
    try:
        columns = shown_columns(work, target, delim, [*(quasi_identifiers or []), class_])
        file, released = read_rows(work, target, delim, columns, noun="release")
        _, before = read_rows(work, original, delim, columns, noun="original")
        others = None if held_out is None else read_rows(work, held_out, delim, columns, noun=HELD_OUT)[1]
        quasi = [name for name in (quasi_identifiers or columns) if name != class_]
        tables = [_Rows.of(one) for one in (before, released, others) if one is not None]
        numbers = [_are_numbers(one) for one in zip(*(table.columns for table in tables), strict=True)]
        tables = [table.read(numbers) for table in tables]
        _check_swapped(columns, tables[0], tables[1], class_, _generalized(target))
        codes = _coded(tables)
        weights = [table.records for table in tables]
        place = {name: at for at, name in enumerate(columns)}
        lost = {
            name: _lost(codes, weights, [place[one] for one in some])
            for name, some in (("all_columns", columns), ("quasi_identifiers_and_class", [*quasi, class_]))
        }
        f1: dict[str, tuple[float, float]] = {}
        inferred: list[Attempt] = []
        if others is not None:
            f1 = _f1(codes, tables, numbers, place[class_])
            kept = [name for name in columns if name not in {*quasi, class_}]
            found = attack(
                *(target, original, quasi),
                control=held_out,
                class_=class_,
                insensitive=kept,
                delim=delim,
                splink=False,
                database=work,
            )
            inferred = [one for one in found.attempts if _guesses(one, class_)]
    finally:
        work.close()
    return SwappedReport(file, int(weights[1].sum()), _stated_k(target), lost, f1, inferred)


def _stated_k(target: object) -> int | None:
    """The least size of a cluster by the receipt beside a file; None without one, or in one of another method."""
    model = (read_receipt(target).get("method") or {}).get("model") or {}
    k = model.get("probabilistic_k")
    return k if isinstance(k, int) else None


def _generalized(target: object) -> set[str]:
    """The columns whose rare values were generalized before they were swapped, by the receipt beside a file."""
    return {one["name"] for one in read_receipt(target).get("columns") or [] if one.get("rare") == "generalized"}


# -- the rows of a table -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Rows:
    """The distinct rows of a table: by column the values of each, None where missing; ``records`` (rows,) of each."""

    columns: Sequence[Sequence[Any]]
    records: np.ndarray

    @classmethod
    def of(cls, table: Any) -> _Rows:
        texts = [table.column(at).to_pylist() for at in range(table.num_columns - 1)]
        return cls(texts, np.asarray(table.column(-1)).astype(np.int64))

    def read(self, numbers: Sequence[bool]) -> _Rows:
        """The same, with numbers where a column holds them in all tables: 1 and 1.0 are one value then."""
        read = [
            [None if one is None else float(one) for one in column] if number else column
            for column, number in zip(self.columns, numbers, strict=True)
        ]
        return _Rows(read, self.records)

    def counted(self, at: int) -> Counter[Any]:
        """The records of each value of a column."""
        found: Counter[Any] = Counter()
        for value, held in zip(self.columns[at], self.records.tolist(), strict=True):
            found[value] += held
        return found


def _are_numbers(columns: Sequence[Sequence[str | None]]) -> bool:
    return all(_is_finite(value) for column in columns for value in column if value is not None)


def _is_finite(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _check_swapped(
    columns: Sequence[str], before: _Rows, after: _Rows, class_: str, generalized: Collection[str]
) -> None:
    """Raise AuditError unless each column has each value as often as before, but for those of which rare ones were
    generalized; no message names a value."""
    records = [int(table.records.sum()) for table in (before, after)]
    if records[0] != records[1]:
        raise AuditError(
            f"the release has {records[1]:,} records and the original {records[0]:,}; name the table that the release "
            "was made of"
        )
    kept = [(at, name) for at, name in enumerate(columns) if name not in generalized]
    changed = [name for at, name in kept if before.counted(at) != after.counted(at)]
    if changed:
        raise AuditError(
            f"the column {class_!r} does not hold distributions, so that this is no release by nsvdist; nor is it one "
            f"by swapping, as {', '.join(map(repr, changed))} does not have each value as often as the original: name "
            "the table that the release was made of, and for a release that generalizes audit the file alone"
        )


def _coded(tables: Sequence[_Rows]) -> list[np.ndarray]:
    """Codes of the values of all tables in their order, from 1, 0 where missing; each (rows, columns)."""
    found = [np.zeros((len(table.records), len(table.columns)), dtype=np.int64) for table in tables]
    for at in range(len(tables[0].columns)):
        values = sorted({value for table in tables for value in table.columns[at] if value is not None})
        code = {value: number for number, value in enumerate(values, start=1)}
        for table, codes in zip(tables, found, strict=True):
            codes[:, at] = [0 if value is None else code[value] for value in table.columns[at]]
    return found


# -- what is lost ------------------------------------------------------------------------------------------------------


def _lost(codes: Sequence[np.ndarray], weights: Sequence[np.ndarray], places: Sequence[int]) -> float:
    if len(places) < 2:
        return 0.0
    before, after = (
        [np.repeat(table[:, at], held) for at in places] for table, held in zip(codes[:2], weights[:2], strict=True)
    )
    return information_lost(before, after)


def _f1(
    codes: Sequence[np.ndarray], tables: Sequence[_Rows], numbers: Sequence[bool], class_: int
) -> dict[str, tuple[float, float]]:
    """Macro F1 on people held out, by models that learned from the original and from the release."""
    stacked = np.vstack(codes)
    truth = stacked[:, class_]
    places = [at for at in range(stacked.shape[1]) if at != class_]
    table = Contingency(
        codes=stacked[:, places].astype(np.int32),
        nominal=tuple(not numbers[at] and int(stacked[:, at].max(initial=0)) <= WIDE for at in places),
        sizes=tuple(int(stacked[:, at].max(initial=0)) for at in places),
        classes=truth,
        folds=np.zeros((len(truth), 1), dtype=np.int64),
        values=np.column_stack([_numbers(tables, codes, at, number=numbers[at]) for at in places]),
    )
    rows = np.arange(len(truth))
    of_table = np.repeat([0, 1, 2], [len(one) for one in codes])
    records = np.concatenate([one.records for one in tables])
    tested = rows[of_table == OTHERS]
    found: dict[str, tuple[float, float]] = {}
    with one_thread_each():
        for name in LEARNERS:
            model = MODELS[name]
            features = features_of(table, rows, model)
            scores = []
            for learned in (0, 1):
                weights = np.where(of_table == learned, records, 0).astype(np.float64)
                (predicted,) = train_and_predict(model, features, truth, weights, tested, [None])
                confusion = np.zeros((truth.max() + 1, truth.max() + 1))
                np.add.at(confusion, (truth[tested], predicted.classes), records[tested])
                scores.append(mean_f1(confusion))
            found[name] = (scores[0], scores[1])
    return found


def _numbers(tables: Sequence[_Rows], codes: Sequence[np.ndarray], at: int, *, number: bool) -> np.ndarray:
    """A column of all tables as numbers: its values, or else its codes."""
    if not number:
        return np.concatenate([one[:, at] for one in codes]).astype(np.float64)
    return np.array([np.nan if one is None else one for table in tables for one in table.columns[at]], dtype=np.float64)


# -- what is revealed --------------------------------------------------------------------------------------------------


def _over_control(attempts: Sequence[Attempt]) -> Iterator[tuple[Attempt, Rate, Excess]]:
    """Each attack with its control group and its excess over that; the intervals of all attacks hold together."""
    for one in attempts:
        if one.control is not None:
            yield one, one.control, excess(one.success, one.control, z_of(one.comparisons))


def _guesses(one: Attempt, class_: str) -> bool:
    """Whether an attempt guesses the class of everybody; the largest gain is of the few that a guess is surest of."""
    return one.question == INFERENCE and one.about == class_ and not one.attack.startswith(LARGEST_GAIN)
