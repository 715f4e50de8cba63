"""How many trees of how many leaves, at which learning rate, gradient boosting needs for so many records: accuracy and
AUC on records that it did not learn from, in points, beside those of the largest size, with the standard error of the
difference over draws and tables; and seconds of the processor. Means over tables.

    ANONDUCK_DATA=... python benchmarks/boosting.py --records 600 2000 4000 10000 40000
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
import pandas as pd
from offer import FILES, MADE
from real_data.folder import data as data_folder
from sklearn.metrics import accuracy_score, roc_auc_score

from anonduck.models import estimators

Size = tuple[int, int, float]

SIZES = tuple(
    (trees, leaves, rate)
    for leaves in (8, 16, 31)
    for trees, rate in ((25, 0.2), (25, 0.4), (50, 0.1), (50, 0.2), (100, 0.1))
)
"""Trees, the leaves of each at most, and the learning rate; the last one is what scikit-learn does by default."""

TESTED = 20_000
"""Records that models are tested on, at most."""


def main() -> None:
    """Print a line for each number of records and size of boosting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-set", nargs="*", choices=[*FILES, *MADE], default=[*FILES, *MADE])
    parser.add_argument("--records", nargs="*", type=int, default=[600, 2_000, 4_000, 10_000, 40_000])
    parser.add_argument("--seeds", type=int, default=3, help="draws of the records, of up to 5,000")
    asked = parser.parse_args()
    tables = {name: coded(table_of(name)) for name in asked.data_set}
    print("records  tables  trees  leaves  rate  accuracy  more     error    AUC  more     error  CPU s")
    for records in asked.records:
        scores: dict[Size, list[tuple[float, float, float]]] = defaultdict(list)
        held = {name: table for name, table in tables.items() if len(table[2]) >= 1.1 * records}
        for table in held.values():
            for seed in range(asked.seeds):
                for size in SIZES:
                    scores[size].append(tested(table, records, seed, size))
        for (trees, leaves, rate), found in scores.items():
            accuracy, auc, seconds = np.mean(found, axis=0)
            more = 100 * (np.array(found) - np.array(scores[SIZES[-1]]))[:, :2]
            error = more.std(axis=0) / np.sqrt(max(1, len(more) - 1))
            words = f"{records:7,} {len(held):7} {trees:6} {leaves:7} {rate:5}"
            accurate = f"{100 * accuracy:9.2f} {more.mean(axis=0)[0]:+5.2f} +- {error[0]:5.2f}"
            ranked = f"{100 * auc:6.2f} {more.mean(axis=0)[1]:+5.2f} +- {error[1]:5.2f}"
            print(f"{words} {accurate} {ranked} {seconds:6.2f}", flush=True)


def table_of(name: str) -> pd.DataFrame:
    """A table by its name, the class last."""
    if name in MADE:
        return MADE[name]()
    return pd.read_csv(data_folder() / FILES[name][0], sep=None, engine="python")


def coded(table: pd.DataFrame) -> tuple[np.ndarray, int, np.ndarray]:
    """Features, numbers first, how many of them are numbers, and the class."""
    classes, features = table.iloc[:, -1].astype(str), table.iloc[:, :-1]
    numbers = features.select_dtypes("number")
    others = [pd.factorize(features[name])[0] + 1 for name in features if name not in numbers]
    return np.column_stack([numbers.to_numpy(np.float64), *others]), numbers.shape[1], pd.factorize(classes)[0]


def tested(
    table: tuple[np.ndarray, int, np.ndarray], records: int, seed: int, size: Size
) -> tuple[float, float, float]:
    """Accuracy, AUC and CPU seconds of boosting of a size, trained on so many records."""
    features, numbers, classes = table
    drawn = np.random.default_rng(seed).permutation(len(classes))
    trained, others = drawn[:records], drawn[records : records + TESTED]
    others = others[np.isin(classes[others], np.unique(classes[trained]))]
    estimators.BOOSTED = ((len(classes), *size),)
    started = time.process_time()
    model = estimators.Boosting(numbers).fit(features[trained], classes[trained], np.ones(records))
    seconds = time.process_time() - started
    shares = model.predict_proba(features[others])
    accuracy = accuracy_score(classes[others], model.classes_[shares.argmax(axis=1)])
    two = len(model.classes_) == 2
    auc = roc_auc_score(classes[others], shares[:, 1] if two else shares, multi_class="ovr", labels=model.classes_)
    return accuracy, auc, seconds


if __name__ == "__main__":
    main()
