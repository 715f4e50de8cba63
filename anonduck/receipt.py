"""The receipt of a release: what was asked and reached, what each column is, and fingerprints that confirm no guess."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import anonduck
from anonduck import database as database_room
from anonduck.database import Database
from anonduck.fingerprints import files_fingerprint, fingerprint_key, relation_fingerprint, text_fingerprint
from anonduck.release_plan import GROUPED, Plan
from anonduck.rules import literal
from anonduck.source import Roles, Source
from anonduck.statements import builder_release
from anonduck.statements.builder_release import Released
from anonduck.taxonomy.catalog import Taxonomy

MAX_LABELS = 1_000


def versions() -> dict[str, str]:
    """Everything whose version could change a release."""
    return {
        "anonduck": anonduck.__version__,
        "duckdb": database_room.version(),
        "pyarrow": metadata.version("pyarrow"),
        "python": platform.python_version(),
    }


def requirement_lines(
    configured: Mapping[str, int], asked: Mapping[str, int], reached: Mapping[str, int]
) -> list[dict[str, Any]]:
    """What was configured, asked and reached; a requirement under the configured one is marked lowered."""
    return [
        {
            "name": name,
            "configured": configured.get(name),
            "required": value,
            "reached": reached[name],
            "met": reached[name] >= value,
            "lowered": value < configured.get(name, value),
        }
        for name, value in asked.items()
    ]


def as_text(receipt: Mapping[str, Any]) -> str:
    """The receipt as JSON text."""
    return json.dumps(receipt, indent=2, ensure_ascii=False) + "\n"


def draft_receipt(
    database: Database,
    plan: Plan,
    source: Source,
    roles: Roles,
    taxonomies: Mapping[str, Taxonomy],
    lines: list[dict[str, Any]],
    unmapped: Mapping[str, Mapping[str, int]],
    reached: tuple[int, int, int],
) -> dict[str, Any]:
    """The receipt before the audit: the rule, what was asked and reached, a data dictionary, fingerprints, versions."""
    rows, classes, k = reached
    return {
        "rule": {"id": plan.rule_id, "levels": dict(plan.levels), "literal": literal(plan.levels)},
        "rows": rows,
        "classes": classes,
        "k": k,
        "requirements": lines,
        "columns": [_dictionary_entry(database, column, roles, taxonomies) for column in plan.columns],
        "unmapped": {name: dict(counts) for name, counts in unmapped.items()},
        "fingerprints": _fingerprints(database, plan, source, taxonomies),
        "versions": versions(),
    }


def _dictionary_entry(
    database: Database, column: Released, roles: Roles, taxonomies: Mapping[str, Taxonomy]
) -> dict[str, Any]:
    if column.level is None:
        role = (
            "class" if column.name == roles.class_ else "sensitive" if column.name in roles.sensitive else "insensitive"
        )
        return {"name": column.name, "role": role, "level": None, "words": "kept as it is"}
    taxonomy = taxonomies[column.name]
    entry: dict[str, Any] = {
        "name": column.name,
        "role": "quasi-identifier",
        "level": column.level,
        "levels": taxonomy.root,
        "taxonomy": taxonomy.kind,
    }
    if column.level == 0:
        return {**entry, "words": "the value itself"}
    labels = [row[0] for row in database.rows(builder_release.labels_used([column], column.name, GROUPED))]
    entry["labels"] = labels[:MAX_LABELS]
    if len(labels) > MAX_LABELS:
        entry["labels_omitted"] = len(labels) - MAX_LABELS
    return entry


def _fingerprints(database: Database, plan: Plan, source: Source, taxonomies: Mapping[str, Taxonomy]) -> dict[str, Any]:
    from anonduck.taxonomy.catalog import digest

    key = fingerprint_key(database)
    content = files_fingerprint(key, source.files) if source.files else relation_fingerprint(database, key)
    return {
        "algorithm": "HMAC-SHA256, the key stays in the decision database",
        "source": content,
        "taxonomies": {name: text_fingerprint(key, digest(database, name)) for name in plan.levels},
    }
