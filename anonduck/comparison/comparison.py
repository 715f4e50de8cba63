"""The result of a comparison: its rows, as a table, as JSON, and the best of them at each k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonduck.comparison.comparability import comparable
from anonduck.comparison.model_scores import SCORES, value
from anonduck.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

DONE, FAILED, OUT_OF_TIME = "done", "failed", "out of time"
FORMAT = "anonduck comparison 1"
SIZES = ("k", "classes", "records", "suppressed")
COSTS = ("seconds", "cpu_seconds", "models_cpu_seconds", "memory_mb")
SEARCH = "search_cpu_seconds"
NOTHING: Mapping[str, Any] = {
    **dict.fromkeys(SIZES),
    "rule": None,
    "words": None,
    "information_gain": None,
    "measures": {},
    "risks": {},
    "models": {},
    "untrained": [],
    "models_reason": None,
    **dict.fromkeys(COSTS),
    SEARCH: None,
}
"""What a row holds that came to nothing."""


@dataclass(frozen=True)
class Comparison:
    """What several ways to anonymize came to, each at each k that was asked for.

    ``rows`` are dictionaries: ``method``, ``kind`` (method, rules or import), ``protocol``, ``k_required``, ``status``
    (done, failed or out of time) with its ``reason``, whether it is ``comparable``, and what docs/compare.md lists.
    ``baseline`` has by model the scores on the ungeneralized data. ``source`` names what was compared.
    """

    source: str
    records: int
    models: tuple[str, ...]
    protocols: Mapping[str, str]
    rows: tuple[Mapping[str, Any], ...]
    baseline: Mapping[str, Any]
    majority_share: float | None
    folds: int
    seed: int
    rules: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """The comparison as ``anonduck compare --json`` prints it."""
        return {
            "format": FORMAT,
            "source": self.source,
            "records": self.records,
            "models": list(self.models),
            "protocols": dict(self.protocols),
            "folds": self.folds,
            "seed": self.seed,
            "rules": self.rules,
            "majority_share": self.majority_share,
            "baseline": dict(self.baseline),
            "rows": [dict(row) for row in self.rows],
            "best": self.best(),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Comparison:
        """A comparison as ``as_json`` wrote it; raises ConfigError for anything else."""
        if not isinstance(document, Mapping) or document.get("format") != FORMAT:
            raise ConfigError("this is not what `anonduck compare ...` wrote as JSON")
        named = {name: document[name] for name in cls.__dataclass_fields__}
        return cls(**{**named, "models": tuple(document["models"]), "rows": tuple(document["rows"])})

    def to_frame(self) -> pd.DataFrame:
        """A line for each row and model, with all that is a number."""
        import pandas as pd

        return pd.DataFrame([line for row in self.rows for line in _lines(row, self.models)])

    def best(self) -> list[dict[str, Any]]:
        """Which row reaches most at each k that was asked for, by protocol, model and score.

        A row of a larger k counts at a smaller one, for it protects as much; the first of equals is named. Rows whose k
        is none of their file are left out.
        """
        asked = sorted({row["k_required"] for row in self.rows if row["k_required"] is not None})
        found = []
        for protocol in self.protocols:
            for model in self.models:
                for score in SCORES:
                    for k in asked:
                        found += list(self._best(protocol, model, score, k))
        return found

    def _best(self, protocol: str, model: str, score: str, k: int) -> Iterator[dict[str, Any]]:
        reached = [
            (value(row, model, score), row)
            for row in comparable(self.rows)
            if row["protocol"] == protocol and row["k"] is not None and row["k"] >= k
        ]
        known = [(number, row) for number, row in reached if number is not None]
        if known:
            number, row = max(known, key=lambda one: one[0])
            named = {"protocol": protocol, "model": model, "score": score, "k": k}
            yield {**named, "method": row["method"], "k_reached": row["k"], "value": number}


def _lines(row: Mapping[str, Any], models: Sequence[str]) -> Iterator[dict[str, Any]]:
    plain = ("method", "kind", "protocol", "k_required", *SIZES, "status", "reason", "information_gain")
    line = {name: row[name] for name in plain} | dict(row["measures"])
    line |= {name: reached for name, reached in row["risks"].items() if not isinstance(reached, Mapping)}
    line |= {name: row[name] for name in (*COSTS, SEARCH, "comparable", "note")}
    for model in models or ("",):
        scored = row["models"].get(model, {})
        scores = {name: scored.get(name, {}).get("value") for name in SCORES}
        spread = {f"{name}_spread": scored.get(name, {}).get("spread") for name in SCORES}
        yield {**line, "model": model or None, **scores, **spread}
