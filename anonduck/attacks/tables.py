"""The three tables of an attack, and whether the control group really is of other people.

A control group that shares people with the original hides what a release gives away: a guess that is right for the
released people is right for the control group for the same reason. In a table of few columns some rows are equal by
chance. Two explanations by chance are tested, and a control group is accepted if one of them holds:

- Both groups were drawn from one population. Then all records could as well have been dealt to the two groups at
  random, and two equal records fall into different groups in about half of all cases. Copied records are in both groups
  nearly always.
- The columns of the control group are independent. Then a record put together from values drawn column by column is as
  often a row of the original. This also covers an original that was constructed, say with classes of exactly two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.attacks.knowledge import CONTROL, ORIGINAL, RELEASE, WHOLE_CONTROL, WHOLE_ORIGINAL
from anonduck.attacks.rates import Rate
from anonduck.auditing.audit import chosen_quasi_identifiers
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import grouped_texts
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import listed, open_release
from anonduck.privacy.composition import columns_of
from anonduck.privacy.distributions import is_distribution
from anonduck.privacy.relations import forget
from anonduck.statements import line, statement

DOUBT = 1e-6  # p under which a control group is refused: one in a million that were drawn at random
RARE = 0.01  # p under which a control group gets a note
ADVICE = (
    "it would hide what the release gives away. Use records of other people, whom the release leaves out, drawn at "
    "random"
)


@dataclass(frozen=True)
class Overlap:
    """How many control records equal an original one in ``columns`` columns, and whether chance explains it.

    ``twins`` are the records of the original that equal another of it, ``put_together`` the share that is equal if
    columns are independent, ``p`` how often chance gives so many equal rows, by the better explanation. ``alike``: both
    groups hold the same rows equally often. ``same_file``: both are one file or table.
    """

    columns: int
    equal: Rate
    twins: Rate
    put_together: float
    p: float
    alike: bool = False
    same_file: bool = False

    @property
    def expected(self) -> float:
        """The share of the control group that may be rows of the original by chance."""
        return max(self.twins.share, self.put_together)

    @property
    def beyond_chance(self) -> bool:
        """Whether there are more equal rows than chance explains."""
        return self.same_file or self.p < DOUBT

    @property
    def unexpected(self) -> bool:
        """Whether there are equal rows where chance gives hardly one, or rarely so many."""
        return self.equal.right > 0 and (self.expected * self.equal.tried < 0.5 or self.p < RARE)

    @property
    def words(self) -> str | None:
        """What is wrong with the control group, or may be; None if nothing is."""
        if self.same_file:
            return f"the control group is the original itself; {ADVICE}"
        found = (
            f"{self.equal.right:,} of the {self.equal.tried:,} records of the control group are rows of the original"
        )
        if self.beyond_chance:
            return (
                f"{found} too, over {self.columns} columns, where {self.expected:.1%} could be by chance: "
                f"it holds people of the original, or was not drawn at random; {ADVICE}"
            )
        if self.alike:
            return (
                f"{found}, each as often as there, over {self.columns} columns. Rows so few or so "
                "alike cannot show whether they are other people; make sure that they are"
            )
        if self.unexpected:
            return (
                f"{found} too, over {self.columns} columns, where {self.expected:.1%} could be by chance. So few may "
                "be chance or people of the original in the control group; make sure that they are other people"
            )
        return None

    def as_json(self) -> dict[str, Any]:
        """The overlap as part of a JSON document."""
        return {
            "columns": self.columns,
            "equal": int(self.equal.right),
            "control": self.equal.tried,
            "equal_share": round(self.equal.share, 6),
            "expected_share": round(self.expected, 6),
            "chance": float(f"{self.p:.6g}"),
            "beyond_chance": self.beyond_chance,
            "unexpected": self.unexpected,
            "same_rows": self.alike,
            "same_file": self.same_file,
        }


def same_file(one: object, other: object) -> bool:
    """Whether both are one file, one table of one file, or one object."""
    if not isinstance(one, (str, Path)) or not isinstance(other, (str, Path)):
        return one is other
    if Path(one).exists() and Path(other).exists():
        return Path(one).samefile(other)
    first, second = (str(name).partition("::") for name in (one, other))
    return first[2] == second[2] and Path(first[0]).exists() and same_file(first[0], second[0])


def between(work: Database, ours: str, theirs: str, columns: int, *, same: bool) -> Overlap:
    """The overlap of two grouped tables in their first ``columns`` columns."""
    names = [f"a_{number}" for number in range(1, columns + 1)]
    numbers = [{"number": number} for number in range(1, columns + 1)]
    both = {"ours": ours, "theirs": theirs}
    pairs = work.rows(statement("attacks/equal_rows.sql", columns={"compared": names}, table=both))
    records = [sum(pair[group] * pair[2] for pair in pairs) for group in (0, 1)]
    put_together = min(work.value(statement("attacks/put_together.sql", table=both, lists={"columns": numbers})), 1.0)
    equal = Rate(sum(control * held for original, control, held in pairs if original), records[1])
    twins = Rate(sum(original * held for original, _, held in pairs if original > 1), records[0])
    p = max(chance_of_split(_sets(pairs), equal.tried, twins.tried), _chance_of_equal(equal, put_together))
    alike = all(original == control for original, control, _ in pairs)
    return Overlap(columns, equal, twins, put_together, p, alike, same)


def _sets(pairs: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """By the number of records of a row in both groups, from 2 up: the distinct rows, and those of them in
    both groups.
    """
    sets: dict[int, list[int]] = {}
    for original, control, held in pairs:
        found = sets.setdefault(original + control, [0, 0])
        found[0] += held
        found[1] += held if original and control else 0
    return [(records, *sets[records]) for records in sorted(sets) if records > 1]  # type: ignore[misc]


def chance_of_split(sets: Sequence[tuple[int, int, int]], control: int, original: int) -> float:
    """How often so many distinct rows are in both groups if each record is dealt to a group at random.

    ``sets`` gives, by number of records, how many distinct rows have it and how many of those are in both groups. The
    result is Chernoff's bound (1952), never under that chance, and the chance itself if all rows are split.

    >>> chance_of_split([(2, 10, 10)], 50, 50) == 0.5**10
    True
    """
    shares = [(held, _split(records, control / (control + original))) for records, held, _ in sets]
    split = sum(found for *_, found in sets)
    if split <= sum(held * share for held, share in shares):
        return 1.0
    if split == sum(held for held, _ in shares):
        return math.prod(share**held for held, share in shares)
    low, high = 0.0, 1.0
    while _tilted(shares, high) < split:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tilted(shares, middle) < split else (low, middle)
    return min(1.0, math.exp(sum(held * math.log1p(share * math.expm1(low)) for held, share in shares) - low * split))


def _tilted(shares: Sequence[tuple[int, float]], t: float) -> float:
    """The expected number of rows in both groups if each row's odds are e^t times as large."""
    return sum(held * share / (share + (1 - share) * math.exp(-t)) for held, share in shares)


def _split(records: int, share: float) -> float:
    """The chance that equal records are not all in one group, if each falls into a group with a chance of ``share``."""
    return -math.expm1(records * math.log1p(-share)) - share**records


def _chance_of_equal(equal: Rate, share: float) -> float:
    """How often so many records or more are equal if each is with a chance of ``share`` (binomial)."""
    from scipy.stats import binom

    return float(binom.sf(equal.right - 1, equal.tried, share))


def most_telling(found: Sequence[Overlap]) -> Overlap:
    """The overlap that says most: beyond chance first, then alike, unexpected, the least likely, and of
    most columns.
    """
    return max(found, key=lambda one: (one.beyond_chance, one.alike, one.unexpected, -one.p, one.columns))


class AttackedTables:
    """The columns that release and original have in common, by role, and both tables grouped by them."""

    def __init__(self, work: Database, quasi: Sequence[str] | None, kept: Sequence[str], delim: str | None) -> None:
        self._work, self._named, self._delim = work, quasi, delim
        self.kept: tuple[str, ...] = tuple(kept)
        self.quasi: tuple[str, ...] = ()
        self.missing: dict[str, str] = {}

    def read(self, release: object, original: object, control: object | None, *, disjoint: bool) -> str | None:
        """Group release, original and control; returns the name of the release's file. Only where the groups may share
        people are they grouped by all columns, for ``overlap``.
        """
        theirs = columns_of(self._work, control, self._delim) if control is not None else ()
        ours = columns_of(self._work, original, self._delim)
        with open_release(self._work, release, self._delim) as opened:
            self._choose(ours)
            self._group(RELEASE, "the release")
        common = [name for name in ours if name in theirs]
        lacking = [name for name in (*self.quasi, *self.kept) if name not in theirs]
        if control is not None and lacking:
            raise AuditError(f"the control group has no column {listed(lacking)}; it needs those of the original")
        with open_release(self._work, original, self._delim, one_zero=True):
            self._group(ORIGINAL, "the original")
            if control is not None and not disjoint:
                self._work.run(grouped_texts.grouped(WHOLE_ORIGINAL, common, hashed=True))
        if control is not None:
            with open_release(self._work, control, self._delim, one_zero=True):
                self._group(CONTROL, "the control group")
                if not disjoint:
                    self._work.run(grouped_texts.grouped(WHOLE_CONTROL, common, hashed=True))
            self._common = len(common)
        return opened.file

    def overlap(self, original: object, control: object) -> Overlap:
        """The overlap of control group and original, by the attacked columns and by all columns; the one that says
        more.
        """
        same = same_file(original, control)
        attacked = between(self._work, ORIGINAL, CONTROL, len(self.quasi) + len(self.kept), same=same)
        whole = between(self._work, WHOLE_ORIGINAL, WHOLE_CONTROL, self._common, same=same)
        forget(self._work, (WHOLE_ORIGINAL, WHOLE_CONTROL))
        return most_telling([attacked, whole])

    def check_named(self, link: Sequence[Sequence[str]], taxonomies: Mapping[str, Any]) -> None:
        """Raise AuditError for columns to link, or of taxonomies, that are not quasi-identifiers."""
        for name in taxonomies:
            if name not in self.quasi:
                raise AuditError(
                    f"a taxonomy is given for {name!r}, which is not a quasi-identifier; those are {listed(self.quasi)}"
                )
        if link and len(link) != 2:
            raise AuditError(f"linking takes two sets of columns; got {len(link)}")
        strangers = [name for names in link for name in names if name not in self.quasi]
        if strangers:
            raise AuditError(f"{listed(strangers)} to link is not a quasi-identifier; those are {listed(self.quasi)}")
        both = [name for name in link[0] if name in link[1]] if link else []
        if both:
            raise AuditError(
                f"{listed(both)} is in both sets to link; each column is known from one place, because one in both "
                "would link them without the release"
            )

    def _choose(self, ours: Sequence[str]) -> None:
        """Choose the columns of the view ``release``, given those of the original."""
        quasi = chosen_quasi_identifiers(DuckDBFile(self._work).columns(), self._named, self.kept)
        self.missing = {n: "the original has no such column" for n in (*quasi, *self.kept) if n not in ours}
        self.quasi = tuple(name for name in quasi if name not in self.missing)
        self.kept = tuple(name for name in self.kept if name not in self.missing)
        self._refuse_distributions()
        if not self.quasi:
            raise AuditError(f"no quasi-identifier can be attacked: {reasons(self.missing)}")

    def _refuse_distributions(self) -> None:
        for name in (*self.quasi, *self.kept):
            first = 'SELECT to_json(r."{kept}")::VARCHAR FROM release AS r WHERE r."{kept}" IS NOT NULL LIMIT 1'
            for (text,) in self._work.rows(line("attacks/tables._refuse_distributions", first, kept=name)):
                if is_distribution(text, name):
                    raise AuditError(
                        f"the column {name!r} of the release holds distributions, and what is attacked here are single "
                        "values. `anonduck audit RELEASE --original ORIGINAL --class COLUMN` measures what naive Bayes "
                        "infers from them"
                    )

    def _group(self, table: str, whose: str) -> None:
        self._work.run(grouped_texts.grouped(table, [*self.quasi, *self.kept]))
        if not self._work.value(grouped_texts.total(table)):
            raise AuditError(f"{whose} has no records; check the program that wrote it")


def reasons(left_out: Mapping[str, str]) -> str:
    """Columns that are left out, each with its reason."""
    return "; ".join(f"{name!r}: {why}" for name, why in left_out.items())
