"""The command anonymize: write, audit and prove the release of a method."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import click

from anonduck.cli.options import config_option, json_option, requirements, show_values_option
from anonduck.cli.release import finish_release
from anonduck.cli.sections import SectionedCommand
from anonduck.cli.terminal import print_json, reporting, say


@click.command(
    "anonymize",
    cls=SectionedCommand,
    sections={
        "What to do": ["listed", "settings", "weights", "levels", "blocks", "source", "unmapped"],
        "Requirements": ["k", "diversity", "repair", "required"],
        "Output": ["output", "overwrite", "dry_run", "no_models", "as_json", "json_line"],
    },
    short_help="Write the audited release of a METHOD.",
)
@click.argument("method", required=False)
@click.option("--list", "listed", is_flag=True, help="List the methods, what each does and where it is described.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the method, such as strict=false. Repeatable.",
)
@click.option(
    "--weights",
    type=click.Choice(["paper", "predictive"]),
    help="Which columns the method flexible takes for useful, in place of --set weights.",
)
@click.option(
    "--levels",
    type=click.Choice(["rule", "least"]),
    help="At which levels the method flexible shows a class, in place of --set levels.",
)
@click.option(
    "--block",
    "blocks",
    multiple=True,
    metavar="COLUMN+COLUMN",
    help="For probabilistic: columns that are swapped together. Repeatable.",
)
@click.option("--source", metavar="FILE", help="Anonymize another export, using the same taxonomies.")
@click.option(
    "--unmapped",
    type=click.Choice(["refuse", "root"]),
    help="Refuse values missing from a nominal taxonomy, or generalize them to the root.  [default: the config's]",
)
@click.option(
    "-k", "k", type=click.IntRange(min=1), metavar="N", help="Records per class, at least.  [default: the required k]"
)
@click.option(
    "--l",
    "diversity",
    type=click.FloatRange(min=1),
    metavar="L",
    help="For nsvdist: no value of the class has more than 1/L of a distribution.",
)
@click.option("--repair", is_flag=True, help="For nsvdist: cover in both directions, so that k holds after matching.")
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="NAME=N",
    help="Override a requirement of the config, such as l=2. Repeatable.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Release to write: .parquet, .csv, FILE.duckdb::TABLE; where an engine reads the source, spark:TABLE "
    "or a folder, NAME.parquet/.",
)
@click.option("--overwrite", is_flag=True, help="Replace an existing release.")
@click.option("--dry-run", is_flag=True, help="Measure the release without writing it.")
@click.option("--no-models", is_flag=True, help="Do not train the config's models on the release, which takes time.")
@config_option
@json_option
@show_values_option
def anonymize_command(
    path: str,
    as_json: bool,
    method: str | None,
    listed: bool,
    settings: tuple[str, ...],
    weights: str | None,
    levels: str | None,
    blocks: tuple[str, ...],
    output: str | None,
    required: tuple[str, ...],
    dry_run: bool,
    no_models: bool,
    diversity: float | None,
    repair: bool,
    **options: Any,
) -> None:
    """Anonymize by a METHOD, and write the audited release with a receipt.

    Some methods find a rule. Others show each value at a level of its own, or the same value
    differently in different classes, which keeps more. Nothing is written if the release would miss a requirement.
    """
    from anonduck.project import Project

    if listed:
        _list(as_json)
        return
    if method is None:
        raise click.UsageError("name the METHOD, or list all of them with --list")
    if output is None and not dry_run:
        raise click.UsageError("name the file to write with -o FILE, or add --dry-run to measure only")
    together = json.dumps([block.split("+") for block in blocks]) if blocks else None
    short = {"weights": weights, "levels": levels, "l": diversity, "repair": repair or None, "blocks": together}
    chosen = _settings(settings) | {name: value for name, value in short.items() if value is not None}
    with reporting() as reporter, Project(path, reporter=reporter) as project:
        made = project.anonymize(
            method,
            output,
            dry_run=dry_run,
            requirement=requirements(required),
            models=[] if no_models else None,
            settings=chosen,
            **options,
        )
    finish_release(made, as_json)


def _settings(texts: tuple[str, ...]) -> dict[str, Any]:
    """Read ``--set strict=false``; raises click.UsageError."""
    known = {"true": True, "yes": True, "false": False, "no": False}
    found: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value:
            raise click.UsageError(f"--set takes NAME=VALUE, such as strict=false; got {text!r}")
        found[name] = known.get(value.lower(), _number(value))
    return found


def _number(text: str) -> int | float | str:
    """A number as one, any other text as it is."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _list(as_json: bool) -> None:
    from anonduck.methods.registry import METHODS

    if as_json:
        print_json({"methods": [method.as_json() for method in METHODS.values()]})
        return
    for method in METHODS.values():
        say(f"{method.name}: {method.words}")
        say(f"  described by {method.source}")
        for option in method.options:
            if option.text:
                say(f"  --set {option.name}=TEXT: {option.words}")
                continue
            others = "".join(f" or {choice}" for choice in option.choices if choice != option.default)
            others += "" if option.least is None else f" or a number from {option.least:g} on"
            say(f"  --set {option.name}={str(option.default).lower()} (default){others}: {option.words}")
