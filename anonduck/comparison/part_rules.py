"""The rules of training parts: the search of the project repeated on each, once for all rows that ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonduck.frequency.frequency_set import FOLDS
from anonduck.rules.measure_names import UTILITY
from anonduck.search.job import discover
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import discovered

if TYPE_CHECKING:
    from anonduck.workspace import Workspace


class PartRules:
    """Searches a training part where it is first asked for, and keeps the rules; ``ks`` are all that are asked for.

    A search has the limits of the config, and trains those models alone that its rules are selected by.
    """

    def __init__(self, ks: Sequence[int], models: Sequence[str]) -> None:
        self.ks = ks
        self.models = models
        self._known: dict[tuple[str, int], StoredDiscovery] = {}

    def of_part(self, part: Workspace, by: str, fold: int) -> StoredDiscovery:
        """The rules of a fold's training part, to be selected by a measure."""
        if (by, fold) not in self._known:
            discover(part, min_k=min(self.ks), models=self._needed(by), select=by, holdout=0.0)
            part.reporter.progress("anonymizing training parts", fold, FOLDS)  # stops a row here whose search was cut
            self._known[by, fold] = discovered(part)
        return self._known[by, fold]

    def _needed(self, by: str) -> list[str]:
        score, _, model = by.partition(".")
        if score in UTILITY or score.startswith("information_gain"):
            return []
        return [model] if model else list(self.models[:1])
