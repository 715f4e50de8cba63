"""What section 5 of Majeed and Hwang (Electronics 2023) reports of usefulness and uncertainty, measured again on Adult.

The first 32,561 records with the paper's four quasi-identifiers, and the taxonomies of the authors of the paper on
RFDs, whose levels are nearest to its Table 3. The salary is the class and the sensitive attribute.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from anonduck import Project
from anonduck.methods import registry
from anonduck.methods.method import Method, no_suppression
from anonduck.methods.settings import READING_OF
from anonduck.models.usefulness import Usefulness
from benchmarks.data_sets import data
from benchmarks.papers.measured import Measured, released_scores

QUASI = ["age", "race", "sex", "native-country"]
RECORDS = 32_561
TREES, LEARNT = 497, 21_706
"""Table 4: trees of the forest, and records that it learns from."""
K = (2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 75, 100, 125, 150, 175, 200, 250)
FAST_K = (2, 5, 10, 50, 250)
WEIGHTS = {"age": 0.18, "race": 26.91, "sex": 1.10, "native-country": 71.81}
ACCURACY = {"k-anonymity": 86.46, "l-diversity": 85.71, "t-closeness": 84.09, "flexible": 88.71, "source": 89.01}
DISCLOSURE = {  # Table 8: existing algorithms, existing models, the proposed approach
    2: (0.87, 0.67, 0.54), 5: (0.60, 0.68, 0.42), 10: (0.63, 0.69, 0.51), 15: (0.75, 0.74, 0.64),
    20: (0.69, 0.75, 0.66), 25: (0.80, 0.78, 0.72), 30: (0.78, 0.79, 0.67), 35: (0.80, 0.84, 0.73),
    40: (0.81, 0.84, 0.75), 50: (0.83, 0.85, 0.76), 75: (0.84, 0.83, 0.78), 100: (0.82, 0.85, 0.77),
    125: (0.86, 0.86, 0.79), 150: (0.88, 0.89, 0.80), 175: (0.88, 0.91, 0.81), 200: (0.89, 0.92, 0.82),
    250: (0.88, 0.94, 0.82),
}  # fmt: skip
CERTAIN = {  # Table 9: classes, and those of one value of existing algorithms, existing models, the proposed approach
    2: (16280, 4549.56, 6210.5, 2779.5), 5: (6512, 1819.90, 2484.2, 1111.8), 10: (3256, 909.81, 1242.10, 555.81),
    15: (2171, 606.53, 828.06, 370.61), 20: (1628, 454.32, 621.05, 277.95), 25: (1302, 363.92, 496.84, 222.36),
    30: (1085, 303.26, 414.03, 185.31), 35: (930, 259.94, 354.82, 158.82), 40: (814, 227.45, 310.52, 138.97),
    50: (651, 181.96, 248.42, 111.18), 75: (434, 121.30, 165.61, 74.12), 100: (326, 90.98, 124.21, 55.60),
    125: (260, 72.78, 99.36, 44.48), 150: (217, 60.65, 82.80, 37.06), 175: (186, 51.98, 79.79, 31.76),
    200: (163, 45.49, 62.10, 27.80), 250: (130, 36.39, 49.64, 22.36),
}  # fmt: skip
HOMOGENEITY = {"existing algorithms": 0.32, "existing models": 0.42, "flexible": 0.19}
VARIANTS: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = {
    "flexible, table-5": ("flexible", {}, {}),
    "flexible, table-5, join=false": ("flexible", {"join": False}, {}),
    "flexible, equation-8": ("flexible", {"weights": "equation-8"}, {}),
    "flexible, levels=least": ("flexible", {"levels": "least"}, {}),
    "best full-domain rule": ("best-rule", {}, {}),
    "mondrian, k": ("mondrian", {}, {}),
    "mondrian, l = 2": ("mondrian", {}, {"l": 2}),
    "mondrian, t = 0.2": ("mondrian", {}, {"t": 0.2}),
}
BEST_RULE = Method(
    name="best-rule",
    recoding="levels",
    options=(),
    source="Han et al., An anonymization method to improve data utility for classification, CSS 2017",
    words="the rule of the least distortion by weights",
    algorithm=lambda space, **_: space.cheapest("distortion"),
    allowance=no_suppression,
)
COPY = "salary"
Row = dict[str, Any]


def measure(made: Measured) -> None:
    """All that the data here allow."""
    registry.METHODS = {**registry.METHODS, BEST_RULE.name: BEST_RULE}
    table = pd.read_csv(data() / "adult.csv")[:RECORDS][[*QUASI, "class"]]
    table[COPY] = table["class"]
    with opened(table) as project:
        found = project.usefulness()
    table_5(made, table, found, trees=TREES if made.full else TREES // 10)
    rows = measured_rows(table, found, K if made.full else FAST_K)
    table_6(made, rows, table)
    table_8(made, rows)
    table_9(made, rows)
    figures(made, rows)
    made.missing("Table 7", "SVD3RD", "the paper names it and gives neither its steps nor its settings")
    made.missing("Figure 8", "IACk and CPA", "the paper names them and gives neither their steps nor their settings")
    why = "the data are not among those that were at hand, so that no row of it is compared"
    made.missing("Section 5.1", "Bkseq", why)


def opened(table: pd.DataFrame, *, required: Mapping[str, Any] | None = None, **config: Any) -> Project:
    """A project on the records, with the taxonomies; the salary is sensitive where more than k is required."""
    needed = {"k": 2, **(required or {})}
    roles = {"sensitive": [COPY]} if set(needed) - {"k"} else {"identifiers": [COPY]}
    project = Project(source=table, class_="class", requirement=needed, **roles, **config)
    path = data() / "authors-taxonomies" / "TaxAdult"
    project.import_taxonomies(path, format_="blocks", mapping={"NativeCountry": "native-country"})
    return project


# -- table 5 -----------------------------------------------------------------------------------------------------------


def table_5(made: Measured, table: pd.DataFrame, found: Usefulness, *, trees: int) -> None:
    """The weights, by what the command does and by a forest that is built again on shuffled columns, as the paper's."""
    names = list(found.names)
    rebuilt = rebuilt_scores(table, names, trees)
    shares = {
        "`table-5`": found.shares(READING_OF["table-5"]),
        "`equation-8`": found.shares(READING_OF["equation-8"]),
        "exp(x / s)": _exponential(found.scores),
        "built again, exp(x / s)": _exponential(rebuilt),
    }
    for name, printed in WEIGHTS.items():
        place = names.index(name)
        for words in ("`table-5`", "exp(x / s)", "built again, exp(x / s)"):
            made.compare("Table 5", f"{name}, {words}", printed, 100 * shares[words][place], digits=1, near=5)
    rows = [
        [name, f"{found.changes[place]:+.4f}", f"{found.scores[place]:+.2f}", f"{rebuilt[place]:+.2f}"]
        + [f"{100 * one[place]:.1f}" for one in shares.values()]
        for place, name in enumerate(names)
    ]
    made.table("table 5", ["column", "error before - after", "x / s", "x / s, built again", *shares], rows)
    order = sorted(names, key=lambda name: -shares["`table-5`"][names.index(name)])
    first = set(order[:2]) == {"race", "native-country"}
    made.claim("Table 5", "country and race before sex and age", "yes", "yes" if first else "no", holds=first)


def _exponential(scores: Sequence[float]) -> list[float]:
    weights = np.exp(np.array(scores))
    return [float(one) for one in weights / weights.sum()]


def rebuilt_scores(table: pd.DataFrame, names: Sequence[str], trees: int) -> list[float]:
    """x / s of equation 8 by a forest that grows again on each shuffled column, of as many records as the paper's."""
    random = np.random.default_rng(0)
    drawn = table.sample(LEARNT, random_state=0)
    seen = np.column_stack([pd.factorize(drawn[name], sort=True)[0] for name in names]).astype(np.float32)
    classes = pd.factorize(drawn["class"])[0]
    shuffled = []
    for column in range(len(names)):
        other = seen.copy()
        other[:, column] = random.permutation(other[:, column])
        shuffled.append(other)
    changes = np.zeros((trees, len(names)))
    for tree in range(trees):
        picked = random.integers(0, len(seen), len(seen))
        out = np.ones(len(seen), dtype=bool)
        out[picked] = False
        before, *after = (_error(one, classes, picked, out) for one in (seen, *shuffled))
        changes[tree] = before - np.array(after)
    spread = np.maximum(changes.std(axis=0, ddof=1), 1 / len(seen))
    return [float(one) for one in changes.mean(axis=0) / spread]


def _error(seen: np.ndarray, classes: np.ndarray, picked: np.ndarray, out: np.ndarray) -> float:
    grown = DecisionTreeClassifier(random_state=0).fit(seen[picked], classes[picked])
    return float((grown.predict(seen[out]) != classes[out]).mean())


# -- releases ----------------------------------------------------------------------------------------------------------


def measured_rows(table: pd.DataFrame, found: Usefulness, ks: Sequence[int]) -> list[Row]:
    """A row for each k and variant."""
    weights = dict(zip(found.names, found.shares(READING_OF["table-5"]), strict=True))
    return [one_row(table, weights, k, words) for k in ks for words in VARIANTS]


def one_row(table: pd.DataFrame, weights: Mapping[str, float], k: int, words: str) -> Row:
    """One release: what it loses, what a tree reaches, and what the file and the method say of disclosure."""
    method, settings, required = VARIANTS[words]
    given = {"weights": weights, "measures": ["loss", "distortion"], "models": ["tree"]}
    start = time.process_time()
    with (
        opened(table, required={"k": k, **required}, **given) as project,
        tempfile.TemporaryDirectory() as folder,
    ):
        file = Path(folder) / "made.parquet"
        made = project.anonymize(method, file, settings=settings)
        records, classes, certain, disclosure, homogeneity = disclosed(file)
        tree, baseline = released_scores(project, method, k, settings)
    utility, found = made.owner["utility"], made.owner["method"].get("found")
    return {
        "k": k,
        "variant": words,
        "classes": classes,
        "certain": certain,
        "loss": utility["measures"]["loss"],
        "distortion": utility["measures"]["distortion"] / records,
        **tree,
        "baseline": baseline,
        "disclosure": disclosure,
        "homogeneity": homogeneity,
        "revealed": None if found is None else found["released"][0]["revealed"],
        "formed": None if found is None else found["uncertainty"],
        "seconds": time.process_time() - start,
    }


def disclosed(file: Path) -> tuple[float, ...]:
    """Records, equivalence classes, those of one value, PD and HA, counted in a file."""
    table = pd.read_parquet(file).drop(columns=COPY, errors="ignore").assign(**{"": 0})
    labels = [name for name in table if name != "class"]
    cells = table.groupby([*labels, "class"], dropna=False).size()
    classes = cells.groupby(level=labels, dropna=False).agg(["sum", "max", "count"])
    records, certain = len(table), classes["count"] == 1
    found = (classes["max"].sum() / records, classes["sum"][certain].sum() / records)
    return (records, len(classes), int(certain.sum()), *map(float, found))


def _of(rows: Sequence[Row], variant: str) -> list[Row]:
    return [row for row in rows if row["variant"] == variant]


# -- tables and figures ------------------------------------------------------------------------------------------------


def table_6(made: Measured, rows: Sequence[Row], table: pd.DataFrame) -> None:
    """Mean accuracy over k of a tree, in percent."""
    held = {
        "k-anonymity": "mondrian, k",
        "l-diversity": "mondrian, l = 2",
        "t-closeness": "mondrian, t = 0.2",
        "flexible": "flexible, table-5",
    }
    source = 100 * rows[0]["baseline"]["accuracy"]
    ours = {name: 100 * fmean(row["accuracy"] for row in _of(rows, words)) for name, words in held.items()}
    ours["source"] = source
    why = "more than any tree reaches on these four columns here"
    for name, printed in ACCURACY.items():
        made.compare("Table 6", name, printed, ours[name], digits=1, near=1, why=why)
    majority = 100 * float(table["class"].value_counts(normalize=True).max())
    made.facts["majority"], made.facts["source accuracy"] = f"{majority:.2f}", f"{source:.2f}"
    made.facts["source AUC"] = f"{rows[0]['baseline']['roc_auc']:.2f}"
    lost = ACCURACY["source"] - ACCURACY["flexible"]
    made.compare("Table 6", "lost by flexible, points", lost, source - ours["flexible"], digits=1, near=0.5)
    for words in ("table-5", "equation-8", "levels=least"):
        made.facts[f"AUC {words}"] = f"{fmean(row['roc_auc'] for row in _of(rows, f'flexible, {words}')):.2f}"


def table_8(made: Measured, rows: Sequence[Row]) -> None:
    """PD: the share of records whose sensitive value is the most frequent one of their equivalence class."""
    why = "here of every class its most frequent value, which is the most that patterns can match"
    for one, words in ((1, "mondrian, k"), (2, "flexible, table-5")):
        for row in _of(rows, words):
            cell = f"k = {row['k']}, {'existing models' if one == 1 else 'flexible'}"
            made.compare("Table 8", cell, DISCLOSURE[row["k"]][one], row["disclosure"], digits=2, near=0.05, why=why)
    least, most = min(row["disclosure"] for row in rows), max(row["disclosure"] for row in rows)
    made.facts["PD least"], made.facts["PD most"] = f"{least:.3f}", f"{most:.3f}"


def table_9(made: Measured, rows: Sequence[Row]) -> None:
    """HA, and classes of one sensitive value."""
    ours = {"existing models": "mondrian, k", "flexible": "flexible, table-5, join=false"}
    for name, words in ours.items():
        mean = fmean(row["homogeneity"] for row in _of(rows, words))
        made.compare("Table 9", f"mean HA, {name}", HOMOGENEITY[name], mean, digits=2, near=0.05)
    printed = [
        [str(k), f"{classes:,}", *(f"{100 * count / classes:.1f} %" for count in counts)]
        for k, (classes, *counts) in CERTAIN.items()
    ]
    made.table("table 9", ["k", "classes", "algorithms", "models", "proposed"], printed)
    lines = []
    for row in _of(rows, "flexible, table-5, join=false"):
        formed = row["formed"]
        mondrian = next(one for one in _of(rows, "mondrian, k") if one["k"] == row["k"])
        shares = formed["certain"] / formed["classes"], mondrian["certain"] / mondrian["classes"]
        cells = (f"{formed['classes']:,}", f"{100 * shares[0]:.1f} %", f"{row['homogeneity']:.3f}")
        others = (f"{mondrian['classes']:,}", f"{100 * shares[1]:.1f} %", f"{mondrian['homogeneity']:.3f}")
        lines.append([str(row["k"]), *cells, *others])
    columns = ["classes as formed", "of one value", "HA in the file"]
    made.table("homogeneity", ["k", *columns, "classes, mondrian", "of one value, mondrian", "HA, mondrian"], lines)
    falls = [float(line[2].split()[0]) for line in lines]
    constant = max(falls) - min(falls) < 1
    found = "the same" if constant else "falls with k"
    made.claim("Table 9", "share of classes of one value", "the same at each k", found, holds=constant)


def figures(made: Measured, rows: Sequence[Row]) -> None:
    """Figures 8 to 10 are plots: the data of ours, and the means that the text tells."""
    lines = []
    for row in rows:
        scores = (f"{row[name]:.4f}" for name in ("loss", "distortion", "accuracy", "balanced_accuracy", "roc_auc"))
        told = (f"{row['disclosure']:.4f}", f"{row['homogeneity']:.4f}")
        revealed = "none raised" if row["revealed"] is None else f"{row['revealed']:.4f}"
        lines.append([str(row["k"]), row["variant"], f"{row['classes']:,}", *scores, *told, revealed])
    columns = ["k", "by", "classes", "`loss`", "DM", "accuracy", "balanced", "AUC", "PD", "HA", "revealed"]
    made.table("releases", columns, lines)
    mean = {words: fmean(row["distortion"] for row in _of(rows, words)) for words in VARIANTS}
    for where, rival, printed in (("Figure 9", "best full-domain rule", 11.36), ("Figure 10", "mondrian, k", 29.6)):
        less = 100 * (1 - mean["flexible, table-5"] / mean[rival])
        made.compare(where, f"DM under that of the {rival}, percent", printed, less, digits=1, near=5)
    best = min(VARIANTS, key=lambda words: mean[words])
    made.facts["least distortion"] = best
