"""Whether the decision database still holds what a release was made with, by the fingerprints of its receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.rules.rule import Rule
from anonduck.search.store import StoredDiscovery
from anonduck.taxonomy.catalog import Taxonomy, digest, stored_taxonomies


def same_taxonomies(database: Database, receipt: Mapping[str, Any]) -> dict[str, Taxonomy]:
    """The stored taxonomies that are those of the release, by column."""
    stored, key = stored_taxonomies(database), fingerprint_key(database)
    told = receipt["fingerprints"]["taxonomies"]
    return {
        name: stored[name]
        for name, fingerprint in told.items()
        if name in stored and text_fingerprint(key, digest(database, name)) == fingerprint
    }


def same_rule(database: Database, stored: StoredDiscovery, receipt: Mapping[str, Any]) -> Rule | None:
    """The rule of the release in a discovery of the same records with the same taxonomies; None where it has none."""
    if receipt["rule"] is None or stored.settings.get("content") != receipt["fingerprints"]["source"]:
        return None
    levels = receipt["rule"]["levels"]
    if not set(levels) <= set(same_taxonomies(database, receipt)):
        return None
    return next((rule for rule in stored.rules if dict(rule.levels) == dict(levels)), None)
