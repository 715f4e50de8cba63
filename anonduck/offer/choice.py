"""The frontier of candidates, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anonduck.config.requirement import INFERENCE_GAIN
from anonduck.config.selection import WORKLOAD
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.selection import Choice
from anonduck.search.expected import SCORES

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.requirement import RequirementOptions
    from anonduck.offer.candidates import Candidate

BY_WORKLOAD = "smallest mean error of the workload"
ONE_SIDED = 1.645
"""Standard errors above which one measurement in twenty lies by chance."""
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
    best = one.score("accuracy")
    return (one.k, one.detail, -1.0 if best is None else best[0])


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


def choose(candidates: Sequence[Candidate], config: Config) -> Choice[Candidate] | None:
    """The candidate that ``run`` takes; None where none can be taken.

    By a score: of those within one standard error of the best expected score the one that keeps most detail (Breiman et
    al. 1984, 11.4), or by ``workload`` the one whose queries are least off, on average; where nothing was scored, of
    all. By a utility measure, k or information gain: the best. Ties go to fewer changed values, then to the
    better score, then to the first id. No candidate is taken from which the class is inferred better than
    ``inference_gain`` allows (see ``misses``).

    A score is that of the model that ``select`` names, or of ``learner_of``: never the higher of several.
    """
    able = [one for one in candidates if one.failed is None and not misses(one, config.requirement)]
    by_workload = config.weighed_by == WORKLOAD
    name = "accuracy" if by_workload else config.weighed_by
    measure = name.partition(".")[0]
    if measure not in SCORES:
        return _best_by(able, measure)
    if by_workload:
        able = [one for one in able if one.mean_query_error is not None]
    scored = [(one, score) for one in able if (score := one.score(name)) is not None]
    if not scored:
        alike = [(one, 0.0) for one in able] if by_workload else []
        return _least_off(alike, BY_WORKLOAD, "", config) if alike else None
    best, (most, error) = max(scored, key=lambda pair: (pair[1][0], pair[0].detail))
    near = [(one, value) for one, (value, _) in scored if value >= most - error]
    told = f"; {len(near)} of {len(scored)} candidates are within {error:.4f} of the best, {best.id} with {most:.4f}"
    if by_workload:
        return _least_off(near, f"{BY_WORKLOAD} within one standard error of the best expected accuracy", told, config)
    chosen, _ = min(near, key=lambda pair: _by_detail(*pair))
    words = f"most detail within one standard error of the best expected {measure.replace('_', ' ')}"
    return Choice(chosen, words + told + _doubt(chosen, config), words)


def _least_off(near: Sequence[tuple[Candidate, float]], words: str, told: str, config: Config) -> Choice[Candidate]:
    """The candidate whose queries are least off, on average; ties as by detail."""
    chosen, _ = min(near, key=lambda pair: (pair[0].mean_query_error or 0.0, *_by_detail(*pair)))
    off = f"; its queries are off by {100 * (chosen.mean_query_error or 0.0):.1f} % on average"
    return Choice(chosen, words + off + told + _doubt(chosen, config), words)


def _doubt(chosen: Candidate, config: Config) -> str:
    doubt = gain_in_doubt(chosen, config.requirement)
    return f"; {doubt}" if doubt else ""


def count_valued(candidates: Sequence[Candidate], config: Config) -> int:
    """How many candidates have a value of what the config selects by."""
    by_workload = config.weighed_by == WORKLOAD
    if by_workload and not config.models:
        return sum(one.mean_query_error is not None for one in candidates)
    name = "accuracy" if by_workload else config.weighed_by
    measure = name.partition(".")[0]
    if measure in SCORES:
        return sum(one.score(name) is not None for one in candidates)
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


def _by_detail(one: Candidate, score: float = 0.0) -> tuple[float, float, float, bool, int]:
    """Orders candidates by falling detail, then by fewer changed values, by falling score, then by id, rules first."""
    return (-one.detail, one.changed, -score, one.levels is None, int(one.id[1:]))


def gain_in_doubt(one: Candidate, required: RequirementOptions) -> str | None:
    """That the inference gain of a candidate which may be taken is above its limit, but within its error, in words."""
    limit = limit_of_gain(required)
    if one.inference is None or one.inference["gain"] <= limit or exceeds(one.inference, limit):
        return None
    gain, error = one.inference["gain"], one.inference["error"]
    return (
        f"the class of people in it is guessed {gain:.3f} +- {error:.3f} more often than that of others; the limit is "
        f"{limit:g}, and so few records do not show that it is exceeded"
    )


def limit_of_gain(required: RequirementOptions) -> float:
    """How much more often the class may be guessed."""
    return INFERENCE_GAIN if required.inference_gain is None else required.inference_gain


def exceeds(inference: Mapping[str, float], limit: float) -> bool:
    """Whether a measured gain is above a limit by more than the one-sided 95 % bound of its error."""
    return inference["gain"] - ONE_SIDED * inference["error"] > limit


def misses(one: Candidate, required: RequirementOptions) -> list[str]:
    """What a candidate misses of what is required of a choice, in words.

    The inference gain is measured against a control group, whose accuracy is known but for an error. A candidate misses
    its limit where the measured gain is above it by more than the one-sided 95 % bound of that error: one whose true
    gain is the limit is left out once in twenty times. By the measured gain alone that would be every second time, and
    small tables would lose candidates by chance. ``gain_in_doubt`` says where a gain is above the limit, but not shown
    to be.
    """
    found = []
    limit = limit_of_gain(required)
    if one.inference is not None and exceeds(one.inference, limit):
        told = f"{one.inference['gain']:.3f} +- {one.inference['error']:.3f}"
        found.append(f"inference_gain <= {limit:g} (is {told})")
    if one.inference is None and required.inference_gain is not None:
        found.append(f"inference_gain <= {limit:g} (is not measured)")
    if required.min_columns is not None and len(one.columns) < required.min_columns:
        found.append(f"min_columns >= {required.min_columns} (is {len(one.columns)})")
    if required.max_loss is not None and 1 - one.detail > required.max_loss:
        found.append(f"max_loss <= {required.max_loss:g} (is {1 - one.detail:.3f})")
    if required.min_gain is not None and (one.information_gain or 0.0) < required.min_gain:
        found.append(f"min_gain >= {required.min_gain:g} (is {one.information_gain or 0.0:.4f})")
    return found
