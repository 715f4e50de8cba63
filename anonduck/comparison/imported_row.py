"""A row of a release that another tool made: the same audit of its file, and models cross-validated on its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.auditing.audit import audit
from anonduck.comparison.cost import RowClock, measured_cost
from anonduck.comparison.model_scores import scores_json
from anonduck.config.config import Config
from anonduck.errors import AuditError, ModelError
from anonduck.evaluation.cells import fold_records
from anonduck.evaluation.evaluation import UNPREDICTED, unlearnable
from anonduck.measures.requirement import requirement_of
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import cross_validated
from anonduck.models.scores import Scores
from anonduck.source.source import open_source
from anonduck.statements import statement
from anonduck.statements.column_types import is_numeric
from anonduck.statements.pipeline.builder_frequency import RECORDS, value_column
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.auditing.report import AuditReport
    from anonduck.source.source import Roles


def imported_row(workspace: Workspace, path: Path, records: int, clock: RowClock) -> dict[str, Any]:
    """What a file reaches whose columns are called as those of the source, which has so many ``records``.

    Quasi-identifiers that it lacks were left out. Its loss is not measured, for its labels are no nodes of the
    project's taxonomies. Raises AuditError for a file without the class or any quasi-identifier, or that cannot be
    read.
    """
    config, roles = workspace.config, workspace.roles
    with measured_cost() as cost:
        held = _columns(workspace, path)
        quasi = [name for name in roles.quasi_identifiers if name in held]
        if (roles.has_class and roles.class_ not in held) or not quasi:
            lacks = f"the class {roles.class_!r}" if quasi else "any quasi-identifier of the source"
            raise AuditError(f"{path.name} lacks {lacks}; its columns have to be called as those of the source")
        requirement = requirement_of(config, workspace.folder)
        audited = audit(
            path,
            [*quasi, roles.class_] if requirement.with_class else quasi,
            sensitive=[name for name in roles.sensitive if name in held],
            class_=None if requirement.with_class else roles.named_class,
            taxonomies={name: file for name, file in requirement.files.items() if name in held},
        )
        with _opened(workspace, path, quasi, roles) as one, measured_cost() as training:
            table = _table(one, quasi, roles.class_)
            scores = _scores(table, config, clock) if roles.has_class else Scores(reason=UNPREDICTED)
    return {
        "k": audited.k,
        "classes": audited.classes,
        "records": audited.rows,
        "suppressed": max(0, records - audited.rows),
        "words": "made by another tool; models are tested on its own records, in folds of their own",
        "risks": _risks_of(audited),
        **scores_json(replace(scores, cpu_seconds=training.cpu_seconds)),
        "seconds": cost.seconds,
        "cpu_seconds": round(cost.cpu_seconds - training.cpu_seconds, 3),
        "memory_mb": cost.memory_mb,
    }


def _risks_of(audited: AuditReport) -> dict[str, Any]:
    """What an audit reached beside k, by name."""
    return {name: one["reached"] for name, one in audited.as_json()["measures"].items() if name != "k"}


def _scores(table: Contingency, config: Config, clock: RowClock) -> Scores:
    """What models reach."""
    if len(set(table.classes.tolist())) < 2:
        return Scores(reason=unlearnable(1))
    try:
        return cross_validated(table, config.models, config.seed, clock.over)
    except ModelError as error:
        return Scores(reason=str(error))


def _columns(workspace: Workspace, path: Path) -> list[str]:
    settings = {"source": str(path), "class": workspace.roles.named_class}
    with Workspace.of_settings(settings, workspace.folder) as one:
        return [column.name for column in open_source(one.database, one.config, one.folder).columns]


def _opened(workspace: Workspace, path: Path, quasi: Sequence[str], roles: Roles) -> Workspace:
    settings = {"source": str(path), "class": roles.named_class, "quasi_identifiers": list(quasi)}
    return Workspace.of_settings(settings, workspace.folder)


def _table(one: Workspace, quasi: Sequence[str], class_: str) -> Contingency:
    """The contingency table of a file: numbers are numbers, all else is names; NULL is code 0."""
    engine = one.source.engine
    engine.frequency_set([*quasi, class_])
    rows = one.database.frame(statement("comparison/imported_rows.sql"))
    kinds = {name: one.source.column(name).type for name in quasi}
    columns = [coded(rows[value_column(name)], is_numeric(kinds[name])) for name in quasi]
    classes, _ = coded(rows[value_column(class_)], False)
    records = rows[RECORDS].to_numpy().astype(np.int64)
    order = np.lexsort((classes, *(codes for codes, _ in reversed(columns))))
    folds = fold_records(records[order], classes[order], len(quasi), one.config.seed)
    there = folds.any(axis=1)
    held, folds = order[there], folds[there]
    codes = np.column_stack([codes[held] for codes, _ in columns]).astype(np.int32)
    values = np.column_stack([values[held] for _, values in columns])
    return Contingency(
        codes=codes,
        nominal=tuple(not is_numeric(kinds[name]) for name in quasi),
        sizes=tuple(int(largest) for largest in codes.max(axis=0)),
        classes=classes[held],
        folds=folds,
        values=values,
    )


def coded(values: pd.Series[Any], number: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes in the order of values, 0 for NULL, and the numbers behind them."""
    known = values.astype(float) if number else values.astype("string")
    codes = known.rank(method="dense").fillna(0).to_numpy().astype(np.int64)
    numbers: np.ndarray = known.to_numpy(dtype=float) if number else codes.astype(np.float64)
    return codes, numbers
