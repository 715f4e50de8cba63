"""The key of persons who have several records, and what that means for k, which counts records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anonduck.config.requirement import DEFAULT_K
from anonduck.init.proposal import Proposal, repeating_key
from anonduck.source.engine import SourceEngine


@dataclass(frozen=True)
class RepeatingKey:
    """A column that names persons (``values`` of them) in ``records``, ``most`` of which one person has.

    Records without a value are counted as those of one person, as an audit by entity does.
    """

    column: str
    values: int
    records: int
    most: int

    @property
    def sure(self) -> int:
        """The k with which each class is sure to hold as many persons as the default k asks records."""
        return DEFAULT_K * self.most

    @property
    def lines(self) -> tuple[str, ...]:
        """What it means, in sentences."""
        return tuple(self._lines())

    def as_json(self) -> dict[str, Any]:
        """What ``anonduck init --json`` prints."""
        return {
            "column": self.column,
            "values": self.values,
            "records": self.records,
            "most": self.most,
            "sure_k": self.sure,
            "lines": list(self.lines),
        }

    def _lines(self) -> Iterator[str]:
        yield (
            f"{self.column!r} looks like an entity, a person with several records: {self.values:,} values in "
            f"{self.records:,} records, up to {self.most:,} of one"
        )
        yield f"k counts records, so {DEFAULT_K} records may be of one person"
        yield (
            f"Keep one record of each in the source, or set `requirement: {{k: {self.sure}}}`, {DEFAULT_K} times "
            f"{self.most:,}: each class is then sure to hold {DEFAULT_K} persons"
        )


def repeating_key_of(engine: SourceEngine, proposal: Proposal) -> RepeatingKey | None:
    """The key of persons among the proposed identifiers that has several records, or None; one more scan."""
    column = repeating_key(proposal)
    if column is None:
        return None
    return RepeatingKey(column.name, column.distinct, column.filled, engine.most_records(column.name))
