"""The command audit: the measures of a release, from its file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

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
from anonduck.cli.terminal import print_json, say, tracer
from anonduck.privacy.requirement import PRESETS

GOES_WITH = (
    "--original goes with -q, --class, --taxonomy, --held-out, --also, --require k=N, --require l=N, --delim and "
    "--json alone"
)
WITH_ORIGINAL = (
    *(
        "file",
        "original",
        "held_out",
        "also",
        "quasi",
        "class_",
        "taxonomies",
        "required",
        "delim",
        "form",
        "as_json",
        "table",
    ),
)
"""Parameters that an audit of distributions, or of swapped values, takes."""
LOST_OVER = {"all_columns": "all columns", "quasi_identifiers_and_class": "quasi-identifiers and class"}


@click.command(
    "audit",
    short_help="Measure the privacy of a release from its file alone.",
    cls=SectionedCommand,
    sections={
        "Columns": ["quasi", "sensitive", "insensitive", "class_", "entity", "taxonomies", "project", "receipt"],
        "Requirements": [
            *("required", "preset", "policy", "audience"),
            *("measures", "risk_threshold", "multiple_sensitive"),
        ],
        "Sensitive values": ["sensitive_value", "harmless_value", "order", "allow_absent"],
        "Population and earlier releases": [
            "population",
            "sampling_fraction",
            "against",
            "uncompared",
            "original",
            "held_out",
            "also",
        ],
        "Input and output": ["engine", "delim", "row_order", "form", "as_json", "json_line", "as_sql", "table"],
    },
)
@click.argument("file")
@columns_option(
    "-q",
    "--quasi-identifier",
    "quasi",
    text="Quasi-identifier. Repeatable.  [default: all other columns]",
)
@columns_option("--sensitive", text="Column whose values nobody should learn. Repeatable.")
@columns_option("--insensitive", text="Column that is neither a quasi-identifier nor sensitive. Repeatable.")
@columns_option("--class", "class_", multiple=False, text="Class column, not a quasi-identifier.")
@click.option(
    "--sensitive-value",
    "sensitive_value",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Check only this value in alpha, lkc, beta, enhanced_beta and delta_disclosure; COLUMN alone means NULL. "
    "Repeatable.",
)
@click.option(
    "--harmless-value",
    "harmless_value",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Check every other value in those; COLUMN alone means NULL. Repeatable.",
)
@click.option(
    "--order",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Order of a sensitive column for t_ordered, where its values are neither numbers nor dates: repeat it for "
    "each value, from the lowest to the highest.",
)
@click.option("--allow-absent", is_flag=True, help="Only warn if none of a column's --sensitive-value is in FILE.")
@columns_option(
    "--entity",
    multiple=False,
    text="Key of a person, who may have several records; count persons, and how alike all rows of each are.",
)
@click.option(
    "--population", metavar="FILE", help="Table of everyone who could be in the release, generalized the same way."
)
@taxonomies_option("Taxonomy of a sensitive column, leaf first; with --against, of any column. Repeatable.")
@click.option(
    "--against", metavar="EARLIER", help="Earlier release of the same people, to measure what both reveal together."
)
@columns_option("--uncompared", text="Column not to compare with EARLIER, such as one whose values change. Repeatable.")
@click.option(
    "--original",
    metavar="SOURCE",
    help="Table that FILE and EARLIER were made of, to count who is in both; without --against, the one that nsvdist "
    "made FILE of, to measure what each of its records is covered by, or that probabilistic made it of, to measure "
    "what swapping loses and reveals.",
)
@click.option(
    "--held-out",
    metavar="FILE",
    help="With --original: people like those of SOURCE who are not in the release, to measure how much more often the "
    "class of its own people is guessed; of a release by swapping also how much of their F1 models lose.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="RELEASE",
    help="With --original: another release of SOURCE by swapping, such as one of another k. Repeatable.",
)
@click.option(
    "--sampling-fraction", type=float, metavar="SHARE", help="Share of the population that is in the release."
)
@click.option(
    "--risk-threshold",
    type=float,
    metavar="RISK",
    help="Count records above this risk as at risk.  [default: 0.2, or the preset's]",
)
@click.option(
    "--multiple-sensitive",
    type=click.Choice(["each", "joint"]),
    default="each",
    show_default=True,
    help="With joint, l-diversity treats the other sensitive columns as quasi-identifiers.",
)
@click.option(
    "--measures",
    type=click.Choice(["all", "required"]),
    default="all",
    show_default=True,
    help="Measure everything, or only what is required.",
)
@require_option("Fail unless this holds, such as k=5, t=0.2 or recursive_l=3,2. Repeatable.", audited_requirements)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Require the k of this publication context ("
    + ", ".join(f"{preset.k}" for preset in PRESETS.values())
    + "); --require k=N overrides it.",
)
@click.option(
    "--policy",
    metavar="FILE",
    help="Require the floors that an organization's policy sets for --audience. What a file cannot prove is named.",
)
@click.option("--audience", metavar="NAME", help="Audience of --policy that FILE is for, such as partner.")
@click.option(
    "--engine",
    metavar="KIND",
    help="Engine that holds FILE, a table or a folder of Parquet files, such as spark; it counts there.",
)
@delim_option
@click.option(
    "--row-order", is_flag=True, help="Also check that the order of rows follows from their values; sorts FILE."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "junit", "sarif"]),
    default="table",
    show_default=True,
    help="Output format; junit and sarif report the requirements only.",
)
@click.option(
    "--sql", "as_sql", is_flag=True, help="Measure nothing; print the query that finds the classes below k or l."
)
@click.option(
    "-p",
    "--project",
    metavar="PATH",
    help="Config, or its folder, to take the roles of columns from; nothing but FILE is measured.",
)
@click.option(
    "--receipt",
    metavar="RECEIPT",
    help="Receipt of FILE to take the roles of columns from, once its hash is that of FILE.",
)
@click.option("--table", metavar="NAME", help="Table that the query of --sql reads, instead of FILE.")
@json_option
@click.pass_context
def audit_command(
    context: click.Context,
    /,
    file: str,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    insensitive: tuple[str, ...],
    class_: str | None,
    sensitive_value: tuple[str, ...],
    harmless_value: tuple[str, ...],
    order: tuple[str, ...],
    allow_absent: bool,
    entity: str | None,
    population: str | None,
    taxonomies: dict[str, str],
    against: str | None,
    uncompared: tuple[str, ...],
    original: str | None,
    held_out: str | None,
    also: tuple[str, ...],
    sampling_fraction: float | None,
    risk_threshold: float | None,
    multiple_sensitive: str,
    measures: str,
    required: dict[str, Any],
    preset: str | None,
    policy: str | None,
    audience: str | None,
    engine: str | None,
    delim: str | None,
    row_order: bool,
    form: str,
    as_sql: bool,
    project: str | None,
    receipt: str | None,
    table: str | None,
    as_json: bool,
) -> None:
    """Measure the privacy of a released table from its file alone.

    FILE is Parquet, CSV or FILE.duckdb::TABLE; with --engine, a table. Exits with 1 if a requirement is not met;
    without --require, --preset or --policy, nothing is required.
    """
    from anonduck.auditing.audit import audit
    from anonduck.auditing.options import with_preset
    from anonduck.cli.audit_output import PRINTERS, print_offending

    config = project or context.find_root().params.get("path")
    covered = original is not None and against is None
    if config is not None and covered:
        raise click.UsageError("-p is for audits of the file alone; with --original, name the --class")
    if receipt is not None and (config is not None or as_sql or covered):
        raise click.UsageError("--receipt is for audits of the file alone, without -p, --sql and --original")
    if (held_out or also) and not covered:
        raise click.UsageError("--held-out and --also go with --original SOURCE and without --against")
    if engine is not None and (as_sql or original is not None):
        raise click.UsageError("--engine is for audits of the table alone, without --sql and --original")
    floor_values: dict[str, Any] = {}
    if policy is not None or audience is not None:
        required, floor_values = _under_policy(
            policy, audience, required, preset, narrowing=bool(sensitive_value or harmless_value)
        )
    roles = None
    if config is not None:
        given = {"class_": class_, "sensitive": sensitive, "insensitive": insensitive}
        roles = roles_by_config(config, file, delim, {"quasi": quasi, "entity": entity, **given}, engine)
        class_, sensitive, insensitive = roles.class_, roles.sensitive, roles.insensitive
    columns = list(quasi) or None
    if table is not None and not as_sql:
        raise click.UsageError("--table names what the query of --sql reads; give both, or neither")
    if as_sql:
        others = [*insensitive, *([] if class_ is None else [class_])]
        print_offending(file, columns, with_preset(required, preset), sensitive, others, entity, table, delim)
        return
    if original is not None and covered:
        if form not in ("table", "json") or _lists_others(context):
            raise click.UsageError(GOES_WITH)
        _audit_with_original(
            [file, *also],
            original,
            held_out,
            columns,
            class_,
            required,
            taxonomies,
            delim,
            as_json=as_json or form == "json",
        )
        return
    report = audit(
        file,
        columns,
        sensitive=sensitive,
        class_=class_,
        requirements=required,
        insensitive=insensitive,
        entity=entity,
        population=population,
        taxonomies=taxonomies,
        sampling_fraction=sampling_fraction,
        risk_threshold=risk_threshold,
        multiple_sensitive=multiple_sensitive,
        measures=measures,
        preset=preset,
        sensitive_values=sensitive_values(sensitive_value, harmless_value)
        | {name: values for name, values in floor_values.items() if name in sensitive},
        order={**({} if roles is None else roles.order), **orders(order)},
        allow_absent=allow_absent,
        against=against,
        uncompared=uncompared,
        original=original,
        delim=delim,
        row_order=row_order,
        receipt=receipt,
        engine=engine,
        tracer=tracer(),
    )
    if roles is not None:
        report = replace(report, roles_from=roles.words, warnings=(*roles.warnings, *report.warnings))
    PRINTERS["json" if as_json else form](report)
    if not report.met:
        raise click.exceptions.Exit(1)


def _under_policy(
    policy: str | None, audience: str | None, required: Mapping[str, Any], preset: str | None, *, narrowing: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is required, with the floors of a policy, and the sensitive values that it names; raises click.UsageError
    and ConfigError."""
    from pathlib import Path

    from anonduck.config.policy import read_policy

    if policy is None:
        raise click.UsageError("--audience names one of a policy's; give its file with --policy FILE")
    if audience is None:
        raise click.UsageError("--policy has floors for each audience; name that of FILE, such as --audience partner")
    if narrowing:
        raise click.UsageError(
            "--policy sets floors that are judged by its own sensitive values; leave out --sensitive-value and "
            "--harmless-value, or audit without --policy"
        )
    if preset is not None:
        raise click.UsageError("--policy sets the k, and so does --preset; leave out one of the two")
    held = read_policy(Path(policy), audience)
    asked, unproven = held.requirements(required)
    if unproven:
        names = ", ".join(unproven)
        say(f"{Path(policy).name} sets floors too that no file alone proves, and `run` keeps: {names}", err=True)
    return asked, held.floors.named_values


def sensitive_values(concerning: Sequence[str], harmless: Sequence[str]) -> dict[str, Any]:
    """Read ``--sensitive-value`` and ``--harmless-value``, COLUMN=VALUE or COLUMN for NULL; raises click.UsageError."""
    from anonduck.privacy.chosen_values import EXCEPT

    found, safe = _by_column(concerning), _by_column(harmless)
    both = sorted(found.keys() & safe.keys())
    if both:
        raise click.UsageError(
            f"column {both[0]!r} is given both sensitive and harmless values; give only one kind, because every "
            "value that is not named counts as the other"
        )
    return {**found, **{column: {EXCEPT: values} for column, values in safe.items()}}


def orders(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read ``--order``, COLUMN=VALUE from lowest to highest; raises click.UsageError for one without a value."""
    found = _by_column(texts)
    if any(value is None for values in found.values() for value in values):
        raise click.UsageError("--order names a value, COLUMN=VALUE; NULL stands last by itself")
    return {column: [str(value) for value in values] for column, values in found.items()}


def _by_column(texts: Sequence[str]) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        found.setdefault(column, []).append(value if equals else None)
    return found


# -- the release of distributions beside the table that it was made of -------------------------------------------------


def _lists_others(context: click.Context) -> bool:
    """Whether options are given that an audit of distributions does not take."""
    others = [one for one in context.command.params if one.name in context.params and one.name not in WITH_ORIGINAL]
    return any(context.params[str(one.name)] not in (None, (), one.get_default(context)) for one in others)


def _audit_with_original(
    files: Sequence[str],
    original: str,
    held_out: str | None,
    quasi: Sequence[str] | None,
    class_: str | None,
    required: Mapping[str, Any],
    taxonomies: Mapping[str, Any],
    delim: str | None,
    *,
    as_json: bool,
) -> None:
    """Print how many originals each released record covers, and the reverse; exit with 1 where k or l is missed.

    Of releases by swapping, print what each loses and reveals.
    """
    from anonduck.auditing.original import audit_original, holds_distributions

    if class_ is None:
        raise click.UsageError(
            "name the class of SOURCE with --class COLUMN; a release by nsvdist has its distributions there"
        )
    distributed = [holds_distributions(file, class_, delim, tracer()) for file in files]
    if len(files) > 1 and any(distributed):
        raise click.UsageError(
            f"--also is for releases by swapping, and {files[distributed.index(True)]} holds distributions; audit it "
            "alone"
        )
    if not any(distributed):
        _audit_swapped(files, original, held_out, quasi, class_, required, taxonomies, delim, as_json=as_json)
        return
    report = audit_original(
        files[0],
        original,
        quasi,
        distribution=class_,
        requirements=required,
        taxonomies=taxonomies,
        held_out=held_out,
        delim=delim,
        tracer=tracer(),
    )
    document = report.as_json()
    if as_json:
        print_json(document)
    else:
        _print_covered(document)
    if not report.met:
        raise click.exceptions.Exit(1)


def _audit_swapped(
    files: Sequence[str],
    original: str,
    held_out: str | None,
    quasi: Sequence[str] | None,
    class_: str,
    required: Mapping[str, Any],
    taxonomies: Mapping[str, Any],
    delim: str | None,
    *,
    as_json: bool,
) -> None:
    """Print what releases by swapping lose and reveal, by rising k."""
    from anonduck.attacks.swapped import audit_swapped

    if required or taxonomies:
        raise click.UsageError(
            "values of the class are no distributions, so that the release is read as one by swapping: it shows values "
            "as they are, and no file proves its k. Leave out --require and --taxonomy; its receipt has what was proven"
        )
    made = [
        audit_swapped(file, original, quasi, class_=class_, held_out=held_out, delim=delim, tracer=tracer())
        for file in files
    ]
    made.sort(key=lambda report: (report.k is None, report.k or 0))
    documents = [report.as_json() for report in made]
    if as_json:
        print_json(documents[0] if len(documents) == 1 else {"releases": documents})
        return
    for document in documents:
        _print_swapped(document)
    if held_out is None:
        say("what it reveals, and what models lose, is measured with --held-out FILE", err=True)


def _print_swapped(document: Mapping[str, Any]) -> None:
    found = document["swapped"]
    by_receipt = "k is not known without its receipt" if found["k"] is None else f"k = {found['k']:,} by its receipt"
    say(f"{document['file']}: {document['rows']:,} records, {by_receipt}")
    lost = ", ".join(f"{found['mutual_information_lost'][name]:.4f} over {words}" for name, words in LOST_OVER.items())
    say(f"  mutual information lost, in bits, mean of pairs of columns: {lost}")
    if found["f1_lost"] is None:
        return
    scores = ", ".join(f"{name} {one['original']:.3f} -> {one['release']:.3f}" for name, one in found["f1"].items())
    say(f"  macro F1 lost on people held out: {found['f1_lost']:.3f} ({scores})")
    for name, one in found["inference"].items():
        say(
            f"  class guessed by {name}: {one['people']:.1%} of its people, {one['held_out']:.1%} of people held out, "
            f"an excess of {100 * one['excess']:+.1f} points ({100 * one['excess_low']:+.1f} to "
            f"{100 * one['excess_high']:+.1f}){'' if one['found'] else ', which chance may explain'}"
        )


def _print_covered(document: Mapping[str, Any]) -> None:
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
    if "held_out" in inferred:
        say(
            f"the same for {inferred['held_out']['naive_bayes']:.1%} of the people held out: an excess of "
            f"{100 * inferred['excess']:+.1f} points over people who are not in the release"
        )
    for line in document["requirements"]:
        met = "met" if line["met"] else "NOT met"
        say(f"{line['name']} >= {line['required']:g}: {met} ({line['reached']:g})")
    for warning in document["warnings"]:
        say(f"warning: {warning}", err=True)
