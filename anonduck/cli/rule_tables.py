"""Rules as tables, and the sentences beside them: baseline, accuracies, what is expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from anonduck.cli.figures import reached
from anonduck.cli.tables import Pieces, figure, in_terminal, print_table
from anonduck.cli.terminal import on_one_line, say
from anonduck.offer.candidates import learner_of
from anonduck.rules.rule import literal
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.rules.rule import Rule

NO_NODES: Mapping[str, Sequence[int]] = MappingProxyType({})
THIS_EXPORT = "this export"
NOTHING = "a rule that tells nothing is no better than naming the majority class, but for noise"


def print_rules(
    rules: Sequence[Mapping[str, Any]],
    models: Sequence[str],
    utility: Sequence[str] = (),
    nodes: Mapping[str, Sequence[int]] = NO_NODES,
) -> None:
    """Rules as a table: what each protects, what it keeps (with the named utility measures), what it is.

    ``nodes`` are how many nodes the taxonomy of a column has at each level: the groups that a rule may show.
    """
    accuracy = [f"{model} accuracy" for model in models] + [f"{model} balanced" for model in models]
    shown = [model for model in models if any(rule.get("expected") for rule in rules)]
    expected = [f"{model} expected" for model in shown]
    privacy = list(dict.fromkeys(name for rule in rules for name in rule["privacy"]))
    suppressed = ["suppressed"] if any(rule["suppressed"] for rule in rules) else []
    protects = ["k", *privacy, "classes", *suppressed]
    gain = ["gain (bits)"] if any(rule["information_gain"] is not None for rule in rules) else []
    told_apart = bool(nodes) and not in_terminal()
    columns = [
        "rule",
        *protects,
        *gain,
        *accuracy,
        *expected,
        *utility,
        "origin",
        "frontier",
        "levels",
        *(["groups"] if told_apart else []),
    ]
    rows = [
        [
            rule["id"],
            f"{rule['k']:,}",
            *[reached(rule["privacy"].get(name)) for name in privacy],
            f"{rule['classes']:,}",
            *[f"{rule[name]:,}" for name in suppressed],
            *[figure(rule["information_gain"]) for _ in gain],
            *[figure(rule["accuracy"].get(model)) for model in models],
            *[figure(rule["balanced_accuracy"].get(model)) for model in models],
            *[_expected((rule["expected"] or {}).get(model)) for model in shown],
            *[f"{rule['utility'][name]:,.4f}" for name in utility],
            rule["origin"],
            _place(rule),
            levels_in_pieces(rule["levels"], nodes),
            *([", ".join(groups_in_words(rule["levels"], nodes).values())] if told_apart else []),
        ]
        for rule in rules
    ]
    balanced = accuracy[len(models) :]
    print_table(
        columns,
        rows,
        right=[*protects, *gain, *accuracy, *expected, *utility],
        wraps="levels",
        give_way=[*gain, *balanced, "origin", "classes", "frontier", *expected],
    )
    _print_groups(rules, nodes)


def levels_in_pieces(levels: Mapping[str, int], nodes: Mapping[str, Sequence[int]]) -> Pieces:
    """The levels of a rule; in a terminal with what they show of each column beside each."""
    words = groups_in_words(levels, nodes)
    shown = {name: f" ({words[name].removeprefix(f'{name}: ')})" if words else "" for name in levels}
    pieces = tuple(literal({name: level}) + shown[name] for name, level in levels.items())
    return Pieces(pieces, literal(levels))


def groups_in_words(levels: Mapping[str, int], nodes: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """How many groups a rule shows of each column's values, by column; none without ``nodes``.

    >>> groups_in_words({"education": 2, "sex": 0}, {"education": [16, 7, 2, 1], "sex": [2, 1]})
    {'education': 'education: 2 of 16', 'sex': 'sex: all 2'}
    """
    if not nodes:
        return {}
    return {name: f"{name}: {_of(nodes[name][level], nodes[name][0])}" for name, level in levels.items()}


def _of(groups: int, leaves: int) -> str:
    return f"all {leaves:,}" if groups == leaves else f"{groups:,} of {leaves:,}"


def _print_groups(rules: Sequence[Mapping[str, Any]], nodes: Mapping[str, Sequence[int]]) -> None:
    """Print what the numbers beside levels mean, by the first level of a table that has groups."""
    found = ((name, level) for rule in rules for name, level in rule["levels"].items() if nodes.get(name) and level)
    name, level = next(found, (None, 0))
    if name is not None:
        leaves, groups = nodes[name][0], nodes[name][level]
        say(
            f"{literal({name: level})} ({_of(groups, leaves)}) shows the {counted(leaves, 'leaf', 'leaves')} of "
            f"{name!r} as {counted(groups, 'group', 'groups')}"
        )


def _place(rule: Mapping[str, Any]) -> str:
    """Whether a rule is on the frontier, what it ties with there, and whether it predicts nothing."""
    found = []
    if rule["on_frontier"]:
        equal = f" (= {', '.join(rule['equal_to'])})" if rule["equal_to"] else ""
        found.append((f"ties with {', '.join(rule['tied_with'])}" if rule["tied_with"] else "yes") + equal)
    if rule["tells_nothing"]:
        found.append("tells nothing")
    return ", ".join(found)


def none_tells(rules: Sequence[Mapping[str, Any]], models: Sequence[str]) -> str:
    """Why a frontier lists none of the rules that were found."""
    listed = (
        "`anonduck frontier --objective k --objective information_gain_corrected` lists those that tell most of it "
        "otherwise, `anonduck frontier --all` those that no other beats"
    )
    if not models:
        return f"none of the {len(rules):,} rules that were found tells anything of the class; {listed}"
    left = sum(all(rule["accuracy"].get(model) is None for model in models) for rule in rules)
    unknown = f"; no model was trained for {left:,} more, which `anonduck rules` lists" if left else ""
    measured = f"none of the {len(rules) - left:,} rules that models were trained for is better than naming the"
    return f"{measured} majority class; {listed}{unknown}"


def print_dependencies(rules: Sequence[Rule]) -> None:
    """Print which dependency each rule on the frontier stands for, by id; nothing where none does."""
    words = {one.id: one.dependency.words for one in rules if one.on_frontier and one.dependency is not None}
    if words:
        say("as dependencies:")
        for identifier, sentence in words.items():
            say(on_one_line(f"  {identifier}: {sentence}"))


def print_noise(rules: Sequence[Mapping[str, Any]], left_off: Sequence[str]) -> None:
    """Print what ties in a table of rules mean, and which rules are off the frontier because they tell nothing."""
    if any(rule["tied_with"] for rule in rules):
        say(
            "a rule that ties with one of a larger k is better than it in the listed measure by noise alone: by less "
            "than the spread over folds"
        )
    if left_off:
        are = "is" if len(left_off) == 1 else "are"
        say(
            f"{', '.join(left_off)} {are} no better than naming the majority class and so {are} not listed; "
            "`anonduck frontier --all` does"
        )
    elif any(rule["tells_nothing"] for rule in rules):
        say(NOTHING)


def print_accuracies(rules: Sequence[Mapping[str, Any]], models: Sequence[str], found: int) -> None:
    """Print what the accuracies of a table of rules are, and what they are not."""
    if not models:
        return
    shown = [score["protocol"] for rule in rules for score in (rule.get("expected") or {}).values()]
    say(
        f"accuracies are in-sample: cross-validated on the records that were also used to pick these rules "
        f"from {found:,}, so the best look better than they are"
        + ("" if shown else "; `anonduck frontier --expected` measures by how much")
    )
    for protocol in dict.fromkeys(shown):
        say(f"expected accuracy is measured by {protocol}")


def print_baseline(summary: Mapping[str, Any]) -> None:
    """Print what the rules compare to."""
    baseline = summary["baseline"]
    parts = [
        f"{model} {value:.4f} (balanced {baseline['balanced_accuracy'][model]:.4f})"
        for model, value in baseline["accuracy"].items()
    ]
    majority = baseline["class"]["majority_share"]
    accuracy = f"baseline accuracy (ungeneralized): {', '.join(parts)}; " if parts else ""
    shown = "no class" if majority is None else f"{accuracy}majority class {majority:.4f}"
    say(f"{summary['rows']:,} records; {shown}")
    print_persons(summary)
    if summary.get("floor"):
        from anonduck.search.proofs import floor_words

        say(floor_words(summary))


def print_persons(document: Mapping[str, Any]) -> None:
    """Print what k is in persons, where it stands for those: of a discovery, or of a receipt."""
    if document.get("entity"):
        from anonduck.config.persons import PersonCounts

        for line in PersonCounts.of(document["entity"]).lines:
            say(line)


def print_expected(expected: Mapping[str, Mapping[str, Any]], weighed_by: str = "accuracy") -> None:
    """What is expected of a release by model, beside the same model trained on the source, and how that was measured;
    where it was chosen by ROC AUC, first that of the model which it was chosen by."""
    measure, _, named = weighed_by.partition(".")
    ranks = (named or learner_of(expected)) if measure == "roc_auc" else ""
    for model, score in expected.items():
        raw = score["baseline"]
        if model == ranks and score["roc_auc"] is not None:
            told = "" if raw.get("roc_auc") is None else f" (trained on the source: {raw['roc_auc']:.4f})"
            say(
                f"expected ROC AUC of {model} on unseen records: {score['roc_auc']:.4f} +- "
                f"{score['roc_auc_error']:.4f}{told}"
            )
        say(
            f"expected accuracy of {model} on unseen records: {score['accuracy']:.4f} +- "
            f"{score['error']:.4f} (trained on the source: {raw['accuracy']:.4f})"
        )
    for protocol in dict.fromkeys(score["protocol"] for score in expected.values()):
        say(f"  measured by {protocol}")
    if any(score.get("measured_on", THIS_EXPORT) != THIS_EXPORT for score in expected.values()):
        say("  measured on another export, the one that the rule was selected on; --reselect measures again")


def _expected(score: Mapping[str, Any] | None) -> str:
    return "" if score is None else f"{score['accuracy']:.4f} +- {score['error']:.4f}"
