"""The frontier of candidates, and the choice among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anonduck.config.requirement import INFERENCE_GAIN
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.selection import Choice

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.requirement import RequirementOptions
    from anonduck.offer.candidates import Candidate

SCORES = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")
SMALLER = frozenset(UTILITY) - {"precision"}


def marked(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates, those marked that no other one dominates in k, detail and the best expected accuracy.

    Of those that are equal in all three, the first is marked. Ranges and typical values do not dominate each other:
    ranges are true of each record, typical values keep the types of columns.
    """
    points = [None if one.failed is not None else _point(one) for one in candidates]
    return tuple(
        replace(
            one,
            on_frontier=point is not None
            and not any(
                beside.shows == one.shows and (_dominates(other, point) or (place < at and other == point))
                for place, (beside, other) in enumerate(zip(candidates, points, strict=True))
                if other is not None
            ),
        )
        for at, (one, point) in enumerate(zip(candidates, points, strict=True))
    )


def _point(one: Candidate) -> tuple[float, ...]:
    best = _best_score(one, "accuracy", "")
    return (one.k, one.detail, -1.0 if best is None else best[0])


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


def choose(candidates: Sequence[Candidate], config: Config) -> Choice[Candidate] | None:
    """The candidate that ``run`` takes; None where none can be taken.

    By a score: of those within one standard error of the best expected score the one that keeps most detail (Breiman et
    al. 1984, 11.4). By a utility measure, k or information gain: the best. Ties go to fewer changed values, then to the
    better score, then to the first id. No candidate is taken from which the class is inferred better than
    ``inference_gain`` allows.
    """
    able = [one for one in candidates if one.failed is None and not misses(one, config.requirement)]
    measure, _, model = config.select.partition(".")
    if measure not in SCORES:
        return _best_by(able, measure)
    scored = [(one, score) for one in able if (score := _best_score(one, measure, model)) is not None]
    if not scored:
        return None
    best, (most, error) = max(scored, key=lambda pair: (pair[1][0], pair[0].detail))
    near = [(one, value) for one, (value, _) in scored if value >= most - error]
    chosen, _ = min(near, key=lambda pair: _by_detail(*pair))
    words = f"most detail within one standard error of the best expected {measure.replace('_', ' ')}"
    told = f"; {len(near)} of {len(scored)} candidates are within {error:.4f} of the best, {best.id} with {most:.4f}"
    return Choice(chosen, words + told, words)


def count_valued(candidates: Sequence[Candidate], config: Config) -> int:
    """How many candidates have a value of what the config selects by."""
    measure, _, model = config.select.partition(".")
    if measure in SCORES:
        return sum(_best_score(one, measure, model) is not None for one in candidates)
    return sum(_value(one, measure) is not None for one in candidates)


def is_unscored(candidates: Sequence[Candidate], config: Config) -> bool:
    """Whether fewer than two candidates have a value of what the config selects by, and others could have one."""
    able = [one for one in candidates if one.failed is None]
    return count_valued(able, config) < min(2, len(able))


def _best_by(able: Sequence[Candidate], measure: str) -> Choice[Candidate] | None:
    """The best candidate by a measure of the release itself."""
    valued = [(one, value) for one in able if (value := _value(one, measure)) is not None]
    if not valued:
        return None
    sign = 1 if measure in SMALLER else -1
    chosen, _ = min(valued, key=lambda pair: (sign * pair[1], _by_detail(pair[0])))
    words = f"best {measure.replace('_', ' ')} of all candidates"
    return Choice(chosen, words, words)


def _value(one: Candidate, measure: str) -> float | None:
    if measure in ("k", "classes", "information_gain"):
        found: float | None = getattr(one, measure)
        return found
    return (one.measures or {}).get(measure)


def _best_score(one: Candidate, measure: str, model: str) -> tuple[float, float] | None:
    """The best expected score of a candidate with its error: that of a model, if one is named, else of any."""
    models = [model] if model else list(one.expected or {})
    found = [score for model in models if (score := one.score(f"{measure}.{model}")) is not None]
    return max(found, default=None)


def _by_detail(one: Candidate, score: float = 0.0) -> tuple[float, float, float, bool, int]:
    """Orders candidates by falling detail, then by fewer changed values, by falling score, then by id, rules first."""
    return (-one.detail, one.changed, -score, one.levels is None, int(one.id[1:]))


def misses(one: Candidate, required: RequirementOptions) -> list[str]:
    """What a candidate misses of what is required of a choice, in words."""
    found = []
    limit = INFERENCE_GAIN if required.inference_gain is None else required.inference_gain
    if one.inference is not None and one.inference["gain"] > limit:
        found.append(f"inference_gain <= {limit:g} (is {one.inference['gain']:.3f})")
    if one.inference is None and required.inference_gain is not None:
        found.append(f"inference_gain <= {limit:g} (is not measured)")
    if required.min_columns is not None and len(one.columns) < required.min_columns:
        found.append(f"min_columns >= {required.min_columns} (is {len(one.columns)})")
    if required.max_loss is not None and 1 - one.detail > required.max_loss:
        found.append(f"max_loss <= {required.max_loss:g} (is {1 - one.detail:.3f})")
    if required.min_gain is not None and (one.information_gain or 0.0) < required.min_gain:
        found.append(f"min_gain >= {required.min_gain:g} (is {one.information_gain or 0.0:.4f})")
    return found
