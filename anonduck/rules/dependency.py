"""A rule read as what it comes from: a relaxed functional dependency, how far it holds, and whether it is minimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class RaisedLevel:
    """A rule with one level raised by one: that level, and the violating pairs and g1 that the rule then has."""

    level: int
    violating_pairs: int
    g1: float


@dataclass(frozen=True)
class RuleDependency:
    """The RFD of a rule (Caruccio et al. 2022, Definitions 3 and 4), with what breaks it, over all records.

    ``notation`` is the paper's, such as ``age<=3, fnlwgt<=2 -> classes<=0``. ``violating_pairs`` agree in what stands
    before the arrow and differ in class. ``g1`` is their share of all pairs of two records: the error g1 of Kivinen and
    Mannila (1995, "Approximate inference of functional dependencies from relations"), which they take over the n * n
    ordered pairs, here without those of a record and itself, as Kruse and Naumann do (2018, "Efficient discovery of
    approximate dependencies"). The RFD holds with g1 as its tolerance. ``raised`` holds, for each attribute of the
    rule, what raising its level by one leads to; None where that was not counted.
    """

    notation: str
    violating_pairs: int
    g1: float
    raised: Mapping[str, RaisedLevel] | None = field(default=None)

    @property
    def minimal(self) -> bool | None:
        """Whether each level raised by one adds violating pairs, so that the RFD breaks; None where not counted."""
        return None if self.raised is None else not self.free

    @property
    def free(self) -> tuple[str, ...]:
        """The attributes whose level can be raised by one without adding a violating pair."""
        raised = self.raised or {}
        return tuple(name for name, one in raised.items() if one.violating_pairs == self.violating_pairs)

    def as_json(self) -> dict[str, Any]:
        """The field ``rfd`` of a rule."""
        return {
            "notation": self.notation,
            "violating_pairs": self.violating_pairs,
            "g1": self.g1,
            "minimal": self.minimal,
            "raised": None if self.raised is None else {name: asdict(one) for name, one in self.raised.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RuleDependency:
        """Read the field again."""
        told = data["raised"]
        raised = None if told is None else {name: RaisedLevel(**one) for name, one in told.items()}
        return cls(data["notation"], data["violating_pairs"], data["g1"], raised)

    def in_words(self, levels: Mapping[str, int], class_: str, roots: Mapping[str, int]) -> list[str]:
        """What it says of the data, in sentences; ``roots`` are the root levels by attribute."""
        agree = _listed([f"{name} (level {level})" for name, level in levels.items()])
        alike = f"agree on {agree} but differ" if levels else "differ"
        if not self.violating_pairs:
            return [f"No two records {alike} in {class_}.", *self._of_levels(roots)]
        share = f"{percent(self.g1)} of all pairs ({self.violating_pairs:,})"
        return [f"Pairs of records that {alike} in {class_}: {share}.", *self._of_levels(roots)]

    def _of_levels(self, roots: Mapping[str, int]) -> list[str]:
        if self.raised is None:
            return ["How many such pairs a higher level would add was not counted for this rule."]
        if not self.raised:
            return []
        added = [
            f"{_raised(name, one.level, roots)} adds {percent(one.g1 - self.g1)}"
            for name, one in self.raised.items()
            if name not in self.free
        ]
        free = [_raised(name, self.raised[name].level, roots) for name in self.free]
        kept = [f"Minimal: no level can be raised without adding such pairs: {_listed(added)}."]
        if not free:
            return kept
        adds = f"; {_listed(added)}" if added else ""
        return [f"Not minimal: {_listed(free, 'or')} adds no such pair{adds}."]


def percent(share: float) -> str:
    """A share as a person reads it, of which something is left to see however small it is.

    >>> percent(0.1234), percent(0.0123), percent(0.000123), percent(1e-9)
    ('12.3 %', '1.2 %', '0.012 %', 'under 0.001 %')
    """
    hundredths = 100 * share
    if 0 < hundredths < 0.001:
        return "under 0.001 %"
    return f"{hundredths:.1f} %" if hundredths >= 1 or not share else f"{hundredths:.2g} %"


def _raised(name: str, level: int, roots: Mapping[str, int]) -> str:
    return f"leaving out {name}" if level >= roots[name] else f"raising {name} to level {level}"


def _listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts as a sentence lists them.

    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}" if len(parts) > 1 else "".join(parts)
