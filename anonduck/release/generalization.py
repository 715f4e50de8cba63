"""What a rule makes of single records: its taxonomies, taken out of the decision database, and the labels by them.

Records are placed and labelled by the statements of a release, in a database of their own in memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import RuleError, SourceError
from anonduck.frequency.frequency_set import check_source, refuse_nulls
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import Requirement
from anonduck.methods.registry import METHODS
from anonduck.privacy.requirement import ask
from anonduck.release.bounded_recoder import refuse_bounds
from anonduck.release.frames import as_frame
from anonduck.release.job import checked_levels, root_labels
from anonduck.release.recoder import RELEASE_SET, Placing, ReleaseInputs, look_up_all
from anonduck.release.rule_recoder import LabelChanges, rule_recoder
from anonduck.release.script import released_labels
from anonduck.rules.rule import literal
from anonduck.search.stored_rules import rule_levels
from anonduck.source.columns import Column, existing
from anonduck.statements import statement
from anonduck.statements.column_types import (
    DURATION,
    IN_PARQUET,
    TEXT,
    TIME,
    ZONED,
    is_numeric,
    is_text,
    without_names,
    without_parameters,
)
from anonduck.statements.pipeline.builder_frequency import value_column
from anonduck.statements.pipeline.builder_records import PLACE, labelled_records, misfits, read_records
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA, RuleColumn, lookup_schema
from anonduck.taxonomy.catalog import CatalogEntry, entries, prepare, write_entries
from anonduck.words import counted, summary_line
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

CARRIED, RECORDS, CARRIED_VALUE = "carried", "new_records", "value"
CARRIABLE = (*IN_PARQUET, TIME, ZONED)
NO_REQUIREMENT = Requirement(ask({"k": 1}))


@dataclass(frozen=True, eq=False)
class CarriedTaxonomy:
    """A taxonomy outside of any database: its row of the register, its table and its bounds as Arrow tables (bounds are
    None where it has no intervals), and the label of its root."""

    entry: CatalogEntry
    nodes: Any
    bounds: Any
    root_label: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tables compressed: paths repeat the labels of their nodes, and values the start of others."""
        packed = [None if table is None else (table.schema, _packed(table)) for table in (self.nodes, self.bounds)]
        return _unpacked, (self.entry, *packed, self.root_label)


CLOSEST = 19
"""The level of zstd above which memory grows; it halves what its usual level leaves."""


def _packed(table: Any) -> bytes:
    """An Arrow table as the bytes of a Parquet file: labels once each, of texts and codes what sets them apart."""
    import pyarrow as pa
    from pyarrow import parquet

    texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
    codes = {field.name: "DELTA_BINARY_PACKED" for field in table.schema if pa.types.is_int32(field.type)}
    front = {name: "DELTA_BYTE_ARRAY" for name in texts if name == CARRIED_VALUE}
    sink = pa.BufferOutputStream()
    parquet.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=CLOSEST,
        use_dictionary=[name for name in texts if name != CARRIED_VALUE],
        column_encoding=codes | front,
        write_statistics=False,
    )
    return bytes(sink.getvalue())


def _unpacked(
    entry: CatalogEntry, nodes: tuple[Any, bytes], bounds: tuple[Any, bytes] | None, root_label: str
) -> CarriedTaxonomy:
    return CarriedTaxonomy(entry, _table(*nodes), None if bounds is None else _table(*bounds), root_label)


def _table(schema: Any, packed: bytes) -> Any:
    """The Arrow table that ``_packed`` packed; Parquet does not keep all of a schema."""
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.read_table(pa.BufferReader(packed)).cast(schema)


@dataclass(frozen=True, eq=False, repr=False)
class Generalization:
    """A rule that can be applied to single records, with all that this takes; it may be pickled.

    ``columns`` are those of the rule, in the order of the source, and ``types`` their DuckDB types there; ``read_as``
    are the columns whose type the config gives. ``renamed`` are the labels that a release shows in the place of those
    of a taxonomy. It holds values of the source: keep it as safe as the source.
    """

    columns: tuple[RuleColumn, ...]
    types: Mapping[str, str]
    taxonomies: Mapping[str, CarriedTaxonomy]
    renamed: LabelChanges
    timezone: str
    read_as: frozenset[str] = frozenset()
    nulls: str = "value"

    def __repr__(self) -> str:
        """The rule, without a value of the source."""
        return summary_line("Generalization", [literal({one.name: one.level or 0 for one in self.columns})])

    @property
    def names(self) -> list[str]:
        """The columns of the rule."""
        return [column.name for column in self.columns]

    def labelled(self, records: pd.DataFrame, *, unmapped: str) -> pd.DataFrame:
        """The records as the rule shows them, one row each, in their order and with their index.

        ``unmapped`` is ``"root"`` where values that a taxonomy does not know become the root label. Raises SourceError
        for a column that is missing or cannot be read as the source has it, TaxonomyError for values that a taxonomy
        does not know.
        """
        self.refuse_missing(records)
        columns = tuple(replace(column, unmapped=unmapped == "root") for column in self.columns)
        with contextlib.closing(Database(None, timezone=self.timezone)) as database:
            self._read(database, records)
            self._place(database, columns)
            labelled = as_frame(database.arrow(labelled_records(columns, RELEASE_SET)))
        return labelled.set_axis(records.index, axis="index")

    def refuse_missing(self, records: pd.DataFrame) -> None:
        """Raise SourceError for records without a column of the rule."""
        for name in self.names:
            if name not in records.columns:
                there = existing([Column(str(one), "") for one in records.columns], name)
                raise SourceError(f"the records have no column {name!r}, which the rule names; {there}")

    def _read(self, database: Database, records: pd.DataFrame) -> None:
        """Write RELEASE_SET: the values as the source has them, each record by itself."""
        held = records.loc[:, self.names].reset_index(drop=True)
        database.register(RECORDS, held.assign(**{PLACE: range(len(held))}))
        casts = self._casts(database, database.types_of(RECORDS), lambda name: bool(held[name].notna().any()))
        database.run(read_records(self.names, casts, RECORDS, RELEASE_SET))
        for name in self.names if self.nulls == "reject" else ():
            query = statement(
                "frequency/nulls.sql", column={"raw_value": value_column(name)}, table={"frequency_set": RELEASE_SET}
            )
            refuse_nulls(name, database.value(query) or 0)

    def _casts(self, database: Database, given: Mapping[str, str], holds: Callable[[str], bool]) -> dict[str, str]:
        """The types that columns are cast to: those of the source, where they are others and each value fits.

        ``holds`` returns whether a column holds a value at all.
        """
        casts = {name: self.types[name] for name in self.names if given[name] != self.types[name]}
        for name, kind in casts.items():
            if kind == TEXT and not _is_text_already(given[name]) and name not in self.read_as and holds(name):
                raise SourceError(f"column {name!r} is text in the source and {given[name]} in the records; give texts")
        texts = [name for name in casts if is_text(given[name])]
        (counts,) = database.records(misfits(casts, texts, RECORDS)) if casts else [{}]
        for name, count in counts.items():
            if count and is_numeric(casts[name]) and is_numeric(given[name]):
                del casts[name]  # a fraction among whole numbers has its place in a taxonomy as it is
            elif count:
                values = counted(count, "value", "values")
                raise SourceError(f"column {name!r} is {casts[name]} in the source; {values} of the records cannot be")
        return casts

    def _place(self, database: Database, columns: Sequence[RuleColumn]) -> None:
        """Look the values of RELEASE_SET up in the taxonomies, and give intervals the labels of the release."""
        prepare(database)
        database.run(lookup_schema())
        looked_up = [column for column in columns if column.looked_up]
        for column in looked_up:
            _put_down(database, self.taxonomies[column.name])
        placings = [
            Placing(
                self.taxonomies[column.name].entry.taxonomy,
                column.root_label,
                refuse=not (column.unmapped and (column.level or column.text)),
            )
            for column in looked_up
        ]
        look_up_all(database, placings, show_values=False, reporter=Reporter())
        levels = {column.name: column.level for column in columns}
        for name, labels in self.renamed.items():
            query = statement(
                "release/relabelled.sql",
                table={"relabelled": (LOOKUP_SCHEMA, name)},
                column={"label": f"level_{levels[name]}"},
            )
            for old, new in labels.items():
                database.run(query, {"old": old, "new": new})


def generalization_of(workspace: Workspace, rule: str | Mapping[str, int]) -> Generalization:
    """Take what a rule is applied by out of the decision database; the source is scanned if labels depend on it.

    Raises RuleError for a rule that cannot be applied and for a method, SourceError for a type that is not carried.
    """
    if isinstance(rule, str) and rule.strip() in METHODS:
        raise RuleError(
            f"{rule.strip()} is a method, which recodes all records of a source together; only a rule says what "
            "becomes of a single record. `anonduck rules` lists rules"
        )
    refuse_bounds(workspace.config.bounds, "a generalizer")
    _, levels = rule_levels(workspace, rule)
    source, roles = workspace.opened
    config, database = workspace.config, workspace.database
    check_source(source.engine, roles, config)
    named = [name for name in levels if name in roles.quasi_identifiers]
    taxonomies = taxonomies_of(workspace, named, config.requirement.k)
    checked = checked_levels(levels, roles, taxonomies)
    labels = root_labels(workspace, taxonomies)
    inputs = ReleaseInputs(source, roles, taxonomies, NO_REQUIREMENT, labels)
    columns = tuple(c for c in rule_recoder(inputs, rule_id=None, levels=checked).columns if c.generalized)
    types = {column.name: source.column(column.name).type for column in columns}
    for name, kind in types.items():
        if without_parameters(without_names(kind)) not in CARRIABLE:
            raise SourceError(
                f"column {name!r} is {kind}, which cannot be taken out of the database as it is; make it text with "
                f"`types: {{{name}: {TEXT}}}`"
            )
    stored = entries(database)
    return Generalization(
        columns=columns,
        types=types,
        taxonomies={c.name: _taken_up(database, stored[c.name], c) for c in columns if c.looked_up},
        renamed=released_labels(workspace, checked, taxonomies),
        timezone=database.timezone,
        read_as=frozenset(config.types),
        nulls=config.nulls,
    )


def _taken_up(database: Database, entry: CatalogEntry, column: RuleColumn) -> CarriedTaxonomy:
    """What a column is placed and labelled by at its level: of intervals their bounds there, else all leaves."""
    name, level = entry.taxonomy.column, column.level
    nodes = database.arrow(statement("database/whole.sql", table={"held": ("taxonomy", name)}))
    if entry.taxonomy.kind != "intervals":
        return CarriedTaxonomy(entry, nodes, None, column.root_label)
    label, table = {"label": f"level_{level}" if level else "lower"}, {"bounds": ("bounds", name)}
    bounds = database.arrow(statement("release/carried_bounds.sql", column=label, table=table))
    return CarriedTaxonomy(entry, nodes.slice(0, 0) if level else nodes, bounds, column.root_label)


def _put_down(database: Database, carried: CarriedTaxonomy) -> None:
    write_entries(database, [carried.entry])
    for schema, rows in (("taxonomy", carried.nodes), ("bounds", carried.bounds)):
        if rows is not None:
            made = (schema, carried.entry.taxonomy.column)
            with database.registered(CARRIED, rows):
                database.run(statement("release/carried_table.sql", table={"carried": CARRIED, "made": made}))


def _is_text_already(kind: str) -> bool:
    """Whether values of a type are texts, or are read as texts from a source too."""
    return is_text(kind) or kind == DURATION
