"""What people vouch for before a release is signed: who decided the roles, who read the config, what was attacked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from anonduck.config.authorship import who_decided
from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.config.signed_word import SignedWord
from anonduck.database.documents import ATTACKED, keep_document, kept_document
from anonduck.report.coverage import covered_by, quasi_identifiers_of
from anonduck.report.page import Markup, sheet
from anonduck.workspace import Workspace

UNREAD = "nobody is said to have read the config: once somebody has, write `reviewed: NAME, DATE` into it"
ACCEPT = "or have it accepted, by `accepted_unattacked: NAME, DATE` in the config"
ATTACK = "attack the file itself by `anonduck attack`, and add what that finds (`--attacks`)"
OWNERS_PAGE = (
    "not each quasi-identifier that it shows is known to have been attacked: `anonduck report --release FILE --owner` "
    "attacks them"
)


@dataclass(frozen=True)
class Vouched:
    """What people vouch for of a release.

    Attributes:
        decided: who decided the roles of the columns, as a clause.
        reviewed: who read the config; None if nobody did.
        accepted: who accepts that columns were not attacked; None if nobody does.
        unattacked: the quasi-identifiers that the file shows and no attack covered.
        named: whether these may be named: which of them drawn people show may tell of values that the file hides.
        others: columns that the config gives another role by now than the release was made by.
    """

    decided: str
    reviewed: SignedWord | None
    accepted: SignedWord | None
    unattacked: tuple[str, ...]
    named: bool
    others: tuple[str, ...]

    @property
    def missing(self) -> Iterator[str]:
        """Why the certificate cannot be signed yet, as sentences without a full stop."""
        if self.reviewed is None:
            yield UNREAD
        elif self.reviewed.date > (datetime.now(UTC) + timedelta(days=1)).date().isoformat():
            yield f"the config was read by {self.reviewed.name} on {self.reviewed.date}, which is yet to come"
        if self.others:
            names = ", ".join(self.others)
            yield f"the config has another role for {names} by now than the release was made by: release it again"
        if self.unattacked and self.accepted is None:
            yield f"{self.unattacked_words}: {ATTACK}, {ACCEPT}" if self.named else f"{OWNERS_PAGE}, {ACCEPT}"

    @property
    def unattacked_words(self) -> str:
        """Which columns were not attacked."""
        names = ", ".join(self.unattacked)
        return f"{names} {'was' if len(self.unattacked) == 1 else 'were'} not attacked"

    @property
    def attacked_words(self) -> str:
        """That each column was attacked, or what was not and who accepts it."""
        if not self.unattacked:
            return "each quasi-identifier that it shows was attacked; what attacks find is for its owner"
        what = self.unattacked_words if self.named else "not each quasi-identifier is known to have been attacked"
        return what if self.accepted is None else f"{what}; {self.accepted.name} accepted that on {self.accepted.date}"

    @property
    def markup(self) -> Markup:
        """Who decided the roles, who read the config, and who accepts what was not attacked."""
        reviewed = "nobody" if self.reviewed is None else f"{self.reviewed.name}, on {self.reviewed.date}"
        lines = [("Roles of the columns", self.decided), ("Config read by", reviewed)]
        return sheet([*lines, ("Attacks", self.attacked_words)])

    def as_json(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "roles_decided": self.decided,
            "reviewed": None if self.reviewed is None else _json(self.reviewed),
            "accepted_unattacked": None if self.accepted is None else _json(self.accepted),
            "all_attacked": not self.unattacked,
            **({"not_attacked": list(self.unattacked)} if self.named else {}),
        }


def vouched_for(
    workspace: Workspace,
    receipt: Mapping[str, Any],
    attacks: Mapping[str, Any] | None,
    words: Mapping[str, str | None],
) -> Vouched:
    """What people vouch for of a release by the config, or by ``words``, which replace its keys for once.

    What ``attacks`` cover is kept for certificates of the same release that are written without them. Raises
    ConfigError for words without a name or a day.
    """
    config, shown = with_changes(workspace.written, words), quasi_identifiers_of(receipt)
    covered = (kept_document(workspace.database, ATTACKED, receipt["sha256"]) or {}).get("columns", [])
    if attacks is not None:
        known, covered = covered, covered_by(attacks)
        both = sorted({*known, *covered})
        keep_document(workspace.database, ATTACKED, {"columns": both}, receipt["sha256"])
    return Vouched(
        who_decided(workspace.config_path),
        config.reviewed,
        config.accepted_unattacked,
        tuple(name for name in shown if name not in covered),
        attacks is not None,
        tuple(_other_roles(config, receipt)),
    )


def _other_roles(config: Config, receipt: Mapping[str, Any]) -> Iterator[str]:
    roles = {config.class_: "class"} | dict.fromkeys(config.sensitive, "sensitive")
    roles |= dict.fromkeys(config.insensitive, "insensitive")
    roles |= dict.fromkeys([*config.left_out, *config.drop], "left out")
    quasi = config.quasi_identifiers
    for one in receipt["columns"]:
        name = one.get("of", one["name"])
        usual = "quasi-identifier" if quasi is None or name in quasi else "left out"
        if roles.get(name, usual) != one["role"]:
            yield name


def _json(word: SignedWord) -> dict[str, str]:
    return {"name": word.name, "date": word.date}
