"""Queries of a source that is counted at a floor: how many combinations it has there, and which.

Each column has a lookup of its values with the code of their node at each level. Wherever the source is, the same query
replaces values by codes and counts those, so that the answer depends on no types and is as small as possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zlib import crc32

from anonduck.statements import Statement, line, statement, translated
from anonduck.statements.expansion import Item, expression
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.statements.template import temporary_table_of

LOST = -1  # the code of a value that its lookup lacks
PRIME = (1 << 31) - 1


def lookup_table(place: int) -> str:
    """The name of the lookup of the column at a place."""
    return f"anonduck_floor_{place}"


def made_lookup(place: int, name: str, levels: int) -> Statement:
    """Make the lookup of a column: its values, and their codes at so many levels."""
    text = 'SELECT value, each(levels, code_{level}) FROM "lookup"."{name}"'
    codes = line("frequency/floor_queries.made_lookup", text, levels=levels_to(levels - 1, 0), name=name)
    return temporary_table_of(lookup_table(place), codes)


def made_numbers(lookup: str, column: str, counted: str) -> Statement:
    """Make the lookup of a column that has no levels, whose values are numbered as leaves are."""
    text = (
        'SELECT "{column}" AS value, row_number() OVER (ORDER BY "{column}") AS code_0 '
        'FROM "{counted}" WHERE "{column}" IS NOT NULL'
    )
    return temporary_table_of(
        lookup, line("frequency/floor_queries.made_numbers", text, column=column, counted=counted)
    )


def combinations_at(
    vectors: Sequence[Mapping[str, int]], columns: Sequence[str], one_in: int, source: str, dialect: str
) -> Statement:
    """About how many combinations of codes there are at each of some level vectors, which name the columns they count.

    A combination is known by a sum that is drawn for it, and those are counted that ``one_in`` divides.
    """
    drawn = [{"one_in": one_in, "terms": _terms(vector, columns)} for vector in vectors]
    return _asked("frequency/floor_combinations.sql", {"vectors": drawn}, columns, source, dialect)


def _terms(vector: Mapping[str, int], columns: Sequence[str]) -> list[Item]:
    placed = ((columns.index(name), level) for name, level in vector.items())
    return [
        {"place": place, "level": level, "factor": crc32(f"{place} {level}".encode()) % PRIME, "prime": PRIME}
        for place, level in placed
    ]


def counted_at(levels: Mapping[str, int], columns: Sequence[str], source: str, dialect: str) -> Statement:
    """Each distinct combination of the codes of the columns that ``levels`` names, as c0, c1, ... by their places
    among all, with its records.

    NULL, and a value that its taxonomy does not know, is code 0; a value that came into the source after its values
    were counted is LOST.
    """
    counted = [{"name": name, "place": columns.index(name), "level": level} for name, level in levels.items()]
    return _asked("frequency/floor_counts.sql", {"counted": counted}, columns, source, dialect)


def _asked(
    file: str, lists: Mapping[str, Sequence[Item]], columns: Sequence[str], source: str, dialect: str
) -> Statement:
    placed = [{"name": name, "place": place} for place, name in enumerate(columns)]
    query = statement(file, table={"source": source}, lists={"columns": placed, **lists})
    return Statement(query.name, translated(query, dialect))


def set_at(table: str, columns: Sequence[str], levels: Mapping[str, int], fetched: str) -> Statement:
    """The frequency set of what was counted at ``levels``: in the place of a code stands the least value of its node.

    Columns that have no level, as they are at their root, are NULL in all rows.
    """
    placed: list[Item] = [
        {
            "name": name,
            "place": place,
            "level": levels.get(name, 0),
            "code": expression("f.c{place}", place=place) if name in levels else expression("{lost}", lost=LOST),
        }
        for place, name in enumerate(columns)
    ]
    tables = {"target": table, "fetched": fetched}
    return statement("frequency/floor_set.sql", table=tables, lists={"columns": placed})
