"""Releases by distributions, evaluated: proven with the source; models learn from tables drawn from them.

Such a release shows no specific values, so tables are drawn from it (Last et al. 2014, section 5.1). For each fold,
models learn from the drawn records of all other folds and predict the class of the original records of that fold. What
is drawn is nobody's record, so folds of the drawn tables and of the source are drawn apart; and as all records were
anonymized together, the predicted ones are among the covered ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anonduck.auditing.reconstruction import reconstruct
from anonduck.comparison.nodeless_release import NodelessRelease, dry_run
from anonduck.comparison.question import Contestant
from anonduck.database.connection import Database
from anonduck.evaluation.evaluation import Tables, unlearnable
from anonduck.evaluation.holdout import joined, with_folds
from anonduck.frequency.frequency_set import FOLDS
from anonduck.models.contingency import Contingency
from anonduck.release.distribution_columns import original_rows
from anonduck.release.distribution_recoder import DistributionRecoder
from anonduck.release.distribution_tables import lookups
from anonduck.release.recoder import Recoder
from anonduck.release.swapped_utility import coded, folded_table
from anonduck.statements import Statement
from anonduck.statements.column_types import is_numeric

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.database.progress import Reporter
    from anonduck.workspace import Workspace

TABLES = 3
"""So many tables are drawn; scores are of all of them."""
HELD_OUT_REASON = (
    "not available: models learn from tables drawn from distributions, and these are made of all records alone; "
    "compare by released"
)


def recode_by_distributions(workspace: Workspace, contestant: Contestant, k: int) -> NodelessRelease:
    """The release of a method by distributions: its k is the least number of originals that a record covers."""
    config, class_ = workspace.config, workspace.roles.class_
    found: dict[str, Any] = {}

    def read(database: Database, recoding: Recoder, some: bool) -> None:
        assert isinstance(recoding, DistributionRecoder)
        names = recoding.generalized
        ordered = recoding.rows(database, some=some).ordered
        rows = database.arrow(Statement("comparison/drawn_release.recode_by_distributions", ordered))
        found["k"] = recoding.proven(database, rows)["original"]["k"]
        found["rows"], found["names"] = rows, names
        found["originals"] = database.arrow(original_rows([*names, class_])).to_pandas()
        found["taxonomies"] = lookups(database, recoding.inputs, names)

    size, words = dry_run(workspace, contestant, k, read)
    originals = found["originals"]

    def drawn(_: Reporter) -> Tables:
        numbers = {name: is_numeric(workspace.source.column(name).type) for name in found["names"]}
        known = {"class_": class_, "original": originals, "taxonomies": found["taxonomies"], "seed": config.seed}
        tables = reconstruct(found["rows"], TABLES, **known)
        both = [_tables(one, originals, numbers, class_, config.seed) for one in tables]
        return _by_fold(both), np.unique(both[0][1].classes)

    words = f"{words}; models learn from {TABLES} tables drawn from it, and predict original records"
    return NodelessRelease(replace(size, k=found["k"]), words, drawn, unlearnable(originals[class_].nunique()))


def _tables(
    drawn: pd.DataFrame, originals: pd.DataFrame, numbers: Mapping[str, bool], class_: str, seed: int
) -> tuple[Contingency, Contingency]:
    """The tables of drawn records and of the source, of one coding, each with folds of its own."""
    import pandas as pd

    both = pd.concat([drawn.astype("string"), originals.astype("string")], ignore_index=True)
    codes, columns = zip(*(coded(both[name], number) for name, number in numbers.items()), strict=True)
    classes, _ = coded(both[class_], False)
    first, second = (
        folded_table(columns, [one[rows] for one in codes], classes[rows], np.ones_like(classes[rows]), seed)
        for rows in (slice(len(drawn)), slice(len(drawn), None))
    )
    return first, second


def _by_fold(tables: list[tuple[Contingency, Contingency]]) -> Iterator[list[Contingency]]:
    """For each fold the tables by which what the drawn records of the others teach is tested on the originals of it."""
    for fold in range(FOLDS):
        yield [
            joined(
                with_folds(drawn, (drawn.folds.sum(axis=1) - drawn.folds[:, fold])[:, None]),
                with_folds(originals, originals.folds[:, [fold]]),
            )
            for drawn, originals in tables
        ]
