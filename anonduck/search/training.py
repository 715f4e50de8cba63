"""Models trained for rules: each on the contingency table of its rule, all of them or only where a frontier asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from anonduck.config.config import Config
from anonduck.database.progress import Reporter
from anonduck.frequency.floors import read_floor
from anonduck.frequency.frequency_set import UNGENERALIZED
from anonduck.measures.independence import tells_nothing
from anonduck.measures.judge import RuleJudge, VectorJudge
from anonduck.measures.measures import CODED, ClassTotals, baseline_contingency
from anonduck.rules.rounding import DIGITS
from anonduck.rules.rule import LevelVector, Rule
from anonduck.search.searched_records import SearchedRecords, kept_contingency
from anonduck.taxonomy.catalog import Taxonomy

if TYPE_CHECKING:
    from anonduck.models.contingency import Contingency
    from anonduck.models.scores import Score

ALL_CLASSES = (
    2_000_000  # equivalence classes over all rules: up to so many, ``train: auto`` trains models for each rule
)
_BY_MODEL = {
    "accuracy": "accuracy",
    "accuracy_error": "standard_error",
    "balanced_accuracy": "balanced_accuracy",
    "macro_f1": "macro_f1",
    "roc_auc": "roc_auc",
}
_BASELINE = {{"accuracy_error": "accuracy_standard_error"}.get(name, name): score for name, score in _BY_MODEL.items()}


def train_rules(
    rules: Sequence[Rule],
    judge: VectorJudge,
    records: SearchedRecords,
    config: Config,
    reporter: Reporter,
    scores: Mapping[LevelVector, Mapping[str, Score]] | None = None,
    over: Callable[[], bool] = lambda: False,
) -> list[Rule]:
    """The rules with the scores of each model on their contingency tables, those of the records that stay.

    With them comes whether a rule tells nothing of the class: by all models, or without any by its equivalence classes.

    By ``train: frontier`` a model is trained for a rule unless its ``accuracy_bound`` shows, before, that another rule
    is at least as good in k and in accuracy: what that leaves out is never on their frontier. ``auto`` does so where
    all rules have more than ``ALL_CLASSES`` equivalence classes together and the config selects by no other score.

    ``scores`` are what a search measured, by level vector. Rules whose models are not all known once it is
    ``over`` have no scores, which is announced.
    """
    from anonduck.models.known_scores import KNOWN

    if not config.models:
        if config.class_ is None:
            return list(rules)
        return [replace(rule, tells_nothing=_tells_nothing(rule, judge)) for rule in rules]

    def known(rule: Rule) -> Mapping[str, Score]:
        return (scores or {}).get(judge.space.vector(rule.levels), {})

    def table_of(rule: Rule) -> Contingency:
        suppressed = rule.measures.suppressed
        return kept_contingency(records, judge, rule.levels, suppressed, test_on=config.test_on)

    def scored(rule: Rule, table: Contingency | None, models: Sequence[str]) -> Rule:
        measured = {model: score for model, score in known(rule).items() if model in models}
        missing = [model for model in models if model not in measured]
        if missing:
            found = KNOWN.scores(table or table_of(rule), missing, config.seed, over=over)
            if found.untrained:
                return rule
            measured |= found.by_model
        return _with_scores(rule, measured)

    if trains_all(config, rules):
        trained = []
        for number, rule in enumerate(rules, start=1):
            ready = len(known(rule)) == len(config.models) or not over()
            trained.append(scored(rule, None, config.models) if ready else rule)
            reporter.progress("training models", number, len(rules))
        _announce_untrained(trained, config, reporter)
        return _associated(trained, judge)
    found = {rule.id: rule for rule in _by_falling_k(rules, table_of, scored, config, reporter, over)}
    skipped = sum(rule.accuracy_bound is not None for rule in found.values())
    _announce_untrained(list(found.values()), config, reporter)
    reporter.announce(
        f"models were trained for {len(rules) - skipped:,} of {len(rules):,} rules: the others cannot be on the "
        "frontier of k and accuracy, by an upper bound on their accuracy; `--train all` trains for every rule"
    )
    return _associated([found[rule.id] for rule in rules], judge)


def _announce_untrained(rules: Sequence[Rule], config: Config, reporter: Reporter) -> None:
    left = sum(not rule.accuracy and rule.accuracy_bound is None for rule in rules)
    if left and config.models:
        reporter.announce(
            f"the time was up before models were trained for {left:,} of {len(rules):,} rules; these have no accuracy. "
            "`--time-limit SECONDS` changes the bound"
        )


def trains_all(config: Config, rules: Sequence[Rule]) -> bool:
    """Whether models are trained for every rule, by the config's ``train``."""
    if config.train != "auto":
        return config.train == "all"
    return not keeps_the_best(config) or sum(rule.measures.classes for rule in rules) <= ALL_CLASSES


def keeps_the_best(config: Config) -> bool:
    """Whether ``train: frontier`` leaves out no rule that the config could select: it keeps the best by accuracy, and
    rules that are selected by other than scores need no model."""
    score, _, model = config.select.partition(".")
    return score not in _BY_MODEL or (score == "accuracy" and model in ("", *config.models))


def _by_falling_k(
    rules: Sequence[Rule],
    table_of: Callable[[Rule], Contingency],
    scored: Callable[[Rule, Contingency | None, Sequence[str]], Rule],
    config: Config,
    reporter: Reporter,
    over: Callable[[], bool],
) -> Iterator[Rule]:
    """The rules by falling k, each trained by the models that could bring it to the frontier.

    A rule that tells nothing is on no frontier and keeps no other from it; whether one does is known by all models.
    """
    from anonduck.models.score_bounds import score_bound

    reached = {model: _Reached() for model in config.models}
    for number, rule in enumerate(sorted(rules, key=lambda one: -one.measures.k), start=1):
        if over():
            yield rule
            continue
        table = table_of(rule)
        bound = score_bound(table)
        k = rule.measures.k
        wanted = [model for model in config.models if not reached[model].beats(k, bound)]
        found = scored(rule, table, wanted)
        if wanted and not found.accuracy:
            yield rule
            continue
        if found.tells_nothing and len(wanted) < len(config.models):
            wanted = config.models
            found = scored(rule, table, wanted)
        if not found.tells_nothing:
            for model, accuracy in found.accuracy.items():
                reached[model].add(k, accuracy)
        untrained = len(wanted) < len(config.models)
        yield replace(found, accuracy_bound=bound if untrained else None)
        reporter.progress("training models", number, len(rules))


class _Reached:
    """The best accuracy so far, of rules in the order of falling k."""

    def __init__(self) -> None:
        self.k = 0
        self.at_k = self.above_k = -1.0

    def beats(self, k: int, bound: float) -> bool:
        """Whether a rule at this k that reaches at most ``bound`` is dominated for sure; a tie is not."""
        above = self.above_k if k == self.k else max(self.above_k, self.at_k)
        return bound <= above or (k == self.k and bound < self.at_k)

    def add(self, k: int, accuracy: float) -> None:
        """Take the accuracy of a rule whose k is at most that of those before."""
        if k != self.k:
            self.k, self.above_k, self.at_k = k, max(self.above_k, self.at_k), -1.0
        self.at_k = max(self.at_k, accuracy)


def _with_scores(rule: Rule, scores: Mapping[str, Score]) -> Rule:
    rounded = {model: rounded_score(score) for model, score in scores.items()}
    by_model: dict[str, Any] = {
        stored: {model: score[name] for model, score in rounded.items()} for stored, name in _BY_MODEL.items()
    }
    return replace(
        rule,
        **by_model,
        fold_accuracy={model: _digits(score.fold_accuracies) for model, score in scores.items()},
        fold_balanced_accuracy={model: _digits(score.fold_balanced_accuracies) for model, score in scores.items()},
        tells_nothing=all(score.tells_nothing for score in scores.values()) if scores else None,
    )


def _digits(scores: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(score, DIGITS) for score in scores)


def _tells_nothing(rule: Rule, judge: VectorJudge) -> bool:
    """Whether the equivalence classes of a rule and the class go together by no more than chance."""
    vector = judge.space.vector(rule.levels)
    left_out = judge.classes.verdict(vector).left_out if rule.measures.suppressed else None
    return tells_nothing(judge.table.at(vector), left_out)


def _associated(rules: list[Rule], judge: VectorJudge) -> list[Rule]:
    """The rules; where no model predicts better by any of them, with whether their equivalence classes do."""
    if not all(rule.tells_nothing for rule in rules if rule.tells_nothing is not None):
        return rules
    return [replace(rule, associated=not _tells_nothing(rule, judge)) if rule.tells_nothing else rule for rule in rules]


def model_scores(
    table: Contingency, models: Sequence[str], *, seed: int = 0, only: Sequence[int] | None = None
) -> dict[str, dict[str, Any]]:
    """The scores of each model on a contingency table, as they are stored; ``roc_auc`` is None where there is none.

    With ``only`` they are tested on these folds alone.
    """
    from anonduck.models.known_scores import KNOWN

    return {model: rounded_score(score) for model, score in KNOWN.scores(table, models, seed, only).by_model.items()}


def rounded_score(score: Score) -> dict[str, Any]:
    """A score as it is stored."""
    names = ("accuracy", "standard_error", "balanced_accuracy", "macro_f1")
    rounded: dict[str, Any] = {name: round(float(getattr(score, name)), DIGITS) for name in names}
    rounded["tells_nothing"] = score.tells_nothing
    if score.roc_auc is None:
        return {**rounded, "roc_auc": None, "roc_auc_reason": score.roc_auc_reason}
    return {**rounded, "roc_auc": round(score.roc_auc, DIGITS)}


def baseline_scores(
    judge: RuleJudge,
    taxonomies: Mapping[str, Taxonomy],
    models: Sequence[str],
    reporter: Reporter,
    over: Callable[[], bool] = lambda: False,
) -> dict[str, dict[str, Any]]:
    """The scores of each model on the ungeneralized data, with the class's majority share and entropy.

    Models that were not trained once it is ``over`` have no scores, which is announced. Ungeneralized records are
    nearly without equal rows, so models are tested on as many folds as are enough where there are more, which is
    announced.
    """
    from anonduck.models.known_scores import KNOWN

    result: dict[str, dict[str, Any]] = {stored: {} for stored in _BASELINE}
    reasons = {}
    database, totals = judge.database, judge.totals
    roots = dict(zip(judge.space.attributes, judge.space.roots, strict=True))
    rows = UNGENERALIZED if read_floor(database) else CODED
    table = baseline_contingency(database, roots, taxonomies, rows=rows) if models else None
    only = None if table is None else _folds_of_baseline(table, totals)
    if table is not None and only is not None:
        _announce_tested(table, only, reporter)
    for number, model in enumerate(models, start=1):
        assert table is not None
        found = KNOWN.scores(table, [model], 0, only, over)
        if found.untrained:
            _announce_no_baseline(models[number - 1 :], reporter)
            break
        scores = rounded_score(found.by_model[model])
        for stored, name in _BASELINE.items():
            result[stored][model] = scores[name]
        if scores["roc_auc"] is None:
            reasons[model] = scores["roc_auc_reason"]
            reporter.announce(f"{model} has no ROC AUC: {reasons[model]}")
        reporter.progress("training the baseline", number, len(models))
    result["class"] = {"majority_share": totals.majority_share, "entropy": totals.entropy}
    return {**result, **({"roc_auc_reason": reasons} if reasons else {})}


def tested_folds(table: Contingency) -> list[int] | None:
    """The folds that are enough to test models on, suppressed records among those tested; None for all."""
    from anonduck.models.contingency import everyone
    from anonduck.models.folds import enough_folds

    records = everyone(table).folds.sum(axis=0)
    enough = enough_folds(records)
    return None if len(enough) == (records > 0).sum() else enough


def _folds_of_baseline(table: Contingency, totals: ClassTotals) -> list[int] | None:
    """The folds that the baseline is tested on, the fewest where they are a sample of the records; None for all."""
    from anonduck.models.folds import FEWEST

    enough = tested_folds(table)
    if int(table.folds.sum()) >= totals.records:
        return enough
    filled = [fold for fold, records in enumerate(table.folds.sum(axis=0)) if records]
    return filled[:FEWEST] if len(filled) > FEWEST else enough


def _announce_tested(table: Contingency, tested: Sequence[int], reporter: Reporter) -> None:
    filled = int((table.folds.sum(axis=0) > 0).sum())
    reporter.announce(
        f"the baseline is tested on {len(tested)} of {filled} folds, {int(table.folds[:, tested].sum()):,} records, "
        "each time trained on all others; rules are tested on all folds"
    )


def _announce_no_baseline(models: Sequence[str], reporter: Reporter) -> None:
    reporter.announce(
        f"the share of the time that the baseline may take was up before it was trained: {', '.join(models)} has no "
        "baseline. `--time-limit SECONDS` changes the bound"
    )
