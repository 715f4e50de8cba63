"""Audit and attack Adult raw and after three rules, and write the tables of docs/adult-audit.md.

    python -m benchmarks.adult_audit --data DIR
    python -m benchmarks.adult_audit --data DIR attack page

DIR holds adult.csv, the authors' taxonomies (authors-taxonomies/TaxAdult) and ARX's taxonomy of occupations
(arx/adult_hierarchy_occupation.csv). Every second of the 45,222 complete records is released, the others are the
control group. The steps are discover, audit, attack and page, all by default; files and results are kept in
build/adult-audit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import yaml

import anonduck
from anonduck import Project
from benchmarks.real_data.data_sets import ADULT_BLOCKS, DATA_SETS
from benchmarks.real_data.markdown import table
from benchmarks.real_data.page import with_tables
from benchmarks.real_data.results import read_result, write_result

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "adult-audit.md"
SENSITIVE, CLASS = "occupation", "class"
SHARE = 0.5  # of the population that is in the releases
SCORES = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")
NAMES = ("raw", "small k", "medium k", "large k")


@dataclass(frozen=True)
class Place:
    """Where the files are."""

    data: Path
    work: Path

    def file(self, name: str) -> Path:
        """A file of the work folder."""
        return self.work / name


STEPS = ("discover", "audit", "attack", "page")


def main() -> None:
    """Do the steps that are named, all by default; results are kept for the next ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adult_audit", description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="STEP", help=f"{', '.join(STEPS)}; all by default")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="holds adult.csv and others")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "adult-audit")
    asked = parser.parse_args()
    place = Place(asked.data, asked.work)
    place.work.mkdir(parents=True, exist_ok=True)
    steps = {"discover": discover, "audit": audit_all, "attack": attack_all, "page": write_page}
    for name in asked.what or STEPS:
        steps[name](place)


def say(text: str) -> None:
    """A line on stderr at once."""
    print(text, file=sys.stderr, flush=True)


# -- measuring ---------------------------------------------------------------------------------------------------------


def discover(place: Place) -> None:
    """Discover on the released half, and release it by three rules; the population by the same ones."""
    write_halves(place)
    place.file("anonduck.yml").write_text(yaml.safe_dump(settings()), encoding="utf-8")
    place.file("anonduck.duckdb").unlink(missing_ok=True)
    with Project(place.file("anonduck.yml")) as project:
        taxonomies = place.data / "authors-taxonomies" / DATA_SETS["adult"].taxonomies
        project.import_taxonomies(taxonomies, format_="blocks", mapping=ADULT_BLOCKS)
        project.discover()
        release_three(place, project)


def release_three(place: Place, project: Project) -> None:
    """Release by three rules of the last discovery, and keep these."""
    stored = project.discovered()
    rules = [rule.as_json() for rule in stored.rules]
    chosen = three(rules)
    say(f"{len(rules)} rules; chosen {', '.join(rule['id'] for rule in chosen)}")
    for rule in chosen:
        project.release(rule["id"], place.file(f"{rule['id']}.parquet"), overwrite=True)
        population = place.file(f"{rule['id']}-population.parquet")
        source = place.file("all.csv")
        project.release(rule["id"], population, source=source, overwrite=True, requirement={"k": 1})
    write_result(place.file("rules.json"), {"chosen": chosen, "baseline": stored.summary["baseline"]})


def released(place: Place) -> list[Path]:
    """The raw half, and the three releases."""
    rules = read_result(place.file("rules.json"))["chosen"]
    return [place.file("half.csv"), *(place.file(f"{rule['id']}.parquet") for rule in rules)]


def audit_all(place: Place) -> None:
    """Audit the four files, and each two of the releases together."""
    files = released(place)
    populations = [place.file("all.csv"), *(file.with_stem(f"{file.stem}-population") for file in files[1:])]
    rules = read_result(place.file("rules.json"))["chosen"]
    audits = [audited(place, *both) for both in zip(files, populations, strict=True)]
    with Project(place.file("anonduck.yml")) as project:
        pairs = [composed(place, project, *pair) for pair in combinations(rules, 2)]
    write_result(place.file("audits.json"), {"audits": audits, "composed": pairs})


def attack_all(place: Place) -> None:
    """Attack the four files."""
    write_result(place.file("attacks.json"), {"attacks": [attacked(place, file) for file in released(place)]})


def write_page(place: Place) -> None:
    """Replace the tables of the page."""
    results = {**read_result(place.file("rules.json")), **read_result(place.file("audits.json"))}
    results |= read_result(place.file("attacks.json"))
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), make_tables(results)), encoding="utf-8")


def settings() -> dict[str, Any]:
    """The config: the paper's search; what is required is the default, k = 5; all measures."""
    return {
        "source": "half.csv",
        "class": CLASS,
        "sensitive": [SENSITIVE],
        "requirement": {"k": 5},
        "search": "rfd",
        "measures": ["all"],
    }


def write_halves(place: Place) -> None:
    """``all.csv``, the complete records; ``half.csv``, every second of them; ``others.csv``, the rest."""
    where = DATA_SETS["adult"].where
    source = f"read_csv('{place.data / 'adult.csv'}', header = true)"
    complete = f"SELECT row_number() OVER () AS number, * FROM {source} WHERE {where}"
    for name, condition in (("all", "true"), ("half", "number % 2 = 1"), ("others", "number % 2 = 0")):
        chosen = f"SELECT * EXCLUDE (number) FROM ({complete}) WHERE {condition}"
        duckdb.sql(f"COPY ({chosen}) TO '{place.file(name + '.csv')}' (HEADER)")


def three(rules: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of all rules by k: the first, the middle one, the last."""
    ordered = sorted(rules, key=lambda rule: (rule["k"], rule["id"]))
    return [ordered[0], ordered[len(ordered) // 2], ordered[-1]]


def audited(place: Place, file: Path, population: Path) -> dict[str, Any]:
    """All measures of a file."""
    start = time.perf_counter()
    report = anonduck.audit(
        file,
        sensitive=[SENSITIVE],
        class_=CLASS,
        population=population,
        taxonomies={SENSITIVE: place.data / "arx" / "adult_hierarchy_occupation.csv"},
        sampling_fraction=SHARE,
    )
    say(f"audited {file.name} in {time.perf_counter() - start:.1f} s")
    return report.as_json()


def attacked(place: Place, file: Path) -> dict[str, Any]:
    """All attacks on a file; of two sources, each knows every second of the columns that are released."""
    start = time.perf_counter()
    report = anonduck.attack(
        file,
        place.file("half.csv"),
        control=place.file("others.csv"),
        sensitive=[SENSITIVE],
        class_=CLASS,
        link=two_places(quasi_identifiers(file)),
        project=place.file("anonduck.yml"),
    )
    say(f"attacked {file.name} in {time.perf_counter() - start:.1f} s")
    return report.as_json()


def quasi_identifiers(file: Path) -> list[str]:
    """The columns of a file that are known to an attacker."""
    return [name for name in duckdb.sql(f"FROM '{file}'").columns if name not in (SENSITIVE, CLASS)]


def two_places(columns: Sequence[str]) -> list[Sequence[str]]:
    """Every second column, and the others; nothing if there is but one column."""
    return [columns[::2], columns[1::2]] if len(columns) > 1 else []


def composed(place: Place, project: Project, one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """What two releases tell together, and how many persons of the source are at least in both of their two classes."""
    files = [place.file(f"{rule['id']}.parquet") for rule in (one, other)]
    report = anonduck.audit(
        files[0],
        sensitive=[SENSITIVE],
        class_=CLASS,
        against=files[1],
        measures="required",
        requirements={"k": 5},
    )
    both = {
        name: min(rule["levels"][name] for rule in (one, other) if name in rule["levels"])
        for name in {**one["levels"], **other["levels"]}
    }
    known = project.release(both, None, dry_run=True, requirement={"k": 1}).k
    return {"rules": [one["id"], other["id"]], "known": known, **report.as_json()["measures"]["composition"]}


# -- tables ------------------------------------------------------------------------------------------------------------


def make_tables(results: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the page."""
    return {
        "rules": rules_table(results),
        "sizes": sizes_table(results["audits"]),
        "models": models_table(results["audits"]),
        "utility": utility_table(results),
        "attacks": attacks_table(results["attacks"]),
        "chances": chances_table(results["attacks"]),
        "composed": composed_table(results),
    }


def rules_table(results: Mapping[str, Any]) -> str:
    """The three rules."""
    rows = [
        [name, rule["id"], f"{rule['k']:,}", f"{rule['classes']:,}", f"`{rule['literal']}`"]
        for name, rule in zip(NAMES[1:], results["chosen"], strict=True)
    ]
    return table(["release", "rule", "k", "classes", "levels"], rows)


def sizes_table(audits: Sequence[Mapping[str, Any]]) -> str:
    """The equivalence classes of each file."""
    names = ("rows", "classes", "k", "average_class", "largest_class", "records_alone")
    rows = [[name.replace("_", " "), *(number(audit[name]) for audit in audits)] for name in names]
    return table(["", *NAMES], rows)


def models_table(audits: Sequence[Mapping[str, Any]]) -> str:
    """Every privacy model and risk; of those with several numbers each is a line."""
    rows = []
    for name in audits[0]["measures"]:
        found = [audit["measures"].get(name, {}) for audit in audits]
        rows += [[f"`{name}`{part}", *cells] for part, cells in parts(found)]
    return table(["model", *NAMES], rows)


def parts(found: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """The lines of one model."""
    reached = [one.get("reached") for one in found]
    if not any(isinstance(one, dict) for one in reached):
        lines = [("", [number(one) for one in reached])]
    else:
        keys = next(list(one) for one in reached if isinstance(one, dict))
        lines = [(f", {key}", [number((one or {}).get(key)) for one in reached]) for key in keys]
    for key in ("average", "at_risk"):
        if any(key in one for one in found):
            words = {"average": "average", "at_risk": "records over 0.2"}[key]
            lines.append((f", {words}", [number(one.get(key)) for one in found]))
    return lines


def utility_table(results: Mapping[str, Any]) -> str:
    """Model scores and utility measures; the raw table loses nothing."""
    rules, baseline = results["chosen"], results["baseline"]
    rows = []
    for score in SCORES:
        if baseline.get(score):
            model = next(iter(baseline[score]))
            cells = [baseline[score][model], *(rule[score][model] for rule in rules)]
            rows.append([f"{score.replace('_', ' ')} ({model})", *(number(cell) for cell in cells)])
    rows.append(["information gain (bits)", "", *(number(rule["information_gain"]) for rule in rules)])
    rows += [[f"`{name}`", "", *(number(rule["utility"][name]) for rule in rules)] for name in rules[0]["utility"]]
    return table(["", *NAMES], rows)


def attacks_table(attacks: Sequence[Mapping[str, Any]]) -> str:
    """Of each attack on each file: right for the released, right for the control group, and the excess."""
    rows = []
    for name, report in zip(NAMES, attacks, strict=True):
        for one in report["attacks"]:
            about = f" ({one['about']})" if one["about"] == SENSITIVE else ""
            rows.append(
                [
                    name,
                    one["question"] + about,
                    one["attack"],
                    f"{one['attacked']:,}",
                    share(one["success_rate"]),
                    share(one["control_rate"]),
                    share(one["baseline_rate"]),
                    f"{100 * one['excess']:+.2f} ({100 * one['excess_low']:.2f} to {100 * one['excess_high']:.2f})",
                    "" if one["excess_normalised"] is None else f"{100 * one['excess_normalised']:+.2f}",
                ]
            )
    heads = ["release", "question", "attack", "guesses", "right", "control", "plain guess", "excess", "normalised"]
    return table(heads, rows)


def chances_table(attacks: Sequence[Mapping[str, Any]]) -> str:
    """Of each inference on each file: bits gained, and the value with the largest lift that is told beyond chance."""
    rows = [
        [name, one["attack"], *chances(one["posterior"])]
        for name, report in zip(NAMES, attacks, strict=True)
        for one in report["attacks"]
        if one["posterior"] is not None
    ]
    heads = ["bits", "bits, control", "values taught", "prior", "ranked highest", "hold it", "hold it, control", "lift"]
    return table(["release", "attack", *heads], rows)


def chances(told: Mapping[str, Any]) -> list[str]:
    """What the chances of one attack tell; its lift is that of the control group."""
    taught = f"{sum(value['taught'] for value in told['values'])} of {len(told['values'])}"
    bits = [f"{told['bits_gained']:+.3f}", f"{told['control_bits_gained']:+.3f}", taught]
    if told["telling"] is None:
        return [*bits, *[""] * 5]
    one = told["values"][told["telling"]]
    shares = [share(one["precision"]), share(one["control_precision"]), f"{one['control_lift']:.2f}"]
    return [*bits, share(one["prior"]), f"{one['ranked_highest']:,}", *shares]


def composed_table(results: Mapping[str, Any]) -> str:
    """Pairs of releases."""
    titles = {rule["id"]: name for name, rule in zip(NAMES[1:], results["chosen"], strict=True)}
    rows = [
        [
            " with ".join(titles[rule] for rule in one["rules"]),
            *(
                number(one[name])
                for name in ("upper_bound", "pairs", "pairs_under", "certain", "expected_under", "known")
            ),
        ]
        for one in results["composed"]
    ]
    return table(
        [
            "releases",
            "at most",
            "pairs",
            "under 5",
            "of these certain",
            "expected under 5",
            "in the source",
        ],
        rows,
    )


def number(value: Any) -> str:
    """A number with four digits that count; counts in full."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if value == int(value) or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:,.4g}"


def share(value: float | None) -> str:
    """A share in percent."""
    return "" if value is None else f"{100 * value:.2f}"


if __name__ == "__main__":
    main()
