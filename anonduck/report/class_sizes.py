"""How large the equivalence classes of rules are, and in how many all records have one value of the class."""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.measures.measures import CODED
from anonduck.rules.rule import Rule
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import judge_of
from anonduck.statements import Statement, statement, together
from anonduck.statements.pipeline.column_names import code_column
from anonduck.workspace import Workspace


def class_sizes(workspace: Workspace, stored: StoredDiscovery, rules: Sequence[Rule]) -> dict[str, list[list[int]]]:
    """For each rule, its equivalence classes by size: lower end, classes, records, and those with a single class value.

    A rule is left out if it now suppresses other records than when it was found.
    """
    database = workspace.database
    judge = judge_of(workspace, stored) if any(rule.measures.suppressed for rule in rules) else None
    found: dict[str, list[list[int]]] = {rule.id: [] for rule in rules}
    if judge is None:
        queries = [_sizes_of(rule, CODED) for rule in rules]
        for place, *sizes in sorted(database.rows(together(queries))) if queries else []:
            found[rules[place].id].append(sizes)
    else:
        for rule in rules:
            kept = judge.kept(judge.space.vector(rule.levels), rule.measures.suppressed)
            found[rule.id] = [list(row) for row in database.rows(_sizes_of(rule, kept))]
        judge.forget()
    records = {rule.id: stored.summary["rows"] - rule.measures.suppressed for rule in rules}
    return {name: sizes for name, sizes in found.items() if sum(size[2] for size in sizes) == records[name]}


def _sizes_of(rule: Rule, coded: str) -> Statement:
    attributes = [code_column(name, level) for name, level in rule.levels.items()]
    return statement("report/class_sizes.sql", columns={"attributes": attributes}, table={"coded": coded})
