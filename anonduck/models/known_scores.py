"""The scores of models by their contingency table: no model is trained twice on the same one in a process.

Whoever wants scores asks here. A release by a method shows the scores of the ungeneralized data beside its own, which
the discovery before it measured.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock
from time import process_time

import numpy as np

from anonduck.models.contingency import Contingency
from anonduck.models.cross_validation import Over, cross_validated, never
from anonduck.models.scores import Score, Scores

KEPT = 1 << 14
"""The latest scores are kept: so many."""


class KnownScores:
    """The latest scores by model, folds and table, whatever the order of its cells."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[bytes, str, tuple[int, ...] | None], Score] = OrderedDict()
        self._lock = Lock()

    def scores(
        self,
        table: Contingency,
        models: Sequence[str],
        seed: int = 0,
        only: Sequence[int] | None = None,
        over: Over = never,
    ) -> Scores:
        """What ``cross_validated`` returns; models that were measured on this table before are not trained again.

        Models that learn from records drawn with ``seed`` are trained each time. Raises ModelError as it does.
        """
        if table.nodes is not None:
            return cross_validated(table, models, seed, over, only)
        began = process_time()
        digest, folds = _digest(table), None if only is None else tuple(only)
        found: dict[str, Score] = {}
        for number, model in enumerate(models):
            known = self._known((digest, model, folds))
            if known is None:
                trained = cross_validated(table, [model], seed, over, only)
                if trained.untrained:
                    return Scores(found, tuple(models[number:]), cpu_seconds=process_time() - began)
                known = trained.by_model[model]
                self._keep((digest, model, folds), known)
            found[model] = known
        return Scores(found, cpu_seconds=process_time() - began)

    def _known(self, key: tuple[bytes, str, tuple[int, ...] | None]) -> Score | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: tuple[bytes, str, tuple[int, ...] | None], score: Score) -> None:
        with self._lock:
            self._kept[key] = score
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


KNOWN = KnownScores()


def _digest(table: Contingency) -> bytes:
    """What identifies a table: all that a model could learn from; of class codes their order counts."""
    held = np.flatnonzero(table.folds.any(axis=1))
    cells = held[np.lexsort([*table.codes[held].T, table.classes[held]])]
    left_out = table.left_out
    away = np.empty(0, dtype=np.int64) if left_out is None else np.flatnonzero(left_out.folds.any(axis=1))
    if left_out is not None:
        away = away[np.argsort(left_out.classes[away], kind="stable")]
    codes = np.r_[table.classes[cells], away if left_out is None else left_out.classes[away]]
    parts = [
        table.codes[cells].astype(np.int64),
        np.unique(codes, return_inverse=True)[1].astype(np.int64),
        table.folds[cells].astype(np.int64),
    ]
    if left_out is not None:
        parts.append(left_out.folds[away].astype(np.int64))
    if table.values is not None:
        parts.append(table.values[cells][:, ~np.array(table.nominal, dtype=bool)].astype(np.float64))
    found = blake2b(repr((table.nominal, table.sizes, [part.shape for part in parts])).encode())
    for part in parts:
        found.update(np.ascontiguousarray(part).tobytes())
    return found.digest()
