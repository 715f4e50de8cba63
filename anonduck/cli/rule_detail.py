"""One rule whole: its measures beside the baseline's, what each column keeps, and the dependency that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.cli.figures import reached
from anonduck.cli.rule_tables import groups_in_words
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import say
from anonduck.rules.dependency import percent
from anonduck.rules.rule import literal

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate
    from anonduck.rules.rule import Rule
    from anonduck.search.store import StoredDiscovery

SCORES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC AUC",
}


def print_rule_detail(rule: Rule, stored: StoredDiscovery, expected: Mapping[str, Any]) -> None:
    """Print a rule of a stored discovery, with what is ``expected`` on unseen records by model, where that is known."""
    say(f"{rule.id}: {literal(rule.levels)}")
    say(f"{_found(rule)}{'; on the frontier' if rule.on_frontier else ''}")
    say("")
    rows = [*_measures(rule, stored.summary["baseline"]), *_expected(expected)]
    print_table(["measure", rule.id, "baseline"], rows, right=[rule.id, "baseline"])
    if rule.information_kept:
        say("")
        _print_columns(rule, stored.roots, stored.held)
    if rule.dependency is not None:
        say("")
        say(f"as a dependency: {rule.dependency.notation}")
        for sentence in stored.in_words(rule):
            say(f"  {sentence}")


def print_candidate_detail(one: Candidate, stored: StoredDiscovery) -> None:
    """Print a candidate that is no rule: its measures, what is expected of it, and what each column keeps."""
    say(f"{one.id}: {one.label}, found for k = {one.k_required:,}{'; on the frontier' if one.on_frontier else ''}")
    say("")
    inference = one.inference or {}
    guessed = {"released": "class guessed of people in it", "control": "class guessed of others"}
    rows = [
        ["k", f"{one.k:,}", ""],
        *([name, reached(value), ""] for name, value in (one.privacy or {}).items()),
        ["classes", f"{one.classes:,}", ""],
        ["suppressed records", f"{one.suppressed:,}", ""],
        ["information gain (bits)", _figure(one.information_gain), ""],
        *([name.replace("_", " "), f"{value:,.4f}", ""] for name, value in (one.measures or {}).items()),
        *_expected(one.expected or {}),
        *([words, _figure(inference.get(name)), ""] for name, words in guessed.items() if inference),
    ]
    print_table(["measure", one.id, "baseline"], rows, right=[one.id, "baseline"])
    say("")
    detail = [
        [name, f"{kept:.0%}" if name in one.columns else "not in it"] for name, kept in one.detail_by_column.items()
    ]
    print_table(["column", "detail"], detail, right=["detail"])


def _found(rule: Rule) -> str:
    """Where a rule comes from."""
    coverages = f" at coverage {', '.join(f'{one:g}' for one in rule.coverages)}" if rule.coverages else ""
    parents = f", from {' and '.join(rule.parents)}" if rule.parents else ""
    return f"{rule.origin}{coverages}{parents}"


def _measures(rule: Rule, baseline: dict[str, Any]) -> Iterator[list[str]]:
    """The measures of a rule as rows: name, value, and the baseline's where it has one."""
    measures = rule.measures
    yield ["k", f"{measures.k:,}", ""]
    yield from ([name, reached(value), ""] for name, value in measures.privacy.items())
    yield ["classes", f"{measures.classes:,}", ""]
    yield ["suppressed records", f"{measures.suppressed:,}", ""]
    yield ["information gain (bits)", f"{measures.information_gain:.4f}", ""]
    yield ["the same, corrected", f"{measures.information_gain_corrected:.4f}", ""]
    for field, name in SCORES.items():
        for model, value in getattr(rule, field).items():
            spread = f" +- {rule.accuracy_error[model]:.4f}" if field == "accuracy" else ""
            of_all = baseline.get(field, {}).get(model)
            yield [f"{model} {name}", _figure(value) + spread, _figure(of_all)]
    if rule.accuracy_bound is not None:
        yield ["accuracy, at most", _figure(rule.accuracy_bound), ""]
    if rule.survivors is not None:
        kept = rule.survivors["baseline"]["accuracy"]
        for model, value in rule.survivors["accuracy"].items():
            yield [f"{model} accuracy on the records kept", _figure(value), _figure(kept.get(model))]
    yield from ([name.replace("_", " "), f"{value:,.4f}", ""] for name, value in rule.utility.items())


def _expected(expected: Mapping[str, Any]) -> Iterator[list[str]]:
    """The accuracy that each model is expected to reach on unseen records, as rows."""
    for model, score in expected.items():
        told = f"{score['accuracy']:.4f} +- {score['error']:.4f}"
        yield [f"{model} accuracy expected on unseen records", told, _figure(score["baseline"]["accuracy"])]


def _print_columns(rule: Rule, roots: Mapping[str, int], nodes: Mapping[str, Sequence[int]]) -> None:
    """What each quasi-identifier keeps of its information, and all of them together."""
    groups = groups_in_words(rule.levels, nodes)
    rows = [
        [
            name,
            f"{rule.levels[name]} of {roots[name]}" if name in rule.levels else "left out",
            groups.get(name, "").removeprefix(f"{name}: "),
            "" if kept is None else percent(kept),
        ]
        for name, kept in rule.information_kept.items()
    ]
    overall = rule.information_kept_overall
    print_table(
        ["column", "level", "groups of values", "information kept"],
        [*rows, ["all together", "", "", "" if overall is None else percent(overall)]],
        right=["information kept"],
    )


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
