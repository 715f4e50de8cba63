"""Lookup tables as temporary tables, or as CSV files beside the text of a release that an engine reads."""

from __future__ import annotations

from collections.abc import Iterator

from anonduck.release.scripts.select_parts import CHECKED, LookupTable, Parts, with_rows
from anonduck.statements.dialects import Dialect, family_of
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.pipeline.engine_spelling import as_it_stands, spelled, written
from anonduck.statements.pipeline.engine_values import as_text, string, type_of

MOST_INLINE = 1_000
"""How many rows of a lookup stand in the text; one that has more is a file."""
AS_WRITTEN = ("text", "other", "time")
"""Families whose values stand in quotes, so that a text without letters is none that is missing."""


def in_files(lookup: LookupTable, engine: Dialect) -> bool:
    """Whether an engine reads all that a lookup holds from a file: lists and their like have no text that it reads."""
    if any(family_of(kind) == "other" for kind in lookup.columns.values()):
        return False
    null = engine.files.null
    return not null or not any(cell == null for row in lookup.rows for cell in row)


def is_file(lookup: LookupTable, engine: Dialect) -> bool:
    """Whether a lookup is a file, and not rows in the text."""
    return len(lookup.rows) > MOST_INLINE and in_files(lookup, engine)


def file_name(lookup: LookupTable) -> str:
    """What its file is called."""
    return f"{lookup.name}.csv"


def file_text(lookup: LookupTable, engine: Dialect) -> str:
    """The rows of a lookup as CSV with a header: texts stand in quotes, and nothing stands for NULL."""
    kinds, null = list(lookup.columns.values()), engine.files.null
    quotes = [family_of(kind) in AS_WRITTEN for kind in kinds]

    def cell(text: str | None, place: int) -> str:
        if text is None:
            return null
        exact = as_text(engine, text, kinds[place])
        return '"' + exact.replace('"', '""') + '"' if quotes[place] else exact

    rows = [",".join(cell(text, place) for place, text in enumerate(row)) for row in lookup.rows]
    return "\n".join([",".join(lookup.columns), *rows]) + "\n"


def loading(lookup: LookupTable, engine: Dialect) -> Iterator[str]:
    """The statements, without semicolons, by which an engine has the file of a lookup as a table of its name."""
    typed = {name: type_of(engine, kind) for name, kind in lookup.columns.items()}
    structs = ", ".join(f"{string(name)}: {string(kind)}" for name, kind in typed.items())
    columns = [{"name": name, "kind": Expression(kind)} for name, kind in typed.items()]
    item = {
        "name": quoted(lookup.name),
        "schema": Expression(engine.files.schema),
        "path": string(file_name(lookup)),
        "columns": expression('each(columns, "{name}" {kind})', columns=columns),
        "typed": as_it_stands("{" + structs + "}"),
    }
    for text in engine.files.statements:
        yield spelled(expression(text, **item), engine)


def filled(lookup: LookupTable, engine: Dialect) -> Iterator[str]:
    """The statements by which an engine has its rows as a temporary table, made anew where the session has one.

    Only a temporary one is dropped, where an engine has words for that. Raises DialectError where it fills none.
    """
    if not engine.temporary:
        raise engine.refusal("a script", "it fills no temporary tables; write one SELECT, `--as select`, or a folder")
    named = {"name": quoted(lookup.name), "schema": Expression(engine.files.schema)}
    yield spelled(expression("DROP TABLE IF EXISTS {schema}{name}", **named), engine)
    for most in (CHECKED, None):
        rows = with_rows(expression("SELECT * FROM {name}", **named), Parts(lookups=[lookup]), engine, most=most)
        query = written(rows, engine) if most else spelled(rows, engine)
    yield spelled(expression("CREATE TEMPORARY TABLE {name} AS\n", **named), engine) + query


def loaded(lookup: LookupTable, engine: Dialect) -> str:
    """How the file of a lookup comes into its table, in words."""
    return engine.files.words.format(file=file_name(lookup), name=lookup.name)
