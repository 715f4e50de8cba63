"""The roles that the receipt of a released file names, once its hash is that of the file.

An audit reads the file alone. Of a receipt beside it, it looks at the hash and no more, to say that there is one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.errors import AuditError
from anonduck.privacy.audited_file import read_receipt, receipt_at

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
    if not isinstance(target, (str, Path)) or not Path(target).is_file():
        return None
    path = Path(f"{target}.receipt.json")
    try:
        held = read_receipt(target).get("sha256")
    except AuditError:  # what stands there is no receipt, and the file is audited without one
        return None
    return str(path) if isinstance(held, str) and held == _sha256(Path(target)) else None


def roles_of_receipt(target: object, receipt: str | Path) -> ReceiptRoles:
    """The roles that a receipt names.

    Raises AuditError if it cannot be read, is no receipt of a file, or is that of another file.
    """
    if not isinstance(target, (str, Path)) or not Path(target).is_file():
        raise AuditError("a receipt is checked against the hash of a file; name a Parquet or CSV file, or the roles")
    written = receipt_at(Path(receipt))
    if not isinstance(written.get("sha256"), str) or "columns" not in written:
        raise AuditError(f"{receipt} is no receipt of a release; name the FILE.receipt.json that was written with it")
    if written["sha256"] != _sha256(Path(target)):
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
    counted = "class" in written.get("k_counts", [])
    class_ = next(iter(by_role["class"]), None)
    quasi = [*by_role["quasi-identifier"], *([class_] if counted and class_ is not None else [])]
    return ReceiptRoles(
        receipt,
        tuple(quasi),
        tuple(by_role["sensitive"]),
        tuple(by_role["insensitive"]),
        None if counted else class_,
        k,
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
