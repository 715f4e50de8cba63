"""What is compared: ways to anonymize, each at each k, by models and protocols; and what may be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from anonduck.config.config import Config
from anonduck.config.ways import RANGES, SWAPPED, TYPICAL
from anonduck.errors import ConfigError
from anonduck.methods.method import SWAPPED_ABLE, TYPICAL_ABLE, Setting
from anonduck.methods.registry import METHODS, method_label, named_method
from anonduck.rules.measure_names import HELD_OUT, RELEASED
from anonduck.words import did_you_mean

RULES = "rules"
PROTOCOLS: Mapping[str, str] = {
    RELEASED: "all records are anonymized together; models are cross-validated on the released records "
    "(Caruccio et al. 2022, section 6)",
    HELD_OUT: "each training part is anonymized by itself; models are tested on the original records of the fold that "
    "was held out",
}
FRONTIER = "frontier"


@dataclass(frozen=True)
class Contestant:
    """A way to anonymize: a method with its settings and what its classes show, or the best rule by a measure.

    >>> Contestant("mondrian", settings={"splits": "entropy"}).label, Contestant("rules", by="accuracy").label
    ('mondrian:splits=entropy', 'rules by accuracy')
    >>> Contestant("mondrian", shows="typical").label
    'mondrian, typical'
    """

    name: str
    settings: Mapping[str, Setting] = field(default_factory=dict)
    by: str | None = None
    shows: str = RANGES

    @property
    def label(self) -> str:
        """What it is called in tables and charts."""
        if self.by is not None:
            return f"{self.name} by {self.by}"
        named = method_label(self.name, self.settings)
        return named if self.shows == RANGES else f"{named}, {self.shows}"


@dataclass(frozen=True)
class ComparisonQuestion:
    """What is compared: each contestant at each k by each protocol, and releases of other tools by their names.

    ``time_limit`` in seconds bounds each row; None takes the config's.
    """

    contestants: tuple[Contestant, ...]
    ks: tuple[int, ...]
    models: tuple[str, ...]
    protocols: tuple[str, ...] = (RELEASED,)
    imports: Mapping[str, str] = field(default_factory=dict)
    time_limit: float | None = None


def contestants_of(texts: Sequence[str], selects: Sequence[str]) -> tuple[Contestant, ...]:
    """Read ``mondrian``, ``mondrian:splits=entropy`` or ``rules``; of rules one for each measure they are selected by.

    Raises ConfigError for a method or a setting that is not known, and for one that is named twice.
    """
    found = [one for text in texts for one in _read(text, selects)]
    labels = [one.label for one in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ConfigError(f"{twice} is to be compared twice; name it once")
    return tuple(found)


def in_each_way(contestants: Sequence[Contestant], config: Config) -> tuple[Contestant, ...]:
    """The contestants, those whose classes can show more than ranges once for each way of the config."""
    able = {TYPICAL: TYPICAL_ABLE, SWAPPED: SWAPPED_ABLE}
    found: list[Contestant] = []
    for one in contestants:
        ways = [way for way in config.ways if one.by is None and one.name in able.get(way, (one.name,))]
        found += [replace(one, shows=way) for way in ways or [RANGES]]
    return tuple(found)


def _read(text: str, selects: Sequence[str]) -> list[Contestant]:
    name, colon, _ = text.partition(":")
    if name == RULES and not colon:
        return [Contestant(RULES, by=by) for by in dict.fromkeys(selects)]
    if name not in METHODS:
        raise ConfigError(
            f"the method {name[:40]!r} cannot be compared{did_you_mean(name, [RULES, *METHODS])}; what can is "
            f"{RULES} and {', '.join(METHODS)}, also with "
            "settings, such as mondrian:splits=entropy"
        )
    return [Contestant(*named_method(text))]


def check_ks(ks: Sequence[int]) -> tuple[int, ...]:
    """The values of k in their order, each once; raises ConfigError for one that asks for nothing."""
    wrong = next((k for k in ks if isinstance(k, bool) or not isinstance(k, int) or k < 1), None)
    if wrong is not None:
        raise ConfigError(f"k is a whole number from 1 on; got {wrong!r}")
    return tuple(sorted(set(ks)))


def check_protocols(names: Sequence[str]) -> tuple[str, ...]:
    """The protocols, each once; raises ConfigError for one that is not known."""
    wrong = next((name for name in names if name not in PROTOCOLS), None)
    if wrong is not None:
        raise ConfigError(f"the protocol {wrong[:40]!r} is not known; known are {' and '.join(PROTOCOLS)}")
    return tuple(dict.fromkeys(names)) or (RELEASED,)


def check_time_limit(seconds: Any) -> float | None:
    """The limit of a row; raises ConfigError for one that is not above 0."""
    if seconds is not None and not seconds > 0:
        raise ConfigError(f"`time_limit` is in seconds and above 0; got {seconds!r}")
    return None if seconds is None else float(seconds)
