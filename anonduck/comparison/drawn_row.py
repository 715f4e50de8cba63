"""A row of a release by distributions: its proof with the source, and models that learn from tables drawn from it.

Such a release shows no specific values, so tables are drawn from it (Last et al. 2014, section 5.1). For each fold,
models learn from the drawn records of all other folds and predict the class of the original records of that fold. What
is drawn is nobody's record, so folds of the drawn tables and of the source are drawn apart; and as all records were
anonymized together, those that are predicted are among those that are covered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.auditing.reconstruction import reconstruct
from anonduck.comparison.cost import RowClock, measured_cost
from anonduck.comparison.imported_row import coded
from anonduck.comparison.model_scores import told
from anonduck.comparison.question import Contestant
from anonduck.comparison.swapped_row import described
from anonduck.database.connection import Database
from anonduck.evaluation.cells import fold_records
from anonduck.evaluation.evaluation import TESTED, TRAINED, tested_by, unlearnable
from anonduck.frequency.frequency_set import FOLDS
from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import TrainingStoppedError
from anonduck.models.scores import FoldResult, score
from anonduck.release.by_recoding import release_method
from anonduck.release.distribution_recoder import DistributionRecoder
from anonduck.release.distribution_tables import lookups
from anonduck.release.plan import ReleasePlan, ReleaseSettings
from anonduck.release.recoder import Recoder
from anonduck.release.typical_recoder import RANGES
from anonduck.statements.column_types import is_numeric
from anonduck.statements.pipeline import builder_comparison
from anonduck.statements.pipeline.builder_distributions import original_rows

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.workspace import Workspace

TABLES = 3
"""So many tables are drawn; scores are of all of them."""
HELD_OUT_REASON = (
    "not available: models learn from tables drawn from distributions, and these are made of all records alone; "
    "compare by released"
)


def drawn_row(workspace: Workspace, contestant: Contestant, k: int, clock: RowClock) -> dict[str, Any]:
    """What a release by distributions reaches at ``k``: its k is the least number of originals that a record covers."""
    told_of: dict[str, Any] = {}

    def read(database: Database, plan: ReleasePlan[Recoder], suppressed: int) -> None:
        recoding = plan.recoding
        assert isinstance(recoding, DistributionRecoder)
        rows = database.arrow(builder_comparison.release_rows(recoding.rows(database, some=suppressed > 0)))
        told_of["k"] = recoding.proven(database, rows)["original"]["k"]
        if workspace.config.models:
            with measured_cost() as cost:
                told_of.update(_modelled(workspace, database, recoding, rows, clock))
            told_of["models_cpu_seconds"] = cost.cpu_seconds

    with measured_cost() as cost:
        made = release_method(
            workspace,
            contestant.name,
            None,
            ReleaseSettings(dry_run=True, reader=read, show=RANGES),
            k=k,
            options=contestant.settings,
        )
    spent = told_of.setdefault("models_cpu_seconds", 0.0)
    tables = f"; models learn from {TABLES} tables drawn from it, and predict original records"
    row = described(made)
    return {
        **row,
        "words": row["words"] + tables,
        **told_of,
        "seconds": cost.seconds,
        "cpu_seconds": round(cost.cpu_seconds - spent, 3),
        "memory_mb": cost.memory_mb,
    }


def _modelled(
    workspace: Workspace, database: Database, recoding: DistributionRecoder, rows: Any, clock: RowClock
) -> dict[str, Any]:
    config, class_ = workspace.config, workspace.roles.class_
    names = recoding.generalized
    originals = database.arrow(original_rows([*names, class_])).to_pandas()
    reason = unlearnable(originals[class_].nunique())
    if reason is not None:
        return {"models_reason": reason}
    tables = reconstruct(
        rows,
        TABLES,
        class_=class_,
        original=originals,
        taxonomies=lookups(database, recoding.inputs, names),
        seed=config.seed,
    )
    numbers = {name: is_numeric(workspace.source.column(name).type) for name in names}
    cells = [_DrawnCells(table, originals, numbers, class_, config.seed) for table in tables]
    models: dict[str, Any] = {}
    for number, model in enumerate(config.models):
        try:
            tested = [_pooled([one.tested(model, fold, clock) for one in cells]) for fold in range(FOLDS)]
        except TrainingStoppedError:
            return {"models": models, "untrained": list(config.models[number:])}
        models[model] = told(score(tested))
    return {"models": models}


class _DrawnCells:
    """The records of a drawn table and of the source as cells of one coding, each with folds of its own."""

    def __init__(
        self, table: pd.DataFrame, originals: pd.DataFrame, numbers: Mapping[str, bool], class_: str, seed: int
    ) -> None:
        import pandas as pd

        both = pd.concat([table.astype("string"), originals.astype("string")], ignore_index=True)
        pairs = [coded(both[name], number) for name, number in numbers.items()]
        classes, _ = coded(both[class_], False)
        codes = np.column_stack([*(codes for codes, _ in pairs), classes])
        self.nominal = tuple(not number for number in numbers.values())
        self.seed = seed
        self.sizes = tuple(int(largest) for largest in codes[:, :-1].max(axis=0))
        self.every = np.unique(classes)
        self.drawn, self.drawn_folds = self._folded(codes[: len(table)])
        self.originals, self.original_folds = self._folded(codes[len(table) :])
        self.values = [_by_code(*pair) for pair in pairs]

    def _folded(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells, records = np.unique(codes, axis=0, return_counts=True)
        folds = fold_records(records, cells[:, -1], codes.shape[1] - 1, self.seed)
        held = folds.any(axis=1)
        return cells[held], folds[held]

    def tested(self, model: str, fold: int, clock: RowClock) -> FoldResult:
        """What a model that learnt from the drawn records of the other folds tells of the originals of a fold."""
        learnt = self.drawn_folds.sum(axis=1) - self.drawn_folds[:, fold]
        asked = self.original_folds[:, fold]
        cells = np.vstack([self.drawn[learnt > 0], self.originals[asked > 0]])
        folds = np.zeros((len(cells), 2), dtype=np.int64)
        first = int((learnt > 0).sum())
        folds[:first, TRAINED], folds[first:, TESTED] = learnt[learnt > 0], asked[asked > 0]
        table = Contingency(
            codes=cells[:, :-1].astype(np.int32),
            nominal=self.nominal,
            sizes=self.sizes,
            classes=cells[:, -1],
            folds=folds,
            values=np.column_stack([values[cells[:, at]] for at, values in enumerate(self.values)]),
        )
        return tested_by(table, model, self.every, self.seed, clock.over)


def _by_code(codes: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The number behind each code."""
    found = np.full(int(codes.max()) + 1, np.nan)
    found[codes] = values
    return found


def _pooled(tested: Sequence[FoldResult]) -> FoldResult:
    """One fold as all tables together tell it: their counts, and the mean of their areas."""
    confusion = np.sum([one.confusion for one in tested], axis=0)
    areas = [one.roc_auc for one in tested if one.roc_auc is not None]
    return replace(tested[0], confusion=confusion, survivors=confusion, roc_auc=fmean(areas) if areas else None)
