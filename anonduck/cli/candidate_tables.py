"""One candidate of the offer, on a terminal: its measures, and what it leaves of columns, queries and subgroups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anonduck.cli.figures import reached
from anonduck.cli.tables import figure, print_table
from anonduck.cli.terminal import on_one_line, say
from anonduck.search.expected import SCORES
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate
    from anonduck.search.store import StoredDiscovery

MOST_GROUPS = 20
PLACES = ("chosen", "next best")
GAIN = "inference gain"


def print_candidate_detail(one: Candidate, stored: StoredDiscovery) -> None:
    """Print a candidate that is no rule: its measures, what is expected of it, and what each column keeps."""
    say(f"{one.id}: {one.words}, found for k = {one.k_required:,}{'; on the frontier' if one.on_frontier else ''}")
    say("")
    rows = [
        ["k", f"{one.k:,}", ""],
        *([name, reached(value), ""] for name, value in (one.privacy or {}).items()),
        ["classes", f"{one.classes:,}", ""],
        ["suppressed records", f"{one.suppressed:,}", ""],
        *([] if one.information_gain is None else [["information gain (bits)", figure(one.information_gain), ""]]),
        *([name.replace("_", " "), f"{value:,.4f}", ""] for name, value in (one.measures or {}).items()),
        *expected_rows(one.expected or {}),
        *guessed_rows(one.inference),
    ]
    print_table(["measure", one.id, "baseline"], rows, right=[one.id, "baseline"])
    say("")
    detail = [
        [name, f"{kept:.0%}" if name in one.columns else "not in it"] for name, kept in one.detail_by_column.items()
    ]
    print_table(["column", "detail"], detail, right=["detail"])
    if one.dependency is not None:
        say(on_one_line(f"as a dependency: {one.dependency['words']}"))
    from anonduck.evaluation.workload import workload_lines

    for words in workload_lines(one.workload):
        say(words)
    print_subgroups(one)


def print_next_best(one: Candidate | None, other: Candidate | None, weighed_by: str) -> None:
    """Print the chosen candidate and the one that would be chosen without it, a line each; nothing where there are not
    both."""
    if one is None or other is None:
        return
    both = (one, other)
    measure, called = _score_of(weighed_by)
    cells: dict[str, Callable[[Candidate], str]] = {
        "candidate": lambda each: f"{each.id} {each.words}",
        "k": lambda each: f"{each.k:,}",
        "columns": lambda each: f"{len(each.columns)} of {len(each.detail_by_column)}",
        "detail": lambda each: f"{each.detail:.0%}",
        called: lambda each: score_cell(each, measure),
        GAIN: lambda each: points_cell(each, "inference"),
        "workload off by": off_by,
        "worst subgroup": worst_group,
    }
    shown = [name for name, told in cells.items() if any(map(told, both))]
    rows = [[place, *(cells[name](each) for name in shown)] for place, each in zip(PLACES, both, strict=True)]
    print_table(["", *shown], rows, right=shown[1:])
    if called in shown and weighed_by.partition(".")[0] in SCORES:
        say("these are the figures that the choice was made by; those above allow for the choice")


def print_offer(candidates: Sequence[Candidate], weighed_by: str) -> None:
    """Print the candidates on the frontier by what is most asked: k, detail, the score that decides, what is told."""
    able = sorted((one for one in candidates if one.on_frontier), key=lambda one: (-one.k, -one.detail))
    measure, called = _score_of(weighed_by)
    rows = [
        [
            f"{one.id} {one.words}",
            f"{one.k:,}",
            f"{one.detail:.0%}",
            score_cell(one, measure),
            points_cell(one, "inference"),
        ]
        for one in able
    ]
    columns = ["candidate", "k", "detail", called, GAIN]
    print_table(columns, rows, right=columns[1:])


def _score_of(weighed_by: str) -> tuple[str, str]:
    """The score that candidates are weighed by, or else the accuracy, and what it is called."""
    from anonduck.offer.choice import CALLED

    name = weighed_by.partition(".")[0]
    return (weighed_by, CALLED.get(name, name.replace("_", " "))) if name in SCORES else ("accuracy", "accuracy")


def score_cell(one: Candidate, name: str) -> str:
    """An expected score with its error, in per cent."""
    found = one.score(name)
    return "" if found is None else "±".join(f"{100 * part:.1f}" for part in found)


def points_cell(one: Candidate, name: str) -> str:
    """How much is gained by an attack, in points."""
    found: Mapping[str, float] | None = getattr(one, name)
    return "" if found is None else f"{100 * found['gain']:+.1f}"


def off_by(one: Candidate) -> str:
    """The median error of the workload; empty without one."""
    return "" if one.query_error is None else f"{100 * one.query_error:.1f} %"


def worst_group(one: Candidate) -> str:
    """The accuracy in the subgroup where it is lowest, with its error; empty without subgroups."""
    return "" if one.worst_group is None else f"{100 * one.worst_group[0]:.1f} ± {100 * one.worst_group[1]:.1f}"


def print_subgroups(one: Candidate) -> None:
    """Print what each subgroup keeps, and how often a model is right about its people; nothing without any."""
    for line in one.subgroups or ():
        say("")
        if line["reason"] is not None:
            say(f"{line['column']}: {line['reason']}")
            continue
        others = line["others"]
        groups = [("NULL" if group["value"] is None else group["value"], group) for group in line["values"]]
        if others is not None:
            groups.append((counted(others["number"], "other value", "other values"), others))
        rows = [
            [name, f"{group['records']:,}", f"{group['share']:.1%}", f"{group['detail']:.0%}", *_scores_in(group)]
            for name, group in groups[:MOST_GROUPS]
        ]
        columns = [line["column"], "records", "left out", "detail", "accuracy", "AUC"]
        print_table(columns, rows, right=columns[1:])
        if len(groups) > MOST_GROUPS:
            say(f"and {len(groups) - MOST_GROUPS:,} more in `anonduck rules {one.id} --json`")


def _scores_in(group: Mapping[str, Any]) -> tuple[str, str]:
    """The accuracy in a subgroup, with its error, and the area under the ROC curve where it has both classes."""
    from anonduck.offer.candidates import learner_of

    score = group["scores"].get(learner_of(group["scores"]))
    if score is None:
        return "", ""
    area = score["roc_auc"]
    return f"{100 * score['accuracy']:.1f} ± {100 * score['error']:.1f}", "" if area is None else f"{area:.3f}"


def expected_rows(expected: Mapping[str, Any]) -> Iterator[list[str]]:
    """The scores that each model is expected to reach on unseen records, as rows."""
    for model, score in expected.items():
        if score["roc_auc"] is not None:
            area = f"{score['roc_auc']:.4f} +- {score['roc_auc_error']:.4f}"
            yield [f"{model} ROC AUC expected on unseen records", area, figure(score["baseline"].get("roc_auc"))]
        told = f"{score['accuracy']:.4f} +- {score['error']:.4f}"
        yield [f"{model} accuracy expected on unseen records", told, figure(score["baseline"]["accuracy"])]


def guessed_rows(inference: Mapping[str, float] | None) -> Iterator[list[str]]:
    """How often the class of people in a release is guessed right, that of others, and how far apart the two are."""
    if inference is not None:
        error = f" +- {inference['error']:.4f}"
        yield ["class guessed of people in it", figure(inference["released"]), ""]
        yield ["class guessed of others", figure(inference["control"]) + error, ""]
        yield ["inference gain", figure(inference["gain"]) + error, ""]
