"""Rules explained: the dependency that each stands for, whether it is minimal, and the information that it keeps.

No pair of records is joined: violating pairs are counted by equivalence classes, of a
rule and of its neighbours one level up, each from the rule's own frequency set, which is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anonduck.database.connection import Database
from anonduck.frequency.roll_up import FrequencyTable
from anonduck.measures.numpy_measures import CodedAttribute, bits_shares, violating_pairs
from anonduck.rules.dependency import AlikePairs, RaisedLevel, RuleDependency
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector, Rule, RuleSpace, rfd_notation
from anonduck.search.budgets import frequency_rows
from anonduck.search.discovery import Discovery
from anonduck.search.searched_records import StoredRecords
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.words import counted

MOST_ROWS = 1 << 25  # rows that are read for rules off the frontier, each of which reads the frequency set once
CHEAPEST = "precision"  # of the measures that attributes are read for: the one that asks least

Violations = Mapping[str, int]


def with_dependencies(
    database: Database,
    discovery: Discovery,
    taxonomies: Mapping[str, Taxonomy],
    class_: str | None,
    *,
    groups: Mapping[str, Sequence[int]],
    most_rows: int = MOST_ROWS,
) -> Discovery:
    """The discovery, its rules with their RFDs and the information that they keep.

    Whether an RFD is minimal is counted for the rules of the frontier, and for others in their order while that reads
    no more than ``most_rows`` rows of the frequency set.

    Args:
        database: holds ``coded_frequency_set`` and the lookup tables that the rules were found on.
        discovery: its rules are marked as on the frontier or not.
        taxonomies: one for each quasi-identifier, in the order of the source.
        class_: the name of the class; without one, rules stand for no RFDs.
        groups: by quasi-identifier, how many nodes the source has values of, by level.
        most_rows: rows of the frequency set that are read for rules off the frontier.
    """
    if not discovery.rules:
        return discovery
    space = RuleSpace(tuple(taxonomies), tuple(taxonomy.root for taxonomy in taxonomies.values()))
    records = StoredRecords(database, taxonomies, discovery.totals.records)
    attributes = records.attributes(CHEAPEST)
    explained = _with_information(discovery.rules, attributes)
    if class_ is None:
        return replace(discovery, rules=tuple(explained))
    counted = set(_counted(discovery.rules, most_rows // max(1, frequency_rows(database))))
    count = _RaisedLevels(records.table(with_class=True), space)
    named = _Names(class_, discovery.totals.records, groups)
    found = [_with_rfd(rule, space, named, count if rule.id in counted else None) for rule in explained]
    return replace(discovery, rules=tuple(found))


def _counted(rules: Sequence[Rule], others: int) -> Iterator[str]:
    """The ids of the rules whose raised levels are counted: those of the frontier, and so many others."""
    for rule in rules:
        if rule.on_frontier or others > 0:
            others -= not rule.on_frontier
            yield rule.id


@dataclass(frozen=True)
class _Names:
    """What the sentence of a rule names: the class, all records, and the groups of each column by level."""

    class_: str
    records: int
    groups: Mapping[str, Sequence[int]]

    def words(self, rule: Rule) -> str:
        """How often two records that look alike by a rule differ in the class."""
        columns = (f"{name} ({self._groups(name, level)})" for name, level in rule.levels.items())
        measures = rule.measures
        return AlikePairs(
            tuple(columns), self.class_, self.records, measures.alike_pairs, measures.violating_pairs
        ).words

    def _groups(self, name: str, level: int) -> str:
        """How many groups of its values a column shows at a level."""
        groups = self.groups[name][level]
        return counted(groups, "value", "values") if not level else counted(groups, "group", "groups")


def _with_rfd(rule: Rule, space: RuleSpace, named: _Names, count: _RaisedLevels | None) -> Rule:
    measures, pairs = rule.measures, named.records * (named.records - 1) // 2
    raised = None
    if count is not None:
        raised = {
            name: RaisedLevel(rule.levels[name] + 1, violating, round(violating / pairs, DIGITS) if pairs else 0.0)
            for name, violating in count(space.vector(rule.levels)).items()
        }
    counts = (measures.violating_pairs, measures.violating_share)
    notation = rfd_notation(rule.levels, named.class_)
    return replace(rule, dependency=RuleDependency(notation, *counts, raised, measures.alike_pairs, named.words(rule)))


def _raised(vector: LevelVector, space: RuleSpace) -> Iterator[tuple[str, LevelVector]]:
    """Each attribute under its root with the level vector in which it is one level higher."""
    for place, (name, level) in enumerate(zip(space.attributes, vector, strict=True)):
        if level < space.roots[place]:
            yield name, (*vector[:place], level + 1, *vector[place + 1 :])


class _RaisedLevels:
    """Violating pairs with each level raised by one, counted once for a level vector."""

    def __init__(self, table: FrequencyTable, space: RuleSpace) -> None:
        self.table, self.space = table, space
        self.known: dict[LevelVector, int] = {}

    def __call__(self, vector: LevelVector) -> Violations:
        self.table.at(vector)
        return {name: self._of(above) for name, above in _raised(vector, self.space)}

    def _of(self, vector: LevelVector) -> int:
        if vector not in self.known:
            self.known[vector] = violating_pairs(self.table.at(vector))
        return self.known[vector]


def _with_information(rules: Sequence[Rule], attributes: Mapping[str, CodedAttribute]) -> list[Rule]:
    """The rules with the share of each attribute's entropy that they keep, and of the entropies of all together."""
    known = {name: bits_shares(one) for name, one in attributes.items()}
    total = sum(bits for bits, _ in known.values())
    found = []
    for rule in rules:
        kept = {name: shares[rule.levels.get(name, len(shares) - 1)] for name, (_, shares) in known.items()}
        bits = sum(known[name][0] * share for name, share in kept.items())
        shares = {name: round(share, DIGITS) if known[name][0] else None for name, share in kept.items()}
        overall = round(bits / total, DIGITS) if total else None
        found.append(replace(rule, information_kept=shares, information_kept_overall=overall))
    return found
