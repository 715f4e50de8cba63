"""A rule read as what it comes from: a relaxed functional dependency, how far it holds, and whether it is minimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from anonduck.rules.rounding import DIGITS

MOST_NAMED = 4
"""A sentence names so many columns at most, and counts more of them."""


@dataclass(frozen=True)
class AlikePairs:
    """Pairs of ``records``: ``alike`` look alike in all of ``names``, ``differing`` of these differ in the class."""

    names: tuple[str, ...]
    class_: str
    records: int
    alike: int
    differing: int

    @property
    def share(self) -> float:
        """The share of the pairs alike that differ in the class; 0 where there are none."""
        return self.differing / self.alike if self.alike else 0.0

    @property
    def g1(self) -> float:
        """The share of all pairs that are alike and differ in the class (Kivinen and Mannila 1995)."""
        pairs = self.records * (self.records - 1) // 2
        return self.differing / pairs if pairs else 0.0

    @property
    def words(self) -> str:
        """The dependency in a sentence, which names few columns."""
        if not self.names:
            return f"nothing else is shown: of the pairs of records, {percent(self.g1)} differ in {self.class_}"
        if not self.alike:
            return "no two records look alike, so that nothing is said of their class"
        where = _listed(self.names) if len(self.names) <= MOST_NAMED else f"{len(self.names)} columns"
        return f"of the pairs of records that look alike in {where}, {percent(self.share)} differ in {self.class_}"

    def as_json(self) -> dict[str, Any]:
        """The field ``dependency`` of a receipt, a data dictionary and a candidate."""
        return {
            "columns": list(self.names),
            "class": self.class_,
            "pairs_alike": self.alike,
            "pairs_differing": self.differing,
            "share": round(self.share, DIGITS),
            "g1": round(self.g1, DIGITS),
            "words": self.words,
        }


@dataclass(frozen=True)
class RaisedLevel:
    """A rule with one level raised by one: that level, and the violating pairs and g1 that the rule then has."""

    level: int
    violating_pairs: int
    g1: float


@dataclass(frozen=True)
class RuleDependency:
    """The RFD of a rule (Caruccio et al. 2022, Definitions 3 and 4), with what breaks it, over all records.

    ``notation`` is the paper's, such as ``age<=3, fnlwgt<=2 -> classes<=0``. ``alike_pairs`` agree in what stands
    before the arrow, ``violating_pairs`` of these differ in class; ``words`` say so in a sentence. ``g1`` is the share
    of the latter among all pairs of two records: the error g1 of Kivinen and
    Mannila (1995, "Approximate inference of functional dependencies from relations"), which they take over the n * n
    ordered pairs, here without those of a record and itself, as Kruse and Naumann do (2018, "Efficient discovery of
    approximate dependencies"). The RFD holds with g1 as its tolerance. ``raised`` holds, for each attribute of the
    rule, what raising its level by one leads to; None where that was not counted.
    """

    notation: str
    violating_pairs: int
    g1: float
    raised: Mapping[str, RaisedLevel] | None = field(default=None)
    alike_pairs: int = 0
    words: str = ""

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
            "words": self.words,
            "alike_pairs": self.alike_pairs,
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
        counts = (data["violating_pairs"], data["g1"])
        return cls(data["notation"], *counts, raised, data["alike_pairs"], data["words"])

    def in_words(self, roots: Mapping[str, int]) -> list[str]:
        """What it says of the data, in sentences; ``roots`` are the root levels by attribute."""
        return [f"{self.words[:1].upper()}{self.words[1:]}.", *self._of_levels(roots)]

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
