"""A taxonomy as a lookup file: one line per value, one column per level, the value itself first."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.database.encodings import read_text
from anonduck.errors import AuditError, SourceError
from anonduck.privacy.audited_file import SEPARATORS, fitness
from anonduck.statements import line

if TYPE_CHECKING:
    import pandas as pd

Lines = Sequence[Sequence[str]]
LISTED = "listed_taxonomy"
NO_PATHS = line(
    "privacy/lookup.NO_PATHS", "CREATE OR REPLACE TEMP TABLE paths (attribute INTEGER, value VARCHAR, text VARCHAR)"
)
"""Makes the list of labels that taxonomies give to values, without any yet."""


def paths(column: str, source: str | Path | pd.DataFrame) -> pd.DataFrame:
    """The path of each value to the root: rows of value, level (0 is the value), node and parent (numbers).

    A header is allowed. A root is added if the last column is none. NULL is a leaf of its own under the root. Raises
    AuditError for a file that is no such lookup.
    """
    import pandas as pd

    lines = read_lines(column, source)
    tops = {line[-1] for line in lines[1:]}
    if len(tops) == 1:  # the first line may be a header; as a leaf it does no harm
        lines = [[*lines[0][:-1], *tops], *lines[1:]]
    if len({line[-1] for line in lines}) > 1 or len(lines[0]) == 1:
        lines = [[*line, ""] for line in lines]
    _refuse_two_paths(column, lines)
    return pd.DataFrame(_rows(lines), columns=["value", "level", "node", "parent"])


def _rows(lines: Lines) -> Iterator[tuple[str | None, int, int, int]]:
    height = len(lines[0]) - 1
    numbers: dict[tuple[str, ...], int] = {}
    for one in dict.fromkeys(map(tuple, lines)):
        nodes = [numbers.setdefault(one[level:], len(numbers)) for level in range(height + 1)]
        for level in range(height):
            yield one[0], level, nodes[level], nodes[level + 1]
    root = numbers[(lines[0][-1],)]
    for level in range(height):
        yield None, level, -1 - level, root if level == height - 1 else -2 - level


def read_lines(column: str, source: str | Path | pd.DataFrame) -> list[list[str]]:
    """The lines of a lookup file or DataFrame, all of one length. Raises AuditError for other input."""
    whose = f"the taxonomy of {column!r}"
    if not isinstance(source, (str, Path)):
        lines = [["" if one is None else str(one) for one in line] for line in _frame_rows(whose, source)]
    else:
        lines = _file_lines(whose, Path(source))
    if not lines:
        raise AuditError(f"{whose} has no lines; it has one per value, the value first, then its label at each level")
    ragged = next((number for number, line in enumerate(lines, start=1) if len(line) != len(lines[0])), None)
    if ragged is not None:
        raise AuditError(f"{whose} has {len(lines[0])} fields in its first line and another number in line {ragged}")
    return lines


def _frame_rows(whose: str, source: Any) -> Any:
    if not hasattr(source, "itertuples"):
        raise AuditError(f"{whose} is a {type(source).__name__}; allowed are a CSV file or a pandas DataFrame")
    return source.itertuples(index=False, name=None)


def _file_lines(whose: str, path: Path) -> list[list[str]]:
    try:
        text = read_text(path)
    except SourceError as error:
        raise AuditError(f"{whose}, {path}, {error.fields}; save it as UTF-8") from None
    except OSError as error:
        raise AuditError(f"{whose}, {path}, cannot be read: {error.strerror}") from None
    separator = max(SEPARATORS, key=lambda one: fitness(_parsed(text, one)))
    return [line for line in _parsed(text, separator) if line]


def _parsed(text: str, separator: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error:  # a quote that does not close under this separator
        return []


def _refuse_two_paths(column: str, lines: Lines) -> None:
    ways: dict[str, set[tuple[str, ...]]] = {}
    for one in lines:
        ways.setdefault(one[0], set()).add(tuple(one))
    twice = sum(len(found) > 1 for found in ways.values())
    if twice:
        raise AuditError(f"the taxonomy of {column!r} gives {twice} of its values more than one path; a value has one")


def refuse_lacking(column: str, values: int) -> None:
    """Raise AuditError if a column's taxonomy lacks some of its values."""
    if values:
        raise AuditError(
            f"the taxonomy of {column!r} lacks {values:,} of the column's values; add a line for each of them"
        )


def add_listed(work: Database, number: int, column: str, source: Any) -> None:
    """Add the labels of a column's taxonomy to ``paths``: a CSV file or DataFrame, one line per value, the
    value first.
    """
    import pandas as pd

    lines = read_lines(column, source)
    levels = [f"level_{level}" for level in range(1, len(lines[0]))]
    if not levels:
        raise AuditError(
            f"the taxonomy of {column!r} has one field in a line; it has the value, then a label per level"
        )
    with work.registered(LISTED, pd.DataFrame(lines, columns=["value", *levels], dtype="str")):
        add_labels(work, number, LISTED, levels)


def add_labels(work: Database, number: int, table: str, levels: Sequence[str]) -> None:
    """Add the labels of a table with a column ``value`` and the columns ``levels`` to ``paths``."""
    rows = 'SELECT $attribute::INTEGER, value::VARCHAR, unnest([each(levels, "{name}")]) FROM "{table}"'
    query = line("privacy/lookup.add_labels", "INSERT INTO paths " + rows, "attribute", levels=levels, table=table)
    work.run(query, {"attribute": number})
