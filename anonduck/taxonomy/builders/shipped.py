"""Ready-made taxonomies: which there are, and how one becomes the taxonomy of a column."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from shlex import quote

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement, builder_database, statement
from anonduck.statements.column_types import family_of
from anonduck.taxonomy.builders.shipped_forms import SHIPPED, LeafForm, ShippedTaxonomy
from anonduck.taxonomy.builders.shipped_labels import ListedRange, counted, paths, shipped_labels, shipped_leaves
from anonduck.taxonomy.catalog import value_type
from anonduck.taxonomy.files.leaves import ORDERED, scattered
from anonduck.taxonomy.tables import write_imported
from anonduck.words import counted as counted_words
from anonduck.words import did_you_mean

VALUES = "shipped_values"
ROOT = "*"
AGE_KEYS = "shipped_keys_age"


@dataclass(frozen=True)
class ShippedBuild:
    """What ``build_shipped`` wrote: the kind of the taxonomy, whether it is ordered, its root's level, its origin.

    ``unknown`` values of the source, in ``unknown_records`` records, have no leaf in it.
    """

    kind: str
    ordered: bool
    root: int
    origin: str
    form: str
    unknown: int = 0
    unknown_records: int = 0


def list_shipped() -> list[ShippedTaxonomy]:
    """The ready-made taxonomies, in the order of their names."""
    return sorted(SHIPPED, key=lambda shipped: shipped.name)


def find_shipped(name: str) -> ShippedTaxonomy:
    """The ready-made taxonomy called ``name``; raises TaxonomyError with the names that exist."""
    for shipped in SHIPPED:
        if shipped.name == name:
            return shipped
    raise TaxonomyError(
        f"there is no shipped taxonomy {name!r}{did_you_mean(name, [s.name for s in SHIPPED])}; there are "
        f"{', '.join(s.name for s in list_shipped())} "
        "(`anonduck taxonomy list`)"
    )


def read_shipped(name: str) -> list[dict[str, str]]:
    """The rows of a ready-made taxonomy's file, keyed by its header."""
    text = files("anonduck.taxonomies").joinpath(f"{find_shipped(name).name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def build_shipped(
    database: Database, column: str, name: str, *, frequency: str = "frequency_set", form: str | None = None
) -> ShippedBuild:
    """Write ``taxonomy."<column>"`` from a ready-made taxonomy, in the form that most of the column's values have.

    A list gives every leaf of the form, and a further one for each value of the source that is spelt otherwise; a code
    gives one leaf per value of the source. Values without a path are left out, for the checks to count. Raises
    TaxonomyError if no value has one.
    """
    shipped = find_shipped(name)
    kind = value_type(database, column, frequency)
    held = {"column": {"source_value": f"{column}@value"}, "table": {"frequency": frequency}}
    database.run(statement("source/shipped_held.sql", **held))
    try:
        chosen = _form(shipped, form) if form else _most_held(database, column, shipped)
        if chosen.texts:
            texts = [text for row in read_shipped(name) for text in _texts(row[chosen.texts[0]])]
            database.run(statement("taxonomy/builders/shipped_values.sql", **held), {"texts": texts})
        labels = _labels(shipped, chosen, VALUES)
        database.run(shipped_leaves(labels, len(chosen.levels), by_list=bool(chosen.texts)))
        root = len(chosen.levels)
        can_order = bool(chosen.texts) or chosen.keys == AGE_KEYS
        ordered = can_order and family_of(kind) in ORDERED and not scattered(database)
        database.run(builder_database.schema("taxonomy"))
        write_imported(database, column, 0, root, "by_value" if ordered else "by_line")
    finally:
        database.drop(VALUES, "hierarchy_leaves")
    origin = f"shipped {name} ({chosen.name}): {shipped.origin}"
    made = {"source_value": f"{column}@value"}
    tables: dict[str, str | tuple[str, str]] = {"frequency": frequency, "taxonomy": ("taxonomy", column)}
    unknown = database.rows(statement("taxonomy/checks/missing.sql", column=made, table=tables))
    records = sum(records for _, records in unknown)
    return ShippedBuild(
        "file" if chosen.texts else "computed", ordered, root, origin, chosen.name, len(unknown), records
    )


def without_leaf(column: str, name: str, values: int, records: int) -> str:
    """A sentence on the values of a column that a ready-made taxonomy does not know, and where they go.

    >>> without_leaf("home", "country", 1, 20)
    "shipped country does not know 1 value of 'home', in 20 records: releases refuse it, or with `unmapped: root` \
generalize it to the root; `anonduck taxonomy check home --show-values` lists it"
    """
    them = "it" if values == 1 else "them"
    return (
        f"shipped {name} does not know {counted_words(values, 'value', 'values')} of {column!r}, in "
        f"{counted_words(records, 'record', 'records')}: releases refuse {them}, or with `unmapped: root` generalize "
        f"{them} to the root; `anonduck taxonomy check {quote(column)} --show-values` lists {them}"
    )


@dataclass(frozen=True)
class KnownValues:
    """The form of a ready-made taxonomy that knows most of the ``values`` of a column, and how many it knows."""

    form: LeafForm
    known: int
    values: int


def known_values(database: Database, name: str) -> KnownValues:
    """How many values of the table ``shipped_values`` a ready-made taxonomy knows, in the form that knows most."""
    shipped = find_shipped(name)
    counts = {form: int(database.value(counted(_labels(shipped, form, VALUES)))) for form in shipped.forms}
    best = max(shipped.forms, key=lambda form: counts[form])
    return KnownValues(best, counts[best], database.count(VALUES))


def label_query(name: str, root: int, values: str) -> Statement:
    """The paths of a relation's values (one column ``value``) in a ready-made taxonomy: value, level_1 ... level_h.

    ``root`` selects the form with so many levels whose leaves are codes. Values without a path have no row.
    """
    shipped = find_shipped(name)
    form = next((form for form in shipped.forms if len(form.levels) == root and not form.texts), None)
    if form is None:
        raise TaxonomyError(f"the shipped taxonomy {name!r} has no form of codes with {root} levels; build it again")
    return paths(_labels(shipped, form, values), root)


def _form(shipped: ShippedTaxonomy, name: str) -> LeafForm:
    for form in shipped.forms:
        if form.name == name:
            return form
    raise TaxonomyError(
        f"the shipped taxonomy {shipped.name!r} has no leaves in the form {name!r}; it has "
        f"{', '.join(form.name for form in shipped.forms)}"
    )


def _most_held(database: Database, column: str, shipped: ShippedTaxonomy) -> LeafForm:
    """The form that most of the column's values have; of equals, the first."""
    best = known_values(database, shipped.name)
    if best.known == 0:
        raise TaxonomyError(
            f"no value of column {column!r} is in the shipped taxonomy {shipped.name!r}, which knows {shipped.leaves} "
            f"({', '.join(form.name for form in shipped.forms)}); is it another column's? `anonduck taxonomy list` "
            "names the others"
        )
    return best.form


def _labels(shipped: ShippedTaxonomy, form: LeafForm, values: str) -> Mapping[str, Statement]:
    return shipped_labels(
        form.keys,
        values,
        _ranges(shipped.name, form),
        otherwise=[ROOT if level == "root" else _level(level)[1] for level in form.levels],
        longest=form.longest,
        only_listed=not any("|" in level for level in form.levels),
    )


def _level(text: str) -> tuple[str, int | None]:
    """The column of a level, and how many characters of the key stand in for it: of ``area|3``, ``3``, ``block``."""
    name, _, prefix = ("", "", text) if text.isdigit() else text.partition("|")
    return name, int(prefix) if prefix else None


@cache
def _ranges(name: str, form: LeafForm) -> Sequence[ListedRange]:
    """The rows of the file as ranges of keys; a text of a list is a range of one key."""
    found = []
    for row in read_shipped(name):
        labels = tuple(row[column] if column else None for column, _ in map(_level, form.levels))
        if form.texts:
            keys = {key_of(text): None for column in form.texts for text in _texts(row[column])}
            found += [ListedRange(key, key, labels) for key in keys]
        else:
            found.append(ListedRange(row["first"], row["last"], labels))
    return tuple(found)


def _texts(field: str) -> list[str]:
    return [text for text in field.split("|") if text]


def key_of(text: str) -> str:
    """The text under which a listed leaf is found; shipped_keys_text.sql does the same to a value."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).lower()
    return re.sub(r"^0+([0-9]+)$", r"\1", re.sub(r"[^a-z0-9]+", " ", plain).strip())
