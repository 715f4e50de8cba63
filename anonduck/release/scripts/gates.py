"""The queries that stop a release whose classes are too small, or too much alike: counts, and no value of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonduck.statements.dialects import Dialect
from anonduck.statements.expansion import Expression, expression, quoted
from anonduck.statements.pipeline.engine_spelling import as_it_stands, laid_out, spelled
from anonduck.statements.pipeline.engine_values import stop, text_key
from anonduck.statements.template import inner_query

MISSED = "the release misses what is required of it"


def small_classes(relation: str, names: Sequence[str], k: int, engine: Dialect) -> str:
    """One row with counts where a class of a relation has fewer than k records, else none; NULL is a value.

    ``relation`` stands in the FROM as it is. Values are compared by the bytes of their texts where an engine's own
    collations may take others for equal.
    """
    return spelled(laid_out(_gate(relation, names, None, k, engine)), engine)


def uniform_classes(relation: str, names: Sequence[str], sensitive: str, least: int, engine: Dialect) -> str:
    """The same where a class has fewer values in a sensitive column than ``least``, among which NULL is one."""
    return spelled(laid_out(_gate(relation, names, sensitive, least, engine)), engine)


def passing_rows(relation: str, names: Sequence[str], k: int, least: Mapping[str, int], engine: Dialect) -> str:
    """All rows of a relation whose classes meet k, and in each sensitive column the ``least`` of its values.

    The SELECT stops where one does not.
    """
    asked = [(None, k), *least.items()]
    gates = [{"gate": _gate(relation, names, sensitive, most, engine)} for sensitive, most in asked]
    failing = "SELECT *\nFROM {relation} AS s\nWHERE CASE WHEN NOT any_of(gates, EXISTS (\n{gate}\n)) THEN 'met' "
    stopped = stop(engine, MISSED, expression('s."{name}"', name=names[0]))
    read = as_it_stands(relation)
    text = expression(failing + "{stop} END = 'met'", relation=read, gates=gates, stop=stopped)
    return spelled(laid_out(text), engine)


def _gate(relation: str, names: Sequence[str], sensitive: str | None, least: int, engine: Dialect) -> Expression:
    counted = [] if sensitive is None else [{"name": sensitive, "value": text_key(engine, quoted(sensitive))}]
    item = {
        "relation": as_it_stands(relation),
        "reached": Expression("class_values" if counted else "class_records"),
        "counted": counted,
        "keys": [{"value": text_key(engine, quoted(name))} for name in names],
        "least": least,
    }
    return inner_query("release/scripts/gate.sql", **item)
