"""The commands release and anonymize: write the audited release of a rule, of classes, or of a method."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.completion import rule_ids
from anonduck.cli.config_options import bounds_option, unmapped_option
from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import (
    config_option,
    dry_run_option,
    json_option,
    keep_roots_option,
    measures_option,
    once,
    override_option,
    overwrite_option,
    release_option,
    show_values_option,
)
from anonduck.cli.release_text import finish_release, measures_of
from anonduck.cli.settings import option_of
from anonduck.cli.terminal import opened, print_json, say
from anonduck.config.requirement import RequirementOptions

if TYPE_CHECKING:
    from anonduck.project import Project
    from anonduck.release.release import Release

SHOW_HELP = (
    "What classes show in a column: the range of their values, one typical value of the column's type, or, where the "
    "config allows it, swapped values."
)


@click.command(
    "release",
    cls=SectionedCommand,
    sections={
        "What to release": ["classes", "key", "source", "show", "bounds", "keep_roots", "unmapped"],
        "Requirements": ["required"],
        "Output": ["output", "overwrite", "dry_run", "measures", "as_json", "json_line"],
    },
    short_help="Write the audited release of RULE or of classes.",
)
@click.argument("rule", required=False, shell_complete=rule_ids)
@click.option(
    "--classes",
    metavar="TABLE",
    help="Apply classes assigned elsewhere instead of RULE: a CSV file, Parquet file or FILE.duckdb::TABLE of two "
    "columns, the key of each record and its class.",
)
@click.option(
    "--key", metavar="COLUMN", help="Column that holds the keys of --classes.  [default: the identifier in both]"
)
@release_option
@click.option(
    "--source", metavar="FILE", help="Apply RULE or the classes to another export, using the same taxonomies."
)
@option_of("show", text=SHOW_HELP, default="as it was measured", once=True)
@bounds_option
@dry_run_option
@overwrite_option("an existing release")
@override_option
@keep_roots_option
@unmapped_option
@measures_option
@config_option
@json_option
@show_values_option
def release_command(
    path: str,
    as_json: bool,
    rule: str | None,
    classes: str | None,
    key: str | None,
    output: str | None,
    source: str | None,
    show: str | None,
    bounds: str | None,
    dry_run: bool,
    overwrite: bool,
    required: dict[str, Any],
    keep_roots: bool,
    unmapped: str | None,
    measures: bool,
    show_values: bool,
) -> None:
    """Write the release of RULE, or of the classes in --classes, audited, with a receipt.

    RULE is an id (R12) or a literal (age=3,"odd name"=0), which needs no discovery.
    Nothing is written if the release would miss a requirement.
    """
    if (rule is None) == (classes is None):
        raise click.UsageError("name what the release is made by: a RULE, or classes with --classes TABLE")
    if key is not None and rule is not None:
        raise click.UsageError("--key names the column of keys of --classes TABLE; a RULE has none")
    if output is None and not dry_run:
        raise click.UsageError("name the file to write with -o FILE, or add --dry-run to measure only")
    with opened(path) as project:
        made = project.release(
            rule,
            output,
            classes=classes,
            key=key,
            source=source,
            overwrite=overwrite,
            dry_run=dry_run,
            requirement=required,
            keep_roots=keep_roots,
            unmapped=unmapped,
            show_values=show_values,
            show=show,
            bounds=bounds,
        )
        measured = _measured(project, made, source) if measures else None
    finish_release(made, as_json, measured)


@click.command(
    "anonymize",
    cls=SectionedCommand,
    sections={
        "What to do": ["listed", "settings", "show", "bounds", "weights", "levels", "blocks", "source", "unmapped"],
        "Requirements": ["k", "diversity", "repair", "required"],
        "Output": ["output", "overwrite", "dry_run", "measures", "as_json", "json_line"],
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
@option_of(
    "show",
    text=f"{SHOW_HELP} By column, such as age=typical: ranges or typical values, others show ranges. Repeatable.",
    default="the config's first",
    type=str,
    metavar="WAY|COLUMN=WAY",
    multiple=True,
)
@bounds_option
@click.option(
    "--weights",
    type=click.Choice(["table-5", "equation-8", "paper", "predictive"]),
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
    help="Columns that are swapped together, by probabilistic or with --show swapped. Repeatable.",
)
@click.option("--source", metavar="FILE", help="Anonymize another export, using the same taxonomies.")
@unmapped_option
@option_of("k", "-k", model=RequirementOptions, default="the required k")
@click.option(
    "--l",
    "diversity",
    type=click.FloatRange(min=1),
    metavar="L",
    help="For nsvdist: no value of the class has more than 1/L of a distribution.",
)
@click.option("--repair", is_flag=True, help="For nsvdist: cover in both directions, so that k holds after matching.")
@override_option
@release_option
@overwrite_option("an existing release")
@dry_run_option
@measures_option
@config_option
@json_option
@show_values_option
def anonymize_command(
    path: str,
    as_json: bool,
    method: str | None,
    listed: bool,
    settings: tuple[str, ...],
    show: tuple[str, ...],
    bounds: str | None,
    weights: str | None,
    levels: str | None,
    blocks: tuple[str, ...],
    source: str | None,
    unmapped: str | None,
    k: int | None,
    diversity: float | None,
    repair: bool,
    required: dict[str, Any],
    output: str | None,
    overwrite: bool,
    dry_run: bool,
    measures: bool,
    show_values: bool,
) -> None:
    """Anonymize by a METHOD, and write the audited release with a receipt.

    Some methods find a rule. Others show each value at a level of its own, or the same value
    differently in different classes, which keeps more. Nothing is written if the release would miss a requirement.
    """
    if listed:
        _list(as_json)
        return
    if method is None:
        raise click.UsageError("name the METHOD, or list all of them with --list")
    if output is None and not dry_run:
        raise click.UsageError("name the file to write with -o FILE, or add --dry-run to measure only")
    together = [block.split("+") for block in blocks] or None
    if together and _has_option(method, "blocks"):
        settings, together = (*settings, f"blocks={json.dumps(together)}"), None
    short = {"weights": weights, "levels": levels, "l": diversity, "repair": repair or None}
    chosen = _settings(settings) | {name: value for name, value in short.items() if value is not None}
    with opened(path) as project:
        made = project.anonymize(
            method,
            output,
            k=k,
            source=source,
            overwrite=overwrite,
            dry_run=dry_run,
            requirement=required,
            unmapped=unmapped,
            show_values=show_values,
            settings=chosen,
            show=_shown(show),
            blocks=together,
            bounds=bounds,
        )
    finish_release(made, as_json, measures_of(made, None) if measures else None)


def _measured(project: Project, made: Release, source: str | None) -> dict[str, Any]:
    """The measures of a release; of one by a rule those that its discovery measured on the same records."""
    from anonduck.search.freshness import stale
    from anonduck.search.store import read_discovery
    from anonduck.search.stored_rules import rule_at

    stored = read_discovery(project.database)
    fresh = stored is not None and source is None and not stale(project.workspace, stored)
    return measures_of(made, rule_at(project.workspace, (made.owner["rule"] or {}).get("levels")) if fresh else None)


def _shown(texts: tuple[str, ...]) -> str | dict[str, str] | None:
    """Read ``--show typical`` and ``--show age=typical``; raises click.UsageError."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    named = [text.rpartition("=") for text in texts]
    if not all(column and way for column, _, way in named):
        raise click.UsageError(
            "--show takes one way for all columns, such as typical, or COLUMN=WAY for each, such as age=typical; got "
            f"{' and '.join(map(repr, texts))}"
        )
    return once(((column, way) for column, _, way in named), "--show")


def _has_option(method: str, name: str) -> bool:
    """Whether a method has an option of this name; not where there is no such method."""
    from anonduck.methods.registry import METHODS

    return method in METHODS and name in {option.name for option in METHODS[method].options}


def _settings(texts: tuple[str, ...]) -> dict[str, Any]:
    """Read ``--set strict=false``; raises click.UsageError."""
    return once(map(_setting, texts), "--set")


def _setting(text: str) -> tuple[str, Any]:
    known = {"true": True, "yes": True, "false": False, "no": False}
    name, _, value = text.partition("=")
    if not name or not value:
        raise click.UsageError(f"--set takes NAME=VALUE, such as strict=false; got {text!r}")
    return name, known.get(value.lower(), _number(value))


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
