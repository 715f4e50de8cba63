"""What a release leaves of the answers to a workload: relative errors of each query, source against release.

The error of a number is |released - source| / max(|source|, bound). The bound keeps small numbers from deciding: for
counts 0.1 % of the records of the source (Xiao, Wang and Gehrke 2010, Privelet), for other numbers the 10th percentile
of their size in the answer (Garofalakis and Kumar 2005).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from statistics import fmean, median
from typing import Any

from anonduck.config.workload import workload_text
from anonduck.database.connection import Database
from anonduck.errors import ConfigError, QueryError, SourceError
from anonduck.evaluation.spread import SPREAD
from anonduck.rules.rounding import DIGITS
from anonduck.source.queries import RELEASED, Query, Workload, read_queries, shown_as_released
from anonduck.source.source import Source
from anonduck.statements import Statement, line
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.statements.template import temporary_table_of
from anonduck.words import counted, np
from anonduck.workspace import Workspace

COUNTED, ASKED = "workload_set", "workload_source"
MOST_ROWS = 100_000
SHARE_OF_RECORDS = 0.001
PERCENTILE = 10


def workload_of(workspace: Workspace) -> Workload | None:
    """The queries of the config, answered once on the source, so that none fails later; None without any.

    They may read the columns that a release may show. Raises ConfigError that names file, query and line.
    """
    given = workload_text(workspace.written.workload, workspace.folder)
    if given is None:
        return None
    roles = workspace.roles
    held = {roles.class_, *roles.quasi_identifiers, *roles.kept}
    workload = read_queries(workspace.database, given, [one for one in workspace.source.columns if one.name in held])
    try:
        for original, query, whose in zip(
            original_answers(workspace.database, workspace.source, workload),
            workload.queries,
            workload.whose,
            strict=True,
        ):
            _by_key(query, whose, original)
    finally:
        forget_answers(workspace.database, (ASKED, COUNTED))
    return workload


def answers(
    database: Database, workload: Workload, originals: Sequence[Answer], shown: Container[str], records: int
) -> dict[str, Any]:
    """By query of a workload the mean, median and worst error, and what they come to together.

    Args:
        database: holds the temporary table SPREAD, with the columns that queries read of those that are ``shown``.
        workload: the queries.
        originals: their answers on the source.
        shown: the columns that are shown.
        records: those of the source.

    Raises ConfigError for a query that failed on the values of the source.
    """
    lines = [
        _line(database, query, whose, original, shown, records)
        for query, whose, original in zip(workload.queries, workload.whose, originals, strict=True)
    ]
    return {"file": workload.file, "reason": None, **_together(lines), "queries": lines}


def records_of_set(counted: str, called: Mapping[str, str]) -> Statement:
    """The records of a frequency set in some columns, which the set has under other names."""
    text = (
        'SELECT each(columns, "{called}" AS "{name}") FROM '
        '(SELECT each(columns, "{called}"), unnest(range("{records}")) AS "#repeat" FROM "{counted}") AS expanded'
    )
    columns = [{"name": name, "called": one} for name, one in called.items()]
    return line("evaluation/workload.records_of_set", text, columns=columns, records=RECORDS, counted=counted)


def original_answers(database: Database, source: Source, workload: Workload) -> list[Answer]:
    """The answers on the source, by query."""
    asked = {name: value_column(name) for name in workload.columns or [source.columns[0].name]}
    source.engine.frequency_set(list(asked), COUNTED)
    database.run(temporary_table_of(ASKED, records_of_set(COUNTED, asked)))
    return [_answer(database, *one, ASKED) for one in zip(workload.queries, workload.whose, strict=True)]


def forget_answers(database: Database, made: Iterable[str]) -> None:
    """Drop the view RELEASED and tables that were made to answer queries."""
    database.drop_view("released")
    for table in made:
        database.drop(table if table == COUNTED else ("temp", table))


NOT_ASKED = (
    "queries are asked of releases that show values or nodes of taxonomies; this one swaps values or shows tables"
)

Answer = Sequence[tuple[Any, ...]]


def _answer(database: Database, query: Query, whose: str, table: str) -> Answer:
    """The answer of a query on a table, of MOST_ROWS rows at most."""
    database.run(shown_as_released(table))
    try:
        asked = line("evaluation/workload._answer", "SELECT * FROM query($query) LIMIT $most", "query", "most")
        rows: Answer = database.rows(asked, {"query": query.text.sql, "most": MOST_ROWS + 1})
    except QueryError as error:
        raise ConfigError(f"{whose} fails on the values of `{RELEASED}`: {error.words}") from None
    except SourceError:
        raise ConfigError(
            f"{whose} fails on the values of `{RELEASED}`: a value does not fit a type or a function, or is divided by "
            "zero; TRY_CAST, TRY and NULLIF give NULL there"
        ) from None
    if len(rows) > MOST_ROWS:
        raise ConfigError(f"{whose} returns more than {MOST_ROWS:,} rows; group more coarsely, or add a LIMIT")
    return rows


def _line(
    database: Database, query: Query, whose: str, original: Answer, shown: Container[str], records: int
) -> dict[str, Any]:
    """What a query comes to."""
    text = query.text
    lacks = [name for name in query.columns if name not in shown]
    line = {"query": text.number, "line": text.line, "name": text.name, "lacks": lacks, "rows": len(original)}
    unanswered = {**line, "reason": None, **dict.fromkeys(("missing", "extra", "mean", "median", "worst"))}
    if lacks:
        return unanswered
    before = _by_key(query, whose, original)
    try:
        after = _by_key(query, whose, _answer(database, query, whose, SPREAD))
    except ConfigError as error:  # it was answered on the source, so the release is not refused for it
        return {**unanswered, "reason": str(error)}
    errors = list(query_errors(before, after, list(query.numbers.values()), records))
    figures = {
        "missing": len(before.keys() - after.keys()),
        "extra": len(after.keys() - before.keys()),
        "mean": _rounded(fmean(errors)) if errors else None,
        "median": _rounded(median(errors)) if errors else None,
        "worst": _rounded(max(errors)) if errors else None,
    }
    return {**line, "reason": None, **figures}


def _rounded(error: float) -> float:
    return round(error, DIGITS)


def _by_key(query: Query, whose: str, rows: Answer) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The numbers of an answer by what identifies each row; raises ConfigError where nothing does."""
    found = {_key(query, row): tuple(row[at] for at in query.numbers) for row in rows}
    if len(found) < len(rows):
        raise ConfigError(
            f"{whose} returns several rows that nothing but their numbers tells apart, so that they cannot be matched; "
            "add the columns that it groups by to its answer, cast to text where they are numbers of a subquery"
        )
    return found


def _key(query: Query, row: Sequence[Any]) -> tuple[Any, ...]:
    """What identifies a row; NaN is equal to itself here, as DuckDB groups it."""
    found = (row[at] for at in query.keys)
    return tuple(str(one) if isinstance(one, (list, dict)) or one != one else one for one in found)  # noqa: PLR0124


Numbers = Mapping[tuple[Any, ...], Sequence[Any]]


def query_errors(before: Numbers, after: Numbers, counts: Sequence[bool], records: int) -> Iterator[float]:
    """The error of each number of a source's answer, by row.

    A row that the release lacks is wrong by 1 in each number.

    Args:
        before: by key, the numbers of the source's answer.
        after: those of the release's.
        counts: which of the numbers count records.
        records: those of the source.
    """
    bounds = []
    for at, count in enumerate(counts):
        sizes = [abs(float(row[at])) for row in before.values() if _is_number(row[at])]
        percentile = float(np.percentile(sizes, PERCENTILE)) if sizes else 0.0
        bounds.append(max(1.0, SHARE_OF_RECORDS * records) if count else percentile)
    for key, numbers in before.items():
        shown = after.get(key)
        for at, number in enumerate(numbers):
            yield 1.0 if shown is None else _error(number, shown[at], bounds[at])


def _is_number(value: Any) -> bool:
    return value is not None and isfinite(value)


def _error(source: Any, released: Any, bound: float) -> float:
    if not (_is_number(source) and _is_number(released)):
        return 0.0 if source == released or (source != source and released != released) else 1.0  # noqa: PLR0124
    size, apart = max(abs(float(source)), bound), abs(float(released) - float(source))
    return apart / size if size else float(apart > 0)


def _together(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How many queries were answered, and the mean, the median and the worst of their mean errors."""
    errors = [line["mean"] for line in lines if line["mean"] is not None]
    return {
        "answered": sum(not line["lacks"] and line["reason"] is None for line in lines),
        "mean": _rounded(fmean(errors)) if errors else None,
        "median": _rounded(median(errors)) if errors else None,
        "worst": max(errors) if errors else None,
    }


# -- in words ----------------------------------------------------------------------------------------------------------

MOST_NAMED = 3


def workload_lines(found: Mapping[str, Any] | None) -> list[str]:
    """What a workload came to, in four lines at most; none where there is no workload."""
    if found is None:
        return []
    if found["reason"] is not None:
        return [f"workload {found['file']}: not asked; {found['reason']}"]
    lines, queries = [], found["queries"]
    errors = "" if found["mean"] is None else f"; {_figures(found)}"
    of_all = f"{found['answered']} of {counted(len(queries), 'query', 'queries')}"
    lines.append(f"workload {found['file']}: {of_all} answered{errors}")
    wrong = sorted((one for one in queries if one["mean"]), key=lambda one: -one["mean"])[:MOST_NAMED]
    if wrong:
        lines.append("furthest off: " + ", ".join(f"{query_name(one)} by {_percent(one['mean'])}" for one in wrong))
    if lacking := [one for one in queries if one["lacks"]]:
        shown = ", ".join(f"{query_name(one)} ({', '.join(one['lacks'])})" for one in lacking[:MOST_NAMED])
        more = len(lacking) - MOST_NAMED
        lines.append(f"not answered, for want of columns: {shown}" + (f" and {more:,} more" if more > 0 else ""))
    lines += [f"not answered: {one['reason']}" for one in queries if one["reason"] is not None][:1]
    return lines


def query_name(line: Mapping[str, Any]) -> str:
    """What a query is called: by its number, and its comment if it has one."""
    return f"query {line['query']} ({line['name']})" if line["name"] else f"query {line['query']}"


def _figures(found: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_percent(found[name])}" for name in ("mean", "median", "worst")) + " off"


def _percent(error: float) -> str:
    """An error in per cent.

    >>> _percent(0.1234), _percent(7.6), _percent(0.00004)
    ('12.3 %', '760 %', '0.0 %')
    """
    return f"{100 * error:,.0f} %" if error >= 1 else f"{100 * error:.1f} %"
