"""The command attack: what somebody who knows people's quasi-identifiers gets out of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.app import json_option, print_json

if TYPE_CHECKING:
    from anonduck.attacks import AttackReport, Attempt

RIGHT = ["guesses", "right", "control", "plain guess", "excess"]


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
    "--fail-above", type=click.FloatRange(0, 1), metavar="EXCESS", help="Exit 1 if an attack's excess is over it."
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
    from anonduck.cli.auditing import lookups

    if fail_above is not None and options["control"] is None:
        raise click.UsageError("--fail-above compares with a control group; name one with --control FILE")
    report = attack(
        release,
        quasi_identifiers=list(quasi) or None,
        link=[[name.strip() for name in names.split(",")] for names in link],
        taxonomies=lookups(taxonomies),
        project=_project(project or context.find_root().params.get("path")),
        **options,
    )
    print_json(report.as_json()) if as_json else print_report(report)
    if fail_above is not None and (report.highest_excess or 0.0) > fail_above:
        raise click.exceptions.Exit(1)


def _project(named: str | None) -> str | None:
    """The config that is named, or the one of this folder if its decision database is there."""
    from anonduck.config import FILE_NAME
    from anonduck.config_reading import read_config

    default = Path(FILE_NAME)
    if named is not None or not default.is_file():
        return named
    return FILE_NAME if Path(read_config(default).database).is_file() else None


def print_report(report: AttackReport) -> None:
    """The report as a table and sentences on stdout, its notes on stderr."""
    from anonduck.attacks.report import CLOSING
    from anonduck.cli.printing import on_one_line, print_table, say

    say(", ".join(f"{name} {records:,} records" for name, records in report.records.items()))
    say(on_one_line("known to the attacker: " + ", ".join(report.quasi_identifiers)))
    for name, why in report.left_out.items():
        say(on_one_line(f"left out: {name}: {why}"))
    columns = ["question", "attack", "about", *RIGHT]
    print_table(columns, [_line(attempt) for attempt in report.attempts], right=RIGHT)
    for attempt in report.attempts:
        say(f"{attempt.question}, {attempt.attack}: {attempt.words}")
    for sentence in CLOSING:
        say(sentence)
    for note in report.notes:
        say(f"note: {note}", err=True)


def _line(attempt: Attempt) -> list[str]:
    excess = attempt.excess
    return [
        attempt.question,
        attempt.attack,
        attempt.about or "",
        f"{attempt.success.tried:,}",
        f"{attempt.success.share:.4f} ({_ends(*attempt.success.interval)})",
        "" if attempt.control is None else f"{attempt.control.share:.4f} ({_ends(*attempt.control.interval)})",
        f"{attempt.baseline:.4f}",
        "" if excess is None else f"{excess[0]:+.4f} ({_ends(excess[1], excess[2])})",
    ]


def _ends(low: float, high: float) -> str:
    return f"{low:.4f} to {high:.4f}"
