"""What of a difference between scores is noise: a paired test over folds that are the same for all rules.

The scores of a cross-validation are no independent sample, for any two training parts share most of their records; the
plain t-test takes differences for real too often. Nadeau and Bengio (2003, Inference for the generalization error,
section 4) divide the mean difference by ``sqrt((1 / folds + tested / trained) * variance)`` instead, where a
cross-validation tests one fold for each ``folds - 1`` that it trains on.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, cos, inf, isinf, pi, sin, sqrt
from statistics import fmean, stdev

TIE = 0.025
"""One-sided: with ten folds, two rules tie that differ by less than 1.04 standard deviations of their difference."""

NOTHING = 0.0025
"""One-sided, of a rule and the majority class: smaller, for a discovery asks it of many rules. Of 48 discoveries on
classes dealt by chance, each with about 60 rules, one has a rule that seems to tell something; at 0.005 four have."""

_EXACT = 1e-12


def corrected_t(differences: Sequence[float]) -> float:
    """The corrected resampled t statistic of paired differences, one per fold; 0 where all are, infinite where all are
    the same other number, and 0 for fewer than two folds."""
    folds = len(differences)
    if folds < 2:
        return 0.0
    mean, spread = fmean(differences), stdev(differences)
    if spread < _EXACT:
        return 0.0 if abs(mean) < _EXACT else inf if mean > 0 else -inf
    return mean / corrected_error(differences, 1 / (folds - 1))


def corrected_error(scores: Sequence[float], tested_by_trained: float) -> float:
    """The corrected resampled standard error of the mean over folds; 0 for fewer than two.

    Models that learn from parts that overlap err alike, which the spread between folds does not show. Nadeau and Bengio
    (2003, section 4) multiply the variance between folds by ``1 / folds + tested_by_trained`` in place of
    ``1 / folds``, for so many tested records for each one that is trained on.

    >>> round(corrected_error([0.7, 0.8, 0.6, 0.7, 0.7], 1 / 4), 4)
    0.0474
    """
    folds = len(scores)
    return 0.0 if folds < 2 else stdev(scores) * sqrt(1 / folds + tested_by_trained)


def moderated_error(scores: Sequence[float], by_draw: float, tested_by_trained: float) -> float:
    """The same of a spread that is moderated; 0 for fewer than two folds.

    The spread of five scores is itself a guess, and by chance often so small that the error hides what it should show.
    So their variance is weighed with ``by_draw``, the variance that the draw of the tested records alone gives each
    score, as if that came of as many folds (an empirical Bayes estimate; Smyth 2004, section 3).

    >>> round(moderated_error([0.7, 0.7, 0.7, 0.7, 0.7], 0.0042, 1 / 4), 4)
    0.0307
    """
    folds = len(scores)
    return 0.0 if folds < 2 else sqrt((stdev(scores) ** 2 + by_draw) / 2 * (1 / folds + tested_by_trained))


def is_better(scores: Sequence[float], others: Sequence[float], chance: float = TIE) -> bool:
    """Whether scores are better than others on the same folds, by more than noise; ``chance`` is how often noise alone
    would look so, at most."""
    differences = [one - other for one, other in zip(scores, others, strict=True)]
    return len(differences) > 1 and chance_of_more(corrected_t(differences), len(differences) - 1) < chance


def chance_of_more(t: float, degrees: int) -> float:
    """The chance that a Student's t with so many degrees of freedom, one or more, exceeds ``t``.

    Sums the finite series of Abramowitz and Stegun (1964, 26.7.3 and 26.7.4). SciPy has the same, but whoever lists
    rules would wait for it to load.
    """
    if isinf(t):
        return 0.0 if t > 0 else 1.0
    angle = atan(t / sqrt(degrees))
    odd = degrees % 2
    term = cos(angle) if odd else 1.0
    total = term if degrees > 1 else 0.0
    for at in range(2 + odd, degrees - 1, 2):
        term *= cos(angle) ** 2 * (at - 1) / at
        total += term
    within = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return (1 - within) / 2


def standard_error(scores: Sequence[float]) -> float:
    """The standard error of the mean over folds, as the one-standard-error rule takes it (Breiman et al. 1984)."""
    return stdev(scores) / sqrt(len(scores))
