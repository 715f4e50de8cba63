"""The frequency set: the distinct combinations of the source with their counts, made by one scan and coded.

Every later question is answered from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import no_message
from anonduck.errors import SourceError, TaxonomyError
from anonduck.frequency.coded_set import coded_frequency_set, widened_set
from anonduck.source.columns import NO_RECORDS
from anonduck.source.engine import FREQUENCY_SET, SENSITIVE_SET, SourceEngine, rolled
from anonduck.source.source import MAX_CLASS_VALUES, Announce, Roles
from anonduck.statements import Statement, line, statement
from anonduck.statements.pipeline.column_names import CODED_SENSITIVE, code_column, value_column
from anonduck.taxonomy.catalog import Taxonomy, node_counts
from anonduck.words import counted, np

FOLDS = 10
SPLIT_SET, SPLIT = "split_set", "#split"
FLOOR, UNGENERALIZED = "search_floor", "ungeneralized_sample"
MODEL_CELLS = 250_000  # cells that models learn from and are tested on, at most;
MODEL_VALUES = 800_000  # fewer of many attributes, so that all cells have no more values than that


@dataclass(frozen=True)
class CellFolds:
    """The cells with a record in a fold, ascending (cells,), and their records in each fold (cells, folds)."""

    cells: np.ndarray
    records: np.ndarray


def make_sensitive_set(engine: SourceEngine, columns: Sequence[str], sensitive: Sequence[str]) -> None:
    """Scan the source once; keep the frequency set of the columns, and a second one with sensitive values."""
    engine.frequency_set([*columns, *sensitive], SENSITIVE_SET)
    engine.database.run(rolled(FREQUENCY_SET, dict.fromkeys(columns), SENSITIVE_SET))


def make_coded_sensitive(
    database: Database, roles: Roles, taxonomies: Mapping[str, Taxonomy], names: Mapping[str, str]
) -> None:
    """Write ``coded_sensitive_set``: node codes of every level, the class code, sensitive values (called as ``names``
    says) and records."""
    roots = {name: taxonomies[name].root for name in roles.quasi_identifiers}
    coded = coded_frequency_set(CODED_SENSITIVE, roots, roles.class_, frequency=SENSITIVE_SET, kept=names)
    database.run(coded)


MANY_CLASS_VALUES = 20
"""Models of a class of more values take so much longer than others that it is announced."""


def check_class(database: Database, roles: Roles, config: Config, announce: Announce) -> None:
    """Count the class values in the frequency set; raises SourceError if no model could predict the class."""
    name = roles.class_
    query = statement("frequency/class_summary.sql", column={"class_value": value_column(name)})
    records, values, nulls = database.row(query)
    if records == 0:
        raise SourceError(NO_RECORDS)
    if not roles.has_class:
        return
    if values + (nulls > 0) < 2:
        held = counted(records, "record", "records")
        raise SourceError(f"the class {name!r} has a single value in all {held}; models need at least two")
    if values > MAX_CLASS_VALUES:
        raise SourceError(
            f"the class {name!r} has {values} distinct values; allowed are up to {MAX_CLASS_VALUES}. "
            "Group them before the export, or name another class"
        )
    if nulls and config.nulls == "value":
        held = counted(nulls, "record", "records")
        announce(f"the class {name!r} is NULL in {held}; NULL counts as a class value of its own")


def announce_if_slow(database: Database, roles: Roles, config: Config, announce: Announce) -> None:
    """Announce that models take long for a class of many values, before they are trained, and what to do."""
    if not (roles.has_class and config.models):
        return
    query = statement("frequency/class_summary.sql", column={"class_value": value_column(roles.class_)})
    _, values, _ = database.row(query)
    if values > MANY_CLASS_VALUES:
        announce(
            f"the class {roles.class_!r} has {values:,} values, which makes the rest slow: boosting grows a tree for "
            f"each of them in each round, up to {values // 2:,} times the work of a class of two. Quicker: group its "
            "values in the export, such as diagnoses by chapter, and name that column as `class`; leave `class` out, "
            "and the choice is by detail; or train no models: `models: []`"
        )


def check_nulls(
    database: Database, roles: Roles, config: Config, table: str = "frequency_set", of_others: int = 0
) -> None:
    """With ``nulls: reject``, refuse a source that has NULL in a quasi-identifier or the class.

    ``of_others`` is the number of records that ``table`` holds of other columns: their rows are NULL in this one.
    """
    if config.nulls != "reject":
        return
    for name in (*roles.quasi_identifiers, roles.class_):
        text = 'SELECT coalesce(sum("#records") FILTER (WHERE "{value}" IS NULL), 0)::BIGINT FROM "{table}"'
        query = line("frequency/frequency_set.check_nulls", text, value=value_column(name), table=table)
        refuse_nulls(name, int(database.value(query)) - of_others)


def check_source(engine: SourceEngine, roles: Roles, config: Config) -> None:
    """Refuse a source without records or, with ``nulls: reject``, with NULL in a quasi-identifier or the class.

    For a release, whose scan holds only the columns that its rule names.
    """
    if engine.is_empty():
        raise SourceError(NO_RECORDS)
    for name in (*roles.quasi_identifiers, roles.class_) if config.nulls == "reject" else ():
        refuse_nulls(name, engine.nulls(name))


def records_of(counted: str) -> Statement:
    """How many records a frequency set has, or the value counts of all columns together."""
    text = 'SELECT coalesce(sum("#records"), 0)::BIGINT FROM "{counted}"'
    return line("frequency/frequency_set.records_of", text, counted=counted)


def check_counted(database: Database, roles: Roles, config: Config, counted: str, columns: int) -> int:
    """As ``check_source``, from the value counts (table ``counted``) of ``columns`` columns; returns the number of
    records of the source."""
    records = int(database.value(records_of(counted))) // columns
    if not records:
        raise SourceError(NO_RECORDS)
    check_nulls(database, roles, config, counted, of_others=(columns - 1) * records)
    return records


def refuse_nulls(name: str, count: int) -> None:
    """Raise SourceError if ``count``, the number of records with NULL in a column, is not 0."""
    if count:
        raise SourceError(
            f"column {name!r} is NULL in {count} records and the config says `nulls: reject`; "
            "filter them with `where`, or let NULL be a value with `nulls: value`"
        )


def make_lookup(
    database: Database,
    taxonomy: Taxonomy,
    *,
    frequency: str = "frequency_set",
    target: tuple[str, str] | None = None,
) -> None:
    """Place each distinct value of a column in its taxonomy; new values get their interval or a computed path.

    The table ``target`` (default ``lookup."<column>"``) has value, records, code_0 ... code_h, level_1 ... level_h.
    """
    from anonduck.taxonomy.paths import place_values

    place_values(database, taxonomy, frequency=frequency, target=target)


def check_mapped(
    database: Database,
    taxonomies: Mapping[str, Taxonomy],
    *,
    schema: str = "lookup",
    show_values: bool = False,
    refuse: Collection[str] | None = None,
) -> dict[str, dict[str, int]]:
    """Count, by column, the values unknown to its taxonomy, and their records.

    Raises TaxonomyError for one of the columns ``refuse``, by default of all.

    ``schema`` is where the lookups of the columns are.
    """
    text = 'SELECT count(*), coalesce(sum(records), 0)::BIGINT FROM "{schema}"."{name}" WHERE code_1 IS NULL'
    queries = {
        name: line("frequency/frequency_set.check_mapped", text, schema=schema, name=name) for name in taxonomies
    }
    found = {
        name: {"values": values, "records": records}
        for name, (values, records) in database.row_of_each(queries).items()
    }
    for name, counts in found.items():
        if counts["values"] and (refuse is None or name in refuse):
            _refuse_unmapped(database, taxonomies[name], (schema, name), counts, show_values)
    return found


def _refuse_unmapped(
    database: Database, taxonomy: Taxonomy, lookup: tuple[str, str], counts: Mapping[str, int], show_values: bool
) -> None:
    values, records, shown = counts["values"], counts["records"], ""
    if show_values:
        rows = database.rows(statement("frequency/unmapped_values.sql", table={"lookup": lookup}))
        shown = (
            ": " + ", ".join(f"{value!r} ({count})" for value, count in rows) + (" ..." if values > len(rows) else "")
        )
    raise TaxonomyError(
        f"the taxonomy of column {taxonomy.column!r} ({taxonomy.origin}) lacks {values} of its values, found in "
        f"{records} records{shown}. Add them to the taxonomy, or send them to the root label with `unmapped: root` in "
        "the config; `anonduck taxonomy check --show-values` lists them"
    )


def make_coded(
    database: Database,
    roles: Roles,
    taxonomies: Mapping[str, Taxonomy],
    seed: int,
    announce: Announce = no_message,
    *,
    folds: bool = True,
    split_by: str | None = None,
) -> None:
    """Write ``coded_frequency_set``: node codes of every level, the class code, records, and records in each fold.

    Without ``folds``, which only models and pairs need, cells have no number and no records in folds.
    Where the set has more than ``most_cells``, the folds are drawn on an unbiased sample of as many records: models are
    then measured on that sample, all of them and the baseline on the same one.

    With ``split_by`` a column of ``split_set``, the folds are blocks of records in the order of its values.
    """
    for left in (FLOOR, UNGENERALIZED):
        database.drop(left)
    roots = {name: taxonomies[name].root for name in roles.quasi_identifiers}
    write_class_values(database, roles)
    if not folds:
        database.run(coded_frequency_set("coded_frequency_set", roots, roles.class_))
        return
    database.run(coded_frequency_set("coded_unfolded", dict.fromkeys(roots, 1), roles.class_))
    leaves = _number_cells(database, roles.quasi_identifiers)
    if split_by is None:
        drawn = _drawn_folds(database, most_cells(len(leaves)), seed, announce)
    else:
        drawn = _blocks(database, coded_split(roots, roles.class_, split_by), leaves, seed, announce)
    _keep_folds(database, drawn, widened_set("coded_frequency_set", roots, FOLDS))


def write_class_values(database: Database, roles: Roles, frequency: str = "frequency_set") -> None:
    """Write ``class_values``: the values of the class, numbered."""
    query = statement(
        "frequency/class_values.sql",
        column={"class_value": value_column(roles.class_)},
        table={"frequency_set": frequency},
    )
    database.run(query)


def make_coded_at(
    database: Database,
    roles: Roles,
    taxonomies: Mapping[str, Taxonomy],
    seed: int,
    floor: Mapping[str, int],
    sample: str | None,
) -> None:
    """Write ``coded_frequency_set`` from a frequency set at a floor, with the folds that are drawn on sampled records.

    ``floor`` has the levels of the columns under their root. ``sample`` is the frequency set of the sampled records,
    None if no folds are needed: ``ungeneralized_sample`` is that set coded, with its folds.
    """
    roots = {name: taxonomies[name].root for name in roles.quasi_identifiers}
    write_class_values(database, roles)
    if sample is None:
        database.run(coded_frequency_set("coded_frequency_set", roots, roles.class_))
        return
    database.run(coded_frequency_set("coded_unfolded", dict.fromkeys(roots, 1), roles.class_, frequency=sample))
    _number_cells(database, roles.quasi_identifiers)
    drawn = _drawn_folds(database, MODEL_CELLS, seed, no_message)
    _keep_folds(database, drawn, widened_set(UNGENERALIZED, roots, FOLDS))
    database.run(coded_frequency_set("coded_unfolded", roots, roles.class_))
    _number_cells(database, roles.quasi_identifiers)
    nodes = [code_column(name, level) for name, level in floor.items()]
    database.run(statement("frequency/floor_cells.sql", columns={"nodes": nodes}))
    database.run(statement("frequency/floored_cells.sql"))
    database.run(widened_set("coded_frequency_set", roots, FOLDS))
    database.drop("cell_folds", "coded_numbered")


def _number_cells(database: Database, names: Sequence[str]) -> list[str]:
    """Number the cells in the order of the leaves of the named columns; returns the names of the leaf columns."""
    leaves = [code_column(name, 0) for name in names]
    database.run(statement("frequency/cells.sql", columns={"leaves": leaves}))
    database.drop("coded_unfolded")
    return leaves


def _drawn_folds(database: Database, most: int, seed: int, announce: Announce) -> CellFolds:
    """Draw stratified folds; cells without a record do not change the draw."""
    import numpy as np

    from anonduck.models.folds import draw_folds

    counts = database.arrays(statement("frequency/cell_counts.sql", table={"numbered": "coded_numbered"}))
    records = sampled_if_many(counts["records"], counts["records"], most, seed, announce)
    cells = np.flatnonzero(records)
    return CellFolds(cells, draw_folds(records[cells], counts["class_code"][cells], folds=FOLDS, seed=seed))


def coded_split(roots: Mapping[str, int], class_: str, split_by: str) -> Statement:
    """The coded frequency set with the values of the column ``split_by``, by which blocks are made."""
    return coded_frequency_set("coded_split", roots, class_, frequency=SPLIT_SET, kept={split_by: SPLIT})


def _blocks(database: Database, coded: Statement, leaves: list[str], seed: int, announce: Announce) -> CellFolds:
    """The records of each cell in each block."""
    import numpy as np

    database.run(coded)
    columns = database.arrays(statement("frequency/block_counts.sql", columns={"leaves": leaves}))
    database.drop("coded_split")
    counts = np.column_stack([columns[f"fold_{number}"] for number in range(FOLDS)]).astype(np.int64)
    few = sampled_if_many(counts, counts.sum(axis=1), most_cells(len(leaves)), seed, announce)
    cells = np.flatnonzero(few.any(axis=1))
    return CellFolds(cells, few[cells])


def most_cells(attributes: int) -> int:
    """The most cells that models are measured on, for a number of attributes."""
    return min(MODEL_CELLS, MODEL_VALUES // max(1, attributes))


def sampled_if_many(counts: np.ndarray, records: np.ndarray, most: int, seed: int, announce: Announce) -> np.ndarray:
    """The counts, or if more cells than ``most`` hold records, those of an unbiased sample of ``most`` records."""
    import numpy as np

    held = int(np.count_nonzero(records))
    if held <= most:
        return counts
    announce(
        f"models are measured on an unbiased sample of {most:,} of {int(records.sum()):,} records "
        f"(seed {seed}), because all make {held:,} distinct combinations; k and information gain are "
        f"measured on all records"
    )
    from anonduck.models.sampling import sample_records

    return sample_records(counts.ravel(), most, seed=seed).reshape(counts.shape)


def _keep_folds(database: Database, folds: CellFolds, kept: Statement) -> None:
    """Run the statement that joins the folds (as ``cell_folds``) to ``coded_numbered``, then drop the latter."""
    import pandas as pd

    frame = pd.DataFrame(folds.records, columns=[f"#fold_{number}" for number in range(folds.records.shape[1])])
    frame.insert(0, "#cell", folds.cells)
    with database.registered("cell_folds", frame):
        database.run(kept)
    database.drop("coded_numbered")


def read_paths(
    database: Database, roots: Mapping[str, int], *, schema: str = "lookup"
) -> dict[str, tuple[tuple[np.ndarray, ...], np.ndarray]]:
    """By column, the node code of each leaf code at each level under its root, and the records of each leaf code.

    Code 0 is NULL, which the lookup table does not count: the records start at leaf code 1. ``schema`` is the schema of
    the lookup tables.
    """
    found, text = {}, 'SELECT each(codes, "{name}"), records FROM "{schema}"."{lookup}"'
    for root in set(roots.values()):
        codes = [f"code_{level}" for level in range(root)]
        queries = {
            name: line("frequency/frequency_set.read_paths", text, codes=codes, schema=schema, lookup=name)
            for name, own in roots.items()
            if own == root
        }
        for name, rows in database.arrays_of_each(queries).items():
            order = np.argsort(rows["code_0"], kind="stable")
            held = np.ma.filled(rows["records"], 0).astype(np.int64)[order]
            paths = (np.ma.filled(rows[code], 0).astype(np.int64)[order] for code in codes)
            found[name] = tuple(np.r_[0, path] for path in paths), held
    return {name: found[name] for name in roots}


def read_numbers(database: Database, names: Iterable[str], *, schema: str = "lookup") -> dict[str, np.ndarray]:
    """By column, the number behind each leaf code (of dates and times: their place), NaN for NULL, code 0."""
    text = 'SELECT code_0, coalesce(try_cast(value AS DOUBLE), code_0::DOUBLE) AS number FROM "{schema}"."{lookup}"'
    queries = {name: line("frequency/frequency_set.read_numbers", text, schema=schema, lookup=name) for name in names}
    return {
        name: np.r_[np.nan, rows["number"][np.argsort(rows["code_0"], kind="stable")]].astype(np.float64)
        for name, rows in database.arrays_of_each(queries).items()
    }


def held_nodes(database: Database, taxonomies: Mapping[str, Taxonomy]) -> dict[str, list[int]]:
    """By column the number of nodes of its taxonomy that occur in the source, for each level from 0 to the root.

    A shipped or imported taxonomy may have more nodes, without records.
    """
    roots = {name: one.root for name, one in taxonomies.items()}
    return {name: list(counts) for name, counts in node_counts(database, roots, schema="lookup").items()}
