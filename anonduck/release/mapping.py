"""What a rule makes of each value, old to new, for documentation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import RuleError, TaxonomyError
from anonduck.frequency import preparation
from anonduck.frequency.frequency_set import check_mapped, make_lookup
from anonduck.release.job import root_labels
from anonduck.release.script import released_labels
from anonduck.release.stricter_labels import refuse_lost_levels, required_instead
from anonduck.rules.rule import check_levels
from anonduck.search.stored_rules import rule_levels
from anonduck.statements import line, statement
from anonduck.statements.column_types import TEXT
from anonduck.taxonomy.files.export import write_rows
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

FIELDS = ("column_name", "level", "old_value", "new_value")
MAPPING_SET = "mapping_set"


def read_mapping(
    workspace: Workspace, rule: str | Mapping[str, int], *, requirement: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """What a rule makes of the values that the source holds: one row per column of the rule and value, as text.

    The columns are ``column_name``, ``level``, ``old_value`` and ``new_value``. Raises what a release raises for a rule
    that cannot be applied and for values that a taxonomy does not know, unless the config sends them to the root.
    """
    with _collected(workspace, rule, requirement or {}) as database:
        text = 'SELECT each(fields, "{name}") FROM exported ORDER BY "#node", "#leaf"'
        return database.frame(line("release/mapping.read_mapping", text, fields=FIELDS))


def write_mapping(
    workspace: Workspace,
    rule: str | Mapping[str, int],
    path: Path,
    *,
    requirement: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    show_values: bool = False,
) -> None:
    """Write ``read_mapping`` to a CSV file with a header, or to Parquet by the path's ending, with mode 0600.

    ``requirement`` replaces single requirements of the config, as in a release.
    """
    workspace.refuse_protected(path, kind=TaxonomyError)
    with _collected(workspace, rule, requirement or {}, show_values=show_values) as database:
        write_rows(database, FIELDS, path, overwrite=overwrite)


@contextlib.contextmanager
def _collected(
    workspace: Workspace, rule: str | Mapping[str, int], requirement: Mapping[str, Any], *, show_values: bool = False
) -> Iterator[Database]:
    """The database with the temporary table ``exported``, the mapping, for as long as the block lasts."""
    _, levels = rule_levels(workspace, rule)
    with (
        required_instead(workspace, requirement) as (one, label_k),
        _exported(one, levels, label_k, show_values, asked=workspace),
    ):
        yield one.database


@contextlib.contextmanager
def _exported(
    workspace: Workspace, levels: Mapping[str, int], label_k: int, show_values: bool, *, asked: Workspace
) -> Iterator[None]:
    source, roles = workspace.opened
    columns = [name for name in levels if name in roles.quasi_identifiers]
    database, config = workspace.database, workspace.config
    taxonomies = preparation.taxonomies_for(
        database,
        config,
        workspace.folder,
        source,
        roles,
        columns,
        label_k=label_k,
        reporter=workspace.reporter,
    )
    refuse_lost_levels(asked, levels, taxonomies, label_k)
    roots = {name: taxonomies[name].root if name in taxonomies else 0 for name in roles.quasi_identifiers}
    applied = check_levels(levels, roots)
    if not applied:
        raise RuleError("the rule keeps no column below its root; there is nothing to map")
    database.run(statement("release/mapping_table.sql"))
    labels = root_labels(workspace, taxonomies)
    try:
        source.engine.frequency_set(list(applied), MAPPING_SET)
        for number, (name, level) in enumerate(applied.items(), 1):
            make_lookup(database, taxonomies[name], frequency=MAPPING_SET)
            refuse = None if config.unmapped == "refuse" else ()
            check_mapped(database, {name: taxonomies[name]}, show_values=show_values, refuse=refuse)
            query = statement(
                "release/mapping_rows.sql",
                column={"label": f"level_{level}" if level else "value"},
                table={"lookup": ("lookup", name)},
            )
            labelled = level > 0 or source.column(name).type == TEXT
            given = {"column": name, "level": level, "number": number, "labelled": labelled}
            database.run(query, {**given, "root_label": labels[name]})
        text = "UPDATE exported SET new_value = $new WHERE column_name = $column AND new_value = $old"
        renamed = line("release/mapping._exported", text, "column", "old", "new")
        for name, changes in released_labels(workspace, applied, taxonomies).items():
            for old, new in changes.items():
                database.run(renamed, {"column": name, "old": old, "new": new})
        yield
    finally:
        database.drop("exported", MAPPING_SET)
