"""The command compare: which way of anonymizing keeps most, at which k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import config_option, json_option, overwrite_option, read_pairs
from anonduck.cli.settings import option_of
from anonduck.cli.tables import figure, print_table
from anonduck.cli.terminal import opened, print_json, say
from anonduck.rules.measure_names import OBJECTIVES

if TYPE_CHECKING:
    from anonduck.comparison.comparison import Comparison

SHORT = {"accuracy": "accuracy", "balanced_accuracy": "balanced", "macro_f1": "F1", "roc_auc": "AUC"}


@click.command(
    "compare",
    cls=SectionedCommand,
    sections={
        "What to compare": ["methods", "ks", "at", "imports", "select"],
        "How": ["models", "protocols", "time_limit", "again"],
        "Output": ["output", "overwrite", "as_json", "json_line"],
    },
    short_help="Compare methods and rules: what each keeps, at each k.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Method, such as mondrian or mondrian:splits=entropy; `rules` is the best rule at each k. Repeatable.",
)
@click.option(
    "-k", "ks", multiple=True, type=click.IntRange(min=1), metavar="N", help="Records per class, at least. Repeatable."
)
@click.option("--at", type=click.Choice(["frontier"]), help="Also take each k that the frontier of the rules reaches.")
@click.option(
    "--import", "imports", multiple=True, metavar="NAME=FILE", help="Release made by another tool, to add. Repeatable."
)
@option_of(
    "select",
    multiple=True,
    text=f"Measure that the best rule is picked by: {', '.join(OBJECTIVES)}. Repeatable.",
    default="the config's",
)
@option_of("models", text="Model to train.", default="the config's")
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice(["released", "held-out"]),
    help="Cross-validate on released records, or anonymize each training part by itself. Repeatable.  "
    "[default: released]",
)
@option_of("time_limit", text="Stop a row after this many seconds.", default="the config's")
@click.option("--again", is_flag=True, help="Make rows anew that were finished before.")
@click.option("-o", "--output", metavar="DIR", help="Folder to write: JSON, CSV and charts.")
@overwrite_option("an earlier comparison there")
@config_option
@json_option
def compare_command(
    path: str,
    as_json: bool,
    methods: tuple[str, ...],
    ks: tuple[int, ...],
    at: str | None,
    imports: tuple[str, ...],
    output: str | None,
    overwrite: bool,
    select: tuple[str, ...],
    models: tuple[str, ...],
    protocols: tuple[str, ...],
    time_limit: float | None,
    again: bool,
) -> None:
    """Compare methods and rules: what each keeps, costs and risks, at each k.

    All are measured with the same folds and models. A method that fails or runs out of time is a
    row that says so. Finished rows are kept in the decision database, and reused.
    """
    if not methods and not imports:
        raise click.UsageError("name what to compare with --method NAME or --import NAME=FILE")
    from anonduck.comparison.charts import check_folder, write_comparison

    others = read_pairs(imports, "--import", "NAME=FILE", "arx=arx.csv")
    if output is not None:
        check_folder(Path(output), overwrite=overwrite)
    with opened(path) as project:
        found = project.compare(
            methods,
            ks,
            at=at,
            imports=others,
            models=models or None,
            protocol=protocols or "released",
            select=select,
            time_limit=time_limit,
            again=again,
        )
        announce = project.reporter.announce
        written = (
            [] if output is None else write_comparison(found, Path(output), overwrite=overwrite, announce=announce)
        )
    if as_json:
        print_json(found.as_json() | {"files": [str(one) for one in written]})
        return
    print_comparison(found)
    if written:
        say(f"\nwrote {len(written)} files to {output}")


def print_comparison(found: Comparison) -> None:
    """A table for each protocol, and why rows are missing."""
    for protocol, words in found.protocols.items():
        _print_protocol(found, protocol, words)
    for row in found.rows:
        if row["reason"]:
            k = "" if row["k_required"] is None else f" at k = {row['k_required']:,}"
            say(f"{row['method']}{k}, {row['protocol']}: {row['status']}: {row['reason']}")
    _print_best(found)
    say(
        "± is the standard deviation over the folds; risk the marketer risk: the share of records that somebody who "
        "knows all quasi-identifiers links rightly, on average; CPU s what the release takes, without models and "
        "without a search for rules"
    )


def _print_protocol(found: Comparison, protocol: str, words: str) -> None:
    from anonduck.comparison.comparability import footnotes
    from anonduck.comparison.comparison import SEARCH

    rows = [row for row in found.rows if row["protocol"] == protocol]
    notes = footnotes(rows)
    numbers = {note.text: note.number for note in notes}
    cost = ["CPU s", *(["search s"] if any(row[SEARCH] is not None for row in rows) else []), "MB"]
    columns = ["method", "k", "reached", "classes", "left out", "NCP", "risk"]
    scored = [f"{model} {short}" for model in found.models for short in SHORT.values()]
    cells = [_cells(row, found.models, cost, numbers) for row in rows]
    cells.insert(0, ["ungeneralized", *[""] * 6, *_scores(found.baseline, found.models), *[""] * len(cost)])
    say(f"{protocol}: {words}")
    print_table([*columns, *scored, *cost], cells, right=[*columns[1:], *scored, *cost])
    for note in notes:
        say(note.line)
    say("")


def _cells(row: Mapping[str, Any], models: Sequence[str], cost: Sequence[str], numbers: Mapping[str, int]) -> list[str]:
    """The cells of a row; its note by the number among ``numbers`` that stands behind its name."""
    if row["k"] is None:
        empty = [""] * (4 + len(SHORT) * len(models) + len(cost))
        return [row["method"], _count(row["k_required"]), row["status"], *empty]
    number = numbers.get(row["note"])
    name = row["method"] if number is None else f"{row['method']} [{number}]"
    spent = {"CPU s": row["cpu_seconds"], "search s": row["search_cpu_seconds"]}
    figures = [_count(row[name]) for name in ("k_required", "k", "classes", "suppressed")]
    lost = [figure(row["measures"].get("ncp")), figure(row["risks"].get("marketer_risk"))]
    memory = "" if row["memory_mb"] is None else f"{row['memory_mb']:,.0f}"
    seconds = ["" if spent[name] is None else f"{spent[name]:.1f}" for name in cost if name in spent]
    return [name, *figures, *lost, *_scores(row["models"], models), *seconds, memory]


def _scores(reached: Mapping[str, Any], models: Sequence[str]) -> list[str]:
    return [_score(reached.get(model, {}).get(score, {})) for model in models for score in SHORT]


def _score(figures: Mapping[str, Any]) -> str:
    """A score with its spread over the folds, such as 0.8442 ±0.0053."""
    spread = figures.get("spread")
    return figure(figures.get("value")) + ("" if spread is None else f" ±{spread:.4f}")


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _print_best(found: Comparison) -> None:
    """What to take at each k, where there is a choice."""
    best = [one for one in found.best() if one["score"] in ("accuracy", "balanced_accuracy", "roc_auc")]
    if len({row["method"] for row in found.rows if row["comparable"]}) < 2 or not best:
        return
    say("best at each k, of all rows that reach it and have a k of their file:")
    rows = [
        [
            one["protocol"],
            f"{one['k']:,}",
            f"{one['model']} {SHORT[one['score']]}",
            one["method"],
            f"{one['value']:.4f}",
        ]
        for one in best
    ]
    print_table(["protocol", "k", "score", "method", "value"], rows, right=["k", "value"])
