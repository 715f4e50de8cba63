"""The command attack: what somebody who knows people's quasi-identifiers gets out of a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.completion import config_path
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import (
    audited_requirements,
    columns_option,
    delim_option,
    json_option,
    require_option,
    roles_by_config,
    taxonomies_option,
)
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import on_one_line, print_json, say, tracer

if TYPE_CHECKING:
    from anonduck.attacks.intruder_report import IntruderFinding
    from anonduck.attacks.report import AttackReport, Attempt

RIGHT = ["guesses", "right", "control", "plain guess", "excess", "normalised"]
TOLD = [
    "prior",
    "ranked highest",
    "share with it",
    "lift",
    "control",
    "control lift",
    "chance",
    "bits",
    "control bits",
]
MOST_SKEWS = 3  # of each column are printed


@click.command(
    "attack",
    short_help="Attack a release and measure what can be learned.",
    cls=SectionedCommand,
    sections={
        "Data": ["original", "control", "intruder", "intruder_key", "delim", "taxonomies", "project"],
        "Attacker": ["quasi", "sensitive", "class_", "insensitive", "roles", "link"],
        "Attacks": ["guesses", "intruder_all", "seed", "splink", "downcoding", "minimality", "required", "fail_above"],
        "Output": ["as_json", "json_line"],
    },
)
@click.argument("release")
@click.option("--original", required=True, metavar="FILE", help="Records that the release was made from.")
@click.option(
    "--control",
    metavar="FILE",
    help="Records of people who are not in the release, with the columns of --original.",
)
@click.option(
    "--intruder",
    metavar="REGISTER",
    help="People with a key and known facts; somebody looks for them in the release.",
)
@columns_option(
    "--intruder-key",
    multiple=False,
    text="Column of REGISTER and --original that says who is who.  [default: the one that is unique in REGISTER]",
)
@columns_option(
    "-q",
    "--quasi-identifier",
    "quasi",
    text="Column the attacker knows. Repeatable.  [default: all other columns]",
)
@columns_option("--sensitive", text="Column the attacker does not know but guesses. Repeatable.")
@columns_option("--class", "class_", multiple=False, text="Class column, guessed if there is no --sensitive.")
@columns_option("--insensitive", text="Column the attacker neither knows nor guesses. Repeatable.")
@click.option("--roles", is_flag=True, help="Take the roles of columns that are not named here from the config of -p.")
@click.option(
    "--link", multiple=True, metavar="A,B", help="Columns known from one place; give it twice, once for each place."
)
@taxonomies_option("Taxonomy that gave a column its labels, leaf first. Repeatable.")
@click.option(
    "--guesses",
    type=click.IntRange(min=1),
    metavar="N",
    default=1_000,
    show_default=True,
    help="Make at most N guesses in each group, per attack.",
)
@click.option("--intruder-all", is_flag=True, help="Look for all people of REGISTER, in place of --guesses of them.")
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Seed of the draw of attacked records."
)
@click.option("--splink/--no-splink", default=None, help="Also link records with Splink.  [default: if installed]")
@click.option(
    "--downcoding",
    is_flag=True,
    help="Also try what labels tell if each is the smallest node over its class.",
)
@click.option(
    "--minimality",
    is_flag=True,
    help="Also try what classes tell by not having been cut further, where sensitive values had to meet a requirement.",
)
@require_option(
    "What the release had to meet, such as k=5 or l=2, for --minimality. Repeatable.  [default: as its receipt says]",
    audited_requirements,
)
@delim_option
@click.option(
    "--fail-above",
    type=click.FloatRange(0, 1),
    metavar="EXCESS",
    help="Exit with 1 if an attack's normalised excess is above this and chance does not explain it.",
)
@click.option(
    "-p",
    "--project",
    metavar="PATH",
    help="Config whose taxonomies gave the labels.  [default: anonduck.yml, if its database exists]",
)
@json_option
@click.pass_context
def attack_command(
    context: click.Context,
    /,
    release: str,
    original: str,
    control: str | None,
    intruder: str | None,
    intruder_key: str | None,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    class_: str | None,
    insensitive: tuple[str, ...],
    roles: bool,
    link: tuple[str, ...],
    taxonomies: dict[str, str],
    guesses: int,
    intruder_all: bool,
    seed: int,
    splink: bool | None,
    downcoding: bool,
    minimality: bool,
    required: dict[str, Any],
    delim: str | None,
    fail_above: float | None,
    project: str | None,
    as_json: bool,
) -> None:
    """Attack a release and measure how much an attacker learns.

    Tries to single people out of RELEASE, to link records to it, and to infer values from
    it. With --control, compares with people who are not in the release.
    """
    from anonduck.attacks.attack import attack
    from anonduck.config.file_names import FILE_NAME

    if fail_above is not None and control is None:
        raise click.UsageError("--fail-above needs a control group to compare with; name it with --control FILE")
    if intruder is None and (intruder_key is not None or intruder_all):
        raise click.UsageError(
            "--intruder-key and --intruder-all are about a register; name it with --intruder REGISTER"
        )
    config = project or context.find_root().params.get("path")
    named = None
    if roles:
        given = {"quasi": quasi, "class_": class_, "sensitive": sensitive, "insensitive": insensitive}
        named = roles_by_config(config or FILE_NAME, release, delim, given)
        class_, sensitive, insensitive = named.class_, named.sensitive, named.insensitive
    report = attack(
        release,
        original,
        list(quasi) or None,
        control=control,
        intruder=intruder,
        intruder_key=intruder_key,
        intruder_all=intruder_all,
        sensitive=sensitive,
        class_=class_,
        insensitive=insensitive,
        link=[[name.strip() for name in names.split(",")] for names in link],
        taxonomies=taxonomies,
        project=_project(config, for_roles=roles),
        guesses=guesses,
        seed=seed,
        splink=splink,
        strict=fail_above is not None,
        downcoding=downcoding,
        minimality=minimality,
        requirements=required or None,
        delim=delim,
        tracer=tracer(),
    )
    if named is not None:
        report = replace(report, roles_from=named.words, notes=(*named.warnings, *report.notes))
    print_json(report.as_json(fail_above)) if as_json else print_report(report)
    if fail_above is not None and _judged(report, fail_above):
        raise click.exceptions.Exit(1)


def _judged(report: AttackReport, limit: float) -> bool:
    """Say on stderr what is over the limit and what so many guesses cannot decide; returns whether anything is over."""
    over = report.over(limit)
    for one in over:
        normalised = one.excess.normalised if one.excess else None
        say(f"over {limit:g}: {_named(one)}: normalised excess {normalised or 0:.4f}", err=True)
    for one in report.undecided(limit):
        high = one.excess.normalised_high if one.excess else None
        most = "anything" if high is None else f"up to {high:.4f}"
        told = "more --guesses or larger groups would decide it"
        say(f"undecided: {_named(one)}: its normalised excess may be {most}; {told}", err=True)
    return bool(over)


def _named(attempt: Attempt) -> str:
    return f"{attempt.question}, {attempt.attack}" + (f" ({attempt.about})" if attempt.about else "")


def _project(named: str | None, *, for_roles: bool) -> str | None:
    """The config that is named, or the one of this folder; only if its decision database is there, where it was not
    named for its taxonomies."""
    from anonduck.config.file_names import FILE_NAME
    from anonduck.config.reading import read_config

    path = Path(config_path(named or FILE_NAME))
    if named is not None and not for_roles:
        return str(path)
    known = path.is_file() and (path.parent / read_config(path).database).is_file()
    return str(path) if known else None


def print_report(report: AttackReport) -> None:
    """The report as tables and sentences on stdout, its notes on stderr."""
    from anonduck.attacks.report import CLOSING
    from anonduck.attacks.words import skewed

    say(", ".join(f"{name} {records:,} records" for name, records in report.records.items()))
    say(on_one_line("known to the attacker: " + ", ".join(report.quasi_identifiers)))
    if report.roles_from is not None:
        say(on_one_line(report.roles_from))
    for name, why in report.left_out.items():
        say(on_one_line(f"left out: {name}: {why}"))
    print_table(["question", "attack", "about", *RIGHT], [_line(one) for one in report.attempts], right=RIGHT)
    say(f"excess intervals have 95 % confidence for all {report.comparisons} attacks jointly")
    told = [_posterior_row(one) for one in report.attempts if one.posterior is not None]
    if told:
        say("what predicted probabilities reveal, for the value with the largest lift:")
        print_table(["attack", "about", *TOLD], told, right=TOLD)
    for about in dict.fromkeys(skew.about for skew in report.skews):
        skews = [skew for skew in report.skews if skew.about == about]
        for skew in skews[:MOST_SKEWS]:
            say(f"skewed, {about}: {skewed(skew)}")
        if len(skews) > MOST_SKEWS:
            say(f"skewed, {about}: {len(skews) - MOST_SKEWS} more values with lower lifts; --json lists them")
    for attempt in report.attempts:
        say(f"{_named(attempt)}: {attempt.words}")
    if report.intruder is not None:
        print_intruder(report.intruder)
    for sentence in CLOSING:
        say(sentence)
    for note in report.notes:
        say(f"note: {note}", err=True)


def print_intruder(found: IntruderFinding) -> None:
    """What an intruder finds: claims by confidence, the effort curve, and sentences."""
    heads = ["claims", "right", "share right", "about people outside"]
    rows, most = [], ""
    for band in found.bands:
        name = f"{band.least:g} or more{most}" if band.least else f"less than {found.bands[-2].least:g}"
        share = "" if not band.right.tried else f"{band.right.share:.4f} ({_ends(*band.right.interval)})"
        rows.append([name, f"{band.right.tried:,}", f"{band.right.right:,.1f}", share, f"{band.outside:,}"])
        most = f", under {band.least:g}"
    say("claims of an intruder that a row is a person's, by confidence:")
    print_table(["confidence", *heads], rows, right=heads)
    curve = ", ".join(f"{right:,.1f} of {count:,}" for count, right in found.effort)
    say(on_one_line(f"right among the most confident claims: {curve}"))
    for sentence in found.words:
        say(on_one_line(sentence))


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


def _posterior_row(attempt: Attempt) -> list[str]:
    """The row of an attack's probabilities: the value with the largest lift, and whether chance could explain it."""
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
