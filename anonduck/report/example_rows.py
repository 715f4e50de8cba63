"""Made-up rows of the source, and what a release shows in their place.

The rows are never rows of the source, and show nothing that few records hold. Each cell is drawn from its column alone:
a value that at least k records hold, or else the lowest group of values that k records hold. Columns are drawn
independently, so a row reveals nothing about anybody: the same rows come out however the columns are shuffled against
each other. What a cell becomes follows from the levels of a rule, or from the labels that a released file shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

from anonduck.database.connection import Database
from anonduck.report.taxonomy_drawing import naming_people
from anonduck.statements import statement
from anonduck.taxonomy.catalog import Taxonomy, entries
from anonduck.taxonomy.interval_cells import OpenLabels, made_labels
from anonduck.taxonomy.paths import LOOKUP

ROWS = 3
ANY, RARE = "any value", "a group that few records name"


@dataclass(frozen=True)
class Over:
    """A picked value or group with the node over it at some level: that one's label, and its records in the source.

    ``label`` is None if it names a value that few records hold.
    """

    value: str
    label: str | None
    records: int


@dataclass(frozen=True)
class FileLabels:
    """What a column of a file shows: its labels with the records that show each, and the values that a label stands
    for, as far as they are named; or, where no label stands for values, ``words`` for what stands in each cell."""

    records: Mapping[str, int]
    members: Mapping[str, Collection[str]]
    words: str = ""


Picked = tuple[int, list[Over]]
Cells = Callable[[Taxonomy, int, Sequence[Over]], Sequence[str]]
"""What a release shows for the nodes that were picked at a level of a column; empty if it drops the column."""


def rows_by_rule(
    database: Database, taxonomies: Mapping[str, Taxonomy], levels: Mapping[str, int], k: int
) -> dict[str, Any]:
    """Three made-up rows as JSON: their ``columns``, the cells ``before``, and ``after`` a rule, by its levels.

    A cell after it is None if the rule drops the column. No cell holds a value, or a label of a group, that fewer
    than ``k`` records hold, or of a column whose texts name people.
    """

    def cells(taxonomy: Taxonomy, at: int, picked: Sequence[Over]) -> Sequence[str]:
        level = levels.get(taxonomy.column, taxonomy.root)
        if level >= taxonomy.root:
            return []
        if not picked:
            return [ANY] * ROWS
        place = taxonomy.column, at, max(at, level)
        over = _over(database, [place], k)[place]
        return [_text(at, one.value) if level < at else RARE if one.label is None else one.label for one in over]

    return _made_up(database, taxonomies, cells, k)


def rows_by_labels(
    database: Database, taxonomies: Mapping[str, Taxonomy], shown: Mapping[str, FileLabels], k: int
) -> dict[str, Any]:
    """The same after a file, by what its columns show, for columns that show something.

    Where records with one value have several labels, it is the one that most of these records have, as far as that
    follows from how many records have each label.
    """

    stored = entries(database)

    def cells(taxonomy: Taxonomy, at: int, picked: Sequence[Over]) -> Sequence[str]:
        column = shown.get(taxonomy.column)
        if column is None:
            return []
        if column.words or not picked:
            return [column.words or ANY] * ROWS
        places = [(taxonomy.column, at, level) for level in range(at, taxonomy.root + 1)]
        above = list(zip(*_over(database, places, k).values(), strict=True))
        written = made_labels(database, stored[taxonomy.column])
        return [_label(column, one, nodes, written) for one, nodes in zip(picked, above, strict=True)]

    return _made_up(database, taxonomies, cells, k)


def _made_up(database: Database, taxonomies: Mapping[str, Taxonomy], cells: Cells, k: int) -> dict[str, Any]:
    """Three rows before and after; which cells stand together says nothing, as each column begins at another one."""
    before: list[list[str]] = [[] for _ in range(ROWS)]
    after: list[list[str | None]] = [[] for _ in range(ROWS)]
    hidden = naming_people(database, taxonomies)
    found = _picked(database, {name: one for name, one in taxonomies.items() if name not in hidden}, k)
    for place, (name, taxonomy) in enumerate(taxonomies.items()):
        level, picked = found.get(name, (taxonomy.root, []))
        shown = cells(taxonomy, level, picked)
        for row in range(ROWS):
            at = (row + place) % ROWS
            before[row].append(_text(level, picked[at].value) if picked else ANY)
            after[row].append(shown[at] if shown else None)
    return {"columns": list(taxonomies), "before": before, "after": after}


def _picked(database: Database, taxonomies: Mapping[str, Taxonomy], k: int) -> dict[str, Picked]:
    """By column the lowest level with a node of k records, and the three nodes picked there; none of a column without
    such a level."""
    found: dict[str, Picked] = {}
    for level in range(max((one.root for one in taxonomies.values()), default=0)):
        left = [(name, level, level) for name, one in taxonomies.items() if name not in found and level < one.root]
        found |= {name: (level, over) for (name, _, _), over in _over(database, left, k).items() if over}
    return found


def _text(level: int, value: str) -> str:
    return value if level == 0 else f"one of {value}"


def _over(
    database: Database, places: Collection[tuple[str, int, int]], k: int
) -> dict[tuple[str, int, int], list[Over]]:
    """The three nodes that are picked of a column at a level, with the nodes over them at another, by all three."""
    queries = {
        (column, picked, level): statement(
            "report/example_values.sql",
            table={"lookup": (LOOKUP, column)},
            column={
                "picked": f"code_{picked}",
                "before": _column(picked),
                "shown": f"code_{level}",
                "after": _column(level),
            },
        )
        for column, picked, level in sorted(places)
    }
    found = database.rows_of_each(queries, {"k": k})
    return {key: [Over(*row) for _, *row in sorted(rows, key=itemgetter(0))] for key, rows in found.items()}


def _column(level: int) -> str:
    return f"level_{level}" if level else "value"


# -- which of a file's labels stands for a value -----------------------------------------------------------------------


def _label(column: FileLabels, picked: Over, over: Sequence[Over], written: OpenLabels | None) -> str:
    """The label that most records with a picked value show, of those that stand for it; ``over`` are the nodes over it
    from its own level up."""
    nodes = {one.label: one.records for one in over if one.label is not None}
    known = {label: column.records[label] / nodes[label] for label in nodes if label in column.records}
    if known:
        return max(known, key=lambda label: known[label])
    names = {picked.value, *nodes}
    others = [
        label
        for label in column.records
        if names & set(column.members.get(label, ()))
        or (written is not None and _lies_in(picked.value, label, written))
    ]
    return max(others, key=lambda label: column.records[label], default=RARE)


def _lies_in(value: str, label: str, written: OpenLabels) -> bool:
    """Whether a value, or an interval, lies in the interval of a label; not if that is none."""
    if written.bounds(label) == (None, None):
        return False
    lower, upper = map(_placed, written.bounds(label))
    least, most = map(_placed, written.bounds(value))
    if least is None and most is None:
        least = most = _placed(value)
        return _before(lower, least) and (upper is None or not _before(upper, most))
    return _before(lower, least) and (upper is None or (most is not None and _before(most, upper)))


def _placed(text: str | None) -> Fraction | str | None:
    """A bound in its order: a number, or the text of a date; None for an open end."""
    if text is None:
        return None
    try:
        return Fraction(text)
    except ValueError:
        return text


def _before(one: Any, other: Any) -> bool:
    """Whether a bound lies at or before another; an open one lies before all, and none before it."""
    return one is None or (other is not None and type(one) is type(other) and one <= other)
