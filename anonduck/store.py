"""What a discovery leaves in the decision database: the tables rules, rfds and discovery, to be asked again in SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.database import Database
from anonduck.discovery import Discovery
from anonduck.errors import RuleError
from anonduck.rules import Measures, Rule
from anonduck.statements import Statement, statement


@dataclass(frozen=True)
class Stored:
    """A discovery read back: its rules, its summary, and the settings that it was made with."""

    rules: tuple[Rule, ...]
    summary: Mapping[str, Any]
    settings: Mapping[str, Any]

    def rule(self, identifier: str) -> Rule:
        """The rule with an id; raises RuleError naming how many there are."""
        for rule in self.rules:
            if rule.id == identifier:
                return rule
        raise RuleError(
            f"there is no rule {identifier}; this discovery has {len(self.rules)} rules"
            + (f", {self.rules[0].id} to {self.rules[-1].id}" if self.rules else "")
            + ". `anonduck rules` lists them"
        )


def write_discovery(database: Database, discovery: Discovery, settings: Mapping[str, Any]) -> None:
    """Replace the stored discovery in one transaction."""
    document = {"summary": discovery.as_json(), "settings": dict(settings)}
    with database.transaction():
        database.run(statement("rules/write_rules.sql"), {"rules": json.dumps([r.as_json() for r in discovery.rules])})
        database.run(statement("rules/write_rfds.sql"), {"rfds": json.dumps(discovery.rfds)})
        database.run(statement("rules/write_discovery.sql"), {"document": json.dumps(document)})


def read_discovery(database: Database) -> Stored | None:
    """The stored discovery, or None if there is none yet."""
    if database.value(statement("rules/stored_tables.sql")) < 2:
        return None
    document = json.loads(database.value(Statement("discovery", "SELECT document::VARCHAR FROM discovery")))
    rules = [_rule(json.loads(text)) for (text,) in database.rows(statement("rules/read_rules.sql"))]
    return Stored(tuple(rules), document["summary"], document["settings"])


def _rule(data: Mapping[str, Any]) -> Rule:
    return Rule(
        id=data["id"],
        levels=data["levels"],
        origins=data["origins"],
        parents=tuple(data["parents"]),
        measures=Measures(**{name: data[name] for name in Measures.__dataclass_fields__ if name in data}),
        accuracy=data["accuracy"],
        accuracy_error=data["accuracy_standard_error"],
        balanced_accuracy=data["balanced_accuracy"],
        utility=data.get("utility", {}),
        macro_f1=data.get("macro_f1", {}),
        roc_auc=data.get("roc_auc", {}),
        accuracy_bound=data.get("accuracy_bound"),
        tolerance=data.get("tolerance"),
        on_frontier=data["on_frontier"],
        equal_to=tuple(data["equal_to"]),
    )


def read_last_choice(database: Database) -> dict[str, int] | None:
    """The levels that ``run`` released last, or None."""
    database.run(statement("rules/last_choice.sql"))
    rows = database.rows(Statement("last choice", "SELECT levels FROM last_choice"))
    choice: dict[str, int] | None = json.loads(rows[0][0]) if rows else None
    return choice


def write_last_choice(database: Database, levels: Mapping[str, int]) -> None:
    """Keep the levels that ``run`` released."""
    database.run(statement("rules/last_choice.sql"))
    with database.transaction():
        database.run(Statement("forget choice", "DELETE FROM last_choice"))
        database.run(
            Statement("keep choice", "INSERT INTO last_choice VALUES ($levels)", frozenset({"levels"})),
            {"levels": json.dumps(dict(levels))},
        )
