"""Models trained for rules: each on the contingency table of its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

    ``scores`` are what a search measured, by level vector. Rules whose models are not all known once it is
    ``over`` have no scores, which is announced.
    """
    from anonduck.models.known_scores import KNOWN

    if not config.models:
        if config.class_ is None:
            return list(rules)
        return [replace(rule, tells_nothing=_tells_nothing(rule, judge)) for rule in rules]

    trained = []
    for number, rule in enumerate(rules, start=1):
        measured = {**(scores or {}).get(judge.space.vector(rule.levels), {})}
        missing = [model for model in config.models if model not in measured]
        if missing and not over():
            table = kept_contingency(records, judge, rule.levels, rule.measures.suppressed, test_on=config.test_on)
            measured |= KNOWN.scores(table, missing, config.seed, over=over).by_model
        trained.append(_with_scores(rule, measured) if measured.keys() >= set(config.models) else rule)
        reporter.progress("training models", number, len(rules))
    _announce_untrained(trained, reporter)
    return _associated(trained, judge)


def _announce_untrained(rules: Sequence[Rule], reporter: Reporter) -> None:
    left = sum(not rule.accuracy for rule in rules)
    if left:
        reporter.announce(
            f"the time was up before models were trained for {left:,} of {len(rules):,} rules; these have no accuracy. "
            "`--time-limit SECONDS` changes the bound"
        )


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


def model_scores(table: Contingency, models: Sequence[str], *, seed: int = 0) -> dict[str, dict[str, Any]]:
    """The scores of each model on a contingency table, as they are stored; ``roc_auc`` is None where there is none."""
    from anonduck.models.known_scores import KNOWN

    return {model: rounded_score(score) for model, score in KNOWN.scores(table, models, seed).by_model.items()}


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
