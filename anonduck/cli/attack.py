"""The command attack: what somebody who knows people's quasi-identifiers gets out of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.options import json_option, lookups
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, say

if TYPE_CHECKING:
    from anonduck.attacks import AttackReport, Attempt

RIGHT = ["guesses", "right", "control", "plain guess", "excess", "normalised"]
TOLD = [
    "prior",
    "ranked highest",
    "of them hold it",
    "lift",
    "control",
    "control lift",
    "chance",
    "bits",
    "control bits",
]
MOST_SKEWS = 3  # of each column are printed


@click.command("attack")
@click.argument("release")
@click.option("--original", required=True, metavar="FILE", help="The records that the release was made from.")
@click.option(
    "--control", metavar="FILE", help="Records of people who are not in the release, columns as the original."
)
@click.option("-q", "--quasi-identifier", "quasi", multiple=True, metavar="COLUMN", help="Default: all other columns.")
@click.option("--sensitive", multiple=True, metavar="COLUMN", help="What is guessed; not known to the attacker.")
@click.option("--class", "class_", metavar="COLUMN", help="Guessed if there is no sensitive column.")
@click.option("--insensitive", multiple=True, metavar="COLUMN", help="Neither known to the attacker nor guessed.")
@click.option(
    "--link", multiple=True, metavar="A,B", help="Columns known from one place; give it twice, once for each place."
)
@click.option("--taxonomy", "taxonomies", multiple=True, metavar="COLUMN=FILE", help="Labels of a column, leaf first.")
@click.option("--guesses", type=click.IntRange(min=1), default=1_000, show_default=True, help="At most, in each group.")
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the records that are attacked.")
@click.option("--splink/--no-splink", default=None, help="Link records by Splink too.  [default: if it is installed]")
@click.option("--delim", help="The separator of CSV files.")
@click.option(
    "--fail-above",
    type=click.FloatRange(0, 1),
    metavar="EXCESS",
    help="Exit 1 if an attack's normalised excess is over it, and chance does not explain it.",
)
@click.option("-p", "--project", metavar="PATH", help="The config whose taxonomies gave the labels, if there is one.")
@json_option
@click.pass_context
def attack_command(
    context: click.Context,
    /,
    release: str,
    as_json: bool,
    quasi: tuple[str, ...],
    link: tuple[str, ...],
    taxonomies: tuple[str, ...],
    fail_above: float | None,
    project: str | None,
    **options: Any,
) -> None:
    """Attack RELEASE: singling out, linkability and inference, against a control group."""
    from anonduck.attacks import attack

    if fail_above is not None and options["control"] is None:
        raise click.UsageError("--fail-above compares with a control group; name one with --control FILE")
    report = attack(
        release,
        quasi_identifiers=list(quasi) or None,
        link=[[name.strip() for name in names.split(",")] for names in link],
        taxonomies=lookups(taxonomies),
        project=_project(project or context.find_root().params.get("path")),
        strict=fail_above is not None,
        **options,
    )
    print_json(report.as_json(fail_above)) if as_json else print_report(report)
    if fail_above is not None and _judged(report, fail_above):
        raise click.exceptions.Exit(1)


def _judged(report: AttackReport, limit: float) -> bool:
    """Say on stderr what is over the limit and what so many guesses cannot decide; returns whether anything is over."""
    over = report.over(limit)
    for one in over:
        normalised = one.excess.normalised if one.excess else None
        click.echo(f"over {limit:g}: {_named(one)}: normalised excess {normalised or 0:.4f}", err=True)
    for one in report.undecided(limit):
        high = one.excess.normalised_high if one.excess else None
        most = "anything" if high is None else f"up to {high:.4f}"
        told = "more --guesses or larger groups would tell"
        click.echo(f"not decided: {_named(one)}: its normalised excess may be {most}; {told}", err=True)
    return bool(over)


def _named(attempt: Attempt) -> str:
    return f"{attempt.question}, {attempt.attack}" + (f" ({attempt.about})" if attempt.about else "")


def _project(named: str | None) -> str | None:
    """The config that is named, or the one of this folder if its decision database is there."""
    from anonduck.config import FILE_NAME
    from anonduck.config_reading import read_config

    default = Path(FILE_NAME)
    if named is not None or not default.is_file():
        return named
    return FILE_NAME if Path(read_config(default).database).is_file() else None


def print_report(report: AttackReport) -> None:
    """The report as tables and sentences on stdout, its notes on stderr."""
    from anonduck.attacks.report import CLOSING
    from anonduck.attacks.wording import skewed

    say(", ".join(f"{name} {records:,} records" for name, records in report.records.items()))
    say(on_one_line("known to the attacker: " + ", ".join(report.quasi_identifiers)))
    for name, why in report.left_out.items():
        say(on_one_line(f"left out: {name}: {why}"))
    print_table(["question", "attack", "about", *RIGHT], [_line(one) for one in report.attempts], right=RIGHT)
    say(f"intervals of excess hold for all {report.comparisons} attacks together, in 95 %")
    told = [_told(one) for one in report.attempts if one.posterior is not None]
    if told:
        say("what the chances tell, of the value with the largest lift:")
        print_table(["attack", "about", *TOLD], told, right=TOLD)
    for about in dict.fromkeys(skew.about for skew in report.skews):
        skews = [skew for skew in report.skews if skew.about == about]
        for skew in skews[:MOST_SKEWS]:
            say(f"skewed, {about}: {skewed(skew)}")
        if len(skews) > MOST_SKEWS:
            say(f"skewed, {about}: {len(skews) - MOST_SKEWS} more values, of lower lifts; --json tells them")
    for attempt in report.attempts:
        say(f"{_named(attempt)}: {attempt.words}")
    for sentence in CLOSING:
        say(sentence)
    for note in report.notes:
        say(f"note: {note}", err=True)


def _line(attempt: Attempt) -> list[str]:
    excess = attempt.excess
    normalised = None if excess is None else excess.normalised
    return [
        attempt.question,
        attempt.attack,
        attempt.about or "",
        f"{attempt.success.tried:,}",
        f"{attempt.success.share:.4f} ({_ends(*attempt.success.interval)})",
        "" if attempt.control is None else f"{attempt.control.share:.4f} ({_ends(*attempt.control.interval)})",
        f"{attempt.baseline:.4f}",
        "" if excess is None else f"{excess.value:+.4f} ({_ends(excess.low, excess.high)})",
        "" if normalised is None else f"{normalised:+.4f}",
    ]


def _told(attempt: Attempt) -> list[str]:
    """What the chances of an attack tell of the value with the largest lift, and whether chance could explain it."""
    posterior = attempt.posterior
    assert posterior is not None
    one = posterior.largest
    bits = ["" if gain is None else f"{gain.gained:+.4f}" for gain in (posterior.own, posterior.control)]
    if one is None:
        return [attempt.attack, attempt.about or "", *[""] * 7, *bits]
    control = ["", ""] if one.control is None else [f"{one.control.top.share:.4f}", _lift(one.control.lift)]
    own = [f"{one.prior:.4f}", f"{one.own.top.tried:,}", f"{one.own.top.share:.4f}", _lift(one.own.lift)]
    chance = "could explain it" if posterior.telling is None else "does not explain it"
    return [attempt.attack, attempt.about or "", *own, *control, chance, *bits]


def _lift(lift: float | None) -> str:
    return "" if lift is None else f"{lift:.2f}"


def _ends(low: float, high: float) -> str:
    return f"{low:.4f} to {high:.4f}"
