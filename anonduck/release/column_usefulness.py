"""How useful the quasi-identifiers of a source are for telling its class."""

from __future__ import annotations

from anonduck.database.progress import Reporter
from anonduck.evaluation.finding import column_usefulness
from anonduck.frequency.frequency_set import check_source
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.measures.requirement import requirement_of
from anonduck.models.usefulness import Usefulness
from anonduck.release.coded_release import read_records
from anonduck.release.recoder import RELEASE_SET, ReleaseInputs, look_up_all
from anonduck.source.engine import SourceEngine
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
    inputs = ReleaseInputs(source, roles, taxonomies, requirement_of(workspace.config, workspace.folder))
    database, names = workspace.database, tuple(roles.quasi_identifiers)
    try:
        _scan(source.engine, inputs, workspace.reporter)
        return column_usefulness(
            read_records(database, inputs, with_class=True), names, workspace.config.seed, workspace.reporter
        )
    finally:
        database.drop(("temp", builder_methods.COMBINED))


def _scan(engine: SourceEngine, inputs: ReleaseInputs, reporter: Reporter) -> None:
    """Number the combinations of the quasi-identifiers, with what they are in their taxonomies."""
    names, database = inputs.roles.quasi_identifiers, engine.database
    engine.frequency_set([*names, inputs.roles.class_], RELEASE_SET)
    refuse_broken_trees(database, names, frequency=RELEASE_SET, show_values=False)
    database.run(builder_release.lookup_schema())
    placings = [inputs.placing(name, refuse=False) for name in names]
    look_up_all(database, placings, show_values=False, reporter=reporter)
    database.run(builder_methods.combined_set(names))
