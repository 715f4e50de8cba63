"""Which methods can show their classes in which way, and what is refused where they cannot."""

from __future__ import annotations

from anonduck.config.config import Config
from anonduck.config.ways import RANGES, RULES, SWAPPED, TYPICAL, WAYS
from anonduck.errors import ConfigError
from anonduck.methods.method import SWAPPED_ABLE, TYPICAL_ABLE, Method
from anonduck.methods.registry import method_named, named_method

ABLE = {TYPICAL: TYPICAL_ABLE, SWAPPED: SWAPPED_ABLE}


def refuse_way(method: Method | None, way: str, what: str) -> None:
    """Raise ConfigError unless classes of this method can show this way; ``what`` names what is released by."""
    if way not in WAYS:
        raise ConfigError(f"a release shows {' or '.join(WAYS)}; got {way[:40]!r}")
    if way == RANGES or (method is not None and (method.name in ABLE[way] or method.recoding == way)):
        return
    raise ConfigError(
        f"{what} cannot show {way} values (`show: {way}`); the methods {', '.join(ABLE[way])} can. "
        f"Choose one of these, or take `show: {RANGES}`"
    )


def refuse_unallowed(config: Config, way: str) -> None:
    """Raise ConfigError for swapped values that the config does not name: they promise less than ranges do."""
    if way == SWAPPED and SWAPPED not in config.ways:
        raise ConfigError(
            "swapped values are no k-anonymity: a record is linked with a chance of 1/k at most, and the file has no "
            f"classes of k records. They are shown only where the config has `show: {SWAPPED}`; add it there, or show "
            f"{RANGES} or {TYPICAL} values"
        )


def refuse_config(config: Config) -> None:
    """Raise ConfigError for a config that shows no ranges, and may release by a method that cannot show what it does.

    A run chooses among ranges and typical values.
    """
    if RANGES in config.ways:
        return
    for name in config.offered if config.method == RULES else [config.method]:
        if name != RULES:
            method = named_method(name)[0]
            chosen = config.method == RULES and TYPICAL in config.ways
            way = TYPICAL if chosen else config.shown_by(method)
            if config.method == RULES and way == SWAPPED:
                raise ConfigError(
                    f"a run chooses among {RANGES} and {TYPICAL} values, and the config has `show: {SWAPPED}` alone; "
                    f"add one of the two, or release by one method, as `method: {method}` does"
                )
            refuse_way(method_named(method), way, f"a release by {method}")
