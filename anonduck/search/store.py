"""What a discovery leaves in the decision database: the tables rules, rfds and discovery, to be asked again in SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from anonduck.database.documents import EXPECTED, LAST_CHOICE, forget_documents, keep_document, kept_document
from anonduck.errors import RuleError
from anonduck.rules.dependency import RuleDependency
from anonduck.rules.rule import IDENTIFIER, METHOD, Measures, Rule, check_names, literal, parse_literal
from anonduck.statements import line, statement
from anonduck.taxonomy.catalog import stored_taxonomies, trees

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.database.connection import Database
    from anonduck.search.discovery import Discovery

SIZE_UNIT = "average_class_size_k"
"""The key of the summary that holds the k by which average class sizes were divided."""


@dataclass(frozen=True)
class StoredDiscovery:
    """A discovery read back: its rules, its summary, the settings that it was made with, the whole config that it was
    made by, the day, of UTC, on which it was made, and the seconds of the processor that it took."""

    rules: tuple[Rule, ...]
    summary: Mapping[str, Any]
    settings: Mapping[str, Any]
    config: Mapping[str, Any]
    made_on: str
    cpu_seconds: float | None = field(compare=False)

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

    @property
    def roots(self) -> dict[str, int]:
        """The root level of each quasi-identifier."""
        return {name: len(counts) - 1 for name, counts in self.settings["nodes"].items()}

    @property
    def held(self) -> dict[str, list[int]]:
        """The nodes of each quasi-identifier that the source has values of, by level from 0 to the root."""
        found: dict[str, list[int]] = self.settings["held"]
        return found

    @property
    def has_class(self) -> bool:
        """Whether the rules are of a class."""
        return self.settings["class"] is not None

    def in_words(self, rule: Rule) -> list[str]:
        """What the dependency of a rule says of the data, in sentences; none for a rule that is no dependency."""
        if rule.dependency is None:
            return []
        words = rule.dependency.in_words(self.roots)
        left_out = (
            f"Pairs are counted over all records, also the {rule.measures.suppressed:,} that the rule leaves out."
        )
        return [*words, left_out] if rule.measures.suppressed else words

    def named(self, text: str) -> Rule:
        """The rule with an id or a literal; raises RuleError if there is none."""
        if IDENTIFIER.fullmatch(text.strip()):
            return self.rule(text.strip())
        levels = parse_literal(text)
        check_names(levels, self.roots)
        for rule in self.rules:
            if dict(rule.levels) == levels:
                return rule
        raise RuleError(f"this discovery found no rule {literal(levels)}. `anonduck rules` lists those that it found")


def write_discovery(
    database: Database,
    discovery: Discovery,
    settings: Mapping[str, Any],
    config: Config,
    cpu_seconds: float | None = None,
) -> None:
    """Forget what was expected of the rules of the last discovery, and replace it in one transaction.

    ``config`` is what the rules were found with, ``settings`` are what they depend on, ``cpu_seconds`` what it took.
    """
    used = config.in_persons().model_dump(mode="json", by_alias=True)
    summary = {**discovery.as_json(), SIZE_UNIT: config.requirement.k}
    today = datetime.now(UTC).date().isoformat()
    document = {
        "summary": summary,
        "settings": dict(settings),
        "config": used,
        "made_on": today,
        "cpu_seconds": cpu_seconds,
    }
    forget_documents(database, EXPECTED)
    with database.transaction():
        database.run(statement("search/write_rules.sql"), {"rules": json.dumps([r.as_json() for r in discovery.rules])})
        database.run(statement("search/write_rfds.sql"), {"rfds": json.dumps(discovery.rfds)})
        text = "CREATE OR REPLACE TABLE discovery AS SELECT $document::JSON AS document"
        database.run(line("search/store.write_discovery", text, "document"), {"document": json.dumps(document)})


def read_discovery(database: Database) -> StoredDiscovery | None:
    """The stored discovery, or None if there is none yet."""
    tables = (
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main' "
        "AND table_name IN ('rules', 'discovery')"
    )
    if database.value(line("search/store.read_discovery", tables)) != 2:
        return None
    text = database.value(line("search/store.read_discovery", "SELECT CAST(document AS VARCHAR) FROM discovery"))
    document = json.loads(text)
    listed = line(
        "search/store.read_discovery", "SELECT to_json(rules)::VARCHAR FROM rules ORDER BY substr(id, 2)::BIGINT"
    )
    rules = [_rule(json.loads(text)) for (text,) in database.rows(listed)]
    return StoredDiscovery(
        tuple(rules),
        document["summary"],
        document["settings"],
        document["config"],
        document["made_on"],
        document["cpu_seconds"],
    )


def _rule(data: Mapping[str, Any]) -> Rule:
    return Rule(
        id=data["id"],
        levels=data["levels"],
        origins=data["origins"],
        parents=tuple(data["parents"]),
        measures=Measures(**{name: _known(data[name]) for name in Measures.__dataclass_fields__}),
        has_class=data["information_gain"] is not None,
        dependency=None if data["rfd"] is None else RuleDependency.from_json(data["rfd"]),
        information_kept=data["information_kept"],
        information_kept_overall=data["information_kept_overall"],
        accuracy=data["accuracy"],
        accuracy_error=data["accuracy_standard_error"],
        balanced_accuracy=data["balanced_accuracy"],
        utility=data["utility"],
        macro_f1=data["macro_f1"],
        roc_auc=data["roc_auc"],
        proven=data["proven"],
        on_frontier=data["on_frontier"],
        equal_to=tuple(data["equal_to"]),
        fold_accuracy=_by_fold(data["fold_accuracy"]),
        fold_balanced_accuracy=_by_fold(data["fold_balanced_accuracy"]),
        tells_nothing=data["tells_nothing"],
        associated=data["associated"],
        tied_with=tuple(data["tied_with"]),
    )


def _known(value: Any) -> Any:
    """A stored measure; 0 for one of the class where there is none, which is not shown."""
    return 0 if value is None else value


def _by_fold(data: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    return {model: tuple(scores) for model, scores in data.items()}


@dataclass(frozen=True)
class LastChoice:
    """What ``run`` released last: the method and, of a rule, the levels, what was expected of it when selected, and
    what identifies the taxonomies of its columns and the config that it was chosen by."""

    levels: dict[str, int]
    expected: dict[str, Any]
    trees: dict[str, str]
    method: dict[str, Any]
    config: str

    @property
    def by_rule(self) -> bool:
        """Whether it was released by a rule."""
        return bool(self.method["name"] == METHOD["name"])


def read_last_choice(database: Database) -> dict[str, int] | None:
    """The levels that ``run`` released last, or None if it released nothing, or by another method than a rule."""
    choice = last_choice(database)
    return None if choice is None or not choice.by_rule else choice.levels


def last_choice(database: Database) -> LastChoice | None:
    """What ``run`` released last, or None."""
    kept = kept_document(database, LAST_CHOICE)
    return None if kept is None else LastChoice(**kept)


def write_last_choice(
    database: Database,
    levels: Mapping[str, int],
    expected: Mapping[str, Any],
    method: Mapping[str, Any],
    config: str,
) -> None:
    """Keep the levels that ``run`` released, what is expected of them, the method of the receipt, and what identifies
    the config.

    The taxonomies of the columns are those of the decision database at this time.
    """
    stored = stored_taxonomies(database)
    grouped = trees(database, [name for name in levels if name in stored])
    of_rule = {"levels": dict(levels), "expected": dict(expected), "trees": grouped}
    document = {**of_rule, "method": dict(method), "config": config}
    keep_document(database, LAST_CHOICE, document)
