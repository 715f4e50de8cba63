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
from anonduck.report.attacked import attacks_on
from anonduck.report.coverage import covered_by, quasi_identifiers_of
from anonduck.report.evidence import Evidence
from anonduck.report.page import Markup, sheet
from anonduck.workspace import Workspace

UNREAD = "nobody is said to have read the config: once somebody has, write `reviewed: NAME, DATE` into it"
ACCEPT = "or have somebody accept it, by `accepted_unattacked: NAME, DATE` in the config"
ATTACK = "attack the file itself by `anonduck attack`, and add what that finds by `--attacks`"
NOT_ALL = "not each quasi-identifier that it shows was attacked"
OWNERS_PAGE = "the owner's page says which, `anonduck report --release FILE --owner`"


@dataclass(frozen=True)
class Vouched:
    """What people vouch for of a release.

    Attributes:
        decided: who decided the roles of the columns, as a clause.
        reviewed: who read the config; None if nobody did.
        accepted: who accepts that columns were not attacked; None if nobody does.
        unattacked: the quasi-identifiers that the file shows and no attack covered; None where nobody attacked it yet.
        named: whether these may be named: which of them drawn people show may tell of values that the file hides.
        others: columns that the config gives another role by now than the release was made by.
    """

    decided: str
    reviewed: SignedWord | None
    accepted: SignedWord | None
    unattacked: tuple[str, ...] | None
    named: bool
    others: tuple[str, ...]

    @property
    def missing(self) -> Iterator[str]:
        """Why the certificate cannot be signed yet, as sentences without a full stop."""
        if self.reviewed is None:
            yield UNREAD
        elif _is_to_come(self.reviewed):
            yield f"the config was read by {self.reviewed.name} on {self.reviewed.date}, which is yet to come"
        if self.others:
            names = ", ".join(self.others)
            yield f"the config has another role for {names} by now than the release was made by: release it again"
        if self.unattacked and self.accepted is None:
            yield f"{self.unattacked_words} ({ATTACK if self.named else OWNERS_PAGE}; {ACCEPT})"
        if self.unattacked and self.accepted is not None and _is_to_come(self.accepted):
            yield f"{self.accepted.name} accepts on {self.accepted.date}, which is yet to come, what was not attacked"

    @property
    def unattacked_words(self) -> str:
        """Which columns were not attacked."""
        return f"not attacked: {', '.join(self.unattacked or ())}" if self.named else NOT_ALL

    @property
    def attacked_words(self) -> str:
        """That each column was attacked, or what was not, and who accepts it."""
        if self.unattacked == ():
            return "each quasi-identifier that it shows was attacked; what attacks find is for its owner"
        what = "no attack is known" if self.unattacked is None else self.unattacked_words
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
            "all_attacked": None if self.unattacked is None else not self.unattacked,
            **({"not_attacked": list(self.unattacked or ())} if self.named else {}),
        }


def vouched_for(
    workspace: Workspace, evidence: Evidence, words: Mapping[str, str | None], *, otherwise_ready: bool
) -> Vouched:
    """What people vouch for of a release by the config, or by ``words``, which replace its keys for once.

    Where nothing else is missing for a signature, a release that nobody attacked yet is attacked now: which columns
    that covers is kept, and what it finds is not told. Raises ConfigError for words without a name or a day.
    """
    config, others = with_changes(workspace.written, words), tuple(_other_roles(workspace.written, evidence.receipt))
    ready = otherwise_ready and config.reviewed is not None and config.accepted_unattacked is None and not others
    covered = _covered(workspace, evidence, attacked_now=ready)
    shown = quasi_identifiers_of(evidence.receipt)
    return Vouched(
        who_decided(workspace.config_path),
        config.reviewed,
        config.accepted_unattacked,
        None if covered is None else tuple(name for name in shown if name not in covered),
        evidence.attacks is not None,
        others,
    )


def _covered(workspace: Workspace, evidence: Evidence, *, attacked_now: bool) -> list[str] | None:
    """The quasi-identifiers that attacks on the release covered; None where it was not attacked."""
    database, sha256 = workspace.database, evidence.receipt["sha256"]
    known, attacks = kept_document(database, ATTACKED, sha256), evidence.attacks
    if attacks is None and known is None and attacked_now:
        attacks = attacks_on(workspace, evidence)
    if attacks is None:
        return None if known is None else list(known["columns"])
    covered = covered_by(attacks)
    columns = sorted({*covered, *(() if known is None else known["columns"])})
    keep_document(database, ATTACKED, {"columns": columns}, sha256)
    return columns


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


def _is_to_come(word: SignedWord) -> bool:
    """Whether its day has begun nowhere yet."""
    return word.date > (datetime.now(UTC) + timedelta(days=1)).date().isoformat()


def _json(word: SignedWord) -> dict[str, str]:
    return {"name": word.name, "date": word.date}
