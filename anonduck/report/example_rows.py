"""Made-up rows, to show what a rule does to a record: never rows of the source, and nothing that few records hold.

Each cell is drawn from its column alone: a value that at least k records hold, or where there is none the lowest group
of values that k records hold. Which values go together in the source is not looked at, so that nothing can be learnt
from a row about anybody: the same rows come out however the columns are shuffled against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.database.connection import Database
from anonduck.statements import statement
from anonduck.taxonomy.catalog import Taxonomy
from anonduck.taxonomy.paths import LOOKUP

ROWS = 3
ANY, RARE = "any value", "a group that few records name"

Picked = tuple[int, list[tuple[str, str | None]]]


def made_up_rows(
    database: Database, taxonomies: Mapping[str, Taxonomy], rules: Sequence[Mapping[str, int]], k: int
) -> dict[str, Any]:
    """Three made-up rows as JSON: their ``columns``, the cells ``before``, and ``after`` each of the rules.

    A cell after a rule is None where the rule leaves the column out. No cell holds a value, or a label of a group, that
    fewer than ``k`` records hold.
    """
    before: list[list[str]] = [[] for _ in range(ROWS)]
    after: list[list[list[str | None]]] = [[[] for _ in range(ROWS)] for _ in rules]
    for place, (name, taxonomy) in enumerate(taxonomies.items()):
        level, picked = _picked(database, taxonomy, k)
        shown = [_shown(database, taxonomy, level, rule.get(name), k) for rule in rules]
        for row in range(ROWS):
            at = (row + place) % ROWS
            before[row].append(_told(level, picked, at))
            for number, cells in enumerate(shown):
                after[number][row].append(cells[at] if cells else None)
    return {"columns": list(taxonomies), "before": before, "after": after}


def _picked(database: Database, taxonomy: Taxonomy, k: int) -> Picked:
    """The lowest level at which k records hold a node, with the three picks of it; the root where there is none."""
    for level in range(taxonomy.root):
        found = _values(database, taxonomy, level, level, k)
        if found:
            return level, found
    return taxonomy.root, []


def _told(level: int, picked: Sequence[tuple[str, str | None]], at: int) -> str:
    if not picked:
        return ANY
    return picked[at][0] if level == 0 else f"one of {picked[at][0]}"


def _shown(database: Database, taxonomy: Taxonomy, picked: int, level: int | None, k: int) -> list[str]:
    """What a rule shows in place of the three picks; empty where it leaves the column out."""
    if level is None or level >= taxonomy.root:
        return []
    found = _values(database, taxonomy, picked, max(picked, level), k) if picked < taxonomy.root else []
    if level < picked:
        return [_told(picked, found, at) for at in range(ROWS)]
    return [label if label is not None else RARE for _, label in found] or [ANY] * ROWS


def _values(database: Database, taxonomy: Taxonomy, picked: int, level: int, k: int) -> list[tuple[str, str | None]]:
    query = statement(
        "report/example_values.sql",
        table={"lookup": (LOOKUP, taxonomy.column)},
        column={
            "picked": f"code_{picked}",
            "before": _label(picked),
            "shown": f"code_{level}",
            "after": _label(level),
        },
    )
    return [(value, label) for _, value, label in database.rows(query, {"k": k})]


def _label(level: int) -> str:
    return f"level_{level}" if level else "value"
