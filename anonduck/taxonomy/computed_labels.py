"""Labels that are computed from the values themselves, by query files, one step after the other, for all levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ComputedStep:
    """A query file of sql/taxonomy, the values that stand in it, and the columns of the step before that it names."""

    name: str
    values: Mapping[str, int | str] = field(default_factory=dict, hash=False)
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class ComputedLabels:
    """How labels are computed: first the value is read, then each level under the root takes the same steps.

    ``outside`` is the label of values that are not what they should be (no date, no address), if there can be any;
    ``ordered`` says that the nodes follow the order of their values.
    """

    read: tuple[ComputedStep, ...]
    levels: tuple[tuple[ComputedStep, ...], ...]
    outside: str | None = None
    ordered: bool = False

    @property
    def root(self) -> int:
        """The level of the root."""
        return len(self.levels) + 1
