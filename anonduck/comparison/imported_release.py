"""Releases that other tools made, evaluated: the same audit of the file, and models cross-validated on its records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from anonduck.auditing.audit import audit
from anonduck.comparison.nodeless_release import NodelessRelease
from anonduck.errors import AuditError
from anonduck.evaluation.evaluation import Evaluation, unlearnable
from anonduck.measures.requirement import requirement_of
from anonduck.models.contingency import Contingency
from anonduck.release.swapped_utility import coded, folded_table
from anonduck.source.source import open_source
from anonduck.statements import statement
from anonduck.statements.column_types import is_numeric
from anonduck.statements.pipeline.column_names import RECORDS, value_column
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.source.source import Roles

WORDS = "made by another tool; models are tested on its own records, in folds of their own"


def recoded_elsewhere(workspace: Workspace, path: Path, records: int) -> NodelessRelease:
    """A file whose columns are called as those of the source, which has so many ``records``.

    Quasi-identifiers that it lacks were left out. Its loss is not measured, for its labels are no nodes of the
    project's taxonomies. Raises AuditError for a file without the class or any quasi-identifier, or that cannot be
    read.
    """
    config, roles = workspace.config, workspace.roles
    held = _columns(workspace, path)
    quasi = [name for name in roles.quasi_identifiers if name in held]
    if (roles.has_class and roles.class_ not in held) or not quasi:
        lacks = f"the class {roles.class_!r}" if quasi else "any quasi-identifier of the source"
        raise AuditError(f"{path.name} lacks {lacks}; its columns have to be called as those of the source")
    requirement = requirement_of(config, workspace.folder)
    audited = audit(
        path,
        quasi,
        sensitive=[name for name in roles.sensitive if name in held],
        class_=roles.named_class,
        taxonomies={name: file for name, file in requirement.files.items() if name in held},
    )

    risks = {name: one["reached"] for name, one in audited.as_json()["measures"].items() if name != "k"}
    left_out = max(0, records - audited.rows)
    size = Evaluation(audited.k, audited.classes, audited.rows, left_out, None, {}, risks)
    with _opened(workspace, path, quasi, roles) as one:
        table = _table(one, quasi, roles.class_)
    return NodelessRelease(size, WORDS, lambda _: table, unlearnable(len(np.unique(table.classes))))


def _columns(workspace: Workspace, path: Path) -> list[str]:
    settings = {"source": str(path), "class": workspace.roles.named_class}
    with Workspace.of_settings(settings, workspace.folder) as one:
        return [column.name for column in open_source(one.database, one.config, one.folder).columns]


def _opened(workspace: Workspace, path: Path, quasi: Sequence[str], roles: Roles) -> Workspace:
    settings = {"source": str(path), "class": roles.named_class, "quasi_identifiers": list(quasi)}
    return Workspace.of_settings(settings, workspace.folder)


def _table(one: Workspace, quasi: Sequence[str], class_: str) -> Contingency:
    """The contingency table of a file: numbers are numbers, all else is names; NULL is code 0."""
    one.source.engine.frequency_set([*quasi, class_])
    rows = one.database.frame(statement("database/whole.sql", table={"held": "frequency_set"}))
    pairs = [coded(rows[value_column(name)], is_numeric(one.source.column(name).type)) for name in quasi]
    codes, columns = zip(*pairs, strict=True)
    classes, _ = coded(rows[value_column(class_)], False)
    return folded_table(columns, codes, classes, rows[RECORDS].to_numpy(), one.config.seed)
