"""The three tables of an attack: release, original and control group, their columns by role, each grouped by what the
release and the original have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.attacks import overlap
from anonduck.attacks.knowledge import CONTROL, ORIGINAL, RELEASE
from anonduck.attacks.overlap import WHOLE_CONTROL, WHOLE_ORIGINAL, Overlap
from anonduck.auditing.audit import chosen_quasi_identifiers
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy.audited_engine import DuckDBFile
from anonduck.privacy.audited_file import listed, open_release
from anonduck.privacy.distributions import is_distribution
from anonduck.statements import builder_grouped, statement


class AttackedTables:
    """The columns of a release that the original has too, by role, and the grouped tables of both."""

    def __init__(self, work: Database, quasi: Sequence[str] | None, kept: Sequence[str], delim: str | None) -> None:
        self._work, self._named, self._delim = work, quasi, delim
        self.kept: tuple[str, ...] = tuple(kept)
        self.quasi: tuple[str, ...] = ()
        self.missing: dict[str, str] = {}

    def read(self, release: object, original: object, control: object | None) -> str | None:
        """Group release, original and control; returns the name of the release's file."""
        theirs = self._columns(control) if control is not None else ()
        ours = self._columns(original)
        with open_release(self._work, release, self._delim) as file:
            self._choose(ours)
            self._group(RELEASE, "the release")
        common = [name for name in ours if name in theirs]
        lacking = [name for name in (*self.quasi, *self.kept) if name not in theirs]
        if control is not None and lacking:
            raise AuditError(f"the control group has no column {listed(lacking)}; it needs those of the original")
        with open_release(self._work, original, self._delim, one_zero=True):
            self._group(ORIGINAL, "the original")
            if control is not None:
                self._work.run(builder_grouped.grouped(WHOLE_ORIGINAL, common, hashed=True))
        if control is not None:
            with open_release(self._work, control, self._delim, one_zero=True):
                self._group(CONTROL, "the control group")
                self._work.run(builder_grouped.grouped(WHOLE_CONTROL, common, hashed=True))
            self._common = len(common)
        return file

    def overlap(self, original: object, control: object) -> Overlap:
        """How many records of the control group are rows of the original, by what is attacked and by all columns."""
        same = overlap.same_file(original, control)
        attacked = overlap.between(self._work, ORIGINAL, CONTROL, len(self.quasi) + len(self.kept), same=same)
        whole = overlap.between(self._work, WHOLE_ORIGINAL, WHOLE_CONTROL, self._common, same=same)
        for made in (WHOLE_ORIGINAL, WHOLE_CONTROL):
            self._work.run(statement("attacks/forget.sql", table={"made": made}))
        return overlap.telling([attacked, whole])

    def check_named(self, link: Sequence[Sequence[str]], taxonomies: Mapping[str, Any]) -> None:
        """Raises AuditError for columns to link, or of taxonomies, that are no quasi-identifiers."""
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
        """Sort the columns of the view ``release``, given those of the original."""
        quasi = chosen_quasi_identifiers(self._named_columns(), self._named, self.kept)
        self.missing = {n: "the original has no such column" for n in (*quasi, *self.kept) if n not in ours}
        self.quasi = tuple(name for name in quasi if name not in self.missing)
        self.kept = tuple(name for name in self.kept if name not in self.missing)
        self._refuse_distributions()
        if not self.quasi:
            raise AuditError(f"no quasi-identifier can be attacked: {reasons(self.missing)}")

    def _refuse_distributions(self) -> None:
        for name in (*self.quasi, *self.kept):
            for (text,) in self._work.rows(statement("privacy/first_value.sql", column={"kept": name})):
                if is_distribution(text, name):
                    raise AuditError(
                        f"the column {name!r} of the release holds distributions, and what is attacked here are single "
                        "values. `audit_original(RELEASE, ORIGINAL)` measures what naive Bayes infers from them"
                    )

    def _columns(self, target: object) -> tuple[str, ...]:
        with open_release(self._work, target, self._delim):
            return self._named_columns()

    def _named_columns(self) -> tuple[str, ...]:
        return DuckDBFile(self._work).columns()

    def _group(self, table: str, whose: str) -> None:
        self._work.run(builder_grouped.grouped(table, [*self.quasi, *self.kept]))
        if not self._work.value(statement("privacy/total.sql", table={"counted": table})):
            raise AuditError(f"{whose} has no records; check the program that wrote it")


def reasons(left_out: Mapping[str, str]) -> str:
    """Columns that are left out, with the reason of each."""
    return "; ".join(f"{name!r}: {why}" for name, why in left_out.items())
