"""What section 5 of Senavirathne and Torra (SECRYPT 2021) reports of swapping, measured again."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from anonduck import Project
from benchmarks.papers.measured import Measured
from benchmarks.papers.swapping import (
    DATA_SETS,
    MODELS,
    PART,
    Bounds,
    Guessed,
    Split,
    attacks,
    information_loss,
    one_to_one,
    release,
    scores,
    split,
)

K = (5, 50, 100, 200)
SETS = ("part", "full")
METHODS = ("probabilistic", "mondrian")
DISSIMILARITIES = ("gower", "ahmad-dey")
FALLS = {"part": {"distance": 39.9, "linkage": 49, "forest": 25}, "full": {"distance": 38, "linkage": 51, "forest": 22}}
"""By how many percent disclosure falls (section 5.2)."""
RAW = {"distance": 0.92, "linkage": 0.98, "forest": 0.83}
F1_LOST = {"gower": {"part": 0.12, "full": 0.23}, "ahmad-dey": {"part": 0.15, "full": 0.24}}
ONE_CLASS = {2: 0.72, 3: 0.6, 4: 0.52, 5: 0.47, 50: 0.11, 100: 0.06, 200: 0.002}
"""Adult, records in classes of one sensitive value, as printed, with a percent sign (section 5.2)."""
FAST_ONE_CLASS = (2, 5, 50, 200)
PRECISION = 0.49
OTHERS = "over its six data sets, two of which are not here"
Row = dict[str, Any]


def measure(made: Measured) -> None:
    """All that the data here allow."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    full = made.full
    splits = {name: split(name) for name in DATA_SETS}
    rows = [row for one in splits.values() for row in measured_rows(one, bounds(one.name, full=full), full=full)]
    sets_of_columns(made, splits)
    figure_1(made, rows)
    one_class(made, splits["adult"])
    figure_2(made, rows)
    figure_3(made, rows)
    links(made, splits)
    figure_4(made, splits)
    for name, size in (("Heart Disease", "303 records"), ("Cardiotocography", "1,914 records, ten classes")):
        made.missing("Section 5", name, f"the data ({size}) are not among those that were at hand")


def bounds(name: str, *, full: bool) -> Bounds:
    """What is used of a data set; Adult alone is too large to be measured whole in minutes."""
    every = tuple(MODELS)
    if full and name == "adult":
        return Bounds(10_000, 2_000, 1, K, every)
    if full:
        return Bounds(10**9, 2_000, 5, K, every)
    return Bounds(3_000, 0, 1, K, ("logistic",)) if name == "adult" else Bounds(3_000, 300, 1, (K[0], K[-1]), every)


def sets_of_columns(made: Measured, splits: dict[str, Split]) -> None:
    """The columns of the set *part*."""
    rows = [
        [
            one.name,
            f"{len(one.train) + len(one.held):,}",
            f"{PART[one.name]:.2f}",
            f"{len(one.sets['part'])} of {len(one.sets['full'])}",
            f"{one.singled:.1%}",
            ", ".join(one.sets["part"]),
        ]
        for one in splits.values()
    ]
    made.table("part", ["data", "records", "the paper's share", "columns", "they single out", "which"], rows)


def measured_rows(one: Split, limits: Bounds, *, full: bool) -> Iterator[Row]:
    """Means over trials for each dissimilarity, set and k; attacks by Gower's dissimilarity alone, as in the paper.

    By Ahmad and Dey's, the fast mode measures the loss of information alone, and not on Adult.
    """
    raw = scores(one.train, one, limits)
    for words, quasi in one.sets.items():
        before = attacks(one.train, one, quasi, limits.people) if limits.people else {}
        for by in DISSIMILARITIES if full or one.name != "adult" else DISSIMILARITIES[:1]:
            for k in K:
                row: Row = {"data": one.name, "set": words, "by": by, "k": k, "raw": raw, "before": before}
                scored = k in limits.scored and (full or by == DISSIMILARITIES[0])
                trials = [trial(one, quasi, k, by, seed, limits, scored=scored) for seed in range(limits.trials)]
                yield row | {"trials": trials, "scored": scored, "attacked": bool(trials[0]["attacks"])}


def trial(one: Split, quasi: Sequence[str], k: int, by: str, seed: int, limits: Bounds, *, scored: bool) -> Row:
    """One release, and what is measured of it."""
    released, owner = release(one, list(quasi), k, by, seed)
    attacked = scored and limits.people and by == DISSIMILARITIES[0]
    method = owner["method"]
    return {
        "lost": information_loss(one.train, released),
        "scores": scores(released, one, limits) if scored else {},
        "attacks": attacks(released, one, list(quasi), limits.people) if attacked else {},
        "unchanged": method["unchanged"] / method["blocks_in_clusters"],
        "one_class": method["one_class"] / method["clusters"],
    }


def _mean(rows: Sequence[Row], of: Any) -> float:
    return fmean(of(row, one) for row in rows for one in row["trials"])


def _some(rows: Sequence[Row], **given: Any) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in given.items())]


# -- figure 1 ----------------------------------------------------------------------------------------------------------


def figure_1(made: Measured, rows: Sequence[Row]) -> None:
    """Loss of mutual information over all columns: the paper prints a plot, and says how it goes.

    Means are over the data sets that are measured by both dissimilarities.
    """
    both = [name for name in DATA_SETS if all(_some(rows, data=name, by=by) for by in DISSIMILARITIES)]
    lines, means = [], {}
    for by in DISSIMILARITIES:
        for words in SETS:
            for k in K:
                found = {name: _some(rows, data=name, set=words, by=by, k=k) for name in DATA_SETS}
                each = {name: _mean(one, _lost) for name, one in found.items() if one}
                means[by, words, k] = fmean(each[name] for name in both)
                cells = (f"{each[name]:.4f}" if name in each else "left out" for name in DATA_SETS)
                lines.append([by, words, str(k), *cells, f"{means[by, words, k]:.4f}"])
    made.table("figure 1", ["dissimilarity", "columns", "k", *DATA_SETS, f"mean of {len(both)}"], lines)
    places = [(by, words, pair) for by in DISSIMILARITIES for words in SETS for pair in pairwise(K)]
    rising = [means[by, words, low] <= means[by, words, high] for by, words, (low, high) in places]
    made.claim("Figure 1", "more loss with k", "yes", _all(rising), holds=all(rising))
    more = [means["gower", "full", k] > means["gower", "part", k] for k in K]
    adult = {words: _mean(_some(rows, data="adult", set=words, by="gower", k=K[-1]), _lost) for words in SETS}
    made.facts["adult part loss"], made.facts["adult full loss"] = (f"{adult[words]:.3f}" for words in SETS)
    made.claim("Figure 1", "more loss over full than over part, mean", "yes", _all(more), holds=all(more))
    whole = adult["full"] > adult["part"]
    made.claim("Figure 1", f"the same, Adult at k = {K[-1]}", "yes", "yes" if whole else "no", holds=whole)
    less = [means["gower", words, k] < means["ahmad-dey", words, k] for words in SETS for k in K]
    made.claim("Figure 1", "marginally less by Gower than by Ahmad-Dey", "yes", _all(less), holds=all(less))


def _lost(_: Row, trial: Row) -> float:
    return float(trial["lost"])


def _all(found: Sequence[bool]) -> str:
    return "yes" if all(found) else f"in {sum(found)} of {len(found)} places"


# -- section 5.2, standard k-anonymity ---------------------------------------------------------------------------------


def one_class(made: Measured, adult: Split) -> None:
    """Records of Adult in classes of one sensitive value under standard k-anonymity, by Mondrian."""
    table = pd.concat([adult.train, adult.held], ignore_index=True)
    for k, printed in ONE_CLASS.items():
        if not made.full and k not in FAST_ONE_CLASS:
            continue
        found = {words: _homogeneous(table, adult.class_, quasi, k) for words, quasi in adult.sets.items()}
        for words in SETS:
            cell = f"k = {k}, {words}, as a share"
            made.compare("Section 5.2, classes of one value", cell, printed, found[words], digits=3, near=0.1)
    made.missing("Section 5.2, classes of one value", "Cardiotocography", "the data are not at hand", "0.45 to 0 %")


def _homogeneous(table: pd.DataFrame, class_: str, quasi: list[str], k: int) -> float:
    others = [column for column in table if column not in (*quasi, class_)]
    config = {"class_": class_, "quasi_identifiers": quasi, "identifiers": others, "requirement": {"k": k}}
    with (
        tempfile.TemporaryDirectory() as folder,
        Project(source=table, models=[], measures=[], **config) as project,
    ):
        file = Path(folder) / "made.parquet"
        project.anonymize("mondrian", file)
        share = duckdb.sql(
            f"""
            WITH classes AS (
                SELECT * EXCLUDE ("{class_}"), count(*) AS n, count(DISTINCT "{class_}") AS held
                FROM '{file}' GROUP BY ALL
            )
            SELECT coalesce(sum(n) FILTER (WHERE held = 1), 0) / sum(n) FROM classes
            """
        ).fetchall()[0][0]
    return float(share)


# -- figure 2 ----------------------------------------------------------------------------------------------------------


def figure_2(made: Measured, rows: Sequence[Row]) -> None:
    """Disclosure of the class, on raw data and of releases, and the control group that the paper does not have."""
    gower = _some(rows, by="gower", attacked=True)
    part = [row["before"] for row in _some(gower, set="part", k=K[0])]
    for name, printed in RAW.items():
        ours = fmean(before[name].people for before in part)
        made.compare("Figure 2", f"raw data, {name}", printed, ours, digits=2, near=0.05, why=OTHERS)
    for words, falls in FALLS.items():
        for name, printed in falls.items():
            fall = [
                1 - fmean(one["attacks"][name].people for one in row["trials"]) / row["before"][name].people
                for row in _some(gower, set=words)
            ]
            cell = f"fall in percent, {name}, {words}"
            made.compare("Section 5.2", cell, printed, 100 * fmean(fall), digits=0, near=10, why=OTHERS)
    lines = []
    for row in gower:
        cells = [row["data"], row["set"], str(row["k"])]
        for name in RAW:
            found = [one["attacks"][name] for one in row["trials"]]
            rates = (row["before"][name].people, fmean(one.people for one in found), fmean(one.others for one in found))
            cells.append(" / ".join(f"{rate:.3f}" for rate in rates))
        unchanged, alike = (100 * fmean(one[name] for one in row["trials"]) for name in ("unchanged", "one_class"))
        lines.append([*cells, f"{unchanged:.0f} %", f"{alike:.0f} %"])
    columns = ["data", "columns", "k", *RAW, "blocks unchanged", "clusters of one class"]
    made.table("figure 2", columns, lines)
    excesses = [
        [str(k), *(f"{_excess(_some(gower, k=k, set=words), name):+.3f}" for name in RAW for words in SETS)]
        for k in sorted({row["k"] for row in gower})
    ]
    made.table("excess", ["k", *(f"{name}, {words}" for name in RAW for words in SETS)], excesses)


def _excess(rows: Sequence[Row], name: str) -> float:
    def excess(_: Row, trial: Row) -> float:
        found: Guessed = trial["attacks"][name]
        return found.people - found.others

    return _mean(rows, excess)


# -- figures 3 and 4 ---------------------------------------------------------------------------------------------------


def figure_3(made: Measured, rows: Sequence[Row]) -> None:
    """The F1 that models lose, as a mean over models, data sets and k; a plot by data set."""
    for by, printed in F1_LOST.items():
        for words, value in printed.items():
            found = _some(rows, by=by, set=words, scored=True)
            if not found:
                made.missing("Figure 3", f"F1 lost, {by}, {words}", "left out of the fast mode", str(value))
                continue
            lost = _mean(found, _f1_lost)
            made.compare("Figure 3", f"F1 lost, {by}, {words}", value, lost, digits=2, near=0.05, why=OTHERS)
    lines = []
    for row in _some(rows, by="gower", scored=True):
        lost = [fmean(one["scores"][name] for one in row["trials"]) - row["raw"][name] for name in row["raw"]]
        raw, mean = fmean(row["raw"].values()), _mean([row], _f1_lost)
        each = dict(zip(row["raw"], lost, strict=True))
        changes = [f"{-mean:+.3f}", *(f"{each[name]:+.3f}" if name in each else "left out" for name in MODELS)]
        lines.append([row["data"], row["set"], str(row["k"]), f"{raw:.3f}", *changes])
    made.table("figure 3", ["data", "columns", "k", "F1 raw, mean", "change, mean", *MODELS], lines)
    last = _some(rows, data="adult", set="full", by="gower", k=K[-1])[0]
    logistic = last["raw"]["logistic"] - fmean(one["scores"]["logistic"] for one in last["trials"])
    made.facts["adult logistic"] = f"{logistic:.3f}"


def _f1_lost(row: Row, trial: Row) -> float:
    return fmean(row["raw"].values()) - fmean(trial["scores"].values())


def figure_4(made: Measured, splits: dict[str, Split]) -> None:
    """Models under swapping and under Mondrian: a tree in place of the neural network, part columns."""
    lines, ahead = [], []
    for one in splits.values():
        if one.name != "mammographic" and not made.full:
            why = "left out of the fast mode, as each of ten training parts is swapped by itself"
            made.missing("Figure 4", one.name, why, "a plot")
            continue
        quasi = one.sets["part"]
        rest = [column for column in one.train if column not in (*quasi, one.class_)]
        config = {"class_": one.class_, "quasi_identifiers": quasi, "insensitive": rest, "requirement": {"k": min(K)}}
        with Project(source=one.train, models=["tree"], seed=1, measures=[], **config) as project:
            found = project.compare(list(METHODS), list(K), models=["tree"], protocol=["held-out"])
        raw = found.baseline["tree"]["roc_auc"]["value"]
        for k in K:
            rows = {row["method"]: row["models"] for row in found.rows if row["k_required"] == k}
            areas = [rows[name]["tree"]["roc_auc"]["value"] if rows[name] else None for name in METHODS]
            if None not in areas:
                ahead.append(areas[0] > areas[1])
            cells = ("no release" if area is None else f"{area:.3f}" for area in areas)
            lines.append([one.name, str(k), f"{raw:.3f}", *cells])
    made.table("figure 4", ["data", "k", "ungeneralized", *METHODS], lines)
    why = "a tree's area under the ROC curve, on records as they came, stands for the accuracy of a network"
    found, cell = f"for a tree, {_all(ahead)}", "swapping by Gower ahead of k-anonymity"
    made.claim("Figure 4", cell, "for neural networks", found, holds=all(ahead), why=why)
    for name in ("differential privacy", "l-diversity and t-closeness"):
        made.missing("Figure 4", name, "the paper prints markers without values", "a plot")


# -- links -------------------------------------------------------------------------------------------------------------


def links(made: Measured, splits: dict[str, Split]) -> None:
    """One-to-one links with half of the people foreign."""
    every, surer, lines = [], [], []
    people = 500 if made.full else 150
    for one in splits.values():
        if one.name == "adult" and not made.full:
            continue
        for k in K if made.full else (K[0], K[-1]):
            released, _ = release(one, one.sets["part"], k, "gower", 0)
            precision, half = one_to_one(released, one, one.sets["part"], people)
            every.append(precision)
            surer.append(half)
            lines.append([one.name, str(k), f"{precision:.3f}", f"{half:.3f}"])
    made.table("one to one", ["data", "k", "precision", "precision, surer half"], lines)
    words = "half of the people are foreign, and all are linked"
    made.compare("Section 5.2, links", "precision, one to one", PRECISION, fmean(every), digits=2, near=0.02, why=words)
    made.facts["surer half"] = f"{fmean(surer):.2f}"
    made.facts["linked people"] = str(people)
