"""What a release is in words: what was written and left out, what was required and reached, and its measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from anonduck.cli.figures import reached, requirement
from anonduck.cli.rule_tables import print_persons
from anonduck.cli.terminal import on_one_line, print_json, say
from anonduck.privacy.kept_columns import kept_lines
from anonduck.words import counted, listed_names

if TYPE_CHECKING:
    from anonduck.rules.rule import Rule


def finish_release(made: Any, as_json: bool, measured: Mapping[str, Any] | None = None) -> None:
    """Print a release and end with exit code 1 where it would miss a requirement."""
    document = made.as_json()
    if as_json:
        print_json(document)
    else:
        print_release(made, measured)
    if not document["met"]:
        raise click.exceptions.Exit(1)


def print_release(made: Any, measured: Mapping[str, Any] | None = None) -> None:
    """Print what was released and left out, what was required and reached, and where the files are; of its measures
    those that are given, as ``measures_of`` does."""
    from anonduck.evaluation.subgroups import subgroup_lines
    from anonduck.evaluation.workload import workload_lines

    what = f"wrote {made.target}" if made.written else "would write"
    say(f"{what}: {made.rows:,} records in {made.classes:,} equivalence classes, k = {made.k:,}")
    if made.owner.get("left_out"):
        say(on_one_line(f"columns left out: {listed_names(made.owner['left_out'])}"))
    if made.suppressed:
        say(f"suppressed: {made.suppressed:,} records, those in equivalence classes that miss the requirement")
    for line in (*made.owner["requirements"], *made.owner.get("of_choice", ())):
        say(_requirement_line(line))
    print_persons(made.owner)
    for text in kept_lines(made.owner):
        say(on_one_line(text))
    if made.blocked is not None and made.blocked.failing:
        say(made.blocked.in_release)
    if "preprocessing" in (made.owner["method"].get("found") or {}):
        say(on_one_line(f"pre-processing: {_prepared(made.owner['method']['found']['preprocessing'])}"))
    if measured is not None:
        for text in (_measures_line(measured), *_found_lines(made.owner["method"])):
            say(text)
    for text in (*workload_lines(made.owner.get("workload")), *subgroup_lines(made.owner.get("subgroups"))):
        say(on_one_line(text))
    for warning in made.warnings:
        say(f"warning: {warning}", err=True)
    if made.written:
        say(f"receipt: {made.receipt_path}")
        say(f"data dictionary: {made.dictionary_path.removesuffix('.json')}.md")
        say(f"owner's file: {made.owner_path}")


def _requirement_line(line: Mapping[str, Any]) -> str:
    """A requirement, and what is reached of it."""
    lowered = f", lowered from {reached(line['configured'])}" if line.get("lowered") else ""
    lowered += " by the values of the policy" if line.get("by_policy") else ""
    met = "met" if line["met"] else "NOT met"
    worst = f", column {line['attribute']!r}" if "attribute" in line else ""
    return f"{requirement(line)}{lowered}: {met} ({reached(line['reached'])}{worst})"


def measures_of(made: Any, rule: Rule | None) -> dict[str, Any]:
    """The information gain and the utility measures of a release; of one by a ``rule`` those that its discovery
    measured."""
    utility = made.owner["utility"]
    if utility is not None:
        return {"information gain (bits)": utility["information_gain"], **utility["measures"]}
    if rule is None:
        return {}
    gain = rule.measures.information_gain if rule.has_class else None
    return {"information gain (bits)": gain, **rule.utility}


def _measures_line(measured: Mapping[str, Any]) -> str:
    known = {name: value for name, value in measured.items() if value is not None}
    if not known:
        return "measures: none; those of a rule are measured by a discovery, which has not found this one"
    return "measures: " + ", ".join(f"{name.replace('_', ' ')} {value:.6g}" for name, value in known.items())


def _found_lines(method: Any) -> Iterator[str]:
    """Figures of flexible generalization on its classes, and what the release discloses."""
    from anonduck.methods.settings import READING_OF

    found = method.get("found")
    if found is None:
        return
    if found["usefulness"]:
        graded = ", ".join(f"{one['name']} {one['weight']:.1f} ({one['grade']})" for one in found["usefulness"])
        yield on_one_line(f"usefulness by {method['options']['weights']}: {graded}")
    classes = found["uncertainty"]
    above = "" if classes["threshold"] is None else f"{classes['above']:,} above {classes['threshold']:.4g} bits, "
    yield (
        f"uncertainty of the {classes['classes']:,} classes as formed: {above}{classes['certain']:,} with one "
        f"sensitive value, {classes['joined']:,} joined to others"
    )
    if found["distortion"]:
        distorted = ", ".join(f"{found['distortion'][reading]:.4g} by {name}" for name, reading in READING_OF.items())
        yield f"distortion (DM): {distorted}"
    for one in found["released"]:
        words = (
            f"uncertainty {one['uncertainty']:.4g} bits, best guess right (PD) {one['disclosure']:.4g}, "
            f"in classes with one value (HA) {one['homogeneity']:.4g}, revealed by levels {one['revealed']:.4g}"
        )
        yield on_one_line(f"{one['name']} in the release: {words}")


def _prepared(done: Any) -> str:
    """What pre-processing found and changed, by column."""
    columns = []
    for one in done["columns"]:
        counts = {"missing": one["missing"], "outside its range": one["outliers"], "imputed": one["imputed"]}
        parts = [f"{count:,} {words}" for words, count in counts.items() if count]
        shown = f" ({one['shown']:,} shown under the root)" if one["imputed"] else ""
        columns += [f"{one['name']} {', '.join(parts)}{shown}"] if parts else []
    equal = f"{counted(done['equal'], 'record repeats', 'records repeat')} another, and all stay"
    return "; ".join([*(columns or ["no value missing or outside its range"]), equal])
