"""What the numbers of attacks mean, as sentences and as JSON. They hold counts and shares, never a value."""

from __future__ import annotations

from math import log2
from typing import Any

from anonduck.attacks.posterior import BitsGained, Posterior, TopRanked, ValuePosterior
from anonduck.attacks.rates import Excess, Rate, z_of
from anonduck.attacks.skew import Skew


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.3g} %"


def digits(number: float | None) -> float | None:
    """A number as JSON holds it; None if it is infinite."""
    return None if number is None or abs(number) == float("inf") else round(number, 6)


def posterior_words(posterior: Posterior, *, more: bool) -> str | None:
    """What probabilities reveal about the value of the largest lift; None if there is no lift.

    ``more``: the guesses are a finding, too.
    """
    one = posterior.largest
    if one is None or (posterior.telling is None and (one.own.lift or 0.0) <= 1):
        return None
    said = _lifted(one)
    if posterior.telling is None:
        return f"its probabilities may reveal more: {said}; chance could explain that"
    but = "" if more else "but "
    if one.control is None:
        return f"{but}its probabilities reveal more: {said}"
    return f"{but}its probabilities reveal more: {said}: the release reveals this about people outside it, too"


def _lifted(one: ValuePosterior) -> str:
    """How many of the people ranked highest for a value hold it."""
    said = (
        f"of the {one.own.top.tried:,} people ranked highest for a value that {percent(one.prior)} of the "
        f"release have, {percent(one.own.top.share)} have it ({_times(one.own)})"
    )
    if one.control is None:
        return said
    said = f"{said}; of {one.control.top.tried:,} people who are not in the release, {percent(one.control.top.share)}"
    return f"{said} ({_times(one.control)})"


def skewed(skew: Skew) -> str:
    """What a skewed class reveals."""
    classes = "1 class" if skew.classes == 1 else f"{skew.classes:,} classes"
    said = (
        f"{classes} of {skew.records:,} released records {'has' if skew.classes == 1 else 'have'} a value more often "
        f"than chance explains: up to {percent(skew.share)}, where {percent(skew.prior)} of the release have it: "
        f"{skew.lift:.3g} times as often (at least {skew.lift_low:.3g} times)"
    )
    if skew.control is None or not skew.control.tried:
        return said
    return (
        f"{said}; of {skew.control.tried:,} people who are not in the release and would fall into "
        f"{'it' if skew.classes == 1 else 'them'}, {percent(skew.control.share)} have it"
    )


def _times(ranked: TopRanked) -> str:
    return "nobody has it overall" if ranked.lift is None else f"{ranked.lift:.3g} times the overall share"


# -- JSON --------------------------------------------------------------------------------------------------------------


def excess_json(found: Excess | None) -> dict[str, Any]:
    """An excess and its interval, plain and normalised."""
    names = [f"{name}{end}" for name in ("excess", "excess_normalised") for end in ("", "_low", "_high")]
    return dict(zip(names, [None] * 6 if found is None else map(digits, found), strict=True))


def rate_json(rate: Rate | None, name: str, z: float) -> dict[str, Any]:
    """A rate with its interval; the keys begin with ``name``."""
    low, high = (None, None) if rate is None else rate.within(z)
    share = None if rate is None else rate.share
    return {name: digits(share), f"{name}_low": digits(low), f"{name}_high": digits(high)}


def posterior_json(posterior: Posterior) -> dict[str, Any]:
    """What the probabilities of an attack reveal: bits gained, and each value."""
    z, values = z_of(posterior.comparisons), posterior.values
    return {
        **_gain_json(posterior.own, "", z),
        **_gain_json(posterior.control, "control_", z),
        "comparisons": posterior.comparisons,
        "telling": None if posterior.telling is None else values.index(posterior.telling),
        "largest": None if posterior.largest is None else values.index(posterior.largest),
        "values": [value_json(one) for one in values],
    }


def value_json(one: ValuePosterior) -> dict[str, Any]:
    """What an attack reveals about one value, which is named by its share alone."""
    z = z_of(one.comparisons)
    return {
        "prior": digits(one.prior),
        "prior_log_loss": digits(-log2(one.prior)),
        **_ranked_json(one.own, "", z),
        "found": one.found,
        **_ranked_json(one.control, "control_", z),
        "taught": one.taught,
    }


def _gain_json(gain: BitsGained | None, start: str, z: float) -> dict[str, Any]:
    low, high = (None, None) if gain is None else gain.within(z)
    return {
        f"{start}log_loss": None if gain is None else digits(gain.log_loss),
        f"{start}prior_log_loss": None if gain is None else digits(gain.prior_log_loss),
        f"{start}bits_gained": None if gain is None else digits(gain.gained),
        f"{start}bits_gained_low": digits(low),
        f"{start}bits_gained_high": digits(high),
    }


def _ranked_json(ranked: TopRanked | None, start: str, z: float) -> dict[str, Any]:
    return {
        f"{start}ranked_highest": None if ranked is None else ranked.top.tried,
        **rate_json(None if ranked is None else ranked.top, f"{start}precision", z),
        f"{start}share": digits(None if ranked is None else ranked.every.share),
        f"{start}lift": digits(None if ranked is None else ranked.lift),
        f"{start}log_loss": digits(None if ranked is None else ranked.log_loss),
    }


def skew_json(skew: Skew) -> dict[str, Any]:
    """Skewed classes of a column and a value, which is named by its share alone."""
    return {
        "about": skew.about,
        "prior": digits(skew.prior),
        "classes": skew.classes,
        "records": skew.records,
        "posterior": digits(skew.share),
        "posterior_low": digits(skew.low),
        "lift": digits(skew.lift),
        "lift_low": digits(skew.lift_low),
        "control_attacked": None if skew.control is None else skew.control.tried,
        **rate_json(skew.control, "control_rate", z_of()),
        "words": skewed(skew),
    }
