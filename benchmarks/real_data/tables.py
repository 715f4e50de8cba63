"""The tables of docs/real-data.md in Markdown, from the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.real_data.data_sets import COVERAGES, DATA_SETS, MIN_K, DataSet
from benchmarks.real_data.markdown import bits, percent, points, table
from benchmarks.real_data.other_tables import over_time, taxonomies
from benchmarks.real_data.results import read_result

KS = (2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
Result = dict[str, Any]
Read = Callable[[Result], float | None]

MEASURES: dict[str, Read] = {
    "accuracy, tree": lambda rule: rule["accuracy"]["tree"],
    "balanced, tree": lambda rule: rule["balanced_accuracy"]["tree"],
    "accuracy, svm": lambda rule: rule["accuracy"].get("svm"),
    "balanced, svm": lambda rule: rule["balanced_accuracy"].get("svm"),
    "information gain": lambda rule: rule["information_gain"],
    "corrected": lambda rule: rule["information_gain_corrected"],
}
BY_TREE = ("accuracy, tree", "balanced, tree", "information gain")
BY_SVM = ("accuracy, svm", "balanced, svm")


def make_tables(results: Path) -> dict[str, str]:
    """Every table for which there are results, by its marker."""
    found = [(item, read_result(results / f"{name}.json")) for name, item in DATA_SETS.items() if _is(results, name)]
    built = [
        (item, result, read_result(results / f"{item.name}-built.json"))
        for item, result in found
        if _is(results, f"{item.name}-built")
    ]
    tables = of_data_sets(found) if found else {}
    for item, result in found:
        tables[f"tradeoff-{item.name}"] = tradeoff(result, "k", BY_TREE)
        tables[f"tradeoff-{item.name}-svm"] = tradeoff(result, "k", BY_SVM)
        tables[f"tradeoff-{item.name}-with-class"] = tradeoff(with_class(result), "k_with_class", BY_TREE)
    if built:
        tables["built"] = built_taxonomies(built)
    if _is(results, "over-time"):
        tables["over-time"] = over_time(read_result(results / "over-time.json"))
    if _is(results, "small"):
        tables["small"] = small(read_result(results / "small.json"))
    return tables


def of_data_sets(found: Sequence[tuple[DataSet, Result]]) -> dict[str, str]:
    """The tables with rows for each data set."""
    counted = [(item, with_class(result)) for item, result in found]
    return {
        "taxonomies": taxonomies([one for one in found if "distinct" in one[1]]),
        "baselines": baselines(found),
        "discovery": discoveries(found),
        "extracted-joined": extracted_and_joined(found, list(MEASURES)),
        "extracted-joined-with-class": extracted_and_joined(counted, ["accuracy, tree", "information gain"]),
        "largest-k": largest_k(found),
        "rankings": rankings(found),
        "effort": effort(found),
    }


def _is(results: Path, name: str) -> bool:
    return (results / f"{name}.json").exists()


def baselines(found: Sequence[tuple[DataSet, Result]]) -> str:
    """One row per data set: what it is, and what models reach on it, ungeneralized."""
    rows = []
    for item, result in found:
        base, pairs = result["baseline"], result["pairs"]
        rows.append(
            [
                item.title,
                f"{result['rows']:,}",
                str(len(result["nodes"])),
                f"{pairs['pairs']:,}",
                f"{pairs['patterns']:,}",
                points(base["class"]["majority_share"]),
                f"{points(base['accuracy']['tree'])} ± {points(base['accuracy_standard_error']['tree'])}",
                points(base["balanced_accuracy"]["tree"]),
                _svm_baseline(result),
                points(result["nominal_baseline"]),
                f"{base['class']['entropy']:.3f}",
            ]
        )
    names = ["data", "records", "attributes", "pairs", "distinct patterns", "majority class", "tree", "balanced, tree"]
    return table([*names, "svm", "C4.5, all values nominal", "entropy of the class"], rows)


def _svm_baseline(result: Result) -> str:
    measured = result.get("svm_baseline", {})
    if not measured:
        return "not measured"
    records = max(measured, key=int)
    score = measured[records]
    whole = "" if int(records) == result["rows"] else f" ({int(records):,} records)"
    return f"{points(score['accuracy'])} ± {points(score['standard_error'])}{whole}"


def discoveries(found: Sequence[tuple[DataSet, Result]]) -> str:
    """One row per data set and coverage: the counts from patterns to rules."""
    rows = [
        [
            item.title,
            percent(c["coverage"]),
            f"{c['patterns']:,}",
            f"{c['class_differing']:,}",
            f"{c['minimal_class_differing']:,}",
            f"{c['rfds']:,}",
            f"{c['rfds_at_min_k']:,}",
            " + ".join(map(str, c["joined_per_round"])),
            f"{c['rules']:,}",
        ]
        for item, result in found
        for c in result["coverages"]
    ]
    names = ["data", "coverage", "patterns", "class-differing", "minimal of these", "RFDs", "RFDs with k >= 2"]
    return table([*names, "joined per round", "rules"], rows)


def extracted_and_joined(found: Sequence[tuple[DataSet, Result]], measures: Sequence[str]) -> str:
    """RQ1: mean and median of each measure over the extracted and the joined rules of a coverage."""
    rows = []
    for item, result in found:
        for coverage in COVERAGES:
            for origin in ("extracted", "joined"):
                rules = [rule for rule in result["rules"] if rule["origins"].get(f"{coverage:g}") == origin]
                cells = [_centre(rules, name) for name in measures]
                rows.append([item.title, percent(coverage), origin, str(len(rules)), *cells])
    return table(["data", "coverage", "rules", "n", *measures], rows)


def _centre(rules: Sequence[Result], name: str) -> str:
    values = [value for value in map(MEASURES[name], rules) if value is not None]
    if not values:
        return "-"
    return f"{_shown(name)(mean(values))} / {_shown(name)(median(values))}"


def largest_k(found: Sequence[tuple[DataSet, Result]]) -> str:
    """RQ2: the largest k of each coverage, as defined and with the class counted, beside the paper's."""
    rows = []
    for item, result in found:
        for coverage, counted in zip(COVERAGES, result["with_class"], strict=True):
            rules = [rule for rule in result["rules"] if f"{coverage:g}" in rule["origins"]]
            kept = [rule["k_with_class"] for rule in rules if rule["id"] in counted["origins"]]
            paper = item.paper_k.get(coverage, "not told")
            rows.append(
                [
                    item.title,
                    percent(coverage),
                    f"{len(rules)}",
                    f"{max((rule['k'] for rule in rules), default=0):,}",
                    f"{len(kept)}",
                    f"{max(kept):,}" if kept else "no rule",
                    "no rule" if paper is None else f"{paper:,}" if isinstance(paper, int) else paper,
                ]
            )
    names = ["data", "coverage", "rules with k >= 2", "largest k", "rules with k >= 2, class counted"]
    return table([*names, "largest k, class counted", "the paper's largest k"], rows)


def with_class(result: Result) -> Result:
    """A result with only the rules, by coverage, that keep k >= 2 when the class counts as an attribute."""
    rules = []
    for rule in result["rules"]:
        origins = {
            f"{counted['coverage']:g}": counted["origins"][rule["id"]]
            for counted in result["with_class"]
            if rule["id"] in counted["origins"]
        }
        rules.append({**rule, "origins": origins})
    return {**result, "rules": rules}


def tradeoff(result: Result, k: str, measures: Sequence[str]) -> str:
    """RQ2: for each k and coverage the best value of each measure among the rules that reach k."""
    rows = []
    for least in KS:
        cells = []
        for coverage in COVERAGES:
            rules = [rule for rule in result["rules"] if rule[k] >= least and f"{coverage:g}" in rule["origins"]]
            cells.append(" · ".join(_best(rules, name) for name in measures) if rules else "-")
        rows.append([f"{least:,}", *cells])
    while rows and all(cell == "-" for cell in rows[-1][1:]):
        rows.pop()
    return table(["k at least", *(percent(coverage) for coverage in COVERAGES)], rows)


def _best(rules: Sequence[Result], name: str) -> str:
    values = [value for value in map(MEASURES[name], rules) if value is not None]
    return _shown(name)(max(values)) if values else "-"


def _shown(name: str) -> Callable[[float], str]:
    return points if name.startswith(("accuracy", "balanced")) else bits


def rankings(found: Sequence[tuple[DataSet, Result]]) -> str:
    """The largest k, class counted, at 5 / 10 / 20 / 50 % under each ranking of patterns."""
    measured = [(item, result["rankings"]) for item, result in found if "rankings" in result]
    rows = [
        [name, *(" / ".join(_largest(k) for k in ranked[name]) for _, ranked in measured)]
        for name in (measured[0][1] if measured else ())
    ]
    told = [" / ".join(_told(item, coverage) for coverage in COVERAGES) for item, _ in measured]
    return table(["patterns ranked", *(item.title for item, _ in measured)], [*rows, ["the paper", *told]])


def _largest(k: int) -> str:
    return f"{k:,}" if k >= MIN_K else "no rule"


def _told(item: DataSet, coverage: float) -> str:
    paper = item.paper_k.get(coverage, -1)
    return "?" if paper == -1 else _largest(paper or 0)


def effort(found: Sequence[tuple[DataSet, Result]]) -> str:
    """RQ3: rules, and how many the frontier leaves, as defined and with the class counted."""
    rows = []
    for item, result in found:
        for plain, counted in zip(result["frontiers"], result["with_class"], strict=True):
            cells = [*_left(plain), *_left(counted), item.paper_reduction]
            rows.append([item.title, percent(plain["coverage"]), *cells])
    ours = ["rules", "on the frontier (k, accuracy, gain)", "left out", "of k and accuracy alone"]
    return table(["data", "coverage", *ours, *(f"{name}, class counted" for name in ours), "paper: left out"], rows)


def _left(sizes: Result) -> list[str]:
    rules, front = sizes["rules"], sizes["frontier"]
    return [str(rules), str(front), f"{1 - front / rules:.0%}" if rules else "-", str(sizes["two_objectives"])]


def built_taxonomies(found: Sequence[tuple[DataSet, Result, Result]]) -> str:
    """Built taxonomies beside the authors' at 5 %."""
    rows = []
    for item, authors, built in found:
        for whose, result in (("the authors'", authors), ("built", built)):
            counts = result["coverages"][0]
            rules = [rule for rule in result["rules"] if "0.05" in rule["origins"]]
            rows.append(
                [
                    item.title,
                    whose,
                    str(sum(len(nodes) - 1 for nodes in result["nodes"].values())),
                    f"{result['pairs']['joined_records']:,}",
                    f"{result['pairs']['patterns']:,}",
                    f"{counts['patterns']:,}",
                    f"{counts['rfds']:,}",
                    f"{counts['rules']:,}" + (" (bounded)" if counts["incomplete"] else ""),
                    f"{max((rule['k'] for rule in rules), default=0):,}",
                    " / ".join(points(_reaching(rules, least)) for least in (2, 10, 100)),
                    f"{mean(rule['information_gain'] for rule in rules):.3f}",
                    f"{result['frontiers'][0]['two_objectives']}",
                ]
            )
    names = ["data", "taxonomies", "levels over the leaves", "records joined", "distinct patterns"]
    more = [
        "patterns at 5 %",
        "RFDs",
        "rules",
        "largest k",
        "best accuracy at k >= 2 / 10 / 100",
        "mean information gain",
        "frontier (k, accuracy)",
    ]
    return table([*names, *more], rows)


def _reaching(rules: Sequence[Result], least: int) -> float:
    return max((rule["accuracy"]["tree"] for rule in rules if rule["k"] >= least), default=float("nan"))


def small(lines: dict[str, Result]) -> str:
    """One row per small table: what the default settings found and released."""
    rows = []
    for name, line in lines.items():
        best = line.get("best")
        rows.append(
            [
                name.removesuffix(".csv"),
                f"{line['rows']:,}",
                str(line["quasi_identifiers"]),
                " / ".join(f"{c['rules']:,}" + ("*" if c["incomplete"] else "") for c in line["coverages"]),
                str(line["rules"]),
                str(line["frontier"]),
                points(line["baseline"]["accuracy"]["tree"]),
                f"`{best['literal']}` ({best['origin']})" if best else "-",
                points(best["accuracy"]["tree"]) if best else "-",
                f"{line['audited_k']}" if best else "-",
            ]
        )
    names = ["table", "records", "attributes", "rules of RFDs at 5 / 10 / 20 / 50 %", "all rules", "frontier"]
    return table(
        [*names, "accuracy ungeneralized", "most accurate rule released", "its accuracy", "k in the audited file"], rows
    )
