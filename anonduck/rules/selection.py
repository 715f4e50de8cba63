"""The choice of a rule: the best by a measure, or the one with the largest k that is near enough to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from anonduck.errors import ConfigError, RuleError
from anonduck.rules.frontier import best_rule, better_first, fold_scores, is_judged, objective
from anonduck.rules.noise import standard_error
from anonduck.rules.rule import Rule

NOTHING_BETTER = "; it tells nothing of the class, and no other rule that was found and measured does more"
GAIN = "information_gain_corrected"
BY_GAIN = (
    "; none of them is better than naming the majority class, so that of those alike the one with the largest "
    "information gain was chosen (`select: roc_auc` or another model may tell them apart)"
)
ROUNDING = 1e-9
"""By how much a difference of two scores may exceed a margin, as sums of decimals are not exact."""
BY_FOLD = ("accuracy", "balanced_accuracy")
ONE_ERROR = "1se"


Chosen = TypeVar("Chosen")


@dataclass(frozen=True)
class Choice(Generic[Chosen]):
    """The chosen rule or candidate, and why it was chosen, in words; ``chosen_by`` says how, and nothing of what was
    found."""

    chosen: Chosen
    reason: str
    chosen_by: str


def choose(
    rules: Sequence[Rule], name: str, models: Sequence[str], *, k: int, within: float | str | None = None
) -> Choice[Rule] | None:
    """The best rule by a measure among those with at least ``k``, or the one with the largest k whose measure is at
    most ``within`` worse, or with ``within="1se"`` one standard error (Breiman et al. 1984, 11.4; Hastie et al. 2009,
    7.10).

    By a measure of how well the class is predicted, rules that tell nothing are chosen only where all tell nothing: as
    with a class that hardly any record has. Of those that are alike then and whose equivalence classes go together with
    the class, the one with the largest information gain, corrected, is chosen. None where no rule has the k and the
    measure. Raises ConfigError for a measure that has no standard error, RuleError for rules that were stored without
    it.
    """
    refuse_without_error(name, within)
    telling = [rule for rule in rules if not (rule.tells_nothing and is_judged(name, models))]
    best = best_rule(telling, name, models, k=k) or best_rule(rules, name, models, k=k)
    if best is None:
        return None
    chosen_by = f"best {name} among the rules that meet the requirement"
    nothing = NOTHING_BETTER if best.tells_nothing and is_judged(name, models) else ""
    if nothing and within is None:
        read = objective(name, models)
        alike = [rule for rule in rules if rule.associated and read(rule) == read(best)]
        gaining = best_rule(alike, GAIN, models, k=k)
        if gaining is not None:
            return Choice(gaining, f"{chosen_by}{BY_GAIN}", chosen_by)
    if within is None:
        return Choice(best, f"{chosen_by}{nothing or _tied(best, name, models)}", chosen_by)
    others = [rule for rule in (rules if best.tells_nothing else telling) if rule.measures.k >= k]
    return _near(best, others, name, models, within, nothing)


def _tied(best: Rule, name: str, models: Sequence[str]) -> str:
    """What ties with the best rule, by the accuracy that the frontier is marked by."""
    if not best.tied_with or name not in ("accuracy", *(f"accuracy.{model}" for model in models[:1])):
        return ""
    tie = "ties" if len(best.tied_with) == 1 else "tie"
    return f"; {' and '.join(best.tied_with)} with a larger k {tie} with it"


def _near(
    best: Rule, rules: Sequence[Rule], name: str, models: Sequence[str], within: float | str, remark: str
) -> Choice[Rule]:
    read = objective(name, models)
    reached = {rule.id: float(value) for rule in rules if (value := read(rule)) is not None}
    margin = _error(best, name, models) if isinstance(within, str) else within
    least = better_first(name, reached[best.id]) - margin - ROUNDING
    near = [rule for rule in rules if rule.id in reached and better_first(name, reached[rule.id]) >= least]
    chosen = max(near, key=lambda one: (one.measures.k, better_first(name, reached[one.id])))
    words = f"largest k within {within_words(within)} of the best {name} among the rules that meet the requirement"
    told = f"{reached[best.id]:.4f}" + (f" +- {margin:.4f}" if isinstance(within, str) else "")
    if chosen.id == best.id:
        beside = f"; it is the best itself ({told})"
    else:
        beside = (
            f": {reached[chosen.id]:.4f} with k = {chosen.measures.k:,}; the best, {best.id}, has {told} with k = "
            f"{best.measures.k:,}"
        )
    return Choice(chosen, words + beside + remark, words)


def _error(best: Rule, name: str, models: Sequence[str]) -> float:
    """The standard error of the best rule's score over its folds."""
    scores = fold_scores(best, name, models)
    if len(scores) < 2:
        raise RuleError(f"the {name} of {best.id} was stored without its folds; run `anonduck discover` again")
    return standard_error(scores)


def within_words(within: float | str) -> str:
    """How near to the best is good enough, as a person reads it.

    >>> within_words("1se"), within_words(0.01)
    ('one standard error', '0.01')
    """
    return "one standard error" if within == ONE_ERROR else f"{within:g}"


def refuse_without_error(name: str, within: float | str | None) -> None:
    """Raise ConfigError if a rule is to be chosen within an error of a measure that has none."""
    if within == ONE_ERROR and name.partition(".")[0] not in BY_FOLD:
        raise ConfigError(
            f"{name} has no standard error, so that no rule is within one of the best; `within: {within}` works "
            f"with {' and '.join(BY_FOLD)}, and a number, such as `within: 0.01`, with all measures"
        )
