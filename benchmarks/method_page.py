"""Prints what each method's release loses and reveals beside the rule of the same k: a table of docs/compare.md.

The tables and taxonomies are those of the paper (benchmarks/real_data): Adult, Bank and Electricity, with all columns
but the class as quasi-identifiers. The rule is the one of the smallest loss that the search finds in the time limit
among those with at least the same k. Loss and NCP are those of the owner's files and of the discovery, accuracy (of a
decision tree, cross-validated) and AUC those of ``anonduck compare`` and of the discovery; the attacks are those of
``anonduck attack`` that look for a person's row.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from real_data.data_sets import DATA_SETS, DataSet
from real_data.folder import data as data_folder
from real_data.released_scores import released_scores

from anonduck import Project, attack
from anonduck.errors import AnonduckError
from anonduck.measures.measures import contingency
from anonduck.methods.registry import METHODS
from anonduck.search.training import model_scores
from anonduck.statements import Statement

GENERALIZING = [name for name, method in METHODS.items() if method.recoding != "swapped"]
"""What swaps loses no detail, and is measured by benchmarks/papers.py probabilistic."""

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in GENERALIZING},
    "mondrian splits=entropy": ("mondrian", {"splits": "entropy"}),
}
COLUMNS = ("k", "by", "classes", "left out", "`loss`", "`ncp`", "accuracy", "balanced", "AUC", "linked", "CPU s")


def main() -> None:
    """Print the command, and a table in Markdown for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-k", type=int, nargs="*", default=[10, 50])
    parser.add_argument("--data-set", nargs="*", choices=list(DATA_SETS), default=list(DATA_SETS))
    parser.add_argument("--method", nargs="*", choices=list(VARIANTS), default=GENERALIZING)
    parser.add_argument(
        "--no-rules", action="store_true", help="print methods alone, with nothing to compare them with"
    )
    parser.add_argument("--time-limit", type=float, default=60, help="seconds of the search for the rule")
    parser.add_argument("--guesses", type=int, default=500)
    options = parser.parse_args()
    data = data_folder()
    print(f"`{shlex.join(['python', 'benchmarks/method_page.py', *sys.argv[1:]])}`")
    for name in options.data_set:
        print(f"\n## {DATA_SETS[name].title}\n")
        print_line(COLUMNS)
        print_line(["---"] * len(COLUMNS))
        with tempfile.TemporaryDirectory() as folder:
            for row in rows(DATA_SETS[name], data, Path(folder), options):
                print_line(row)


def print_line(cells: Any) -> None:
    """Print a row of a table in Markdown."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def rows(item: DataSet, data: Path, folder: Path, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for the ungeneralized data, then for each k one for the rule and one for each method."""
    write_source(item, data, folder)
    for k in options.k:
        if not options.no_rules:
            yield from rule_rows(item, data, folder, k, options)
        for variant in options.method:
            yield method_row(item, data, folder, variant, k, options)


def rule_rows(item: DataSet, data: Path, folder: Path, k: int, options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for the ungeneralized data, with the first k, and one for the rule."""
    with opened(item, data, folder, k, options.time_limit) as project:
        start = time.process_time()
        project.discover()
        spent = time.process_time() - start
        found, target = rule_of(project), folder / f"rule{k}.parquet"
        if k == options.k[0]:
            bare = tree_of(project, dict.fromkeys(project.opened[1].quasi_identifiers, 0))
            yield ["", "ungeneralized", "", "", "0", "0", *bare, "", ""]
        if found is not None:
            project.release(found["id"], target, overwrite=True)
            trained = tree_of(project, found["levels"])
    if found is None:
        yield [str(k), "rule: none found", *[""] * (len(COLUMNS) - 2)]
    else:
        told = [f"{found['classes']:,}", f"{found['suppressed']:,}", *lost(found["utility"]), *trained]
        yield [str(k), f"rule, k = {found['k']:,}", *told, links(target, item, folder, options), f"{spent:.0f}"]


def write_source(item: DataSet, data: Path, folder: Path) -> None:
    """The records of the table as a Parquet file, which is released and attacked."""
    filters = {} if item.where is None else {"where": item.where}
    with Project(source=str((data / item.file).resolve()), class_=item.class_, **filters) as project:
        _ = project.opened
        project.database.frame(Statement("source", "SELECT * FROM source")).to_parquet(folder / "people.parquet")


def opened(item: DataSet, data: Path, folder: Path, k: int, time_limit: float) -> Project:
    """A project on the records with the authors' taxonomies, which looks for rules of the smallest loss."""
    config = {
        "source": "people.parquet",
        "class": item.class_,
        "search": "lattice",
        "select": "loss",
        "requirement": {"k": k},
        "holdout": 0,
        "time_limit": time_limit,
    }
    path = folder / "anonduck.yml"
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    project = Project(path)
    if not project.taxonomies:
        file = data / "authors-taxonomies" / item.taxonomies
        project.import_taxonomies(file, format_="blocks", mapping=dict(item.mapping))
    return project


def rule_of(project: Project) -> dict[str, Any] | None:
    """The rule of the smallest loss that has at least the required k."""
    required = project.config.requirement.k
    kept = [rule.as_json() for rule in project.discovered().rules if rule.measures.k >= required]
    return min(kept, key=lambda rule: rule["utility"]["loss"], default=None)


def tree_of(project: Project, levels: Mapping[str, int]) -> list[str]:
    """The scores of the tree at the levels of a rule, at which the search may have had no time to train it."""
    return reached(model_scores(contingency(project.database, levels, project.taxonomies), ["tree"]))


def method_row(item: DataSet, data: Path, folder: Path, variant: str, k: int, options: argparse.Namespace) -> list[str]:
    """What the release of a method loses and reveals; why there is none where it is refused."""
    method, settings = VARIANTS[variant]
    target = folder / f"{variant}{k}.parquet"
    with opened(item, data, folder, k, options.time_limit) as project:
        start = time.process_time()
        try:
            made = project.anonymize(method, target, overwrite=True, settings=settings)
        except AnonduckError as error:
            return [str(k), f"{variant}: {type(error).__name__}", *[""] * (len(COLUMNS) - 2)]
        spent = time.process_time() - start
        utility = made.owner["utility"]
        scores, _ = ({}, {}) if utility is None else released_scores(project, method, k, settings)
    told = [""] * 5 if utility is None else [*lost(utility["measures"]), *reached({"tree": scores})]
    counts = [f"{made.classes:,}", f"{made.suppressed:,}"]
    single = METHODS[method].recoding != "distributions"
    linked = links(target, item, folder, options) if single else "see its page"
    return [str(k), variant, *counts, *told, linked, f"{spent:.1f}"]


def links(target: Path, item: DataSet, folder: Path, options: argparse.Namespace) -> str:
    """The rate of right links to a person's row of the best attack of that kind, beside that of a plain guess."""
    asked = {"class_": item.class_, "guesses": options.guesses, "project": folder / "anonduck.yml"}
    found = attack(target, folder / "people.parquet", **asked).as_json()["attacks"]
    best = max((one for one in found if one["question"] == "linkability"), key=lambda one: one["success_rate"])
    return f"{best['success_rate']:.4f} ({best['baseline_rate']:.5f})"


def lost(measures: Mapping[str, float]) -> list[str]:
    """Loss and NCP."""
    return [f"{measures[name]:.4f}" for name in ("loss", "ncp")]


def reached(models: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The scores of the tree."""
    return [f"{models['tree'][name]:.4f}" for name in ("accuracy", "balanced_accuracy", "roc_auc")]


if __name__ == "__main__":
    main()
