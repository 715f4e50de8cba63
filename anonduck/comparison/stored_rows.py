"""Finished rows of comparisons, kept in the decision database by a fingerprint of all that they depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.comparison.question import Contestant
from anonduck.config.ways import RANGES
from anonduck.database.connection import Database
from anonduck.database.documents import COMPARED_ROW, LAST_COMPARISON, keep_document, kept_document
from anonduck.database.fingerprints import fingerprint_key, json_fingerprint, relation_fingerprint
from anonduck.errors import SourceError
from anonduck.methods.registry import method_named
from anonduck.release.recoder import RELEASE_SET
from anonduck.rules.measure_names import HELD_OUT
from anonduck.search.freshness import settings
from anonduck.words import __version__

if TYPE_CHECKING:
    from anonduck.taxonomy.catalog import Taxonomy
    from anonduck.workspace import Workspace

OF_SEARCH = {
    "coverage", "coverage_over", "search", "budget", "time_limit",
    "holdout", "select", "sample", "pattern_limit", "max_rfds", "max_rules",
}  # fmt: skip
"""Keys of the config that decide which rules are found, and nothing of a method's release."""

NOT_HERE = {"models", "files", "asked"}


class KeptRows:
    """The rows that are kept for what is compared now; a row depends on the source, the config and who made it."""

    def __init__(self, workspace: Workspace, taxonomies: Mapping[str, Taxonomy]) -> None:
        self.database: Database = workspace.database
        self._key = fingerprint_key(self.database)
        known = settings(workspace, taxonomies)
        config = {name: value for name, value in known["config"].items() if name not in NOT_HERE}
        self._methods = workspace.config.method_options
        self._shown = [workspace.config.shown_columns, workspace.config.blocks]
        self._search = {name: config[name] for name in sorted(OF_SEARCH & config.keys())}
        self._of_all = {
            **{name: value for name, value in known.items() if name not in NOT_HERE},
            "config": {name: value for name, value in config.items() if name not in OF_SEARCH},
            "content": known["content"] or _content(workspace, self._key),
            "requirement": workspace.config.requirement.model_dump(mode="json"),
            "version": __version__,
        }

    def fingerprint(self, contestant: Contestant, protocol: str, k: int, models: Sequence[str], *more: Any) -> str:
        """What identifies a row: all that it depends on; ``more`` such as the levels of a rule."""
        of_rules = {} if contestant.by is None or protocol != HELD_OUT else self._search
        method = contestant.settings if contestant.by is not None else self._settled(contestant)
        shown = [] if contestant.shows == RANGES else [contestant.shows, *self._shown]
        own = [contestant.name, method, contestant.by, protocol, k, list(models), of_rules, *shown, *more]
        return self._of([self._of_all, own])

    def of_file(self, digest: str, models: Sequence[str]) -> str:
        """What identifies the row of a release by another tool: its bytes, and what they are compared with."""
        return self._of([self._of_all, ["import", digest, list(models)]])

    @property
    def compared(self) -> str:
        """What identifies the records, taxonomies, roles and config that all rows have in common."""
        return self._of(self._of_all)

    def _of(self, depended: Any) -> str:
        return json_fingerprint(self._key, depended)

    def _settled(self, contestant: Contestant) -> Mapping[str, Any]:
        return method_named(contestant.name).resolve_options(
            self._methods.get(contestant.name, {}), contestant.settings
        )

    def read(self, fingerprint: str, limit: float | None) -> dict[str, Any] | None:
        """The row, unless it is not kept, or ran out of a time that was shorter than ``limit``."""
        kept = kept_document(self.database, COMPARED_ROW, fingerprint)
        if kept is None:
            return None
        stopped, then = kept["row"]["status"] == "out of time", kept["time_limit"]
        if stopped and not (limit is not None and then is not None and then >= limit):
            return None
        found: dict[str, Any] = kept["row"]
        return found

    def keep(self, fingerprint: str, row: Mapping[str, Any], limit: float | None) -> None:
        """Keep a row in place of an earlier one."""
        keep_document(self.database, COMPARED_ROW, {"row": row, "time_limit": limit}, fingerprint)


def _content(workspace: Workspace, key: bytes) -> str:
    """A fingerprint of the records of a source that has no files, in the columns that are compared."""
    roles, ordered = workspace.roles, workspace.config.split_by
    columns = [*roles.quasi_identifiers, roles.class_, *roles.sensitive, *([] if ordered is None else [ordered])]
    workspace.source.engine.frequency_set(columns, RELEASE_SET)
    return relation_fingerprint(workspace.database, key)


def keep_last(workspace: Workspace, document: Mapping[str, Any], compared: str) -> None:
    """Keep a comparison for the report, in place of the last one, with what identifies what was ``compared``."""
    keep_document(workspace.database, LAST_COMPARISON, {"comparison": dict(document), "compared": compared})


def last_comparison(workspace: Workspace) -> dict[str, Any] | None:
    """The last comparison; None if none was made, or records, roles, taxonomies or config are others by now.

    It is not shown, either, where the source is gone and cannot be compared.
    """
    kept = kept_document(workspace.database, LAST_COMPARISON)
    if kept is None or kept.get("compared") != _compared_now(workspace):
        return None
    found: dict[str, Any] = kept["comparison"]
    return found


def _compared_now(workspace: Workspace) -> str | None:
    """What identifies what would be compared now; None where a taxonomy or the source is missing."""
    try:
        known, names = workspace.taxonomies, workspace.roles.quasi_identifiers
        if not set(names) <= known.keys():
            return None
        return KeptRows(workspace, {name: known[name] for name in names}).compared
    except SourceError as error:
        if not error.missing:
            raise
        return None
