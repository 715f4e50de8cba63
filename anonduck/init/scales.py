"""Texts that say their own order: answers such as `agree` and `strongly agree`, bands such as `18-24` and `25-34`.

Clustered by co-occurrence, the ends of such a scale may share a group. An order is proposed only where every value has
its place: a scale with an answer besides, such as `no answer`, is left to its owner.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

FEWEST_ORDERED, MOST_ORDERED = 3, 20
"""Values of a column whose order is proposed: with more, that of an enumerated type is often alphabetical."""

_NEUTRAL = ("neutral", "neither agree nor disagree", "neither disagree nor agree", "undecided", "neither")
ANSWERS: Sequence[Sequence[Sequence[str]]] = (
    (
        ("strongly disagree", "disagree strongly", "completely disagree", "totally disagree"),
        ("disagree",),
        ("somewhat disagree", "slightly disagree", "rather disagree"),
        _NEUTRAL,
        ("somewhat agree", "slightly agree", "rather agree"),
        ("agree",),
        ("strongly agree", "agree strongly", "completely agree", "totally agree"),
    ),
    (
        ("very dissatisfied", "very unsatisfied"),
        ("dissatisfied", "unsatisfied"),
        ("somewhat dissatisfied", "rather dissatisfied"),
        ("neutral", "neither satisfied nor dissatisfied", "neither"),
        ("somewhat satisfied", "rather satisfied"),
        ("satisfied",),
        ("very satisfied",),
    ),
    (
        ("never",),
        ("almost never", "hardly ever"),
        ("rarely", "seldom"),
        ("sometimes", "occasionally"),
        ("often", "frequently"),
        ("very often", "usually"),
        ("almost always",),
        ("always",),
    ),
    (("very unlikely",), ("unlikely",), ("neutral", "neither", "possible"), ("likely",), ("very likely",)),
    (("very poor", "very bad"), ("poor", "bad"), ("fair", "average"), ("good",), ("very good",), ("excellent",)),
    (("none", "not at all"), ("very low",), ("low",), ("medium", "moderate", "middle"), ("high",), ("very high",)),
    (("none",), ("mild",), ("moderate",), ("severe",), ("very severe", "critical")),
    (("not important",), ("slightly important",), ("moderately important",), ("important",), ("very important",)),
    (("very small",), ("small",), ("medium",), ("large",), ("very large", "extra large")),
)
"""Scales of answers from lowest to highest; each place with its spellings."""

_NUMBERED = re.compile(r"([0-9]{1,2})\s*[-=:.)]\s*[^\s0-9].*")
_N, _UNIT = r"([0-9]+(?:\.[0-9]+)?)", r"(?:\s*[a-z%]+)?"
_BELOW = re.compile(rf"(?:<=?|≤|under|below|less than|fewer than|up to|at most)\s*{_N}{_UNIT}")
_ABOVE = re.compile(rf"(?:>=?|≥|over|above|more than|at least)\s*{_N}{_UNIT}")
_OPEN = re.compile(rf"{_N}{_UNIT}\s*(?:\+|(?:and|or) (?:over|above|more|older|later))")
_BETWEEN = re.compile(rf"{_N}{_UNIT}\s*(?:-|\u2013|to)\s*{_N}{_UNIT}")
_SINGLE = re.compile(rf"{_N}{_UNIT}")


def scale_of(values: Sequence[str]) -> tuple[str, ...]:
    """The values from lowest to highest, where all of them say their place on one scale; nothing otherwise.

    >>> scale_of(["Agree", "neutral", "Strongly agree", "disagree"])
    ('disagree', 'neutral', 'Agree', 'Strongly agree')
    >>> scale_of([">200", "101-200", "0-10", "11-100"]), scale_of(["3: high", "1: low", "2: mid"])
    (('0-10', '11-100', '101-200', '>200'), ('1: low', '2: mid', '3: high'))
    >>> scale_of(["agree", "disagree", "no answer"])
    ()
    """
    if not FEWEST_ORDERED <= len(values) <= MOST_ORDERED:
        return ()
    plain = [" ".join(value.casefold().split()) for value in values]
    places = next(filter(None, (_answers(plain), _numbered(plain), _bands(plain))), None)
    return () if places is None else tuple(value for _, value in sorted(zip(places, values, strict=True)))


def _answers(plain: Sequence[str]) -> list[float] | None:
    for scale in ANSWERS:
        places = {spelling: float(place) for place, spellings in enumerate(scale) for spelling in spellings}
        if all(value in places for value in plain):
            return _apart([places[value] for value in plain])
    return None


def _numbered(plain: Sequence[str]) -> list[float] | None:
    found = [_NUMBERED.fullmatch(value) for value in plain]
    return _apart([float(one[1]) for one in found if one is not None]) if all(found) else None


def _apart(places: list[float]) -> list[float] | None:
    return places if len(set(places)) == len(places) else None


def _bands(plain: Sequence[str]) -> list[float] | None:
    """The place of each band, where they follow one another without overlap, and two have both ends."""
    bands = [_band(value) for value in plain]
    known = sorted(band for band in bands if band is not None)
    if len(known) < len(bands) or sum(math.isfinite(low) and low < high < math.inf for low, high in known) < 2:
        return None
    if any(high > low for (_, high), (low, _) in itertools.pairwise(known)):
        return None
    order = {band: float(place) for place, band in enumerate(known)}
    return _apart([order[band] for band in bands if band is not None])


def _band(value: str) -> tuple[float, float] | None:
    """The ends of a band; None for what is none."""
    text = re.sub(r"[€$£]\s*", "", re.sub(r"(?<=[0-9])[,'](?=[0-9]{3}(?![0-9]))", "", value)).strip()
    if found := _BELOW.fullmatch(text):
        return -math.inf, float(found[1])
    if found := _ABOVE.fullmatch(text) or _OPEN.fullmatch(text):
        return float(found[1]), math.inf
    if found := _BETWEEN.fullmatch(text):
        low, high = float(found[1]), float(found[2])
        return (low, high) if low < high else None
    if found := _SINGLE.fullmatch(text):
        return float(found[1]), float(found[1])
    return None
