"""The taxonomies of a project: built, imported, checked and shown, on a fresh scan of its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck import preparation
from anonduck.errors import ConfigError
from anonduck.taxonomy.catalog import Taxonomy

if TYPE_CHECKING:
    from anonduck.project import Project
    from anonduck.taxonomy.check import Finding
    from anonduck.taxonomy.show import TaxonomyView
    from anonduck.taxonomy_options import TaxonomyOptions


def build(
    project: Project, columns: Sequence[str] | None, *, replace: bool, options: TaxonomyOptions | None
) -> dict[str, Taxonomy]:
    """Build the taxonomies of quasi-identifiers (None: all) as the config says, or by ``options``."""
    from anonduck.taxonomy.making import ensure_taxonomies

    _scan(project)
    return ensure_taxonomies(
        project.database,
        project.config,
        project.folder,
        list(columns or project.roles.quasi_identifiers),
        types=preparation.types_of(project.source, project.roles),
        label_k=project.config.requirement.k,
        announce=project.reporter.announce,
        replace=replace,
        given=options,
    )


def import_file(
    project: Project,
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
    from anonduck.taxonomy.blocks import import_blocks
    from anonduck.taxonomy.files import import_plain

    _scan(project)
    columns = project.roles.quasi_identifiers
    told: dict[str, Any] = {"announce": project.reporter.announce, "show_values": show_values}
    if format_ == "blocks":
        return import_blocks(project.database, path, mapping, columns, sep=sep, encoding=encoding, **told)
    name = column or path.stem
    if name not in columns:
        raise ConfigError(
            f"{name!r} is not a quasi-identifier; name one with `column=COLUMN`: {', '.join(map(repr, columns))}"
        )
    taxonomy = import_plain(project.database, path, name, sep=sep, header=header, encoding=encoding, **told)
    return {name: taxonomy}


def check(project: Project, columns: Sequence[str] | None, *, show_values: bool) -> list[Finding]:
    """Check taxonomies (None: of all quasi-identifiers) against the source."""
    from anonduck.taxonomy.check import check_taxonomies

    _scan(project)
    return check_taxonomies(project.database, list(columns or project.roles.quasi_identifiers), show_values=show_values)


def show(project: Project, column: str, *, level: int | None, show_values: bool) -> TaxonomyView:
    """The taxonomy of a column with the records under each node; a quasi-identifier's is built if there is none."""
    from anonduck.taxonomy.show import show_taxonomy

    _scan(project)
    if column not in project.taxonomies and column in project.roles.quasi_identifiers:
        project.build_taxonomies([column])
    return show_taxonomy(
        project.database, column, level=level, show_values=show_values, label_k=project.config.requirement.k
    )


def _scan(project: Project) -> None:
    preparation.scan(project.source.engine, project.config, project.roles, project.reporter)
