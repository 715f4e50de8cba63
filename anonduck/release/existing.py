"""A release that is already written: whether it is what a run of now would make, so that the run can be skipped.

It is, if nothing that decides a release is another: the file is the one that its receipt describes, and the receipt
is of the records, the config, the taxonomies and the version of now. Fingerprints say so without a scan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from anonduck.config.policy import policy_of
from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.database.private_file import unfinished_file
from anonduck.errors import AnonduckError, ConfigError, ReleaseError
from anonduck.frequency.taxonomies import planned
from anonduck.privacy.audited_file import open_release
from anonduck.release.engine_target import EngineTarget
from anonduck.release.handed_out import owners
from anonduck.release.recount import recounted_digest
from anonduck.release.release import Release
from anonduck.release.table import table_as_csv
from anonduck.release.target import ReleaseTarget, finish_interrupted, sha256_of
from anonduck.search.freshness import content_fingerprint
from anonduck.taxonomy.catalog import digests, entries
from anonduck.taxonomy.kept import KeptTaxonomies
from anonduck.words import __version__
from anonduck.workspace import Workspace

DECIDES_NOTHING = {
    *("threads", "memory_limit", "database", "publication", "reviewed", "accepted_unattacked", "policy", "workload"),
    "subgroups",
    "cut_anew",
}
READ = ("temp", "main", "release")


def decisive_text(workspace: Workspace, options: Mapping[str, Any]) -> str:
    """What decides a release but the records, as text: config, options of the run, taxonomies, version.

    A taxonomy file and a policy count by their content.
    """
    config = workspace.config.model_dump(mode="json", by_alias=True, exclude=DECIDES_NOTHING)
    groups = planned(workspace, workspace.roles.quasi_identifiers)
    policy = policy_of(workspace.written, workspace.folder)
    document = {"config": config, "options": dict(options), "taxonomies": groups, "anonduck": __version__}
    document |= {} if policy is None else {"policy": policy.as_json()}
    return json.dumps(document, sort_keys=True, ensure_ascii=False, default=str)


def refuse_uncomparable(workspace: Workspace) -> None:
    """Raise ConfigError for a source without files or a version: what it holds would only be known by a scan."""
    if content_fingerprint(workspace) is None:
        raise ConfigError(
            "`--if-exists skip` compares the files of the source, or its version as a Delta or Iceberg table, and this "
            "one is a table in memory, of a connection or of an engine that keeps no versions; use "
            "`--if-exists overwrite`, or a source of files"
        )


def existing_release(
    workspace: Workspace,
    target: ReleaseTarget,
    asked: str,
    levels: Mapping[str, int] | None,
    kept: Callable[[], KeptTaxonomies | None],
) -> Release | None:
    """The release at a target if it is what a run of now would make; None where nothing stands there.

    ``asked`` is what decides it, ``levels`` those of the rule that the run would take, or None where that alone
    decides; ``kept`` tells the taxonomies for a larger k that the run would take.
    Raises ReleaseError that says why another one stands there.
    """
    if mended := finish_interrupted(target):
        workspace.reporter.announce(mended)
    if not target.stands:
        return None
    for why in _differences(workspace, target, asked, levels, kept):
        raise ReleaseError(
            f"{target.text} exists and is not what would be released now: {why}. `--if-exists overwrite` replaces it, "
            "after the new release has been audited"
        )
    receipt = _receipt(target)
    dictionary = json.loads(target.dictionary.read_text(encoding="utf-8"))
    return Release(
        target.text,
        False,
        receipt["rows"],
        receipt["classes"],
        receipt["k"],
        receipt,
        owners(target, receipt),
        str(target.receipt),
        str(target.owner),
        suppressed=receipt["suppressed"],
        dictionary=dictionary,
        dictionary_path=str(target.dictionary),
        skipped=True,
    )


def _receipt(target: ReleaseTarget) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(target.receipt.read_text(encoding="utf-8"))
    return found


def _differences(
    workspace: Workspace,
    target: ReleaseTarget,
    asked: str,
    levels: Mapping[str, int] | None,
    kept: Callable[[], KeptTaxonomies | None],
) -> Iterator[str]:
    """Why what stands there is another release, the first reason first."""
    missing = [path.name for path in target.handed_out if not path.is_file()]
    if missing:
        yield f"it lacks {', '.join(missing)}"
        return
    try:
        receipt = _receipt(target)
        fingerprints, sha256 = receipt["fingerprints"], receipt["sha256"]
    except (ValueError, KeyError, TypeError):
        yield f"{target.receipt.name} is no receipt"
        return
    key = fingerprint_key(workspace.database)
    if _sha256(workspace, target, receipt) != sha256:
        yield f"it is not the file that {target.receipt.name} describes"
    for document in (target.dictionary, target.dictionary_text):
        if receipt.get("files", {}).get(document.name) != sha256_of(document):
            yield f"{document.name} is not the one that {target.receipt.name} describes"
    if fingerprints["source"] != content_fingerprint(workspace):
        yield "the records are others, or another decision database knew them"
    if fingerprints.get("asked") != text_fingerprint(key, asked):
        yield "the config, a taxonomy, an option or the version of anonduck is another"
    if levels is not None and (receipt["rule"] or {}).get("levels") != dict(levels):
        yield "another rule was chosen since"
    now = _digests(workspace.database, kept())
    for name, fingerprint in fingerprints["taxonomies"].items():
        if name not in now or text_fingerprint(key, now[name]) != fingerprint:
            yield f"the taxonomy of {name!r} is another"


def _digests(database: Database, kept: KeptTaxonomies | None) -> dict[str, str]:
    """By column, the digest of the taxonomy that a release of now would take: the one that was kept, or the stored."""
    own = {} if kept is None else {name: kept.entry(name).digest for name in kept.columns}
    return digests(database, entries(database)) | own


def _sha256(workspace: Workspace, target: ReleaseTarget, receipt: Mapping[str, Any]) -> str | None:
    """The SHA-256 that a receipt of the target has: of the file, of the table as text, or of what its engine counts in
    it by one scan; None if it is not there."""
    if isinstance(target, EngineTarget):
        return recounted_digest(workspace, target, receipt)
    if target.kind != "table":
        return None if target.held is None else sha256_of(target.held)
    work = Database(tracer=workspace.database.tracer)
    try:
        with unfinished_file(target.temporary, ReleaseError) as text, open_release(work, target.text, None):
            work.run(table_as_csv(READ, text))
            return sha256_of(text)
    except AnonduckError:
        return None
    finally:
        work.close()
