"""Taxonomies as data, so that a recoding is kept with those that it names the nodes of, where no table holds these.

They are those for a larger k than the config's, which are made in a database that is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anonduck.database.arrow_tables import arrow_table
from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.statements import line
from anonduck.statements.expansion import Expression, Item, expression, qualified
from anonduck.statements.literals import literal, type_named
from anonduck.statements.template import table_of
from anonduck.taxonomy.catalog import CatalogEntry, Taxonomy, entries, forget_nodes, write_entries
from anonduck.taxonomy.plans import KEYED

GIVEN = "given_taxonomy"
NODES = "taxonomy_nodes"
SCHEMAS = ("taxonomy", "bounds")


@dataclass(frozen=True)
class KeptTaxonomies:
    """Taxonomies whose labels name no value that fewer than ``label_k`` records hold; they hold values of the source.

    ``columns`` has for each column its row of the register, and its tables as texts, with their types.
    """

    label_k: int
    columns: Mapping[str, Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """The same as a document."""
        return {"label_k": self.label_k, "columns": dict(self.columns)}

    def entry(self, column: str) -> CatalogEntry:
        """The row of the register of a column."""
        return _entry(self.columns[column])

    def fingerprint(self, database: Database, column: str) -> str:
        """The fingerprint of all that is kept of a column, by the key of a decision database."""
        text = json.dumps(self.columns[column], sort_keys=True)
        return KEYED + text_fingerprint(fingerprint_key(database), text)


def kept_from_json(document: Mapping[str, Any]) -> KeptTaxonomies:
    """The taxonomies that ``to_json`` wrote."""
    return KeptTaxonomies(document["label_k"], document["columns"])


def taxonomies_to_keep(made: Database, stored: Database, columns: Sequence[str], label_k: int) -> KeptTaxonomies:
    """Those taxonomies of a database that were made for that k, and so in another way than the stored ones."""
    now, then = entries(made), entries(stored)
    own = [name for name in columns if name not in then or now[name].options != then[name].options]
    return KeptTaxonomies(label_k, {name: _as_texts(made, name, now[name]) for name in own})


def _as_texts(database: Database, column: str, entry: CatalogEntry) -> dict[str, Any]:
    places = [*((schema, column) for schema in SCHEMAS), ("main", NODES)]
    found = dict(zip(places, database.types_of_each(places), strict=True))
    tables = {}
    for (schema, name), types in found.items():
        if types:
            noted = [{"column": literal(column)}] if name == NODES and schema == "main" else []
            text = (
                'SELECT each(names, "{name}"::VARCHAR AS "{name}") FROM {stored} '
                "WHERE all_of(noted, column_name = {column}; TRUE)"
            )
            stored = qualified(schema, name)
            rows = database.rows(line("taxonomy/kept._as_texts", text, names=list(types), stored=stored, noted=noted))
            tables[schema] = {"types": types, "rows": sorted(map(list, rows), key=_with_nulls)}
    return {"entry": asdict(entry), "tables": tables}


def _with_nulls(row: Sequence[str | None]) -> list[tuple[bool, str]]:
    return [(text is not None, text or "") for text in row]


def put_taxonomies(database: Database, kept: KeptTaxonomies) -> None:
    """Write kept taxonomies in the place of those that a database has of the same columns."""
    for column, held in kept.columns.items():
        database.drop(("bounds", column))
        forget_nodes(database, [column])
        for schema, table in held["tables"].items():
            texts = {name: [row[at] for row in table["rows"]] for at, name in enumerate(table["types"])}
            typed = [_typed(name, kind) for name, kind in table["types"].items()]
            text = 'SELECT each(typed, {value} AS "{name}") FROM "{given}"'
            rows = line("taxonomy/kept.put_taxonomies", text, typed=typed, given=GIVEN)
            with database.registered(GIVEN, arrow_table(texts)):
                if schema == "main":  # all columns of the nodes, in their order
                    text = "INSERT INTO taxonomy_nodes {rows}"
                    database.run(line("taxonomy/kept.put_taxonomies", text, rows=Expression(rows.sql)))
                else:
                    database.run(table_of((schema, column), rows))
    write_entries(database, [_entry(held) for held in kept.columns.values()])


def _typed(name: str, kind: str) -> Item:
    return {"name": name, "value": expression('CAST("{name}" AS {kind})', name=name, kind=type_named(kind))}


def _entry(held: Mapping[str, Any]) -> CatalogEntry:
    entry = held["entry"]
    taxonomy = Taxonomy(**{**entry["taxonomy"], "nodes": tuple(entry["taxonomy"]["nodes"])})
    return CatalogEntry(taxonomy, entry["options"], entry["digest"])
