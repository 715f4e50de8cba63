"""What an audit found: counts, shares, requirements, the order of rows, and the roles that a receipt gives columns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from anonduck.database.connection import Database
from anonduck.database.delta_writing import own_file
from anonduck.database.lake_tables import is_lake_table
from anonduck.errors import AuditError
from anonduck.privacy.audited_file import read_receipt, receipt_at, receipt_of
from anonduck.privacy.chosen_values import ValueChoice
from anonduck.privacy.kept_columns import KeptColumns
from anonduck.privacy.measures import PrivacyMeasure
from anonduck.privacy.requirement import CriterionResult
from anonduck.statements import statement
from anonduck.statements.expansion import expression
from anonduck.statements.relations import view_of
from anonduck.words import counted, html_table, met_row, summary_line

CLOSING = "these figures describe the audited file; they support an expert's review and do not replace it"


WrittenAs = Literal["value", "whole", "number"]
"""How a column is sorted: as what the file says, or a text of CSV as the number that it writes."""
SORTED_AS: Mapping[WrittenAs, tuple[str, ...]] = {
    "value": ('"{name}"',),
    "whole": ('TRY_CAST("{name}" AS HUGEINT)',),
    "number": ('TRY_CAST("{name}" AS DOUBLE)', '"{name}"'),
}
"""What a column is sorted by; large numbers that are one number in floating point differ by their texts."""

MISLEADS = "rows are sorted by their values: shuffle them before a model is cross-validated"
ROLES = ("quasi-identifier", "sensitive", "insensitive", "class")


@dataclass(frozen=True)
class ReceiptRoles:
    """A receipt of a file: where it stands, the roles that it names, and the k that it states."""

    receipt: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...]
    class_: str | None
    k: int

    @property
    def given(self) -> dict[str, Any]:
        """The roles as options of an audit."""
        return {
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "insensitive": self.insensitive,
            "class_": self.class_,
        }


def beside(target: object) -> str | None:
    """The receipt beside a file, if its hash is that of the file; nothing else of it is looked at."""
    file = _file_of(target)
    if file is None:
        return None
    path = receipt_of(str(target))
    try:
        held = read_receipt(target).get("sha256")
    except AuditError:  # what stands there is no receipt, and the file is audited without one
        return None
    return str(path) if isinstance(held, str) and held == _sha256(file) else None


def _file_of(target: object) -> Path | None:
    """The file whose hash a receipt names: a released file, or the one that a Delta table consists of."""
    if not isinstance(target, (str, Path)):
        return None
    kind, _, folder = str(target).partition(":")
    if is_lake_table(str(target)):
        return own_file(Path(folder)) if kind == "delta" else None
    return Path(target) if Path(target).is_file() else None


def roles_of_receipt(target: object, receipt: str | Path) -> ReceiptRoles:
    """The roles that a receipt names.

    Raises AuditError if it cannot be read, is no receipt of a file, or is that of another file.
    """
    file = _file_of(target)
    if file is None:
        raise AuditError("a receipt is checked against the hash of a file; name a Parquet or CSV file, or the roles")
    written = receipt_at(Path(receipt))
    if not isinstance(written.get("sha256"), str) or "columns" not in written:
        raise AuditError(f"{receipt} is no receipt of a release; name the FILE.receipt.json that was written with it")
    if written["sha256"] != _sha256(file):
        raise AuditError(
            f"{receipt} is the receipt of another file than {target}: their SHA-256 differ. Name the receipt that came "
            "with the file, or audit the file without one"
        )
    return _read(str(receipt), written)


def _read(receipt: str, written: Mapping[str, Any]) -> ReceiptRoles:
    try:
        by_role: dict[str, list[str]] = {role: [] for role in ROLES}
        for column in written["columns"]:
            by_role[column["role"]].append(str(column["name"]))
        k = int(written["k"])
    except (KeyError, TypeError, ValueError):
        raise AuditError(f"{receipt} names roles that this version does not know; name them by options") from None
    return ReceiptRoles(
        receipt,
        tuple(by_role["quasi-identifier"]),
        tuple(by_role["sensitive"]),
        tuple(by_role["insensitive"]),
        next(iter(by_role["class"]), None),
        k,
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class RowOrder:
    """How many rows stand where another one should, and how many sort before the row above them."""

    rows: int
    out_of_place: int
    descents: int

    @property
    def dealt(self) -> bool:
        """Whether the order is that of a release."""
        return self.out_of_place == 0

    @property
    def misplaced(self) -> int:
        """The rows that stand neither where a release has them nor where they would be if they were just sorted."""
        return min(self.out_of_place, self.descents)

    @property
    def words(self) -> str:
        """The order as a sentence."""
        if self.dealt:
            return "row order: follows from the values alone, and every stretch of the file is a fair sample"
        if not self.descents:
            return f"row order: {MISLEADS}"
        found = counted(self.out_of_place, "row", "rows")
        return (
            f"row order: {found} of {self.rows:,} not where a release has them; the order may tell that of the source"
        )

    def as_json(self) -> dict[str, Any]:
        """The order as JSON."""
        return {"dealt": self.dealt, "sorted": not self.descents, "out_of_place": self.out_of_place}


def order_of_rows(work: Database, columns: Sequence[str], *, texts: bool) -> RowOrder:
    """The order of the rows of the open view ``release``.

    With ``texts``, as of CSV, a column of numbers may have been sorted as numbers, or as texts, as postal codes are. So
    each in turn is read by whichever makes fewer rows of the columns up to it stand where they should not.
    """
    read: dict[str, WrittenAs] = dict.fromkeys(columns, "value")
    try:
        for place, name in enumerate(columns if texts else (), start=1):
            whole, number = work.row(statement("auditing/written_numbers.sql", column={"written": name}))
            if number:
                so_far = {one: read[one] for one in columns[:place]}
                as_number: dict[str, WrittenAs] = {**so_far, name: "whole" if whole else "number"}
                if _checked(work, as_number).misplaced < _checked(work, so_far).misplaced:
                    read |= as_number
        return _checked(work, read)
    finally:
        work.drop_view("numbered_release")


def _checked(work: Database, read: Mapping[str, WrittenAs]) -> RowOrder:
    parts = {
        f"c_{place}_{part}": expression(text, name=name)
        for place, (name, how) in enumerate(read.items())
        for part, text in enumerate(SORTED_AS[how])
    }
    keys = [{"called": called, "value": value} for called, value in parts.items()]
    text = 'SELECT each(parts, {value} AS "{called}";), row_number() OVER () AS "#at" FROM release'
    work.run(view_of(expression(text, parts=keys), "numbered_release"))
    return RowOrder(*work.row(statement("auditing/row_order.sql", columns={"ordered": list(parts)})))


@dataclass(frozen=True)
class SizeBand:
    """The classes of ``least`` to ``most`` records, sizes between two powers of two: how many, and their records."""

    least: int
    most: int
    classes: int
    records: int

    def as_json(self) -> dict[str, int]:
        """The band with both of its ends."""
        return {"from": self.least, "to": self.most, "classes": self.classes, "records": self.records}


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of a release's equivalence classes, in records; ``k_persons`` counts persons, if the file has a key of
    them. ``bands`` count classes by size, between powers of two, the smallest first.
    """

    rows: int
    classes: int
    k: int
    average: float
    largest: int
    alone: int
    under_required: int
    k_persons: int | None = None
    bands: tuple[SizeBand, ...] = ()

    @property
    def lone_words(self) -> str | None:
        """The warning about classes of one record or person; None if there are none."""
        if self.k == 1:
            return f"k is 1: {self.alone:,} of {self.rows:,} records are alone in their class and can be singled out"
        if self.k_persons == 1:
            return "k is 1: some classes hold the records of one person only, who can be singled out"
        return None


@dataclass(frozen=True, repr=False)
class AuditReport:
    """What a released file holds and protects: counts, column names, and no cell value that the caller did not name.

    ``sensitive_values`` are those of the named sensitive values that the file holds. ``roles_from`` names the config
    that gave roles of columns. ``row_order`` is None where it was not asked for,
    ``direct_identifiers`` (cells by text column and kind) where only what is required was measured, or by an engine.
    ``receipt`` gave the roles, and ``file_alone`` are the sizes of the classes by all columns; ``receipt_beside`` is
    one of the file, of which only the hash was looked at.
    """

    file: str | None
    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sizes: ClassSizes
    requirements: tuple[CriterionResult, ...]
    warnings: tuple[str, ...]
    entity: str | None = None
    preset: str | None = None
    measures: Mapping[str, PrivacyMeasure] = field(default_factory=dict)
    sensitive_values: Mapping[str, ValueChoice] = field(default_factory=dict)
    roles_from: str | None = None
    kept: KeptColumns = field(default_factory=KeptColumns)
    row_order: RowOrder | None = None
    direct_identifiers: Mapping[str, Mapping[str, int]] | None = None
    receipt: ReceiptRoles | None = None
    file_alone: ClassSizes | None = None
    receipt_beside: str | None = None

    def __repr__(self) -> str:
        """What the file reached, and whether that is enough."""
        missed = [one.asked.text for one in self.requirements if not one.met]
        verdict = f"misses {' and '.join(missed)}" if missed else "meets what is required" if self.requirements else ""
        records, classes = counted(self.rows, "record", "records"), counted(self.classes, "class", "classes")
        return summary_line("AuditReport", [self.file or "a table", f"k {self.k:,}", records, classes, verdict])

    def _repr_html_(self) -> str:
        """The requirements, and whether they are met."""
        return html_table(repr(self), [met_row(one.asked.text, one.reached, one.met) for one in self.requirements])

    @property
    def rows(self) -> int:
        """The number of records of the release."""
        return self.sizes.rows

    @property
    def classes(self) -> int:
        """The number of equivalence classes of the release."""
        return self.sizes.classes

    @property
    def k(self) -> int:
        """The size of the smallest equivalence class, in records, or in persons if an entity column was named."""
        return self.sizes.k if self.sizes.k_persons is None else self.sizes.k_persons

    @property
    def linked_k(self) -> int | None:
        """The smallest number of persons who share all of their rows; None without an entity column."""
        found = self.measures.get("linked_k")
        return None if found is None else int(found.numbers["linked_k"])

    @property
    def linked_words(self) -> str | None:
        """What ``linked_k`` means, and when it applies; None without an entity column."""
        if self.linked_k is None:
            return None
        details = self.measures["linked_k"].details
        return (
            f"all rows of a person together: shared by {counted(self.linked_k, 'person', 'persons')} at least, and "
            f"{details['persons_alone']:,} of {details['persons']:,} persons share theirs with nobody. It applies "
            f"where somebody can link the rows of a person, as by the column {self.entity!r}"
        )

    @property
    def receipt_words(self) -> str | None:
        """What the roles of a receipt change, or that there is a receipt; None without one."""
        if self.receipt is not None and self.file_alone is not None:
            sizes = self.file_alone
            least = sizes.k if sizes.k_persons is None else sizes.k_persons
            return (
                f"by the roles of {self.receipt.receipt}, which is of this file, k is {self.k:,}; by the file alone, "
                f"all columns taken as known to others, k is {least:,}, "
                f"and {counted(sizes.alone, 'record is', 'records are')} alone"
            )
        if self.receipt_beside is not None:
            return (
                f"{self.receipt_beside} is the receipt of this file and names the roles of its columns; "
                f"`--receipt {quote(self.receipt_beside)}` measures by them"
            )
        return None

    def _of_receipt(self) -> dict[str, Any]:
        if self.receipt is not None and self.file_alone is not None:
            alone = self.file_alone
            return {
                "receipt": {"file": self.receipt.receipt, "k": self.receipt.k},
                "file_alone": {"k": alone.k, "classes": alone.classes, "records_alone": alone.alone},
            }
        return {} if self.receipt_beside is None else {"receipt_beside": self.receipt_beside}

    @property
    def met(self) -> bool:
        """Whether every requirement is met; without requirements nothing can fail."""
        return all(requirement.met for requirement in self.requirements)

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON document."""
        return {
            "file": self.file,
            "rows": self.rows,
            "classes": self.classes,
            "k": self.k,
            **({} if self.linked_k is None else {"linked_k": self.linked_k}),
            "average_class": self.sizes.average,
            "largest_class": self.sizes.largest,
            "records_alone": self.sizes.alone,
            "records_under_required_k": self.sizes.under_required,
            "class_sizes": [band.as_json() for band in self.sizes.bands],
            "columns": list(self.columns),
            "quasi_identifiers": list(self.quasi_identifiers),
            **({} if self.entity is None else {"entity": self.entity}),
            **({} if self.roles_from is None else {"roles_from": self.roles_from}),
            **({} if self.preset is None else {"preset": self.preset}),
            **self.kept.as_json(),
            **self._of_receipt(),
            **({} if self.direct_identifiers is None else {"direct_identifiers": self.direct_identifiers}),
            **({} if self.row_order is None else {"row_order": self.row_order.as_json()}),
            **_named(self.sensitive_values),
            "measures": {name: measured.as_json() for name, measured in self.measures.items()},
            "requirements": [reached.as_json() for reached in self.requirements],
            "met": self.met,
            "warnings": list(self.warnings),
            "closing": CLOSING,
        }


def _named(chosen: Mapping[str, ValueChoice]) -> dict[str, Any]:
    return {"sensitive_values": {name: one.given for name, one in chosen.items()}} if chosen else {}


def composed_words(both: Mapping[str, Any]) -> str:
    """What the details of ``composition`` say of this release beside an earlier one."""
    if both["exact"]:
        return (
            f"with the earlier release: {both['pairs']:,} pairs of classes share a person, and {both['pairs_under']:,} "
            f"of them share fewer than {both['under']:,}, with {both['records_under']:,} records of this release"
        )
    return (
        f"with the earlier release: of {both['pairs']:,} pairs of classes that may share a person, "
        f"{both['pairs_under']:,} share fewer than {both['under']:,}, with at most {both['records_under']:,} records "
        f"of this release; if everybody here is in the earlier release, {both['certain']:,} of these pairs certainly "
        f"hold somebody; {both['expected_under']:,} are expected to, if people are spread evenly"
    )
