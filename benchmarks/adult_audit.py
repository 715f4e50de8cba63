"""Audit and attack Adult raw and after three rules, and write the tables of it in docs/attacks.md.

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
PAGE = ROOT / "docs" / "attacks.md"
SENSITIVE, CLASS = "occupation", "class"
SHARE = 0.5  # of the population that is in the releases
NAMES = ("raw", "small k", "medium k", "large k")
SIZES = ("classes", "records_alone")
MODELS = ("k", "l", "alpha", "t", "beta", "prosecutor_risk", "population_uniqueness", "ha", "pd")


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
    """Audit the four files."""
    files = released(place)
    populations = [place.file("all.csv"), *(file.with_stem(f"{file.stem}-population") for file in files[1:])]
    audits = [audited(place, *both) for both in zip(files, populations, strict=True)]
    write_result(place.file("audits.json"), {"audits": audits})


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


# -- tables ------------------------------------------------------------------------------------------------------------


def make_tables(results: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the page."""
    return {"adult audited": audited_table(results), "adult attacked": attacked_table(results["attacks"])}


def audited_table(results: Mapping[str, Any]) -> str:
    """The rules, what they protect, and what a model learns from them."""
    rules, baseline, audits = results["chosen"], results["baseline"], results["audits"]
    rows = [["rule", "", *(f"`{rule['literal']}`" for rule in rules)]]
    rows += [[name.replace("_", " "), *(number(audit[name]) for audit in audits)] for name in SIZES]
    for name in MODELS:
        rows.append([f"`{name}`", *(number(audit["measures"].get(name, {}).get("reached")) for audit in audits)])
    areas = [one["roc_auc"]["tree"] for one in (baseline, *rules)]
    return table(["", *NAMES], [*rows, ["area under the ROC curve (tree)", *map(number, areas)]])


def attacked_table(attacks: Sequence[Mapping[str, Any]]) -> str:
    """Of each question about each file the strongest attack: right for the released, for the control group, the excess.

    The strongest is the one whose excess has the highest lower bound; of equal ones, the first.
    """
    rows = []
    for name, report in zip(NAMES, attacks, strict=True):
        asked = dict.fromkeys(one["question"] for one in report["attacks"])
        for question in asked:
            found = [one for one in report["attacks"] if one["question"] == question]
            one = max(found, key=lambda one: one["excess_low"])
            about = f" ({one['about']})" if one["about"] == SENSITIVE else ""
            rows.append(
                [
                    name,
                    question + about,
                    one["attack"],
                    share(one["success_rate"]),
                    share(one["control_rate"]),
                    f"{100 * one['excess']:+.2f} ({100 * one['excess_low']:.2f} to {100 * one['excess_high']:.2f})",
                ]
            )
    return table(["release", "question", "attack", "right", "control", "excess"], rows)


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
