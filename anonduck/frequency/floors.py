"""The frequency set at a floor, for a source whose distinct combinations are too many to be held and searched.

Values are counted by column first, and taxonomies and lookups made of that. Then a floor is chosen
(anonduck.frequency.floor_choice), and the source is counted once more, each value replaced by the least value of its
node at the floor. Later steps read this frequency set like any other; values under the floor cannot be distinguished.

Models are measured on a sample of the records: the baseline on its values as they came, rules on what the same records
are at the floor, on the same folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError, SourceError
from anonduck.frequency import floor_queries
from anonduck.frequency.coded_set import coded_frequency_set
from anonduck.frequency.floor_choice import FloorColumn, choose_floor
from anonduck.frequency.frequency_set import (
    FLOOR,
    check_counted,
    make_coded_at,
    most_cells,
    read_paths,
    records_of,
    write_class_values,
)
from anonduck.rules.measure_names import OF_VALUES
from anonduck.rules.rule import LevelVector, literal
from anonduck.source.engine import FREQUENCY_SET, SENSITIVE_SET, SURELY, SourceEngine, one_in, rolled
from anonduck.source.source import Roles
from anonduck.statements import line
from anonduck.statements.pipeline.column_names import code_column, value_column
from anonduck.words import np

if TYPE_CHECKING:
    from anonduck.taxonomy.catalog import Taxonomy

VALUES, SAMPLE, FETCHED = "value_counts", "sample_set", "fetched_at_floor"
MAX_CELLS = 1_000_000  # distinct combinations, where the config names no number; and
CELL_VALUES = 20_000_000  # values in all combinations together, so that those of wide tables are fewer
UNBOUNDED = 1 << 62
CURVE = 0.05  # the share of records that is looked at as left out, whatever the config allows


def most_combinations(config: Config, columns: int) -> int:
    """The distinct combinations of so many columns that a frequency set may have.

    There is no bound if the config names none and needs distinct values.
    """
    by_default = UNBOUNDED if _unfit(config) else min(MAX_CELLS, CELL_VALUES // columns)
    return config.engine.max_cells or by_default


def read_floor(database: Database) -> dict[str, int]:
    """The floor of the frequency set in a decision database, by column; empty if there is none."""
    if not database.types_if_there("main", FLOOR):
        return {}
    rows = database.rows(line("frequency/floors.read_floor", "SELECT column_name, level FROM search_floor"))
    return {str(name): int(level) for name, level in rows}


def refuse_unfit(config: Config) -> None:
    """Raise ConfigError for settings that need the distinct values under the floor."""
    what = _unfit(config)
    if what:
        raise ConfigError(
            "the source has more distinct combinations than `engine: {max_cells: ...}` allows, so that the search "
            f"starts at a floor, and {', '.join(what)} would need the values under it. Raise `max_cells`, or leave "
            "that out"
        )


def _unfit(config: Config) -> list[str]:
    what = [f"`select: {config.select}`"] if config.select in OF_VALUES else []
    what += ["`test_on: original`"] if config.test_on == "original" and config.models else []
    what += ["`split_by`"] if config.split_by is not None else []
    return what


def measured_at(config: Config, floor: Mapping[str, int], reporter: Reporter) -> Config:
    """The config without the utility measures that cannot be measured at a floor, which is announced."""
    gone = [name for name in config.measures if name in OF_VALUES] if floor else []
    if not gone:
        return config
    reporter.announce(f"not measured, for want of the values under the floor: {', '.join(gone)}")
    return config.model_copy(update={"measures": [name for name in config.measures if name not in gone]})


@dataclass(frozen=True)
class FlooredScan:
    """A source whose values are counted by column (``VALUES``), and a sample of whose ``records`` is drawn
    (``SAMPLE``)."""

    engine: SourceEngine
    roles: Roles
    sensitive: Sequence[str]
    records: int

    @property
    def database(self) -> Database:
        """The decision database."""
        return self.engine.database

    @property
    def columns(self) -> list[str]:
        """All columns that are counted."""
        return list(dict.fromkeys([*self.roles.quasi_identifiers, self.roles.class_, *self.sensitive]))

    @property
    def held(self) -> list[str]:
        """The columns without levels."""
        return self.columns[len(self.roles.quasi_identifiers) :]

    @property
    def lookups(self) -> list[str]:
        """The lookup of each column."""
        return [floor_queries.lookup_table(place) for place in range(len(self.columns))]


def count_values(
    engine: SourceEngine, config: Config, roles: Roles, reporter: Reporter, sensitive: Sequence[str] = ()
) -> FlooredScan:
    """Count the values of the quasi-identifiers, the class and ``sensitive`` columns, and draw the sample, which has no
    sensitive values.

    Raises SourceError for a source without records or, with ``nulls: reject``, with NULL in one of its columns.
    """
    database, names = engine.database, roles.quasi_identifiers
    columns = list(dict.fromkeys([*names, roles.class_, *sensitive]))
    engine.value_counts(columns, VALUES)
    records = check_counted(database, roles, config, VALUES, len(columns))
    engine.sampled_set([*names, roles.class_], most_cells(len(names)), records, config.seed, SAMPLE)
    sampled = database.value(records_of(SAMPLE))
    reporter.announce(
        f"clusters are made and models measured on an unbiased sample of {sampled:,} of {records:,} records (seed "
        f"{config.seed}), because all make too many distinct combinations; k and information gain are measured on all "
        "records"
    )
    return FlooredScan(engine, roles, sensitive, records)


def write_at_floor(
    scanned: FlooredScan,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    reporter: Reporter,
    *,
    most: int,
    k: int = 1,
    suppression: float = 0.0,
) -> dict[str, int]:
    """Choose the floor for rules that meet ``k`` with a share of records left out, say it and keep it, and write the
    frequency set there (and with sensitive columns the one that holds them); the lookups are made.

    Returns the level of each quasi-identifier.
    """
    database, names = scanned.database, scanned.roles.quasi_identifiers
    for place, (name, lookup) in enumerate(zip(scanned.columns, scanned.lookups, strict=True)):
        if name in names:
            database.run(floor_queries.made_lookup(place, name, taxonomies[name].root))
        else:
            database.run(floor_queries.made_numbers(lookup, value_column(name), VALUES))
    floor = dict(zip(names, _chosen(scanned, config, taxonomies, most, k, suppression), strict=True))
    raised = {name: level for name, level in floor.items() if level}
    kept = {"column_names": list(raised), "levels": list(raised.values())}
    text = (
        "CREATE OR REPLACE TABLE search_floor AS SELECT unnest($column_names::VARCHAR []) AS column_name, "
        "unnest($levels::INTEGER []) AS level"
    )
    database.run(line("frequency/floors.write_at_floor", text, *kept), kept)
    combinations = _count(scanned, _under_root(floor, taxonomies))
    reporter.announce(
        f"{scanned.records:,} records make more than {most:,} distinct combinations, so that the search starts at a "
        f"floor: {literal(raised)} ({combinations:,} combinations). Levels under it are in no rule; what is at it or "
        "above is measured on all records. `engine: {max_cells: N}` changes the bound"
    )
    if combinations > SURELY * most:
        reporter.announce(
            f"no floor makes fewer than {combinations:,} combinations, because `keep` names levels for columns"
        )
    return floor


def code_at_floor(
    scanned: FlooredScan, floor: Mapping[str, int], config: Config, taxonomies: Mapping[str, Taxonomy], *, folds: bool
) -> None:
    """Write ``coded_frequency_set``, and forget the working tables."""
    sample = SAMPLE if folds else None
    make_coded_at(scanned.database, scanned.roles, taxonomies, config.seed, _under_root(floor, taxonomies), sample)
    scanned.database.drop(VALUES, SAMPLE, *scanned.lookups)


def _chosen(
    scanned: FlooredScan, config: Config, taxonomies: Mapping[str, Taxonomy], most: int, k: int, suppression: float
) -> LevelVector:
    engine, columns, sampled = scanned.engine, [], _sampled_codes(scanned)
    roots = {name: taxonomies[name].root for name in scanned.roles.quasi_identifiers}
    for name, (paths, records) in read_paths(scanned.database, roots).items():
        kept = config.keep.get(name, roots[name])
        of_all = np.r_[scanned.records - records.sum(), records]
        cap = roots[name] - 1 if kept is None else kept
        columns.append(FloorColumn(paths, of_all, cap, sampled[code_column(name, 0)]))

    def estimate(vectors: Sequence[LevelVector]) -> Sequence[int]:
        named = [dict(zip(roots, vector, strict=True)) for vector in vectors]
        counted = [_under_root(one, taxonomies) | dict.fromkeys(scanned.held, 0) for one in named]
        share = one_in(most)
        query = floor_queries.combinations_at(counted, scanned.columns, share, engine.named, engine.dialect)
        (found,) = engine.fetch(query, scanned.lookups).to_pylist()
        return [share * int(combinations) for combinations in found.values()]

    allowed = max(CURVE, suppression)
    return choose_floor(columns, sampled["class_code"], scanned.records, most, estimate, k=k, allowed=allowed)


def _sampled_codes(scanned: FlooredScan) -> dict[str, np.ndarray]:
    """The leaf codes and the class code of each sampled record."""
    database, roles = scanned.database, scanned.roles
    write_class_values(database, roles, VALUES)
    leaves = dict.fromkeys(roles.quasi_identifiers, 1)
    database.run(coded_frequency_set("coded_unfolded", leaves, roles.class_, frequency=SAMPLE))
    codes = [code_column(name, 0) for name in leaves]
    text = (
        'SELECT each(codes, "{name}";), "#class" AS class_code, "#records"::BIGINT AS records FROM coded_unfolded '
        'ORDER BY each(codes, "{name}";), "#class"'
    )
    found = database.arrays(line("frequency/floors._sampled_codes", text, codes=codes))
    database.drop("coded_unfolded")
    records = found.pop("records")
    return {name: np.repeat(column.astype(np.int64), records) for name, column in found.items()}


def _count(scanned: FlooredScan, floor: Mapping[str, int]) -> int:
    """Write the frequency sets of columns at a floor, all others at their root; returns how many combinations there
    are."""
    import pyarrow.compute as pc

    engine, database, columns = scanned.engine, scanned.database, scanned.columns
    levels = {**floor, **dict.fromkeys(scanned.held, 0)}
    found = engine.fetch(floor_queries.counted_at(levels, columns, engine.named, engine.dialect), scanned.lookups)
    for name, codes in zip(levels, found.columns, strict=False):
        if pc.any(pc.equal(codes, floor_queries.LOST)).as_py():
            raise SourceError(f"column {name!r} has a value that came into the source after its values were counted")
    table = SENSITIVE_SET if scanned.sensitive else FREQUENCY_SET
    called = [*(f"c{columns.index(name)}" for name in levels), "records"]
    with database.registered(FETCHED, found.rename_columns(called)):
        database.run(floor_queries.set_at(table, columns, levels, FETCHED))
    if scanned.sensitive:
        wanted = dict.fromkeys([*scanned.roles.quasi_identifiers, scanned.roles.class_])
        database.run(rolled(FREQUENCY_SET, wanted, SENSITIVE_SET))
    return int(found.num_rows)


def _under_root(floor: Mapping[str, int], taxonomies: Mapping[str, Taxonomy]) -> dict[str, int]:
    return {name: level for name, level in floor.items() if level < taxonomies[name].root}
