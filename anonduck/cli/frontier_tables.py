"""What stands below a frontier: what is proven, releases by methods, candidates of all kinds, what suppression buys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from anonduck.cli.candidate_tables import GAIN, off_by, points_cell, score_cell, worst_group
from anonduck.cli.rule_tables import levels_in_pieces, print_baseline
from anonduck.cli.tables import figure, print_table
from anonduck.cli.terminal import say
from anonduck.offer.candidates import learner_of, unscored

if TYPE_CHECKING:
    from anonduck.offer.candidates import Candidate
    from anonduck.release.made_releases import MadeRelease
    from anonduck.search.store import StoredDiscovery


def print_proof(summary: Mapping[str, Any]) -> None:
    """What an exact search proved, and what ended it before it proved all."""
    from anonduck.search.proofs import proof_lines

    for line in proof_lines(summary):
        say(line)


def print_suppression_curve(
    points: Sequence[Mapping[str, Any]], models: Sequence[str], nodes: Mapping[str, Sequence[int]]
) -> None:
    """Print the best rules found for each share that could be left out; nothing where none gains by it."""
    lines = [(point["suppression"], rule) for point in points for rule in point["rules"]]
    if not lines:
        return
    say("\nwith more records left out, the best found, not proven (`requirement: {suppression: ...}` allows it):")
    accuracy = [f"{model} accuracy" for model in models[:1]]
    columns = ["suppression", "k", "suppressed", "gain (bits)", *accuracy, "levels"]
    rows = [
        [
            f"{share:g}",
            f"{rule['k']:,}",
            f"{rule['suppressed']:,}",
            f"{rule['information_gain']:.4f}",
            *[figure(rule["accuracy"].get(model)) for model in models[:1]],
            levels_in_pieces(rule["levels"], nodes),
        ]
        for share, rule in lines
    ]
    print_table(columns, rows, right=columns[:-1], wraps="levels", give_way=["gain (bits)", "suppressed"])


def print_made_releases(made: Sequence[MadeRelease], named: Sequence[str]) -> None:
    """Print what releases by methods reach, by falling k; nothing where there is none."""
    if not made:
        return
    say("\nreleases by methods, on the same records; they are no rules, and the frontier does not weigh them:")
    names = dict.fromkeys(["information_gain", *named, "loss"])
    keys = [name for name in names if any(one.value(name) is not None for one in made)]
    titles = ["gain (bits)" if name == "information_gain" else name.replace("_", " ") for name in keys]
    columns = ["k", "classes", "suppressed", *titles, "method", "file"]
    rows = [
        [
            f"{one.receipt['k']:,}",
            f"{one.receipt['classes']:,}",
            f"{one.receipt['suppressed']:,}",
            *[figure(one.value(key)) for key in keys],
            one.receipt["method"]["name"],
            one.file.rpartition("/")[2],
        ]
        for one in made
    ]
    print_table(columns, rows, right=columns[:-2])


def print_candidates(candidates: Sequence[Candidate], stored: StoredDiscovery) -> None:
    """Print the candidates on the frontier, by falling k, and what the columns mean."""
    print_baseline(stored.summary)
    quasi_identifiers = len(stored.settings["nodes"])
    able = [one for one in candidates if one.on_frontier]
    if not able:
        say(f"none of {len(candidates)} candidates meets the requirement; the first: {candidates[0].failed}")
        return
    shown = list(dict.fromkeys(model for one in able for model in one.expected or {}))
    cells: dict[str, Callable[[Candidate], str]] = {
        "id": lambda one: one.id,
        "k": lambda one: f"{one.k:,}",
        "cols": lambda one: f"{len(one.columns)}/{quasi_identifiers}",
        "kept": lambda one: f"{one.detail:.0%}",
        **{model: partial(score_cell, name=f"accuracy.{model}") for model in shown},
        **({"AUC": partial(score_cell, name="roc_auc")} if shown else {}),
        "risk": _risk,
        **({GAIN: partial(points_cell, name="inference")} if shown else {}),
    }
    groups = {"queries": off_by, "worst group": worst_group}
    cells |= {name: told for name, told in groups.items() if any(map(told, able))}
    rows = [
        [*(told(one) for told in cells.values()), one.words]
        for one in sorted(able, key=lambda one: (-one.k, -one.detail))
    ]
    learner = learner_of(dict.fromkeys(shown))
    give_way = [*(model for model in shown if model != learner), "risk", "cols", GAIN, "AUC"]
    print_table([*cells, "method"], rows, right=list(cells)[1:], wraps="method", give_way=give_way)
    accuracy = "; models, AUC: on people who are not in it" if shown else ""
    say(f"in %. kept: detail, 1 - NCP{accuracy}")
    gain = f"; {GAIN}: points gained on the class of its people" if shown else ""
    say(f"risk: marketer risk{gain}")
    words = {"queries": "median error of the workload's", "worst group": "accuracy in the subgroup where it is lowest"}
    if not words.keys().isdisjoint(cells):
        say("; ".join(f"{name}: {words[name]}" for name in words if name in cells))
    swapped = [one.id for one in able if not one.may_be_taken]
    if swapped:
        say(
            f"{', '.join(swapped)}: swapped values are no k-anonymity, and k is of the classes they change places in; "
            "`run` takes none of these, `release` does"
        )
    for why, ids in unscored(candidates).items():
        say(f"not scored: {', '.join(ids)}: {why}")
    failed = [one for one in candidates if one.failed is not None]
    if failed:
        say(f"{len(failed)} of {len(candidates)} candidates came to nothing; `anonduck frontier --json` says why")


def _risk(one: Candidate) -> str:
    """The share of the records that is linked to its persons by a guess in each class."""
    found = (one.privacy or {}).get("marketer_risk")
    return "" if found is None else f"{100 * found:.1f}"
