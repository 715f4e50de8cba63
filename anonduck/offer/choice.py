"""The frontier of candidates, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anonduck.config.requirement import INFERENCE_GAIN
from anonduck.config.selection import AUTO, WORKLOAD
from anonduck.offer.candidates import learner_of, unscored
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.selection import Choice
from anonduck.search.expected import SCORES

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.requirement import RequirementOptions
    from anonduck.offer.candidates import Candidate

CALLED = {"roc_auc": "ROC AUC", "macro_f1": "macro F1"}
BY_WORKLOAD = "smallest mean error of the workload"
ONE_SIDED = 1.645
"""Standard errors above which one measurement in twenty lies by chance."""
UNEVEN = 2 / 3
"""Where one value of the class has a larger share of the records, models that always name it are hard to beat in
accuracy, and candidates that serve models well are told from others by how they rank people."""
SMALLER = frozenset(UTILITY) - {"precision"}


def scored_by(candidates: Sequence[Candidate], config: Config) -> str:
    """The name of what candidates are weighed by: with ``auto``, and beside the workload, accuracy, or ROC AUC where
    the class is uneven and models rank people; with ``auto`` and no models, what there is instead."""
    if config.weighed_by == AUTO and not config.models:
        return config.select
    if config.weighed_by not in (AUTO, WORKLOAD):
        return config.weighed_by
    return "accuracy" if _most_frequent(candidates) is None else "roc_auc"


def _most_frequent(candidates: Sequence[Candidate]) -> float | None:
    """The share of the most frequent class, where it is uneven and candidates were ranked; else None."""
    scores = [score for one in candidates if (score := _learned(one)) is not None and score["roc_auc"] is not None]
    most = max((score.get("majority") or 0.0 for score in scores), default=0.0)
    return most if most > UNEVEN else None


def _learned(one: Candidate) -> Mapping[str, Any] | None:
    return (one.expected or {}).get(learner_of(one.expected))


def marked(candidates: Sequence[Candidate], config: Config) -> tuple[Candidate, ...]:
    """The candidates, those marked that no other one dominates in k, detail and what ``scored_by`` names, if that is a
    score; else in accuracy.

    Of those that are equal in all three, the first is marked. Ranges and typical values do not dominate each other:
    ranges are true of each record, typical values keep the types of columns.
    """
    name = scored_by(candidates, config)
    name = name if name.partition(".")[0] in SCORES else "accuracy"
    points = [None if one.failed is not None else _point(one, name) for one in candidates]
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


def _point(one: Candidate, name: str) -> tuple[float, ...]:
    best = one.score(name)
    return (one.k, one.detail, -1.0 if best is None else best[0])


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


def choose(candidates: Sequence[Candidate], config: Config) -> Choice[Candidate] | None:
    """The candidate that ``run`` takes; None where none can be taken.

    By a score (see ``scored_by``): of those within one standard error of the best expected score the one that keeps
    most detail (Breiman et al. 1984, 11.4), or by ``workload`` the one whose queries are least off, on average; where
    nothing was scored, of all. By a utility measure, k or information gain: the best. Ties go to fewer changed
    values, then to the better score, then to the first id. No candidate is taken from which the class is inferred
    better than ``inference_gain`` allows (see ``misses``), and none that shows swapped values: they are no k-anonymity.

    A score is that of the model that ``select`` names, or of ``learner_of``: never the higher of several.
    """
    able = _able(candidates, config)
    by_workload = config.weighed_by == WORKLOAD
    name = scored_by(candidates, config)
    measure = name.partition(".")[0]
    if measure not in SCORES:
        return _best_by(able, measure)
    called = CALLED.get(measure, measure.replace("_", " "))
    if by_workload:
        able = [one for one in able if one.mean_query_error is not None]
    scored = [(one, score) for one in able if (score := one.score(name)) is not None]
    if not scored:
        alike = [(one, 0.0) for one in able] if by_workload else []
        return _least_off(alike, BY_WORKLOAD, "", config) if alike else None
    best, (most, error) = max(scored, key=lambda pair: (pair[1][0], pair[0].detail))
    near = [(one, value) for one, (value, _) in scored if value >= most - error]
    told = f"; {len(near)} of {len(scored)} candidates are within {error:.4f} of the best, {best.id} with {most:.4f}"
    told += _why_ranked(candidates, config)
    told += "".join(f"; not scored: {', '.join(ids)}: {why}" for why, ids in unscored(candidates).items())
    if by_workload:
        return _least_off(near, f"{BY_WORKLOAD} within one standard error of the best expected {called}", told, config)
    chosen, _ = min(near, key=lambda pair: _by_detail(*pair))
    words = f"most detail within one standard error of the best expected {called}"
    return Choice(chosen, words + told + _doubt(chosen, config), words)


def _able(candidates: Sequence[Candidate], config: Config) -> list[Candidate]:
    """The candidates that may be taken: they meet what is required, and show no swapped values."""
    return [one for one in candidates if not one.failed and one.may_be_taken and not misses(one, config.requirement)]


def _why_ranked(candidates: Sequence[Candidate], config: Config) -> str:
    """Why candidates are weighed by how they rank people where nobody asked for that; empty where they are not."""
    most = _most_frequent(candidates) if config.weighed_by in (AUTO, WORKLOAD) else None
    return "" if most is None else f"; one value of the class has {100 * most:.0f} % of the records"


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
    if config.weighed_by == WORKLOAD and not config.models:
        return sum(one.mean_query_error is not None for one in candidates)
    name = scored_by(candidates, config)
    measure = name.partition(".")[0]
    if measure in SCORES:
        return sum(one.score(name) is not None for one in candidates)
    return sum(_value(one, measure) is not None for one in candidates)


def is_unscored(candidates: Sequence[Candidate], config: Config) -> bool:
    """Whether fewer than two candidates have a value of what the config selects by, and others could have one."""
    able = [one for one in candidates if one.failed is None]
    return count_valued(able, config) < min(2, len(able))


def wider(chosen: Candidate, candidates: Sequence[Candidate], config: Config) -> Candidate | None:
    """The candidate that may be taken and shows most of the columns which the chosen one leaves out, of those with as
    many the one with most detail; None where none shows any."""
    lacking = set(chosen.left_out)
    able = _able(candidates, config)
    best = min(able, key=lambda one: (-len(lacking.intersection(one.columns)), *_by_detail(one)), default=chosen)
    return best if lacking.intersection(best.columns) else None


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
    if one.inference is None or one.inference["gain"] <= limit or _exceeds(one.inference, required):
        return None
    gain, error = one.inference["gain"], one.inference["error"]
    return (
        f"the class of people in it is guessed {gain:.3f} +- {error:.3f} more often than that of others; the limit is "
        f"{limit:g}, and so few records do not show that it is exceeded"
    )


def limit_of_gain(required: RequirementOptions) -> float:
    """How much more often the class may be guessed."""
    return INFERENCE_GAIN if required.inference_gain is None else required.inference_gain


def _exceeds(inference: Mapping[str, float], required: RequirementOptions) -> bool:
    """Whether a measured gain is above a limit that somebody set, or that of the default by more than its error."""
    bound = 0.0 if required.inference_gain is not None else ONE_SIDED * inference["error"]
    return inference["gain"] - bound > limit_of_gain(required)


def misses(one: Candidate, required: RequirementOptions) -> list[str]:
    """What a candidate misses of what is required of a choice, in words; see ``missed``."""
    return list(missed(one, required).values())


def missed(one: Candidate, required: RequirementOptions) -> dict[str, str]:
    """What a candidate misses of what is required of a choice, by its name, in words.

    The inference gain is measured against a control group, whose accuracy is known but for an error. A limit that the
    config sets holds for the measured gain. Where the default alone limits it, a candidate misses it by more than the
    one-sided 95 % bound of that error, as small tables would lose half of their candidates by chance. ``gain_in_doubt``
    says where such a gain is above the limit, but not shown to be.
    """
    found = {}
    limit = limit_of_gain(required)
    if one.inference is not None and _exceeds(one.inference, required):
        told = f"{one.inference['gain']:.3f} +- {one.inference['error']:.3f}"
        found["inference_gain"] = f"inference_gain <= {limit:g} (is {told})"
    if one.inference is None and required.inference_gain is not None:
        found["inference_gain"] = f"inference_gain <= {limit:g} (is not measured)"
    if required.min_columns is not None and len(one.columns) < required.min_columns:
        found["min_columns"] = f"min_columns >= {required.min_columns} (is {len(one.columns)})"
    if required.max_loss is not None and 1 - one.detail > required.max_loss:
        found["max_loss"] = f"max_loss <= {required.max_loss:g} (is {1 - one.detail:.3f})"
    if required.min_gain is not None and (one.information_gain or 0.0) < required.min_gain:
        found["min_gain"] = f"min_gain >= {required.min_gain:g} (is {one.information_gain or 0.0:.4f})"
    return found
