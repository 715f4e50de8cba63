"""How useful the quasi-identifiers of a source are for telling its class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonduck.database.progress import Reporter
from anonduck.errors import ConfigError
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import requirement_of
from anonduck.methods.coded_records import CodedRecords
from anonduck.models.usefulness import Usefulness, usefulness
from anonduck.release.coded_release import read_records
from anonduck.release.recoding import RELEASE_SET, Ground, look_up
from anonduck.source.engine import SourceEngine
from anonduck.source.source import MAX_CLASS_VALUES
from anonduck.statements import statement
from anonduck.statements.pipeline import builder_methods, builder_release
from anonduck.taxonomy.checks.checks import refuse_broken_trees
from anonduck.workspace import Workspace


def source_usefulness(workspace: Workspace) -> Usefulness:
    """The usefulness of the quasi-identifiers of the source, whose taxonomies are built first where they are missing.

    Raises what opening a source and building taxonomies raise.
    """
    source, roles = workspace.opened
    check_source(source.engine, roles, workspace.config)
    taxonomies = taxonomies_of(workspace, roles.quasi_identifiers, workspace.config.requirement.k)
    ground = Ground(source, roles, taxonomies, requirement_of(workspace.config, workspace.folder))
    database, names = workspace.database, tuple(roles.quasi_identifiers)
    try:
        _scan(source.engine, ground, workspace.reporter)
        return column_usefulness(
            read_records(database, ground, with_class=True), names, workspace.config.seed, workspace.reporter
        )
    finally:
        database.run(statement("release/class_forget.sql", table={"made": builder_methods.COMBINED}))


def column_usefulness(records: CodedRecords, names: Sequence[str], seed: int, reporter: Reporter) -> Usefulness:
    """The usefulness of the columns of records, which have their class."""
    if records.cells is None:
        raise ValueError("usefulness is told by the class of records, which these lack")
    values = int(records.cells.classes.max(initial=-1)) + 1
    if values > MAX_CLASS_VALUES:
        raise ConfigError(
            f"the class has {values:,} distinct values; how useful columns are is measured for up to "
            f"{MAX_CLASS_VALUES}. Put them into groups in the source, or name another class"
        )
    cells, features = records.cells, np.column_stack(records.places)
    return usefulness(
        names, features, cells.combinations, cells.classes, cells.records, seed=seed, progress=reporter.progress
    )


def _scan(engine: SourceEngine, ground: Ground, reporter: Reporter) -> None:
    """Number the combinations of the quasi-identifiers, with what they are in their taxonomies."""
    names, database = ground.roles.quasi_identifiers, engine.database
    engine.frequency_set([*names, ground.roles.class_], RELEASE_SET)
    refuse_broken_trees(database, names, frequency=RELEASE_SET, show_values=False)
    database.run(builder_release.lookup_schema())
    for name in names:
        look_up(database, ground.taxonomies[name], root_label="*", refuse=False, show_values=False, reporter=reporter)
    database.run(builder_methods.combined_set(names))
