"""Commands that lead to a decision: init, discover, rules, frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.app import config_option, json_option, print_json, show_values_option
from anonduck.cli.printing import print_accuracies, print_baseline, print_rules, print_table, reporting, say
from anonduck.utility_names import UTILITY

if TYPE_CHECKING:
    from anonduck.gaps import Gaps
    from anonduck.project import Project
    from anonduck.rules import Rule
    from anonduck.store import Stored


SEARCHES_OF = {
    "combine": ("combined",),
    "max_tried": ("combined",),
    "optimum_only": ("lattice",),
    "time_limit": ("combined", "lattice", "rfd"),
}


@click.command("init")
@click.argument("source")
@click.option("--class", "class_", required=True, metavar="COLUMN", help="The column that models will predict.")
@click.option("--identifier", "identifiers", multiple=True, metavar="COLUMN", help="Dropped from every release.")
@click.option("--sensitive", multiple=True, metavar="COLUMN", help="Kept; its values must not be inferred.")
@click.option("--insensitive", multiple=True, metavar="COLUMN", help="Kept as it is.")
@click.option("--overwrite", is_flag=True, help="Replace an existing config.")
@config_option
@json_option
def init_command(path: str, as_json: bool, overwrite: bool, **asked: Any) -> None:
    """Profile an export, propose roles and taxonomies, write anonduck.yml.

    SOURCE is a CSV, Parquet or JSON Lines file or glob, or FILE.duckdb::table.
    """
    from anonduck.initializing import initialize

    result = initialize(Path(path), overwrite=overwrite, **asked)
    if as_json:
        print_json(result.as_json())
        return
    print_table(
        ["column", "type", "distinct", "NULL", "role", "why"],
        [
            [c["name"], c["type"], f"{c['distinct']:,}", f"{c['nulls']:,}", c["role"], c["reason"]]
            for c in result.columns
        ],
        right=["distinct", "NULL"],
    )
    say(
        f"\nwrote {path}; read and edit it, then run: anonduck discover"
        + ("" if path == "anonduck.yml" else f" -p {path}")
    )


@click.command("discover")
@click.option(
    "--coverage", multiple=True, type=float, metavar="SHARE", help="Share of pairs whose patterns are mined; repeats."
)
@click.option("--min-k", type=click.IntRange(min=1), help="Drop rules under this k.  [default: the required k]")
@click.option(
    "--k-counts", multiple=True, type=click.Choice(["class"]), help="Count this beside the quasi-identifiers in k."
)
@click.option("--model", "models", multiple=True, help="A model to measure, such as tree, or none; repeats.")
@click.option(
    "--test-on",
    type=click.Choice(["generalized", "original"]),
    help="Test models on generalized or original records.  [default: generalized]",
)
@click.option(
    "--train",
    type=click.Choice(["auto", "all", "frontier"]),
    help="Which rules models are trained for.  [default: auto]",
)
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A utility measure, or all; repeats.")
@click.option("--sample", metavar="N|all", help="Records whose pairs are joined.  [default: 50000]")
@click.option("--max-rfds", type=click.IntRange(min=1), help="Bound on the RFDs of one coverage.")
@click.option("--max-rules", type=click.IntRange(min=1), help="Bound on the rules of one coverage.")
@click.option("--pool", is_flag=True, default=None, help="Join rules across coverages too.")
@click.option(
    "--search",
    type=click.Choice(["combined", "rfd", "lattice"]),
    help="How rules are found.  [default: the config's, or combined]",
)
@click.option(
    "--combine",
    multiple=True,
    type=click.Choice(["tolerant", "refined"]),
    help="What a combined search adds to the rules of RFDs; repeats.  [default: refined]",
)
@click.option("--max-tried", type=click.IntRange(min=1), help="Bound on the level vectors that each of these tries.")
@click.option("--select", metavar="NAME", help="What rules are to be best in.  [default: the config's]")
@click.option("--optimum-only", is_flag=True, help="A lattice search finds the optimum without the frontier.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Bound on a lattice search; or on the joins of a coverage, and on what a combined search adds.",
)
@config_option
@json_option
@show_values_option
def discover_command(path: str, as_json: bool, show_values: bool, min_k: int | None, **options: Any) -> None:
    """Find generalization rules, measure them, mark the frontier; replaces earlier results."""
    from anonduck.discovery import default_objectives
    from anonduck.project import Project

    changes = changed(options)
    with reporting(quiet=False) as reporter, Project(path, reporter=reporter) as project:
        _refuse_idle(options, changes.get("search") or project.config.search)
        discovery = project.discover(min_k=min_k, show_values=show_values, **changes)
    if as_json:
        rules = [rule.as_json() for rule in discovery.rules]
        print_json(
            {**discovery.as_json(), "rules": rules, "frontier": [rule["id"] for rule in rules if rule["on_frontier"]]}
        )
        return
    if discovery.lattice is not None:
        _print_lattice(discovery.lattice)
    else:
        _print_coverages(discovery.coverages)
        _print_combined(discovery.combined or {})
    if discovery.explanation:
        say(discovery.explanation)
        return
    print_baseline(discovery.as_json())
    front = sum(rule.on_frontier for rule in discovery.rules)
    compared = default_objectives(discovery.models)[1].replace("_", " ")
    say(f"{len(discovery.rules):,} rules, {front} on the frontier of k and {compared}: anonduck frontier")


def _refuse_idle(options: Mapping[str, Any], search: str) -> None:
    """Options that another search takes."""
    for name, searches in SEARCHES_OF.items():
        if options[name] and search not in searches:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for --search {' or '.join(searches)}; this one is {search}. "
                "Leave it out, or change the search"
            )


def changed(options: dict[str, Any]) -> dict[str, Any]:
    """Options of discovery as config keys, those not given left out."""
    changes = {name: value for name, value in options.items() if value not in (None, ())}
    if changes.pop("optimum_only", False):
        changes["lattice_frontier"] = False
    for name in ("coverage", "combine", "k_counts", "models", "measures"):
        if name in changes:
            changes[name] = list(changes[name])
    if "none" in changes.get("models", ()):
        if len(changes["models"]) > 1:
            raise click.UsageError("--model none stands alone; it measures no model")
        changes["models"] = []
    if "sample" in changes and changes["sample"] != "all":
        if not changes["sample"].isdecimal():
            raise click.UsageError(f"--sample takes a number of records or all; it got {changes['sample']!r}")
        changes["sample"] = int(changes["sample"])
    return changes


def _print_lattice(found: Mapping[str, Any]) -> None:
    """What a search of the lattice found, and what of it is proven."""
    measure = found["objective"].replace("_", " ")
    evaluated = f"{found['evaluated']:,} of {found['nodes']:,} level vectors evaluated"
    if found["trained"] is not None:
        evaluated += f", models trained for {found['trained']:,}"
    if found["optimum"] is None:
        say(evaluated)
        return
    proven = "the optimum" if found["optimal"] else "the best found"
    bound = "" if found["optimal"] or found["bound"] is None else f" (none is better than {found['bound']:.4f})"
    say(f"{found['optimum']}: {proven} in {measure}, {found['value']:,.4f}{bound}; {evaluated}")
    if found["frontier"] != "none":
        say(f"frontier of k and {measure}: {found['frontier']}")


def _print_coverages(coverages: Any) -> None:
    rows = [
        [
            f"{c['coverage']:g}",
            f"{c['patterns']:,}",
            f"{c['class_differing']:,}",
            f"{c['minimal_class_differing']:,}",
            f"{c['rfds']:,}",
            f"{c['rfds_at_min_k']:,}",
            " + ".join(map(str, c["joined_per_round"])),
            f"{c['rules']:,}",
            "incomplete" if c["incomplete"] else "",
        ]
        for c in coverages
    ]
    names = ["coverage", "patterns", "class-differing", "minimal", "RFDs", "at min k", "joined", "rules", ""]
    print_table(names, rows, right=[*names[:6], "rules"])


def _print_combined(combined: Mapping[str, Any]) -> None:
    """What a combined search added to the rules of RFDs."""
    for part, found in combined.items():
        ended = "" if found["complete"] else ", incomplete"
        added, tried = _number(found["added"], "rule"), _number(found["tried"], "level vector")
        say(f"{part}: {added} added, {tried} tried{ended}")


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


@click.command("rules")
@config_option
@json_option
def rules_command(path: str, as_json: bool) -> None:
    """List the rules of the last discovery."""
    _list(path, as_json, None)


@click.command("frontier")
@click.option(
    "--objective", "objectives", multiple=True, help="A measure to weigh; two or more.  [default: k, accuracy]"
)
@click.option("--plot", is_flag=True, help="Draw k and the first other objective in text.")
@click.option("--gap", is_flag=True, help="Search the lattice, and tell how far each rule is from the best at its k.")
@click.option(
    "--expected",
    is_flag=True,
    help="Repeat the search on fewer records, and tell how accurate each rule is expected to be on people who were "
    "not there.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Bound on that search, for each objective.  [default: the config's]",
)
@config_option
@json_option
def frontier_command(
    path: str,
    as_json: bool,
    objectives: tuple[str, ...],
    plot: bool,
    gap: bool,
    expected: bool,
    time_limit: float | None,
) -> None:
    """List the rules that no other rule dominates."""
    if time_limit is not None and not gap:
        raise click.UsageError("--time-limit bounds the search that --gap asks for; give --gap too")
    _list(path, as_json, objectives, plot=plot, gap=gap, expected=expected, time_limit=time_limit)


def _list(
    path: str,
    as_json: bool,
    objectives: tuple[str, ...] | None,
    *,
    plot: bool = False,
    gap: bool = False,
    expected: bool = False,
    time_limit: float | None = None,
) -> None:
    from anonduck.discovery import default_objectives
    from anonduck.expected import expected_rules
    from anonduck.frontier import frontier_rules
    from anonduck.project import Project
    from anonduck.rules import literal

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        stored = project.discovered()
        models = stored.summary["models"]
        if objectives == ():
            objectives = default_objectives(models)
        chosen = stored.rules if objectives is None else frontier_rules(stored.rules, objectives, models)
        gaps = _gaps(project, stored, chosen, objectives or (), time_limit) if gap else None
        estimates = project.expected() if expected else expected_rules(project.database)
    rules = [
        rule.as_json() | {"expected": estimates.get(literal(rule.levels))} | ({"gap": gaps.of(rule.id)} if gaps else {})
        for rule in chosen
    ]
    if as_json:
        summary = {name: stored.summary[name] for name in ("baseline", "rows", "incomplete")}
        summary |= {"k_counts": stored.summary["k_counts"]} if stored.summary.get("k_counts") else {}
        asked = {"objectives": list(objectives)} if objectives else {}
        print_json({"rules": rules, **summary, **asked, **({"lattice": dict(gaps.searches)} if gaps else {})})
        return
    print_baseline(stored.summary)
    if not rules:
        say(stored.summary["explanation"] or "no rules")
        return
    print_rules(
        rules, models, [name for name in objectives or () if name in UTILITY], list(gaps.searches) if gaps else ()
    )
    print_accuracies(rules, models, len(stored.rules))
    for name, found in gaps.searches.items() if gaps else ():
        _print_gap(name, found)
    if plot and objectives:
        _plot(stored, [rule.id for rule in chosen], objectives, project.config.requirement.k)


def _gaps(
    project: Project, stored: Stored, rules: Sequence[Rule], objectives: Sequence[str], time_limit: float | None
) -> Gaps:
    from anonduck.gaps import measure_gaps

    return measure_gaps(project, stored, rules, [name for name in objectives if name != "k"], time_limit)


def _print_gap(name: str, found: Mapping[str, Any]) -> None:
    """How the best that rules are compared to was found, and what of it is proven."""
    proven = "proven" if found["frontier"] == "exact" else "the best found, not proven"
    searched = f"{found['evaluated']:,} of {found['nodes']:,} level vectors evaluated"
    say(f"best {name.replace('_', ' ')} at each k: {proven}; {searched}")


def _plot(stored: Stored, kept: Sequence[str], objectives: Sequence[str], required: int) -> None:
    from anonduck.report.plotting import points, text_chart

    measure = next(name for name in objectives if name != "k")
    drawn = points(stored.rules, kept, measure, stored.summary["models"])
    say("")
    for line in text_chart(drawn, measure, required=required):
        say(line)
