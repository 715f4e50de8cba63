"""The frontier of candidates, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anonduck.config.requirement import INFERENCE_GAIN
from anonduck.config.selection import AUTO, WORKLOAD
from anonduck.offer.candidates import learner_of, unscored
from anonduck.rules.measure_names import UTILITY
from anonduck.rules.noise import corrected_error
from anonduck.rules.selection import ONE_ERROR, ROUNDING, Choice, within_words
from anonduck.search.expected import SCORES
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.requirement import RequirementOptions
    from anonduck.offer.candidates import Candidate

CALLED = {"roc_auc": "ROC AUC", "macro_f1": "macro F1"}
BY_WORKLOAD = "smallest mean error of the workload"
BY_DETAIL = "most detail"
MARGIN = 0.01
"""How far below the best score a candidate still stands, where the config does not say it: a point of accuracy or ROC
AUC is little beside what it costs in detail, and what the draw of the tested people changes."""
LOST = 3
"""Paired errors beside the margin: a candidate that is worse by more is not measured any further."""
CHANCE = 0.5
"""The area under the ROC curve of a model that knows nothing of the class."""
ONE_SIDED = 1.645
"""Standard errors above which one measurement in twenty lies by chance."""
OF_SIX = 2.39
"""Standard errors that the best of six candidates, as many as are offered by default, exceeds by chance in one table of
twenty (one-sided, Bonferroni)."""
SMALLER = frozenset(UTILITY) - {"precision"}


def scored_by(candidates: Sequence[Candidate], config: Config) -> str:
    """The name of what candidates are weighed by: with ``auto``, and beside the workload, ROC AUC, or accuracy where
    no model ranks people; with ``auto`` and no models, what there is instead."""
    if config.weighed_by == AUTO and not config.models:
        return config.select
    if config.weighed_by not in (AUTO, WORKLOAD):
        return config.weighed_by
    return "roc_auc" if any(one.score("roc_auc") is not None for one in candidates) else "accuracy"


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

    By a score (see ``scored_by``): of those that ``stands`` says are as good as the best, the one that keeps most
    detail, or by ``workload`` the one whose queries are least off, on average; where nothing was scored, or no model
    learns the class from any, of all. By a utility measure, k or information gain: the best. Ties go to fewer changed
    values, then to the better score, then to the first id. No candidate is taken from which the class is inferred
    better than ``inference_gain`` allows (see ``misses``), and none that shows swapped values: they are no k-anonymity.

    A score is that of the model that ``select`` names, or of ``learner_of``: never the higher of several.
    """
    able = _able(candidates, config)
    by_workload = config.weighed_by == WORKLOAD
    name = scored_by(candidates, config)
    measure = name.partition(".")[0]
    if measure not in SCORES:
        return _best_by(able, measure, config)
    if by_workload:
        able = [one for one in able if one.mean_query_error is not None]
    scored = [one for one in able if one.score(name) is not None]
    if not scored:
        return _least_off(able, BY_WORKLOAD, "", config) if by_workload and able else None
    best = max(scored, key=lambda one: (_reached(one, name), one.detail))
    learned = any(_learns(one, name) for one in scored)
    near = [one for one in scored if _is_near(one, best, name, config)] if learned else scored
    decides = BY_WORKLOAD if by_workload else BY_DETAIL
    if learned:
        words = f"{decides} {_nearness(name, config)}"
        every = counted(len(scored), "candidate", "candidates")
        is_near = "is" if len(near) == 1 else "are"
        told = f"; {len(near)} of {every} {is_near} that near to the best, {_with_score(best, name)}"
    else:
        words = f"{_why_not(scored, name, config)}, so {decides} decides"
        told = f"; the best of {counted(len(scored), 'candidate', 'candidates')}, {_with_error(best, name)}"
    told += "".join(f"; not scored: {', '.join(ids)}: {why}" for why, ids in unscored(candidates).items())
    told += _refused(candidates, config)
    if by_workload:
        return _least_off(near, words, told, config)
    chosen = min(near, key=lambda one: _by_detail(one, _reached(one, name)))
    beside = f"; {_with_score(chosen, name)}" if learned and chosen is not best else ""
    return Choice(chosen, words + told + beside + _doubt(chosen, config), words)


def _refused(candidates: Sequence[Candidate], config: Config) -> str:
    """The candidates that may not be taken for what is required of a choice, by what they miss."""
    found: dict[str, list[str]] = {}
    for one in candidates:
        if not one.failed and one.may_be_taken and (missing := missed(one, config.requirement)):
            found.setdefault(", ".join(text.partition(" (is")[0] for text in missing.values()), []).append(one.id)
    return "".join(f"; not taken, as {why} is required: {', '.join(ids)}" for why, ids in found.items())


def _able(candidates: Sequence[Candidate], config: Config) -> list[Candidate]:
    """The candidates that may be taken: they meet what is required, and show no swapped values."""
    return [one for one in candidates if not one.failed and one.may_be_taken and not misses(one, config.requirement)]


def _least_off(near: Sequence[Candidate], words: str, told: str, config: Config) -> Choice[Candidate]:
    """The candidate whose queries are least off, on average; ties as by detail."""
    chosen = min(near, key=lambda one: (one.mean_query_error or 0.0, *_by_detail(one)))
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
    """The candidate that shows most of the columns which the chosen one leaves out, of those with as many the one with
    most detail: one that may be taken, or if there is none another; None where none shows any."""
    lacking = set(chosen.left_out)
    able = _able(candidates, config)
    others = [one for one in candidates if not one.failed and one.may_be_taken and one not in able]
    for some in (able, others):
        best = min(some, key=lambda one: (-len(lacking.intersection(one.columns)), *_by_detail(one)), default=chosen)
        if lacking.intersection(best.columns):
            return best
    return None


def _best_by(able: Sequence[Candidate], measure: str, config: Config) -> Choice[Candidate] | None:
    """The best candidate by a measure of the release itself, or the one with most detail ``within`` so much of it."""
    sign, within = 1 if measure in SMALLER else -1, config.selection.within
    valued = {one.id: sign * value for one in able if (value := _value(one, measure)) is not None}
    if not valued:
        return None
    least = min(valued.values())
    called = f"the best {measure.replace('_', ' ')} of all candidates"
    if isinstance(within, float):
        near = [one for one in able if one.id in valued and valued[one.id] <= least + within + ROUNDING]
        words = f"{BY_DETAIL} within {within_words(within)} of {called}"
    else:
        near, words = [one for one in able if valued.get(one.id) == least], called.removeprefix("the ")
    return Choice(min(near, key=_by_detail), words, words)


def _value(one: Candidate, measure: str) -> float | None:
    if measure in ("k", "classes", "information_gain"):
        found: float | None = getattr(one, measure)
        return found
    return (one.measures or {}).get(measure)


def _by_detail(one: Candidate, score: float = 0.0) -> tuple[float, float, float, bool, int]:
    """Orders candidates by falling detail, then by fewer changed values, by falling score, then by id, rules first."""
    return (-one.detail, one.changed, -score, one.levels is None, int(one.id[1:]))


# -- which are as good as the best -------------------------------------------------------------------------------------


def stands(candidate: Candidate, best: Candidate, name: str, margin: float) -> bool:
    """Whether a candidate is at most ``margin`` worse in a score than the best one, or not by more than the error of
    their difference."""
    return _behind(candidate, best, name) <= max(margin, paired_error(candidate, best, name)) + ROUNDING


def loses(one: Candidate, beside: Sequence[Candidate], config: Config) -> bool:
    """Whether a candidate is worse than the best of others that may be taken by more than the margin and LOST paired
    errors, so that more people would not make it stand."""
    name = scored_by([one, *beside], config)
    if name.partition(".")[0] not in SCORES or one.score(name) is None:
        return False
    best = max(
        (other for other in _able(beside, config) if other.score(name) is not None),
        key=lambda other: _reached(other, name),
        default=None,
    )
    if best is None:
        return False
    near = margin_of(best, name, config) + LOST * paired_error(one, best, name)
    return _behind(one, best, name) > near + ROUNDING


def paired_error(one: Candidate, other: Candidate, name: str) -> float:
    """The standard error of the difference between the scores of two candidates, from the parts of the people whom both
    were tested on; 0 where fewer than two parts tell it.

    What both models are right or wrong about alike is no part of it. Where each part was tested by a model that learned
    from the others, these err alike (``corrected_error``); pieces of one part are independent.
    """
    measure, mine = name.partition(".")[0], _expected(one, name)
    pairs = zip(mine.get("parts", ()), _expected(other, name).get("parts", ()), strict=False)
    told = [(first[measure], second[measure]) for first, second in pairs]
    differences = [first - second for first, second in told if first is not None and second is not None]
    share = mine["share"] if mine.get("splits", 1) > 1 else 0.0
    return corrected_error(differences, share / (1 - share))


def margin_of(best: Candidate, name: str, config: Config) -> float:
    """How far below the best score a candidate still stands: a number, or with `1se` the best one's own error."""
    within = config.selection.within
    if within == ONE_ERROR:
        score = best.score(name)
        return 0.0 if score is None else score[1]
    return MARGIN if within is None else float(within)


def _reached(one: Candidate, name: str) -> float:
    score = one.score(name)
    return 0.0 if score is None else score[0]


def _behind(one: Candidate, best: Candidate, name: str) -> float:
    return _reached(best, name) - _reached(one, name)


def _is_near(one: Candidate, best: Candidate, name: str, config: Config) -> bool:
    """Whether a candidate stands beside the best, as near as the config asks."""
    margin = margin_of(best, name, config)
    if config.selection.within == ONE_ERROR:
        return _behind(one, best, name) <= margin + ROUNDING
    return stands(one, best, name, margin)


def _nearness(name: str, config: Config) -> str:
    """How near to the best a candidate has to be, in words."""
    within = MARGIN if config.selection.within is None else config.selection.within
    near = within_words(within) if within == ONE_ERROR else f"{within_words(within)} or one paired error"
    return f"within {near} of the best expected {called(name)}"


def learns(score: Mapping[str, Any], *, ranks: bool = True) -> bool:
    """Whether a model is better than naming the most frequent value of the class by more than its error, or ranks
    people better than by chance; the ranks tell it where there are any, and somebody asks for them.

    Of six candidates of a coin one is better by one error as often as not, so that OF_SIX of them count.
    """
    area = score.get("roc_auc") if ranks else None
    if area is not None:
        error = score.get("roc_auc_error")
        return bool(area - CHANCE > OF_SIX * (score["error"] if error is None else error) + ROUNDING)
    accuracy, majority = score.get("accuracy"), score.get("majority")
    return accuracy is None or majority is None or accuracy - majority > OF_SIX * score["error"] + ROUNDING


def _learns(one: Candidate, name: str) -> bool:
    return learns(_expected(one, name), ranks=not name.startswith("accuracy"))


def _why_not(scored: Sequence[Candidate], name: str, config: Config) -> str:
    """That no model tells the class by more than its error, in words."""
    ranks = name.replace("accuracy", "roc_auc")
    if any(one.score(ranks) is not None and _learns(one, ranks) for one in scored):
        return f"no model names {config.class_} better than its most frequent value does"
    return f"no model learns {config.class_} from this table"


def _expected(one: Candidate, name: str) -> Mapping[str, Any]:
    model = name.partition(".")[2]
    found: Mapping[str, Any] = (one.expected or {}).get(model or learner_of(one.expected), {})
    return found


def _with_score(one: Candidate, name: str) -> str:
    """A candidate with its score, and its accuracy beside another one."""
    return f"{one.id} with {_reached(one, name):.4f}{_accuracy_beside(one, name)}"


def _with_error(one: Candidate, name: str) -> str:
    value, error = one.score(name) or (0.0, 0.0)
    return f"{one.id}, has an expected {called(name)} of {value:.4f} +- {error:.4f}{_accuracy_beside(one, name)}"


def _accuracy_beside(one: Candidate, name: str) -> str:
    accuracy = None if name.startswith("accuracy") else _expected(one, name).get("accuracy")
    return "" if accuracy is None else f" (accuracy {accuracy:.4f})"


def called(name: str) -> str:
    """What a score is called in words."""
    measure = name.partition(".")[0]
    return CALLED.get(measure, measure.replace("_", " "))


# -- what is required of a choice --------------------------------------------------------------------------------------


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
