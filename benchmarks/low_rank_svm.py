"""Prints what an svm of low rank reaches beside an exact one: the table of docs/measures.md on the models.

``python benchmarks/low_rank_svm.py adult --records 10000``: both learn from so many records as they came and are tested
on 5,000 others; seconds are of one thread of the processor, for training and testing.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent))

from method_page import print_line
from real_data.data_sets import DATA_SETS
from real_data.folder import data as data_folder
from sklearn.compose import make_column_transformer
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from anonduck.models.estimators import CACHE_MB, weighted_gamma
from anonduck.models.low_rank_svm import LowRankSvm

TESTED = 5_000


def main() -> None:
    """Print a line for each machine and C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data_set", choices=list(DATA_SETS))
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--landmarks", type=int, nargs="*", default=[150, 300, 500])
    parser.add_argument("--no-exact", action="store_true", help="of many records, which takes minutes")
    parser.add_argument("--columns", nargs="*", help="learn from these alone, beside a tree; default: from all")
    options = parser.parse_args()
    item = DATA_SETS[options.data_set]
    table = pd.read_csv(data_folder() / item.file, sep=None, engine="python")
    table = table.sample(frac=1, random_state=0)
    table = table[[*options.columns, item.class_]] if options.columns else table
    learnt, asked = table[: options.records], table[-TESTED:]
    numbers = [name for name in table if name != item.class_ and pd.api.types.is_numeric_dtype(table[name])]
    names = [name for name in table if name != item.class_ and name not in numbers]
    encoded = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    features = make_column_transformer((StandardScaler(), numbers), (encoded, names)).fit(learnt)
    rows, tested = features.transform(learnt), features.transform(asked)
    weights, truth = np.ones(len(rows)), learnt[item.class_].to_numpy()
    gamma = weighted_gamma(rows, weights)
    print_line(("machine", "C", "accuracy", "balanced", "AUC", "seconds"))
    print_line(["---"] * 6)
    if options.columns:
        tree = DecisionTreeClassifier(random_state=0).fit(rows, truth)
        print_line(("tree", "", f"{tree.score(tested, asked[item.class_]):.4f}", "", "", ""))
    for c in (0.1, 1.0, 10.0):
        exact = [] if options.no_exact else [("exact", SVC(C=c, gamma=gamma, cache_size=CACHE_MB))]
        low = [(f"{landmarks} landmarks", LowRankSvm(c, gamma, landmarks)) for landmarks in options.landmarks]
        for name, machine in [*exact, *low]:
            began = time.process_time()
            with threadpool_limits(1):
                machine.fit(rows, truth, sample_weight=weights)
                found, area = machine.predict(tested), machine.decision_function(tested)
            known = asked[item.class_].to_numpy()
            scores = (
                (found == known).mean(),
                balanced_accuracy_score(known, found),
                roc_auc_score(known == machine.classes_[1], area),
            )
            print_line((name, c, *(f"{score:.4f}" for score in scores), f"{time.process_time() - began:.1f}"))


if __name__ == "__main__":
    main()
