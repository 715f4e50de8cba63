"""What recodings without nodes have in common: the methods that swap values, or show distributions.

Such a recoding gives no column a level and no class a node, so that no measures read its cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anonduck.database.connection import Database
from anonduck.methods.method import Method
from anonduck.release.recoding import GROUPED, Ground
from anonduck.statements.pipeline import builder_release
from anonduck.statements.pipeline.builder_release import ReleasedColumn


@dataclass(frozen=True, kw_only=True)
class NodelessRecoding:
    """A method with its options and ``seed`` on a source; ``noun`` names what it finds."""

    noun: ClassVar[str]

    method: Method
    options: Mapping[str, Any]
    seed: int
    ground: Ground
    columns: tuple[ReleasedColumn, ...]

    @property
    def text(self) -> str:
        """Whose it is."""
        return f"the {self.noun} of {self.method.name}"

    @property
    def advice(self) -> str:
        """What to do where all records together are too few, or too much alike."""
        return "Require less, or anonymize more records"

    @property
    def levels(self) -> Mapping[str, int]:
        """None: this is no rule."""
        return {}

    @property
    def measured(self) -> None:
        """Nothing: no cells have nodes."""
        return

    def rows(self, database: Database, *, some: bool) -> Any:
        """The grouped rows, in the order of their values, which links nothing."""
        return builder_release.expanded_rows(self.columns, GROUPED)
