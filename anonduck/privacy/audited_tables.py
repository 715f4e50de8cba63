"""Statements of the audit's relations, and those that wrap another query.

The relations name quasi-identifiers ``q_1, q_2, ...`` and sensitive attributes ``s_1, s_2, ...``, so that no name of a
released column can stand in the way of another.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonduck.statements.expansion import Expression, Item
from anonduck.statements.template import Statement, line, statement

RECORDS = "#records"
PERSON = "person"
COUNTS = ("class", "records", "persons", "held")  # the columns of classes, of which each part of them has some


def quasi_names(count: int) -> tuple[str, ...]:
    """The names of that many quasi-identifiers in the audit's relations."""
    return tuple(f"q_{number}" for number in range(1, count + 1))


def sensitive_names(count: int) -> tuple[str, ...]:
    """The names of that many sensitive attributes in the audit's relations."""
    return tuple(f"s_{number}" for number in range(1, count + 1))


def as_quasi(columns: Sequence[str]) -> list[Item]:
    """Columns and what they are called as quasi-identifiers, as query files list them."""
    return _called(columns, quasi_names(len(columns)))


def _called(columns: Sequence[str], names: Sequence[str]) -> list[Item]:
    return [{"name": column, "called": name} for column, name in zip(columns, names, strict=True)]


def audited_set(
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    entity: str | None = None,
    *,
    counted: str | None = None,
) -> Statement:
    """One row per distinct combination of the columns' values in ``release``, with its number of records.

    The key of persons, where it is given, is the column ``person``. ``counted`` names a table with a column "#records"
    that is read in place of ``release``.
    """
    columns = as_quasi(quasi_identifiers) + _called(sensitive, sensitive_names(len(sensitive)))
    return _grouped("audited_set", columns + ([] if entity is None else _called([entity], [PERSON])), counted)


def audited_persons(
    quasi_identifiers: Sequence[str], entity: str, *, counted: str | None = None, relation: str = "release"
) -> Statement:
    """One row per equivalence class of ``release``, or of another relation of records, and person in it, with the
    person's records; NULL is one person.

    For ``counted`` see ``audited_set``.
    """
    columns = as_quasi(quasi_identifiers) + _called([entity], [PERSON])
    return _grouped("audited_persons", columns, counted, relation=relation)


def audited_population(quasi_identifiers: Sequence[str], *, counted: str | None = None) -> Statement:
    """One row per equivalence class of the population that is open as ``release``, with its number of records,
    ``held``.

    For ``counted`` see ``audited_set``.
    """
    return _grouped("audited_population", as_quasi(quasi_identifiers), counted, count="held")


def _grouped(
    target: str, columns: Sequence[Item], counted: str | None, *, count: str = RECORDS, relation: str = "release"
) -> Statement:
    return statement(
        "privacy/grouped.sql",
        table={"target": target, "relation": counted or relation},
        lists={"columns": columns, "summed": [RECORDS] if counted else []},
        column={"held": count},
    )


def kept_rows(table: str, quasi_identifiers: Sequence[str], target: str) -> Statement:
    """``target``: the rows of a table whose classes are still in the numbered set, after failing classes were
    removed."""
    tables = {"target": target, "relation": table}
    return statement("privacy/kept_rows.sql", table=tables, lists={"attributes": as_quasi(quasi_identifiers)})


def other_rows(table: str, quasi_identifiers: Sequence[str], failing: str, target: str) -> Statement:
    """``target``: the rows of a table whose classes are not in ``failing``, whose columns are ``q_1, q_2, ...``"""
    tables = {"target": target, "relation": table, "failing": failing}
    return statement("privacy/other_rows.sql", table=tables, lists={"attributes": as_quasi(quasi_identifiers)})


def classes(quasi_identifiers: int, *, persons: bool, population: bool) -> Statement:
    """One row per equivalence class of the release or the population: class, records, persons, held."""
    parts = [_part("numbered_set", **{"class": "class", "records": "records"})]
    parts += [_part("audited_persons", persons="1")] if persons else []
    parts += [_part("audited_population", held="held")] if population else []
    return statement(
        "privacy/classes_of_parts.sql",
        lists={
            "parts": parts,
            "attributes": quasi_names(quasi_identifiers),
            "population": ["held"] if population else [],
        },
        column={"counted": "persons" if persons else "records"},
    )


def _part(table: str, **counts: str) -> Item:
    return {"table": table} | {name: Expression(counts.get(name, "NULL")) for name in COUNTS}


def worst(query: Statement, *, at_most: bool) -> Statement:
    """One value: the worst that a query reaches, whose rows are equivalence classes."""
    text = "SELECT {extreme}(reached) AS reached FROM (\n{query}\n) AS classes"
    extreme = Expression("max" if at_most else "min")
    return line(
        f"privacy/audited_tables.worst({query.name})",
        text,
        *query.parameters,
        extreme=extreme,
        query=Expression(query.sql),
    )
