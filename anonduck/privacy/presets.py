"""The k that is customary for a context of publication.

After the precedents that El Emam collects: Guide to the De-Identification of Personal Health Information (2013).
They are customs of data custodians, and no law's number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """A k, and the context for which data custodians have used it."""

    k: int
    context: str

    @property
    def risk(self) -> float:
        """The highest chance that a record is traced to its person: 1 / k."""
        return 1 / self.k


PRESETS: Mapping[str, Preset] = {
    "internal": Preset(3, "data that stays with trusted people"),
    "restricted": Preset(5, "data given to named recipients under an agreement"),
    "public": Preset(11, "data open to anybody"),
    "public-patients": Preset(20, "patient data open to anybody"),
}
"""Presets by name, from the mildest to the strictest."""
