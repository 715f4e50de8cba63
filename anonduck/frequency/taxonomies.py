"""Jobs on taxonomies: build, import, check and show them, on a fresh scan of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.errors import ConfigError, TaxonomyError
from anonduck.source.source import types_of
from anonduck.taxonomy.catalog import Taxonomy, follow_edits
from anonduck.taxonomy.plans import planned_groups, regrouped_taxonomies

if TYPE_CHECKING:
    from anonduck.config.taxonomy import TaxonomyOptions
    from anonduck.taxonomy.checks.checks import TaxonomyFinding
    from anonduck.taxonomy.view import TaxonomyView
    from anonduck.workspace import Workspace


def taxonomies_of(workspace: Workspace, columns: Sequence[str], label_k: int) -> dict[str, Taxonomy]:
    """Taxonomies of the columns as the config has them by now, built first where they are missing or outdated.

    Another export has those of the project's own source; raises TaxonomyError for a column that has none yet.
    """
    from anonduck.frequency import preparation

    if workspace.export is None:
        return preparation.taxonomies_for(
            workspace.database,
            workspace.config,
            workspace.folder,
            *workspace.opened,
            columns,
            label_k=label_k,
            reporter=workspace.reporter,
        )
    stored = workspace.taxonomies
    missing = [name for name in columns if name not in stored]
    if missing:
        raise TaxonomyError(
            f"another export is released with the same taxonomies, and {', '.join(map(repr, missing))} has none yet; "
            "build them from the project's source first with `anonduck taxonomy build`"
        )
    outdated = regrouped(workspace, columns, label_k)
    if outdated:
        taxonomies_of(workspace.with_export(None), outdated, label_k)
        _, _ = workspace.opened  # so that the view is of the export again
    follow_edits(workspace.database, columns)
    known = workspace.taxonomies
    return {name: known[name] for name in columns}


def regrouped(workspace: Workspace, columns: Sequence[str], label_k: int) -> list[str]:
    """The columns whose taxonomy is missing, or groups values otherwise than the config says by now."""
    return regrouped_taxonomies(
        workspace.database,
        workspace.config,
        workspace.folder,
        columns,
        types=types_of(workspace.source, workspace.roles),
        label_k=label_k,
        typed=workspace.export is None,
    )


def planned(workspace: Workspace, columns: Sequence[str]) -> dict[str, list[Any]]:
    """By column, what the config says of how values are grouped: kind and options, but for the k of labels."""
    types = types_of(workspace.source, workspace.roles)
    return planned_groups(workspace.database, workspace.config, workspace.folder, columns, types=types)


def build(
    workspace: Workspace, columns: Sequence[str] | None, *, replace: bool, options: TaxonomyOptions | None
) -> dict[str, Taxonomy]:
    """Build the taxonomies of quasi-identifiers (None: all) as the config says, or by ``options``."""
    from anonduck.taxonomy.taxonomies import ensure_taxonomies

    _scan(workspace)
    return ensure_taxonomies(
        workspace.database,
        workspace.config,
        workspace.folder,
        list(columns or workspace.roles.quasi_identifiers),
        types=types_of(workspace.source, workspace.roles),
        label_k=workspace.config.requirement.k,
        reporter=workspace.reporter,
        replace=replace,
        given=options,
    )


def import_file(
    workspace: Workspace,
    path: Path,
    *,
    format_: str,
    column: str | None,
    mapping: Mapping[str, str] | None,
    sep: str | None,
    header: bool | None,
    encoding: str,
    show_values: bool,
) -> dict[str, Taxonomy]:
    """Import a hierarchy file for one column, or of several blocks; raises ConfigError for no quasi-identifier."""
    from anonduck.taxonomy.files.files import import_blocks, import_plain

    _scan(workspace)
    columns = workspace.roles.quasi_identifiers
    options: dict[str, Any] = {"announce": workspace.reporter.announce, "show_values": show_values}
    if format_ == "blocks":
        return import_blocks(workspace.database, path, mapping, columns, sep=sep, encoding=encoding, **options)
    name = column or path.stem
    if name not in columns:
        raise ConfigError(
            f"{name!r} is not a quasi-identifier; name one with `--column COLUMN`: {', '.join(map(repr, columns))}"
        )
    taxonomy = import_plain(workspace.database, path, name, sep=sep, header=header, encoding=encoding, **options)
    return {name: taxonomy}


def check(workspace: Workspace, columns: Sequence[str] | None, *, show_values: bool) -> list[TaxonomyFinding]:
    """Check taxonomies (None: of all quasi-identifiers) against the source."""
    from anonduck.taxonomy.checks.checks import check_taxonomies

    _scan(workspace)
    return check_taxonomies(
        workspace.database, list(columns or workspace.roles.quasi_identifiers), show_values=show_values
    )


def show(workspace: Workspace, column: str, *, level: int | None, show_values: bool) -> TaxonomyView:
    """The taxonomy of a column with the records under each node; a quasi-identifier's is built if there is none."""
    from anonduck.taxonomy.view import show_taxonomy

    _scan(workspace)
    if column not in workspace.taxonomies and column in workspace.roles.quasi_identifiers:
        build(workspace, [column], replace=False, options=None)
    return show_taxonomy(
        workspace.database, column, level=level, show_values=show_values, label_k=workspace.config.requirement.k
    )


def _scan(workspace: Workspace) -> None:
    from anonduck.frequency import preparation

    preparation.scan(workspace.source.engine, workspace.config, workspace.roles, workspace.reporter)
