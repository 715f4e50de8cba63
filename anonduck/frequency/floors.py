"""The frequency set at a floor, for a source whose distinct combinations are too many to be held and searched.

Values are counted by column first, and taxonomies and lookups made of that. Then a floor is chosen
(anonduck.frequency.floor_choice), and the source is counted once more, each value replaced by the least value of its
node at the floor. Later steps read this frequency set like any other; values under the floor cannot be distinguished.

Models are measured on a sample of the records (anonduck.source.floor_engine): the baseline on its values as they
came, rules on what the same records are at the floor, on the same folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError
from anonduck.frequency.floor_choice import FloorColumn, choose_floor
from anonduck.frequency.frequency_set import (
    check_counted,
    make_coded_at,
    most_cells,
    read_paths,
    write_class_values,
)
from anonduck.rules.measure_names import OF_VALUES
from anonduck.rules.rule import LevelVector, literal
from anonduck.source.engine import FREQUENCY_SET, SENSITIVE_SET
from anonduck.source.floor_engine import FloorEngine
from anonduck.source.source import Roles
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_floors import floored_values
from anonduck.statements.pipeline.builder_frequency import code_column, coded_frequency_set, value_column
from anonduck.words import np

if TYPE_CHECKING:
    from anonduck.taxonomy.catalog import Taxonomy

VALUES, SAMPLE = "value_counts", "sample_set"
MAX_CELLS = 1_000_000  # distinct combinations, where the config names no number; and
CELL_VALUES = 20_000_000  # values in all combinations together, so that those of wide tables are fewer
UNBOUNDED = 1 << 62
CURVE = 0.05  # the share of records that is looked at as left out, whatever the config allows


@dataclass(frozen=True)
class FloorBounds:
    """The most combinations at the floor, and what rules must meet: ``k``, and the share of records that may be
    suppressed."""

    most: int
    k: int = 1
    suppression: float = 0.0


@dataclass(frozen=True)
class Floor:
    """The level of each column, in their order; ``shown`` are the tables that say what stands for a value, by column,
    and ``left_out`` the columns whose floor is the root."""

    levels: Mapping[str, int]
    shown: Mapping[str, str]
    left_out: tuple[str, ...]


def most_combinations(config: Config, columns: int) -> int:
    """The distinct combinations of so many columns that a frequency set may have.

    There is no bound if the config names none and needs distinct values.
    """
    by_default = UNBOUNDED if _unfit(config) else min(MAX_CELLS, CELL_VALUES // columns)
    return config.engine.max_cells or by_default


def read_floor(database: Database) -> dict[str, int]:
    """The floor of the frequency set in a decision database, by column; empty if there is none."""
    ((stored,),) = database.rows(statement("frequency/floor_stored.sql"))
    if not stored:
        return {}
    return {str(name): int(level) for name, level in database.rows(statement("frequency/floor_read.sql"))}


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
    """What is known of a source before its frequency set at a floor is made: the values of each column, and a sample
    of ``sampled`` of its ``records``."""

    engine: FloorEngine
    roles: Roles
    records: int
    sampled: int


def count_values(
    engine: FloorEngine, config: Config, roles: Roles, reporter: Reporter, sensitive: Sequence[str] = ()
) -> FlooredScan:
    """Write the value counts of the quasi-identifiers, the class and ``sensitive`` columns (``VALUES``), and the sample
    (``SAMPLE``), which has no sensitive values.

    Raises SourceError for a source without records or, with ``nulls: reject``, with NULL in one of its columns.
    """
    columns = [*roles.quasi_identifiers, roles.class_]
    counted = list(dict.fromkeys([*columns, *sensitive]))
    engine.value_counts(counted, VALUES)
    records = check_counted(engine.database, roles, config, VALUES, len(counted))
    sampled = engine.sample(columns, most_cells(len(roles.quasi_identifiers)), config.seed, SAMPLE)
    reporter.announce(
        f"clusters are made and models measured on an unbiased sample of {sampled:,} of {records:,} records (seed "
        f"{config.seed}), because all make too many distinct combinations; k and information gain are measured on all "
        "records"
    )
    return FlooredScan(engine, roles, records, sampled)


def write_at_floor(
    scanned: FlooredScan,
    config: Config,
    taxonomies: Mapping[str, Taxonomy],
    reporter: Reporter,
    *,
    bounds: FloorBounds,
    sensitive: Sequence[str] = (),
) -> Floor:
    """Choose the floor, say it and keep it, and write the frequency set there (and with ``sensitive`` the one that
    holds them); the lookups are made."""
    engine, roles, database = scanned.engine, scanned.roles, scanned.engine.database
    columns = [*roles.quasi_identifiers, roles.class_]
    found, combinations = _chosen(scanned, config, taxonomies, bounds, [roles.class_, *sensitive])
    floor = _floor(database, dict(zip(roles.quasi_identifiers, found, strict=True)), taxonomies)
    _announce(floor, scanned.records, combinations, bounds.most, reporter)
    raised = {name: level for name, level in floor.levels.items() if level}
    values = {"column_names": list(raised), "levels": list(raised.values())}
    database.run(statement("frequency/floor_write.sql"), values)
    if sensitive:
        engine.frequency_set_at([*columns, *sensitive], floor.shown, floor.left_out, SENSITIVE_SET)
        names = [value_column(name) for name in dict.fromkeys(columns)]
        database.run(statement("frequency/rolled.sql", columns={"attributes": names}))
    else:
        engine.frequency_set_at(columns, floor.shown, floor.left_out, FREQUENCY_SET)
    return floor


def code_at_floor(
    scanned: FlooredScan, floor: Floor, config: Config, taxonomies: Mapping[str, Taxonomy], *, folds: bool
) -> None:
    """Write ``coded_frequency_set``, and forget the working tables."""
    database = scanned.engine.database
    sample = SAMPLE if folds else None
    make_coded_at(database, scanned.roles, taxonomies, config.seed, floor.shown, floor.left_out, sample)
    for working in (VALUES, SAMPLE, *floor.shown.values()):
        database.drop(working)


def _chosen(
    scanned: FlooredScan, config: Config, taxonomies: Mapping[str, Taxonomy], bounds: FloorBounds, held: Sequence[str]
) -> tuple[LevelVector, int]:
    """The floor, and about how many combinations it makes with the values of ``held``."""
    names = scanned.roles.quasi_identifiers
    sampled = _sampled_codes(scanned)
    columns, roots = [], {name: taxonomies[name].root for name in names}
    for name, (paths, records) in read_paths(scanned.engine.database, roots).items():
        root = roots[name]
        kept = config.keep.get(name, root)
        of_all = np.r_[scanned.records - records.sum(), records]
        columns.append(FloorColumn(paths, of_all, root - 1 if kept is None else kept, sampled[code_column(name, 0)]))

    def estimate(vectors: Sequence[LevelVector]) -> Sequence[int]:
        named = [_under_root(names, vector, taxonomies) for vector in vectors]
        return scanned.engine.combinations_at(named, held, bounds.most)

    allowed = max(CURVE, bounds.suppression)
    return choose_floor(
        columns, sampled["class_code"], scanned.records, bounds.most, estimate, k=bounds.k, allowed=allowed
    )


def _under_root(names: Sequence[str], vector: LevelVector, taxonomies: Mapping[str, Taxonomy]) -> dict[str, int]:
    return {name: level for name, level in zip(names, vector, strict=True) if level < taxonomies[name].root}


def _sampled_codes(scanned: FlooredScan) -> dict[str, np.ndarray]:
    """The leaf codes and the class code of each sampled record."""
    database, roles = scanned.engine.database, scanned.roles
    write_class_values(database, roles, VALUES)
    leaves = dict.fromkeys(roles.quasi_identifiers, 1)
    database.run(coded_frequency_set("coded_unfolded", leaves, roles.class_, frequency=SAMPLE))
    codes = [code_column(name, 0) for name in leaves]
    found = database.arrays(statement("frequency/sampled_codes.sql", columns={"leaves": codes}))
    database.drop("coded_unfolded")
    records = found.pop("records")
    return {name: np.repeat(column.astype(np.int64), records) for name, column in found.items()}


def _floor(database: Database, levels: Mapping[str, int], taxonomies: Mapping[str, Taxonomy]) -> Floor:
    """The floor, what its nodes are shown by written."""
    left_out = tuple(name for name, level in levels.items() if level >= taxonomies[name].root)
    shown = {}
    for number, (name, level) in enumerate(levels.items()):
        if 0 < level < taxonomies[name].root:
            shown[name] = f"floor_{number}"
            database.run(floored_values(shown[name], name, level))
    return Floor(levels, shown, left_out)


def _announce(floor: Floor, records: int, combinations: int, most: int, reporter: Reporter) -> None:
    raised = {name: level for name, level in floor.levels.items() if level}
    reporter.announce(
        f"{records:,} records make more than {most:,} distinct combinations, so that the search starts at a floor: "
        f"{literal(raised)} (about {combinations:,} combinations). Levels under it are in no rule; what is at it or "
        "above is measured on all records. `engine: {max_cells: N}` changes the bound"
    )
    if combinations > most:
        reporter.announce(
            f"no floor makes fewer than about {combinations:,} combinations, because `keep` names levels for columns"
        )
