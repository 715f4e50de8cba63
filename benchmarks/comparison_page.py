"""Prints the comparison of methods and rules on Adult, Bank and Electricity as Markdown: the tables of docs/compare.md.

The tables and taxonomies are those of the paper (benchmarks/real_data), with all columns but the class as
quasi-identifiers. Rules are those that ``anonduck discover`` finds with k >= the smallest k that is asked, the best
by each measure of ``--select``; the search trains the first of the models alone. Versions of methods are those of
anonduck: what papers print of rivals of the same names is often of weaker ones.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from method_page import print_line, write_source
from real_data.data_sets import DATA_SETS, DataSet
from real_data.folder import data as data_folder

from anonduck import Project
from anonduck.comparison.charts import write_comparison
from anonduck.comparison.comparability import footnotes
from anonduck.comparison.comparison import Comparison
from anonduck.comparison.significance import rank_tests
from anonduck.methods.registry import METHODS

KS = [2, 5, 10, 20, 50, 100, 200, 500]
SCORES = {"accuracy": "accuracy", "balanced_accuracy": "balanced", "macro_f1": "F1", "roc_auc": "AUC"}
LEADING = ("accuracy", "balanced_accuracy", "roc_auc")


def main() -> None:
    """Print the command, the tables of each data set, and what ranks over them tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-k", type=int, nargs="*", default=KS)
    parser.add_argument(
        "--min-k", type=int, help="of the rules that are searched for; by default the least that is asked"
    )
    parser.add_argument("--at-frontier", action="store_true", help="also each k that the frontier reaches")
    parser.add_argument("--by-k", action="store_true", help="print a line for each method, and a column for each k")
    parser.add_argument("--data-set", nargs="*", choices=list(DATA_SETS), default=list(DATA_SETS))
    parser.add_argument("--method", nargs="*", default=["rules", *METHODS])
    parser.add_argument("--model", nargs="*", default=["tree"])
    parser.add_argument("--protocol", nargs="*", choices=["released", "held-out"], default=["released"])
    parser.add_argument("--select", nargs="*", default=["accuracy", "roc_auc"])
    parser.add_argument("--time-limit", type=float, default=300, help="seconds of a row, and of a search for rules")
    parser.add_argument("--row-limit", type=float, help="seconds of a row, where they are other than those of a search")
    parser.add_argument("--folder", type=Path, default=Path("comparison"), help="where all is kept, to go on later")
    options = parser.parse_args()
    print(f"`{shlex.join(['python', 'benchmarks/comparison_page.py', *sys.argv[1:]])}`")
    found = [compared(DATA_SETS[name], options) for name in options.data_set]
    for name, comparison in zip(options.data_set, found, strict=True):
        print(f"\n## {DATA_SETS[name].title}")
        (print_by_k if options.by_k else print_tables)(comparison)
    if len(found) > 1:
        print("\n## Over the data sets\n")
        print_tests(rank_tests(found, None))


def compared(item: DataSet, options: argparse.Namespace) -> Comparison:
    """The comparison of a data set, with its files in a folder of its own."""
    folder = options.folder / item.name
    folder.mkdir(parents=True, exist_ok=True)
    data = data_folder()
    with opened(item, data, folder, options) as project:
        began = time.process_time()
        if "rules" in options.method and not has_rules(project):
            project.discover()
        found = project.compare(
            options.method,
            options.k,
            at="frontier" if options.at_frontier else None,
            models=options.model,
            protocol=options.protocol,
            select=options.select,
            time_limit=options.row_limit or options.time_limit,
        )
        spent = time.process_time() - began
    write_comparison(found, folder / "compared", overwrite=True, announce=tell)
    tell(f"{item.title}: {spent:.0f} seconds of the processor")
    return found


def has_rules(project: Project) -> bool:
    """Whether rules were found that still hold."""
    from anonduck.search.store import read_discovery

    return read_discovery(project.database) is not None and not project.stale()


def opened(item: DataSet, data: Path, folder: Path, options: argparse.Namespace) -> Project:
    """A project on the records with the authors' taxonomies."""
    if not (folder / "people.parquet").exists():
        write_source(item, data, folder)
    config = {
        "source": "people.parquet",
        "class": item.class_,
        "models": options.model[:1],
        "requirement": {"k": options.min_k or min(options.k)},
        "holdout": 0,
        "time_limit": options.time_limit,
    }
    (folder / "anonduck.yml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    project = Project(folder / "anonduck.yml")
    if not project.taxonomies:
        file = data / "authors-taxonomies" / item.taxonomies
        project.import_taxonomies(file, format_="blocks", mapping=dict(item.mapping))
    return project


def tell(text: str) -> None:
    """Progress on stderr, beside the page."""
    print(text, file=sys.stderr, flush=True)


# -- what is printed ---------------------------------------------------------------------------------------------------


def print_tables(found: Comparison) -> None:
    """For each protocol and model a table of all rows, and one of the best at each k."""
    for protocol in found.protocols:
        for model in found.models:
            print(f"\n### {protocol}, {model}\n")
            print_table(
                ("k", "by", "k reached", "classes", "`ncp`", "risk", *SCORES.values(), "CPU s"),
                rows(found, protocol, model),
            )
            for note in footnotes([row for row in found.rows if row["protocol"] == protocol]):
                print(f"\n{note.line}")
            print("\nThe best at each k:\n")
            print_table(("k", *(SCORES[score] for score in LEADING)), best(found, protocol, model))


def print_by_k(found: Comparison) -> None:
    """For each protocol and model, and each score that leads, a table of methods by k; the best is bold."""
    ks = sorted({row["k_required"] for row in found.rows if row["k_required"] is not None})
    for protocol in found.protocols:
        for model in found.models:
            for score in reversed(LEADING):
                whole = found.baseline.get(model, {}).get(score, {}).get("value")
                told = "" if whole is None else f"; ungeneralized {whole:.4f}"
                print(f"\n{SCORES[score]} of {model}, {protocol}{told}\n")
                print_table(("by", *(f"k = {k}" for k in ks)), lines_by_k(found, protocol, model, score, ks))


def lines_by_k(found: Comparison, protocol: str, model: str, score: str, ks: Sequence[int]) -> Iterator[Sequence[str]]:
    """A line for each method with its score at each k, or why there is none."""
    of = {(row["method"], row["k_required"]): row for row in found.rows if row["protocol"] == protocol}
    values = {at: row["models"].get(model, {}).get(score, {}).get("value") for at, row in of.items()}
    best = {k: max((value for (_, at), value in values.items() if at == k and value), default=None) for k in ks}
    for method in dict.fromkeys(method for method, _ in of):
        cells = []
        for k in ks:
            value = values.get((method, k))
            text = of[method, k]["status"] if value is None else f"{value:.4f}"
            cells.append(f"**{text}**" if value is not None and value == best[k] else text)
        yield [method, *cells]


def print_table(head: Sequence[str], lines: Iterator[Sequence[str]]) -> None:
    """A table in Markdown."""
    print_line(head)
    print_line(["---"] * len(head))
    for line in lines:
        print_line(line)


def rows(found: Comparison, protocol: str, model: str) -> Iterator[Sequence[str]]:
    """A line for the ungeneralized data, then one for each row, by rising k."""
    yield ["", "ungeneralized", "", "", "", "", *scores(found.baseline.get(model, {})), ""]
    for row in sorted(
        (one for one in found.rows if one["protocol"] == protocol), key=lambda one: one["k_required"] or 0
    ):
        asked = "" if row["k_required"] is None else f"{row['k_required']:,}"
        if row["k"] is None:
            yield [asked, row["method"], row["status"], *[""] * (len(SCORES) + 4)]
            continue
        lost = [
            f"{one:.4f}" if one is not None else ""
            for one in (row["measures"].get("ncp"), row["risks"].get("marketer_risk"))
        ]
        sizes = [f"{row['k']:,}", f"{row['classes']:,}"]
        yield [asked, row["method"], *sizes, *lost, *scores(row["models"].get(model, {})), seconds(row)]


def seconds(row: Mapping[str, Any]) -> str:
    """Those of the processor, of a release by a rule with those of the search that found all rules."""
    searched = row["search_cpu_seconds"]
    return f"{row['cpu_seconds']:.1f}" + ("" if searched is None else f" + {searched:.1f}")


def scores(told: Mapping[str, Any]) -> list[str]:
    """Each score with its spread over the folds."""
    return [shown(told.get(score, {})) for score in SCORES]


def shown(score: Mapping[str, Any]) -> str:
    """A score as ``0.8442 +- 0.0053``."""
    if score.get("value") is None:
        return ""
    return f"{score['value']:.4f}" + ("" if score["spread"] is None else f" ± {score['spread']:.4f}")


def best(found: Comparison, protocol: str, model: str) -> Iterator[Sequence[str]]:
    """A line for each k with the best row of each score."""
    told = {
        (one["k"], one["score"]): one for one in found.best() if (one["protocol"], one["model"]) == (protocol, model)
    }
    for k in sorted({k for k, _ in told}):
        picked = [told.get((k, score)) for score in LEADING]
        yield [f"{k:,}", *("" if one is None else f"{one['method']}: {one['value']:.4f}" for one in picked)]


def print_tests(tests: Sequence[Mapping[str, Any]]) -> None:
    """What ranks tell of each k, model and score."""

    def lines() -> Iterator[Sequence[str]]:
        for one in tests:
            ranks = sorted(one["mean_ranks"].items(), key=lambda pair: pair[1])
            told = "; ".join(f"{name} {rank:.2f}" for name, rank in ranks)
            yield [
                one["protocol"],
                one["model"],
                f"{one['k']:,}",
                SCORES[one["score"]],
                f"{one['p']:.3f}",
                f"{one['critical_difference']:.2f}",
                told,
            ]

    print_table(("protocol", "model", "k", "score", "p (Friedman)", "CD", "mean ranks"), lines())


if __name__ == "__main__":
    main()
