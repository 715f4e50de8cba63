"""Whether the taxonomies are trees over the source's values; each check is one query that returns the offenders."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from anonduck.config.builders import BUILDERS
from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement, statement
from anonduck.statements.template import rows_of_each
from anonduck.taxonomy.catalog import (
    CatalogEntry,
    Taxonomy,
    build_command,
    contents,
    entries,
    follow_edits,
    root_of,
    value_types,
)
from anonduck.taxonomy.label_counts import LabelCounts, screen_all
from anonduck.taxonomy.paths import place_values

EXAMPLES = 5
MISSING = "missing"
LISTING = ". The decision database lists them:\n"


@dataclass(frozen=True)
class TaxonomyFinding:
    """What a check found on one column: how many values, in how many records; examples only on request.

    ``severity`` is ``error`` for what breaks k or the mapping of values, else ``warning``. ``sql`` lists the offenders
    in the decision database. ``file`` and ``lines`` say where the first of them stand, for an imported taxonomy.
    """

    column: str
    check: str
    values: int
    records: int
    message: str
    examples: tuple[str, ...] = ()
    severity: str = "error"
    sql: str = ""
    file: str | None = None
    lines: tuple[int, ...] = ()

    @property
    def summary(self) -> str:
        """The message without the query that lists the offenders."""
        return self.message.removesuffix(LISTING + self.sql)


@dataclass(frozen=True)
class TaxonomyCheck:
    """One query of sql/taxonomy/checks/: its severity, its offenders in words, the rule, and the levels to check."""

    name: str
    severity: str
    offenders: str
    advice: str
    lowest: int | None = None
    highest: int = 0
    binds: tuple[str, ...] = ()

    def levels(self, root: int) -> range:
        """The levels that the check looks at one by one; ``highest`` counts down from the root."""
        return range(0) if self.lowest is None else range(self.lowest, root - self.highest + 1)


COLUMN_CHECKS = (
    TaxonomyCheck(MISSING, "error", "values without a leaf", "a taxonomy has a leaf for each, or say `unmapped: root`"),
    TaxonomyCheck("two_rows", "error", "values with several rows", "a value has one path"),
)
LEVEL_CHECKS = (
    TaxonomyCheck(
        "null_labels", "error", "leaves without a label or a code", "every leaf has both", 1, 0, ("label", "code")
    ),
    TaxonomyCheck(
        "two_parents",
        "error",
        "nodes under several nodes of the level above",
        "levels nest",
        0,
        1,
        ("label", "code", "parent_code"),
    ),
    TaxonomyCheck(
        "codes",
        "error",
        "labels that share a code",
        "a code stands for one label, and a leaf with another label has that label's code",
        0,
        0,
        ("label", "code"),
    ),
    TaxonomyCheck(
        "two_nodes",
        "warning",
        "labels of several nodes",
        "a release cannot tell them apart: rename one, or give both one code",
        1,
        0,
        ("label", "code"),
    ),
    TaxonomyCheck(
        "no_coarser",
        "warning",
        "as many nodes as the level below",
        "it adds no protection: rules do as well without it",
        1,
        0,
        ("below", "code"),
    ),
    TaxonomyCheck(
        "value_label",
        "warning",
        "labels that are also values which the node does not hold",
        "readers would take them for those values: rename them",
        1,
        0,
        ("label",),
    ),
)
TWO_ROOTS = TaxonomyCheck(
    "two_roots", "error", "roots", "a taxonomy has one root label and one root code", 1, 0, ("label", "code")
)


_TREES: set[tuple[str, ...]] = set()
"""Taxonomies that were found to be trees, by their columns and a hash of their content: a tree stays one."""
MOST_TREES = 10_000
_NOTING = Lock()


def check_taxonomies(
    database: Database, columns: Sequence[str], *, frequency: str = "frequency_set", show_values: bool = False
) -> list[TaxonomyFinding]:
    """Check the taxonomies of the columns against the frequency set and their own tables; an empty list is a pass.

    A column without a taxonomy, or with one of another type, is a finding. Raises TaxonomyError for a column that the
    frequency set lacks.
    """
    hashed = follow_edits(database, columns, frequency=frequency)
    stored, kinds, fields = entries(database), value_types(database, columns, frequency), database.types_in("taxonomy")
    unfit = {
        column: _unfit(column, kinds[column], fields[column]["value"] if column in stored else None)
        for column in columns
    }
    fit = {column: stored[column] for column in columns if unfit[column] is None}
    for entry in fit.values():
        if entry.taxonomy.kind == "computed":
            place_values(database, entry.taxonomy, frequency=frequency)
    found = _findings(database, fit, fields, frequency, show_values)
    for column, of_column in found.items():
        if all(_is_tree(finding) for finding in of_column):
            _note_tree(fields[column], hashed[column])
    return [one for column in columns for one in found.get(column, [unfit[column]]) if one is not None]


def refuse_broken_trees(
    database: Database, columns: Sequence[str], *, frequency: str = "frequency_set", show_values: bool = False
) -> None:
    """Raise TaxonomyError with what keeps the stored taxonomies of the columns from being trees.

    Values that a taxonomy does not know are left to the code that looks values up.
    """
    fields, hashed = database.types_in("taxonomy"), contents(database, columns)
    unknown = [column for column in columns if (*fields[column], hashed[column]) not in _TREES]
    if not unknown:
        return
    stored = entries(database)
    asked = {column: stored[column] for column in unknown}
    found = _findings(database, asked, fields, frequency, show_values, trees_alone=True)
    broken = [finding.message for of_column in found.values() for finding in of_column]
    if broken:
        raise TaxonomyError("; ".join(broken))
    for column in unknown:
        _note_tree(fields[column], hashed[column])


def _is_tree(finding: TaxonomyFinding) -> bool:
    return finding.severity != "error" or finding.check == MISSING


def _note_tree(fields: Iterable[str], hashed: str) -> None:
    with _NOTING:
        if len(_TREES) >= MOST_TREES:
            _TREES.clear()
        _TREES.add((*fields, hashed))


def _unfit(column: str, kind: str, made_for: str | None) -> TaxonomyFinding | None:
    if made_for is None:
        words = "has no taxonomy; make one with `anonduck taxonomy build`, or import one"
        return TaxonomyFinding(column, "no_taxonomy", 0, 0, f"column {column!r} {words}")
    if made_for == kind:
        return None
    words = f"is {kind}, and its taxonomy was made for {made_for}; build or import it again"
    return TaxonomyFinding(column, "type", 0, 0, f"column {column!r} {words}")


def _findings(
    database: Database,
    asked: Mapping[str, CatalogEntry],
    fields: Mapping[str, Collection[str]],
    frequency: str,
    show_values: bool,
    *,
    trees_alone: bool = False,
) -> dict[str, list[TaxonomyFinding]]:
    """What the checks find on each column; with ``trees_alone``, those that say whether its taxonomy is a tree."""
    roots = {column: root_of(fields[column]) for column in asked}
    leaves = {column: entry.taxonomy.leaves for column, entry in asked.items()}
    screened = screen_all(database, roots, leaves, like_values=not trees_alone)
    planned = [
        (entry, check, level, query)
        for column, entry in asked.items()
        for check, level, query in _queries(entry.taxonomy, roots[column], screened[column], frequency, trees_alone)
    ]
    found: dict[str, list[TaxonomyFinding]] = {column: [] for column in asked}
    counted = database.rows(rows_of_each([query for *_, query in planned])) if planned else []
    for place in sorted(place for place, rows in counted if rows):
        entry, check, level, query = planned[place]
        rows, taxonomy, options = database.rows(query), entry.taxonomy, json.loads(entry.options)
        file = options.get("file")
        of_column = _finding(
            taxonomy.column,
            check,
            level,
            rows,
            query.sql,
            show=show_values,
            file=taxonomy.origin if file else None,
            lines=_lines(database, taxonomy.column, check, level, rows) if file else (),
            listed=_where_listed(taxonomy.column, options),
        )
        found[taxonomy.column].append(of_column)
    return found


def _finding(
    column: str,
    check: TaxonomyCheck,
    level: int,
    rows: list[tuple[str | None, int]],
    sql: str,
    *,
    show: bool,
    file: str | None,
    lines: tuple[int, ...],
    listed: str | None = None,
) -> TaxonomyFinding:
    values = 0 if check.name == "no_coarser" else len(rows)
    records = sum(count for _, count in rows)
    where = f"column {column!r}" if check in COLUMN_CHECKS else f"column {column!r}, level {level}"
    counted = f": {values:,} in {records:,} records" if values else ""
    examples = tuple(str(offender) for offender, _ in rows[:EXAMPLES] if offender is not None) if show else ()
    place = f" ({_place(file, lines)})" if file else ""
    step = _next_step(column, file, listed) if check.severity == "error" else ""
    message = f"{where}: {check.offenders}{counted}{place}; {check.advice}{step}{LISTING}{sql}"
    return TaxonomyFinding(column, check.name, values, records, message, examples, check.severity, sql, file, lines)


def _where_listed(column: str, options: Mapping[str, Any]) -> str | None:
    """Where the leaves of a taxonomy are listed by hand, as its next step; None if they are not."""
    listed = next((name for name in options.get("how", ()) if name in BUILDERS), None)
    if listed is None or BUILDERS[listed].kind != "listed":
        return None
    if "given" in options:
        return f"list them in its `{listed}` and build it again: `{build_command(column, listed)}`"
    return f"list them under `{listed}` of {column} in the config"


def _next_step(column: str, file: str | None, listed: str | None) -> str:
    if listed:
        return f"; {listed}"
    if file:
        return "; correct the file and import it again"
    return f"; correct the table by SQL, or rebuild it with `{build_command(column)}`"


def _place(file: str, lines: tuple[int, ...]) -> str:
    if not lines:
        return file
    return f"{file}, {'lines' if len(lines) > 1 else 'line'} {', '.join(map(str, lines))}"


def _lines(
    database: Database, column: str, check: TaxonomyCheck, level: int, rows: list[tuple[str | None, int]]
) -> tuple[int, ...]:
    """Where the first offenders stand in the file that the taxonomy came from; of a value without a leaf, nowhere."""
    offenders = [offender for offender, _ in rows if offender is not None]
    if not offenders or not database.types_if_there("taxonomy_lines", column):
        return ()
    query = statement(
        "taxonomy/checks/lines.sql",
        column={"label": f"level_{level}" if level and check not in COLUMN_CHECKS else "value"},
        table={"taxonomy": ("taxonomy", column), "lines": ("taxonomy_lines", column)},
    )
    return tuple(line for (line,) in database.rows(query, {"offenders": offenders, "most": EXAMPLES}))


def _queries(
    taxonomy: Taxonomy, root: int, screened: LabelCounts, frequency: str, trees_alone: bool
) -> Iterator[tuple[TaxonomyCheck, int, Statement]]:
    """The checks of a taxonomy that can find something, each with its level and its query."""
    planned = [(check, 0) for check in COLUMN_CHECKS if check.name != MISSING or taxonomy.kind != "intervals"]
    planned += [(check, level) for check in LEVEL_CHECKS for level in check.levels(root)]
    for check, level in [*planned, (TWO_ROOTS, root)]:
        if trees_alone and (check.severity != "error" or check.name == MISSING):
            continue
        if check.name == MISSING and taxonomy.kind == "computed":
            lookup = {"lookup": ("lookup", taxonomy.column)}
            yield check, level, statement("taxonomy/checks/missing_path.sql", table=lookup)
        elif not screened.clears(check.name, level):
            yield check, level, _query(check, taxonomy.column, level, frequency)


def _query(check: TaxonomyCheck, column: str, level: int, frequency: str) -> Statement:
    names = {
        "label": f"level_{level}" if level else "value",
        "code": f"code_{level}",
        "parent_code": f"code_{level + 1}",
        "below": f"code_{level - 1}",
    }
    return statement(
        f"taxonomy/checks/{check.name}.sql",
        column={"source_value": f"{column}@value", **{bind: names[bind] for bind in check.binds}},
        table={"frequency": frequency, "taxonomy": ("taxonomy", column)},
    )
