"""How ``audit --original`` is done: a release by distributions, held against the table that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from anonduck.cli.terminal import print_json, say, tracer

GOES_WITH = "--original goes with -q, --class, --taxonomy, --require k=N, --require l=N, --delim and --json alone"
UNASKED = {"measures": "all", "multiple_sensitive": "each", "form": ("table", "json")}


def audit_with_original(
    file: str,
    original: str,
    quasi: Sequence[str],
    required: Mapping[str, Any],
    taxonomies: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    as_json: bool,
) -> None:
    """Print how many originals each released record covers, and the reverse; exit with 1 where k or l is missed."""
    from anonduck.auditing.original import audit_original

    if options["class_"] is None:
        raise click.UsageError("name the column of distributions, which is the class of SOURCE, with --class COLUMN")
    if any(_given(name, value) for name, value in options.items() if name not in ("class_", "delim")):
        raise click.UsageError(GOES_WITH)
    report = audit_original(
        file,
        original,
        list(quasi) or None,
        distribution=options["class_"],
        requirements=required,
        taxonomies=taxonomies,
        delim=options["delim"],
        tracer=tracer(),
    )
    document = report.as_json()
    if as_json:
        print_json(document)
    else:
        _print(document)
    if not report.met:
        raise click.exceptions.Exit(1)


def _given(name: str, value: Any) -> bool:
    """Whether an option is another than it is when nobody gives it."""
    usual = UNASKED.get(name)
    if usual is not None:
        return value not in usual if isinstance(usual, tuple) else bool(value != usual)
    return any(value) if isinstance(value, tuple) else bool(value)


def _print(document: Mapping[str, Any]) -> None:
    found, k = document["original"], document["original"]["under"]
    say(f"{document['rows']:,} records, non-homogeneous k = {found['k']:,}, l = {found['l']:g}")
    lines = {
        "originals_per_released": "originals that a released record covers",
        "released_per_original": "released records that cover an original",
        "after_matching": "those left after matching",
    }
    for name, words in lines.items():
        one = found[name]
        if one is None:
            continue
        say(
            f"{words}: {one['least']:,} at least, {one['mean']:,.1f} on average, under {k:,} for {one['under']:.1%}, "
            f"one for {one['one']:.1%}"
        )
    inferred = found["inference"]
    lift = "" if inferred["lift"] is None else f", {inferred['lift']:.2f} times as often"
    say(
        f"class guessed right by naive Bayes for {inferred['naive_bayes']:.1%} of the originals, by naming the most "
        f"frequent for {inferred['baseline']:.1%}{lift}"
    )
    for line in document["requirements"]:
        met = "met" if line["met"] else "NOT met"
        say(f"{line['name']} >= {line['required']:g}: {met} ({line['reached']:g})")
    for warning in document["warnings"]:
        say(f"warning: {warning}", err=True)
