"""The records that a rule keeps: what its models reach on them, and what those of ungeneralized data reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.measures.measures import CODED
from anonduck.rules.rounding import DIGITS
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_frequency import code_column

if TYPE_CHECKING:
    import numpy as np

    from anonduck.models.scores import Score

SCORES = ("accuracy", "balanced_accuracy")


def keep_baseline(
    database: Database,
    attributes: Sequence[str],
    right: Mapping[str, np.ndarray],
    tested: np.ndarray,
    rows: str = CODED,
) -> None:
    """Write ``baseline_right``: by model, the records of each cell that the baseline predicts right, of those tested.

    ``right`` and ``tested`` (cells,) are in the order of the contingency table of the ungeneralized data, of the
    ``attributes``, and of the set ``rows``. Of a sample of ungeneralized records, ``baseline_right`` has the cells of
    the frequency set at the floor that they are part of.
    """
    import numpy as np
    import pandas as pd

    leaves = [code_column(name, 0) for name in attributes]
    cells = database.arrays(statement("measures/tested_cells.sql", columns={"leaves": leaves}, table={"coded": rows}))
    frame = pd.DataFrame(
        {
            "cell": np.tile(cells["cell"], len(right)),
            "tested": np.tile(tested, len(right)),
            "model": np.repeat(list(right), len(cells["cell"])),
            "predicted_right": np.concatenate([np.empty(0, dtype=np.int64), *right.values()]),
        }
    )
    database.register("baseline_cells", frame)
    database.run(statement(f"measures/baseline_right{'' if rows == CODED else '_at'}.sql"))
    database.unregister("baseline_cells")


def of_survivors(database: Database, rows: str, scores: Mapping[str, Score]) -> dict[str, Any] | None:
    """The scores of a rule's models on the records that stay (``rows``), and the baseline's on the same.

    By score and model, as they are stored, of the models that have a baseline in ``baseline_right``; None where there
    are none.
    """
    reached = {model: score.survivors for model, score in scores.items() if score.survivors is not None}
    found = database.records(statement("measures/survivors.sql", table={"coded": rows})) if reached else []
    baseline = {row["model"]: row for row in found if row["model"] in reached}
    reached = {model: one for model, one in reached.items() if model in baseline}
    if not reached:
        return None
    return {
        "records": int(found[0]["records"]),
        **{name: {model: round(getattr(one, name), DIGITS) for model, one in reached.items()} for name in SCORES},
        "baseline": {name: {model: round(baseline[model][name], DIGITS) for model in reached} for name in SCORES},
    }
