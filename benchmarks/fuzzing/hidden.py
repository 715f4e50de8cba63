"""What a release must not show, and whether it stands in its bytes, beside it, or in what was printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from . import reading
from .kept import comparable
from .released import Finding, Released, beside
from .tables import Table


def hidden_texts(table: Table, made: Released | None) -> dict[str, str]:
    """Texts that nothing may show, each with what it is."""
    hidden: dict[str, str] = {}
    needed = {**table.keys["requirement"], **(made.job.require if made else {})}
    for column in table.columns:
        everyone = table.whole or table
        counts = Counter(everyone.column(column.name).texts[row] for row in everyone.used)
        for token in column.tokens:
            if column.role in ("identifier", "entity", "drop"):
                hidden[token] = f"{column.role} {column.name!r}"
            elif "order" in table.keys.get("taxonomies", {}).get(column.name, {}):
                continue  # its labels name what the owner listed
            elif column.role == "quasi" and counts[token] < needed["k"]:
                hidden[token] = f"{column.name!r}, held by {counts[token]}"
            elif made and column.role == "quasi" and column.name not in made.columns:
                hidden[token] = f"{column.name!r}, which is not released"
            elif made and made.method != "nsvdist" and column.role in ("class", "sensitive", "insensitive"):
                told_alike = column.kind in ("VARCHAR", "ENUM") or comparable(made, column.name) is not None
                if told_alike and token not in made.columns.get(column.name, ()):
                    hidden[token] = f"{column.name!r}, of records left out"
        if column.unheld:
            hidden[column.unheld] = f"type of {column.name!r}"
    return hidden


def check_hidden(made: Released) -> Iterator[Finding]:
    """No hidden text stands in the release, beside it, or in what was printed."""
    hidden = hidden_texts(made.table, made)
    if made.method == "probabilistic":
        shown = {value for values in made.columns.values() for value in values}
        hidden = {text: what for text, what in hidden.items() if text not in shown}
    places = {"release": reading.held_bytes(made.target)}
    start = beside(made.target)
    for suffix in (".receipt.json", ".dictionary.json", ".dictionary.md"):
        places[suffix] = Path(start + suffix).read_bytes()
    places["printed"] = (made.outcome.out + made.outcome.err).encode()
    yield from found_in(hidden, places)


def found_in(hidden: Mapping[str, str], places: Mapping[str, bytes]) -> Iterator[Finding]:
    """Hidden texts that stand somewhere."""
    for where, held in places.items():
        found = [f"{text} ({what})" for text, what in hidden.items() if text.encode() in held]
        if found:
            yield Finding("leak", f"{where} holds {', '.join(found[:3])}")
