"""The Pareto frontier: rules that no other rule dominates on the chosen objectives (Caruccio et al. 2022, 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import ge

from anonduck.errors import ConfigError
from anonduck.rules.measure_names import BY_MODEL, PLAIN, UTILITY, is_of_class
from anonduck.rules.noise import is_better
from anonduck.rules.rule import Rule
from anonduck.words import did_you_mean

SMALLER_IS_BETTER = (
    "violating_share",
    "violating_pairs",
    *(name for name, measure in UTILITY.items() if measure.smaller_is_better),
)
_PREDICTED = ("accuracy", "balanced_accuracy", "macro_f1")
_COUNTED = ("information_gain", "information_gain_corrected")


def ties(rules: Sequence[Rule], buys: Callable[[Rule, Rule], bool]) -> dict[str, tuple[str, ...]]:
    """For each rule that does not stand, the ids of those with a larger k that it ties with, by falling k.

    Rules are taken by falling k. One stands if it buys something over every rule that stands before it with a larger k,
    by ``buys(rule, other)``; else it ties with the rules that it buys nothing over. So a tie is always with a rule that
    stands, however many rules that each differ little lie between two that differ.
    """
    standing: list[Rule] = []
    tied: dict[str, tuple[str, ...]] = {}
    for rule in sorted(rules, key=lambda one: -one.measures.k):
        before = [one for one in standing if one.measures.k > rule.measures.k]
        found = tuple(one.id for one in before if not buys(rule, one))
        if found:
            tied[rule.id] = found
        else:
            standing.append(rule)
    return tied


def differs(rule: Rule, other: Rule, name: str, models: Sequence[str]) -> bool | None:
    """Whether a rule's scores by fold are better than another's by more than noise; None for a measure without them."""
    mine, theirs = fold_scores(rule, name, models), fold_scores(other, name, models)
    return is_better(mine, theirs) if mine and len(mine) == len(theirs) else None


def fold_scores(rule: Rule, name: str, models: Sequence[str]) -> Sequence[float]:
    """What a rule reached in each fold by an objective, of the first model or a named one; empty where that is not told
    by fold."""
    base, _, model = name.partition(".")
    by_fold: Mapping[str, Mapping[str, Sequence[float]]] = {
        "accuracy": rule.fold_accuracy,
        "balanced_accuracy": rule.fold_balanced_accuracy,
    }
    return by_fold.get(base, {}).get(model or next(iter(models), ""), ())


def objective(name: str, models: Sequence[str]) -> Callable[[Rule], float | None]:
    """What an objective reads from a rule; ``accuracy`` alone is the first model's, ``accuracy.svm`` a named one's.

    Raises ConfigError for a name that is no measure of the rules here.
    """
    if name in PLAIN:
        return lambda rule: getattr(rule.measures, name) if rule.has_class or not is_of_class(name) else None
    if name in UTILITY:
        return lambda rule: rule.utility.get(name)
    base, _, model = name.partition(".")
    if base in BY_MODEL and (model in models or (not model and models)):
        wanted = model or models[0]
        return lambda rule: getattr(rule, base).get(wanted)
    if base in BY_MODEL and not models:
        raise ConfigError(
            f"{name!r} is a score of models, and `models` is empty; name one, such as `models: [tree]`, or select by "
            f"what takes no model, such as `select: information_gain`; known are {', '.join([*PLAIN, *UTILITY])}"
        )
    known = [
        *PLAIN,
        *(BY_MODEL if models else ()),
        *(f"{base}.{m}" for base in BY_MODEL for m in models),
        *UTILITY,
    ]
    raise ConfigError(
        f"the objective {name!r} is not a measure of these rules{did_you_mean(name, known)}; choose among "
        f"{', '.join(known)}"
    )


def is_score(name: str) -> bool:
    """Whether an objective is a score of models, of the first one or a named one."""
    return name.partition(".")[0] in BY_MODEL


def better_first(name: str, value: float) -> float:
    """The value with its sign such that larger is better."""
    return -value if name in SMALLER_IS_BETTER else value


def best_rule(rules: Sequence[Rule], name: str, models: Sequence[str], *, k: int) -> Rule | None:
    """The best rule by an objective among those with at least ``k``, larger k breaks ties; None where there is none."""
    read = objective(name, models)
    meeting = [rule for rule in rules if rule.measures.k >= k and read(rule) is not None]
    return max(meeting, key=lambda r: (better_first(name, float(read(r) or 0)), r.measures.k), default=None)


def frontier(rules: Sequence[Rule], objectives: Sequence[str], models: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The ids of the non-dominated rules, each with the ids of the rules equal to it in all objectives.

    X dominates Y if it is at least as good in all objectives and better in one (Equation 2). Rules that lack a measure
    of an objective are left out. Raises ConfigError for fewer than two objectives, or one that no rule was measured by.
    """
    if len(set(objectives)) < 2:
        raise ConfigError(f"a frontier needs at least two objectives; got {', '.join(objectives) or 'none'}")
    readers = [(name, objective(name, models)) for name in dict.fromkeys(objectives)]
    _refuse_unmeasured(rules, readers)
    points: dict[str, tuple[float, ...]] = {}
    for rule in rules:
        values = [(name, read(rule)) for name, read in readers]
        if all(value is not None for _, value in values):
            points[rule.id] = tuple(better_first(name, float(value)) for name, value in values if value is not None)
    equal: dict[tuple[float, ...], list[str]] = {}
    for identifier, point in points.items():
        equal.setdefault(point, []).append(identifier)
    best: dict[tuple[float, ...], None] = {}
    for point in sorted(equal, reverse=True):  # what dominates a point stands before it, and so does the best of those
        if not any(all(map(ge, one, point)) for one in best):
            best[point] = None
    return {
        identifier: tuple(one for one in equal[point] if one != identifier)
        for identifier, point in points.items()
        if point in best
    }


def _refuse_unmeasured(rules: Sequence[Rule], readers: Sequence[tuple[str, Callable[[Rule], float | None]]]) -> None:
    for name, read in readers:
        if rules and is_of_class(name) and not any(rule.has_class for rule in rules):
            raise ConfigError(
                f"{name} is about how well the class is told, and there is no class; name one, such as "
                "`class: churned`, or choose among the other measures, such as k and loss"
            )
        if name in UTILITY and rules and all(read(rule) is None for rule in rules):
            raise ConfigError(
                f"{name} was not measured in this discovery; add it to `measures` in the config, "
                f"or measure it for once, `anonduck discover --measure {name}`"
            )


def frontier_rules(
    rules: Sequence[Rule], objectives: Sequence[str], models: Sequence[str], *, everything: bool = False
) -> list[Rule]:
    """The rules of the frontier by falling k, marked as ``marked`` does.

    With ``everything`` also the rules that no other dominates and that are off the frontier, for they tell nothing.
    """
    found = [rule for rule in marked(rules, objectives, models) if rule.on_frontier]
    if everything:
        known = {rule.id for rule in found}
        exact = frontier(rules, objectives, models)
        found += [
            replace(rule, on_frontier=False, equal_to=exact[rule.id]) for rule in rules if rule.id in set(exact) - known
        ]
    return sorted(found, key=lambda rule: -rule.measures.k)


def marked(rules: Sequence[Rule], objectives: Sequence[str], models: Sequence[str]) -> tuple[Rule, ...]:
    """All rules, with ``on_frontier``, ``equal_to`` and ``tied_with`` as the objectives have it.

    By objectives that all tell how well the class is told, the frontier is that of the rules that tell something of it
    (anonduck.models.scores). A rule ties with one of a larger k on the frontier (anonduck.rules.frontier) unless it is
    better in an objective other than k: by more than noise in scores that are known by fold, else at all. Nothing ties
    where k is no objective, for a larger k is nothing to prefer then.
    """
    off = all(is_judged(name, models) for name in objectives if name not in ("k", "k_with_class", "classes"))
    kept = frontier([rule for rule in rules if not (off and rule.tells_nothing)], objectives, models)
    others = [name for name in dict.fromkeys(objectives) if name != "k"]

    def buys(rule: Rule, other: Rule) -> bool:
        return any(_is_better(rule, other, name, models) for name in others)

    tied = ties([rule for rule in rules if rule.id in kept], buys) if "k" in objectives else {}
    return tuple(
        replace(rule, on_frontier=rule.id in kept, equal_to=kept.get(rule.id, ()), tied_with=tied.get(rule.id, ()))
        for rule in rules
    )


def is_judged(name: str, models: Sequence[str]) -> bool:
    """Whether ``tells_nothing`` is about an objective: what models predict, and without models what is counted.

    A model that names the majority class for all records may still rank them, and its rule inform of the class; so by
    ROC AUC, and by information gain beside models, no rule is said to be off the frontier.
    """
    return name.partition(".")[0] in (_PREDICTED if models else _COUNTED)


def _is_better(rule: Rule, other: Rule, name: str, models: Sequence[str]) -> bool:
    told = differs(rule, other, name, models)
    if told is not None:
        return told
    read = objective(name, models)
    return better_first(name, float(read(rule) or 0)) > better_first(name, float(read(other) or 0))
