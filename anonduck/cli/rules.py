"""The commands rules and frontier: what the last discovery found, with expected accuracies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.candidate_tables import expected_rows, print_candidate_detail
from anonduck.cli.completion import names, rule_ids
from anonduck.cli.figures import reached
from anonduck.cli.frontier_tables import (
    print_candidates,
    print_made_releases,
    print_proof,
    print_suppression_curve,
)
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import config_option, json_option
from anonduck.cli.rule_tables import (
    groups_in_words,
    none_tells,
    print_accuracies,
    print_baseline,
    print_dependencies,
    print_noise,
    print_rules,
)
from anonduck.cli.tables import figure, print_table
from anonduck.cli.terminal import opened, print_json, say
from anonduck.rules.dependency import percent
from anonduck.rules.measure_names import OBJECTIVES, UTILITY
from anonduck.rules.rule import literal

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate
    from anonduck.release.made_releases import MadeRelease
    from anonduck.rules.rule import Rule
    from anonduck.search.store import StoredDiscovery

PROOF = ("proven", "proven_from_k", "cut")
RULE_SHOWS = {True: "the RFD of a rule, how far it holds, and what it keeps", False: "what a rule keeps"}
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
    rows = [*_measures(rule, stored.summary["baseline"]), *expected_rows(expected)]
    print_table(["measure", rule.id, "baseline"], rows, right=[rule.id, "baseline"])
    if rule.information_kept:
        say("")
        _print_columns(rule, stored.roots, stored.held)
    if rule.dependency is not None:
        say("")
        say(f"as a dependency: {rule.dependency.notation}")
        for sentence in stored.in_words(rule):
            say(f"  {sentence}")


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
    if rule.has_class:
        yield ["information gain (bits)", f"{measures.information_gain:.4f}", ""]
        yield ["the same, corrected", f"{measures.information_gain_corrected:.4f}", ""]
    for field, name in SCORES.items():
        for model, value in getattr(rule, field).items():
            spread = f" +- {rule.accuracy_error[model]:.4f}" if field == "accuracy" else ""
            of_all = baseline.get(field, {}).get(model)
            yield [f"{model} {name}", figure(value) + spread, figure(of_all)]
    yield from ([name.replace("_", " "), f"{value:,.4f}", ""] for name, value in rule.utility.items())


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


@click.command("rules")
@click.argument("rule", required=False, shell_complete=rule_ids)
@config_option
@json_option
def rules_command(rule: str | None, path: str, as_json: bool) -> None:
    """List the rules of the last discovery, or show one.

    RULE is an id (R12) or a literal (age=3,"odd name"=0) of one of them. It is shown with all its measures, the
    dependency that it stands for, and how much information each column keeps. The id of another candidate of the offer
    (M2) shows that one.
    """
    from anonduck.offer.candidates import IDENTIFIER

    if rule is not None and IDENTIFIER.fullmatch(rule.strip()):
        _print_candidate(path, as_json, rule.strip())
        return
    _print_rule_list(path, as_json, None, only=rule)


@click.command(
    "frontier",
    cls=SectionedCommand,
    sections={
        "What to list": ["objectives", "rules", "everything"],
        "What to show of rules": ["plot", "expected"],
        "Output": ["as_json", "json_line"],
    },
    short_help="List the best trade-offs, which no rule dominates.",
)
@click.option(
    "--objective",
    "objectives",
    multiple=True,
    metavar="NAME",
    shell_complete=names(OBJECTIVES),
    help=f"Measure to compare rules by, two or more of {', '.join(OBJECTIVES)}, or a score of one model, as "
    "accuracy.svm.  [default: k, and the accuracy of the first model]",
)
@click.option("--rules", is_flag=True, help="List rules alone, where other recodings are offered beside them.")
@click.option("--all", "everything", is_flag=True, help="Also list rules that tell nothing of the class.")
@click.option("--plot", is_flag=True, help="Also draw a text chart of k and the first other objective.")
@click.option(
    "--expected",
    is_flag=True,
    help="Repeat the search on part of the records, and show the accuracy to expect on unseen records.",
)
@config_option
@json_option
def frontier_command(
    path: str,
    as_json: bool,
    objectives: tuple[str, ...],
    rules: bool,
    everything: bool,
    plot: bool,
    expected: bool,
) -> None:
    """List the best trade-offs: rules that no other rule dominates.

    Where other recodings are offered beside rules (`discover --method`, `methods` in the config), the list is of all
    of them, by k, detail kept and accuracy on people who are not in the release. Any option below lists rules alone.

    A rule dominates another if it is at least as good in every objective and better in one.
    A rule that is better than one with a larger k by noise alone is marked as a tie; one that
    is no better than naming the majority class tells nothing, and is listed by --all only.
    """
    given = bool(objectives)
    _print_rule_list(
        path,
        as_json,
        objectives,
        everything=everything,
        plot=plot,
        expected=expected,
        offered=not (rules or given or everything or plot or expected),
    )


def _print_candidate(path: str, as_json: bool, identifier: str) -> None:
    """Print a candidate that is no rule; raises RuleError where the last offer has none of that id."""
    from anonduck.offer.found_again import offered_candidate
    from anonduck.search.freshness import tell_stale

    with opened(path) as project:
        stored = project.discovered()
        reasons = tell_stale(project.workspace, stored)
        found, why = offered_candidate(project.workspace, stored, identifier)
        if why:
            project.reporter.announce(why)
            reasons = [*reasons, why]
    if as_json:
        print_json({"rules": [], "candidates": [found.as_json()], "stale": reasons, **_summary(stored)})
        return
    print_baseline(stored.summary)
    print_candidate_detail(found, stored)


def _print_rule_list(
    path: str,
    as_json: bool,
    objectives: tuple[str, ...] | None,
    *,
    everything: bool = False,
    plot: bool = False,
    expected: bool = False,
    only: str | None = None,
    offered: bool = False,
) -> None:
    """Print the rules of the last discovery: all, those that no other dominates on the objectives, or ``only`` one."""
    from anonduck.offer.candidates import kept_offer
    from anonduck.release.made_releases import comparable_releases, made_releases
    from anonduck.rules.frontier import frontier_rules
    from anonduck.rules.measure_names import default_objectives
    from anonduck.rules.rule import literal
    from anonduck.search.expected import expected_rules
    from anonduck.search.freshness import tell_stale

    with opened(path) as project:
        stored = project.discovered()
        reasons = tell_stale(project.workspace, stored)
        models, required = stored.summary["models"], project.workspace.config.requirement.k if plot else 0
        objectives = default_objectives(models, has_class=stored.has_class) if objectives == () else objectives
        all_of_it = frontier_rules(stored.rules, objectives, models, everything=True) if objectives else stored.rules
        all_of_it = all_of_it if only is None else [stored.named(only)]
        left_off = [] if everything or not objectives else [rule.id for rule in all_of_it if not rule.on_frontier]
        chosen = [rule for rule in all_of_it if rule.id not in left_off]
        estimates = project.expected() if expected else expected_rules(project.database)
        made = made_releases(project.workspace) if objectives else []
        candidates = kept_offer(project.workspace, stored) if objectives else ()
        shown = comparable_releases(project.workspace, stored.summary["rows"]) if objectives else []
    if candidates and offered and not as_json:
        print_candidates(candidates, stored)
        return
    rules = [rule.as_json() | {"expected": estimates.get(literal(rule.levels))} for rule in chosen]
    if as_json:
        told = {**_summary(stored), **_asked(stored, objectives, made, candidates)}
        print_json({"rules": rules, "stale": reasons, **told})
        return
    print_baseline(stored.summary)
    if only is not None:
        print_rule_detail(chosen[0], stored, estimates.get(literal(chosen[0].levels)) or {})
        print_accuracies(rules, models, len(stored.rules))
        return
    if not rules:
        _print_why_none(stored, models)
        return
    named = [name for name in objectives or () if name in UTILITY]
    print_rules(rules, models, named, stored.held)
    print_accuracies(rules, models, len(stored.rules))
    print_noise(rules, left_off)
    print_dependencies(() if objectives else chosen)
    say(f"`anonduck rules {chosen[0].id}` shows {RULE_SHOWS[stored.has_class]} of each column")
    if objectives and stored.summary["exact"]:
        print_proof(stored.summary)
    if objectives is not None:
        print_suppression_curve(stored.summary["suppression_curve"], models, stored.held)
        print_made_releases(shown, named)
    if plot and objectives:
        _plot(stored, [rule for rule in chosen if rule.on_frontier], objectives, required, shown)


def _summary(stored: StoredDiscovery) -> dict[str, Any]:
    summary = {name: stored.summary[name] for name in ("baseline", "rows", "incomplete")}
    summary |= {"floor": stored.summary["floor"]} if stored.summary["floor"] else {}
    summary |= {"entity": stored.summary["entity"]} if stored.summary.get("entity") else {}
    return summary | {name: stored.summary[name] for name in PROOF if stored.summary["exact"]}


def _asked(
    stored: StoredDiscovery,
    objectives: Sequence[str] | None,
    made: Sequence[MadeRelease],
    candidates: Sequence[Candidate],
) -> dict[str, Any]:
    """What JSON of a frontier holds beside its rules; nothing for a list of rules."""
    if not objectives:
        return {}
    return {
        "objectives": list(objectives),
        "suppression_curve": stored.summary["suppression_curve"],
        "releases": [one.as_json() for one in made],
        "candidates": [one.as_json() for one in candidates],
    }


def _print_why_none(stored: StoredDiscovery, models: Sequence[str]) -> None:
    found = [rule.as_json() for rule in stored.rules]
    say(stored.summary["explanation"] or (none_tells(found, models) if found else "no rules"))
    if found and stored.summary["exact"]:
        print_proof(stored.summary)


def _plot(
    stored: StoredDiscovery,
    kept: Sequence[Rule],
    objectives: Sequence[str],
    required: int,
    made: Sequence[MadeRelease],
) -> None:
    from anonduck.report.frontier_chart import points, release_points, text_chart

    measure = next(name for name in objectives if name != "k")
    on_it = {rule.id: rule.tied_with for rule in kept}
    drawn = points(stored.rules, list(on_it), measure, stored.summary["models"], on_it)
    say("")
    drawn += release_points(made, measure)
    for line in text_chart(drawn, measure, required=required):
        say(line)
