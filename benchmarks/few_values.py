"""Whether ordered columns of few values are better shown in groups of two, three or five: what the offer comes to.

Each table is proposed by `init`; then the quasi-identifiers with few ordered values get each size of group. A line has
the mean over all candidates of a kind: detail kept, and accuracy and AUC of gradient boosting on people who are not in
the release; `chosen` is what `run` takes.

    ANONDUCK_DATA=... python benchmarks/few_values.py --k 5 25
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd
import yaml
from offer import FILES
from real_data.folder import data as data_folder

from anonduck import Project
from anonduck.init.init import initialize
from anonduck.init.taxonomy_proposal import group_of
from anonduck.offer.candidates import LEARNER, candidate_from_json
from anonduck.offer.choice import choose

GROUPS = (5, 3, 2, 0)
"""0 is what `init` proposes."""
FEW = 20
METHODS = ["rules", "mondrian", "mondrian:splits=entropy"]


def survey(records: int) -> pd.DataFrame:
    """Made-up answers from 0 to 10, 1 to 5 and 1 to 7, a number of rooms, and a class that three of them decide."""
    random = np.random.default_rng(21)
    mood = random.normal(size=records)
    table = pd.DataFrame(
        {
            "likes_score": np.clip(np.round(6 + 2 * mood + random.normal(0, 1.5, records)), 0, 10),
            "trust_rank": np.clip(np.round(3 + mood * 0.7 + random.normal(0, 0.8, records)), 1, 5),
            "use_rate": random.integers(1, 8, records).astype(float),
            "rooms_number": random.poisson(3, records).clip(1, 12).astype(float),
            "years": random.geometric(0.15, records).clip(max=18).astype(float),
        }
    )
    odds = 0.4 * (table["likes_score"] - 6) + 0.3 * (table["use_rate"] - 4) - 0.15 * (table["years"] - 6)
    return table.assign(stays=np.where(random.random(records) < 1 / (1 + np.exp(-odds)), "yes", "no"))


def main() -> None:
    """Print a line for each table, k, kind of candidate and size of group."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-set", nargs="*", default=["cmc", "breast-cancer", "electricity", "survey"])
    parser.add_argument("--k", type=int, nargs="*", default=[5, 25])
    parser.add_argument("--few", type=int, default=FEW, help="the most values of a column")
    parser.add_argument("--group", type=int, nargs="*", default=GROUPS)
    asked = parser.parse_args()
    print("| table | k | group | kind | detail, % | accuracy, % | AUC | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in asked.data_set:
        for k in asked.k:
            for group in asked.group:
                with tempfile.TemporaryDirectory() as folder:
                    measure(name, k, group, asked.few, Path(folder))


def measure(name: str, k: int, group: int, few: int, folder: Path) -> None:
    """Print what the offer of a table comes to where columns of few values are shown in such groups."""
    if name == "survey":
        source = folder / "survey.csv"
        survey(3_000).to_csv(source, index=False)
    else:
        source = data_folder() / FILES[name][0]
    table = pd.read_csv(source, sep=None, engine="python")
    path = folder / "anonduck.yml"
    initialize(path, str(source), table.columns[-1], here=folder)
    given = yaml.safe_load(path.read_text())
    for column, taxonomy in given["taxonomies"].items():
        if "intervals" in taxonomy and table[column].nunique() <= few:
            given["taxonomies"][column] = {"intervals": group or group_of(table[column].nunique())}
    path.write_text(yaml.safe_dump({**given, "requirement": {"k": k}, "methods": METHODS}))
    began = time.process_time()
    with Project(path) as project:
        project.discover()
        spent = time.process_time() - began
        found = [candidate_from_json(row) for row in project.candidates().to_dict("records")]
        choice = choose(found, project.config)
    lines = defaultdict(list)
    for one in found:
        score = (one.expected or {}).get(LEARNER)
        if score is not None:
            told = (one.detail, score["accuracy"], score["roc_auc"] or 0.5)
            lines[one.label if one.levels is None else "rules"].append(told)
            if choice is not None and choice.chosen.id == one.id:
                lines["chosen"].append(told)
    for kind, values in lines.items():
        detail, accuracy, area = map(fmean, zip(*values, strict=True))
        words = f"| {name} | {k} | {group} | {kind} | {100 * detail:.1f} | {100 * accuracy:.1f} | {area:.3f}"
        print(f"{words} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
