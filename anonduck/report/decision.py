"""The rule that is the best of the rules, or was released, and two neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.config.config import Config
from anonduck.errors import RuleError
from anonduck.rules.frontier import frontier_rules, objective
from anonduck.rules.measure_names import BY_MODEL, SHARES, UTILITY
from anonduck.rules.rule import Rule, literal
from anonduck.rules.selection import Choice, choose
from anonduck.search.store import StoredDiscovery

RELEASED, PINNED, FIRST = "released last", "pinned by `rule:` in the config", "the first that was found"
NONE_MEETS = "no rule that was found meets what is required; this one is the best of those there are"
NOTICEABLE = 0.01  # a rule that is better by less is not called more useful


@dataclass(frozen=True)
class Offer:
    """A rule that suppresses more records than the config allows, and the share of suppression that would allow it."""

    share: float
    rule: Mapping[str, Any]


@dataclass(frozen=True)
class Recommendation:
    """A rule, why it is recommended, whether it has the required k, the measure it was chosen by, and its neighbours.

    ``safer`` is the best rule with a larger k. ``useful`` is better in the measure: a rule that still has the required
    k, or one that more suppression would allow.
    """

    rule: Rule
    reason: str
    meets: bool
    measure: str
    safer: Rule | None
    useful: Rule | Offer | None


def recommend(
    config: Config, stored: StoredDiscovery, keys: Sequence[str], released: Rule | None
) -> Recommendation | None:
    """The ``released`` or pinned rule, else the one that the config's ``select`` chooses; None without rules.

    ``keys`` are the measures that some rule has. A rule under the required k is recommended only if there is no other.
    """
    if not stored.rules:
        return None
    key, name = _measure(config, keys)
    rule, reason = _chosen(config, stored, name, released)
    meets = rule.measures.k >= config.requirement.k
    safer, useful = _neighbours(config, stored, rule, key)
    return Recommendation(rule, reason if meets else NONE_MEETS, meets, key, safer, useful)


def _measure(config: Config, keys: Sequence[str]) -> tuple[str, str]:
    """The measure that rules are chosen by, as its key and as in the config; the first measure if no rule has it."""
    name = config.select
    key = next((key for key in keys if name in (key, key.partition(".")[0])), None)
    return (keys[0], keys[0]) if key is None else (key, name)


def _chosen(config: Config, stored: StoredDiscovery, name: str, released: Rule | None) -> tuple[Rule, str]:
    k, models = config.requirement.k, stored.summary["models"]
    within = config.within_of_rules if name == config.select else None
    choices = (choose(stored.rules, name, models, k=least, within=within) for least in (k, 0))
    choice = next((one for one in choices if one is not None), Choice(stored.rules[0], FIRST, FIRST))
    for rule, reason in ((released, RELEASED), (_pinned(config, stored), PINNED)):
        if rule is not None and rule.measures.k >= k:
            return rule, f"{reason}; {choice.reason}" if rule.id == choice.chosen.id else reason
    return choice.chosen, choice.reason


def _pinned(config: Config, stored: StoredDiscovery) -> Rule | None:
    """The rule in the config, if it was found."""
    if config.rule is None:
        return None
    try:
        return stored.named(config.rule)
    except RuleError:
        return None


def _neighbours(
    config: Config, stored: StoredDiscovery, rule: Rule, key: str
) -> tuple[Rule | None, Rule | Offer | None]:
    """The nearest rules on the frontier of k and the measure, preferring those without ties.

    The more useful one is better by what a reader would notice; see ``_notably``.
    """
    models = stored.summary["models"]
    measured = objective(key, models)
    line = sorted(frontier_rules(stored.rules, ("k", key), models), key=lambda one: one.measures.k)
    above = [one for one in line if one.measures.k > rule.measures.k]
    safer = next((one for one in above if not one.tied_with), next(iter(above), None))
    required = range(config.requirement.k, rule.measures.k)
    below = [
        one
        for one in line
        if one.measures.k in required and not one.tied_with and _notably(key, measured(rule), measured(one))
    ]
    return safer, below[-1] if below else _offer(stored, rule, key, models)


def _offer(stored: StoredDiscovery, rule: Rule, key: str, models: Sequence[str]) -> Offer | None:
    """The best rule that the smallest share of suppression allows and that beats ``rule`` in the measure."""
    own = objective(key, models)(rule)
    if key.partition(".")[0] in UTILITY or own is None:
        return None
    for point in stored.summary["suppression_curve"]:
        better = [
            one for one in point["rules"] if (found := _known(one, key) or 0.0) > own and _notably(key, own, found)
        ]
        if better:
            return Offer(point["suppression"], max(better, key=lambda one: _known(one, key) or 0.0))
    return None


def _notably(key: str, own: float | None, other: float | None) -> bool:
    """Whether two values of a measure differ by a point, for scores and shares, or by a hundredth of the first."""
    if own is None or other is None:
        return True
    return abs(other - own) >= NOTICEABLE * (1.0 if key.partition(".")[0] in (*BY_MODEL, *SHARES) else abs(own))


def _known(found: Mapping[str, Any], key: str) -> float | None:
    """A measure of a rule of the suppression curve, None if not measured; larger is better for all of them."""
    name, _, model = key.partition(".")
    value = found.get(name)
    known = value.get(model) if isinstance(value, Mapping) else value
    return None if known is None else float(known)


def decision_of(advice: Recommendation) -> dict[str, Any]:
    """The decision as JSON: its ``options``, the recommended rule first.

    An option is a rule of the page, by ``id``, or one that more suppression would allow, with what is known of it.
    """
    options = [
        _option("recommended", advice.rule),
        *([_option("safer", advice.safer)] if advice.safer else []),
        *([_option("useful", advice.useful)] if advice.useful else []),
    ]
    return {
        "measure": advice.measure,
        "reason": advice.reason,
        "meets": advice.meets,
        "options": options,
    }


def _option(kind: str, of: Rule | Offer) -> dict[str, Any]:
    if isinstance(of, Rule):
        known = {"id": of.id, "k": of.measures.k, "classes": of.measures.classes, "suppressed": of.measures.suppressed}
        return {"kind": kind, "levels": dict(of.levels), "literal": literal(of.levels), "share": None, **known}
    found = {name: of.rule[name] for name in ("levels", "literal", "k", "classes", "suppressed")}
    return {"kind": kind, "id": None, "share": of.share, **found}
