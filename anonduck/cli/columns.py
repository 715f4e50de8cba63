"""The commands advise, quasi-identifiers and usefulness: what columns reveal of records and of the class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, opened, print_json, say


@click.command("advise", short_help="Say which columns of a wide table to leave out.")
@config_option
@json_option
def advise_command(path: str, as_json: bool) -> None:
    """Say which quasi-identifiers to leave out of a wide table.

    Shows which columns tell the same, which alone tell records apart, and how many
    records are in small classes with and without them, on up to 100,000 records.
    """
    with opened(path) as project:
        advice = project.advise()
    if as_json:
        print_json(None if advice is None else advice.as_json())
        return
    for line in ("no record to look at",) if advice is None else advice.lines:
        say(on_one_line(line))


@click.command("quasi-identifiers", short_help="Find the fewest columns that single out most records.")
@click.option(
    "--share",
    type=click.FloatRange(min=0, min_open=True, max=1),
    default=0.99,
    show_default=True,
    metavar="SHARE",
    help="Share of the records to single out.",
)
@config_option
@json_option
def quasi_identifiers_command(path: str, as_json: bool, share: float) -> None:
    """Find the smallest sets of columns that single out most records.

    Looks at the columns that the config does not name as identifiers, sensitive columns
    or the class, on up to 100,000 records. Prints no value.
    """
    with opened(path) as project:
        found = project.identifying_columns(share=share)
    if as_json:
        print_json(None if found is None else found.as_json())
        return
    if found is None:
        say("no record to look at")
        return
    rows = [
        [one.column, f"{one.unique:.2%}", f"{one.distinction:.2%}", f"{one.separation:.2%}"] for one in found.columns
    ]
    headings = ["column", "unique", "distinction", "separation"]
    print_table(headings, rows, right=headings[1:])
    for line in found.lines:
        say(on_one_line(line))


@click.command("usefulness", short_help="Show how useful each column is for telling the class.")
@config_option
@click.option(
    "--compare",
    "compared",
    is_flag=True,
    help="Also release by flexible with each reading of the weights and without, at the required k, and say whether "
    "weights help a tree; writes no release.",
)
@json_option
def usefulness_command(path: str, compared: bool, as_json: bool) -> None:
    """Show how useful each quasi-identifier is for telling the class.

    Permutes one column after the other and sees how much worse a random forest guesses
    the class. The method flexible generalizes useful columns less.
    """
    from anonduck.comparison.weights_help import METHODS, MODEL, help_of
    from anonduck.methods.settings import READING_OF
    from anonduck.models.usefulness import INTERPRETATIONS

    with opened(path) as project:
        found = project.usefulness()
        helped = help_of(project.compare(METHODS, models=[MODEL])) if compared else []
    if as_json:
        print_json({**found.as_json(), **({"help": helped} if compared else {})})
        return
    names = ("column", "error before - after", "score", *READING_OF)
    shown = [
        [f"{one['weight']:.1f} {one['grade']}" for one in found.graded(reading)] for reading in READING_OF.values()
    ]
    rows = zip(found.names, found.changes, found.scores, *shown, strict=True)
    print_table(names, [(name, f"{change:+.4f}", f"{score:+.2f}", *two) for name, change, score, *two in rows])
    for name, reading in READING_OF.items():
        say(f"{name}: {INTERPRETATIONS[reading]}")
    say(f"{found.trees} trees on {found.records:,} records; out-of-bag error of a tree {found.error:.4f}")
    for one in helped:
        say(_help_words(one))


def _help_words(one: Mapping[str, Any]) -> str:
    """Whether weights help, in words."""
    if one["difference"] is None:
        return f"{one['weights']}: not measured: {one['reason']}"
    verb = "help" if one["help"] else "are not shown to help"
    return (
        f"weights by {one['weights']} {verb} a tree on this table: AUC {one['roc_auc']:.3f}, with levels=least "
        f"{one['without']:.3f}, difference {one['difference']:+.3f} ± {one['error']:.3f}"
    )
