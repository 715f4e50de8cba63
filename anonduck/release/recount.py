"""What stands where an engine wrote a release, counted again: whether it is still what the receipt describes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonduck.database.connection import Database
from anonduck.engines.protocol import Engine
from anonduck.engines.relation import Relation
from anonduck.errors import ReleaseError
from anonduck.release.engine_target import EngineTarget
from anonduck.release.target import sha256_of, unfinished
from anonduck.statements import line
from anonduck.statements.pipeline import builder_release
from anonduck.workspace import Workspace

COUNTED = "counted_release"
EACH_ONCE = """
SELECT each(names, "{name}"), sum("#records")::BIGINT AS "#records" FROM counted_release
GROUP BY each(names, "{name}") ORDER BY each(names, "{name}")"""


def counted_digest(database: Database, counted: Any, text: Path) -> str:
    """The SHA-256 of what an engine counted, its number of records last, as CSV; ``text`` is written on the way."""
    names = [f"c{place}" for place in range(counted.num_columns - 1)]
    rows = line("release/recount.counted_digest", EACH_ONCE, names=names).sql
    with database.registered(COUNTED, counted.rename_columns([*names, "#records"])):
        database.run(builder_release.copy_to(rows, str(text), "csv"))
    return sha256_of(text)


def refuse_recounted(workspace: Workspace, target: EngineTarget, receipt: Mapping[str, Any]) -> str:
    """Have the project's engine count a release again, by one scan; returns what messages call the engine.

    Raises ReleaseError where the project has no such engine, nothing stands there, or other rows do.
    """
    engine = _engine_of(workspace, target)
    found = recounted_digest(workspace, target, receipt)
    if found is None:
        raise ReleaseError(f"{engine.title} has no {target.text}; a certificate needs the release")
    if found != receipt["sha256"]:
        raise ReleaseError(
            f"{target.text} does not hold the rows that {target.receipt.name} describes: {engine.title} counts others. "
            "It was changed after the release; release it again"
        )
    return engine.title


def recounted_digest(workspace: Workspace, target: EngineTarget, receipt: Mapping[str, Any]) -> str | None:
    """The SHA-256 of what the project's engine counts in a release now, by one scan; None where nothing stands there.

    Raises ReleaseError where the project has no such engine, or the receipt names no columns.
    """
    engine = _engine_of(workspace, target)
    if not engine.exists(target.place):
        return None
    columns = receipt.get("sha256_columns")
    if not isinstance(columns, list):
        raise ReleaseError(f"{target.receipt} does not say which columns it counts; release again")
    with unfinished(target) as text:
        return counted_digest(workspace.database, engine.count_by(Relation(target.place), columns), text)


def _engine_of(workspace: Workspace, target: EngineTarget) -> Engine:
    engine = workspace.engine
    if engine is None or target.engine not in ("", engine.kind):
        kind = target.engine or "spark"
        raise ReleaseError(
            f"{target.text} was written by an engine that this project does not have, so that nobody can count its "
            f"rows again; use the config that it was released with, which has `engine: {{kind: {kind}}}`"
        )
    if not engine.writes:
        raise ReleaseError(f"anonduck does not audit in {engine.title}")
    return engine
