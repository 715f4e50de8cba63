"""Whether what anonduck prints of models holds: on a class that is a coin, on an unseen half, beside tuned models.

`coin`: a class that nothing tells of; the truth is one half, whatever a search finds. `halves`: real tables are cut at
random into two halves; `anonduck run` sees one, and a decision tree by scikit-learn, which learns from the written
release of that half, is tested on the other half, released by the same rule. `baselines`: the accuracy on the data as
it came beside that of scikit-learn's own grid search inside each training fold, on rows. Reads evaluation tables from
ANONDUCK_DATA.

    python honesty.py coin halves baselines
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import anonduck

REPEATS = 6
TABLES = {
    "german_credit": ("german_credit.csv", "class"),
    "cmc": ("cmc.csv", "contraceptive_method"),
    "mammographic": ("mammographic_masses.csv", "severity"),
}
LIGHT = {"requirement": {"k": 5}}
WIDE = 10  # of more quasi-identifiers than this, those with the most mutual information are kept, so that it ends soon


def line(*cells: object) -> None:
    """Print a row of a table in Markdown."""
    print(
        "| " + " | ".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |", flush=True
    )


def head(*names: str) -> None:
    """Print the head of a table in Markdown."""
    print()
    line(*names)
    line(*["---"] * len(names))


# -- a coin ------------------------------------------------------------------------------------------------------------


def coins(seed: int, rows: int = 500) -> pd.DataFrame:
    """Eight columns that tell nothing of the class."""
    random = np.random.default_rng(seed)
    numbers = {f"number_{i}": random.integers(0, 30, rows) for i in range(4)}
    names = {f"name_{i}": random.choice(list("abcdefgh"), rows) for i in range(4)}
    return pd.DataFrame({**numbers, **names, "side": random.permuted(["heads", "tails"] * (rows // 2))})


def coin(_: Path, repeats: int) -> None:
    """What the search picks looks better than it is; what is expected of it must not."""
    head("table", "rules", "in-sample", "expected", "error", "truth")
    for seed in range(repeats):
        done, rules, _levels, _file = _run(coins(seed), "side", requirement={"k": 2})
        line(f"coin {seed}", rules, *_told(done), 0.5)


# -- halves ------------------------------------------------------------------------------------------------------------


def halves(data: Path, repeats: int) -> None:
    """The expected accuracy of what is found on one half, beside the truth on the other."""
    head("table", "seed", "rules", "in-sample", "expected", "error", "unseen half")
    for name, (file, class_) in TABLES.items():
        table = _narrow(pd.read_csv(data / file), class_)
        found = []
        for seed in range(repeats):
            order = np.random.default_rng(seed).permutation(len(table))
            seen, unseen = table.iloc[order[: len(table) // 2]], table.iloc[order[len(table) // 2 :]]
            done, rules, levels, released = _run(seen, class_, other=unseen, **LIGHT)
            truth = _tree_accuracy(*released, class_, list(levels))
            found.append((*_told(done), truth))
            line(name, seed, rules, *found[-1])
        line(name, "mean", "", *(float(np.mean([row[i] for row in found])) for i in range(4)))


def _narrow(table: pd.DataFrame, class_: str) -> pd.DataFrame:
    from sklearn.feature_selection import mutual_info_classif

    others = table.drop(columns=[class_])
    if others.shape[1] <= WIDE:
        return table
    codes = others.apply(lambda column: pd.factorize(column)[0])
    gain = mutual_info_classif(codes, table[class_].astype(str), discrete_features=True)
    return table[[*others.columns[np.sort(np.argsort(-gain)[:WIDE])], class_]]


def _run(table: pd.DataFrame, class_: str, other: pd.DataFrame | None = None, **settings: object):
    """A whole run on a table: what it did, how many rules it chose from, and the releases of it and of ``other``."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        table.to_parquet(place / "seen.parquet", index=False)
        with anonduck.Project(source=str(place / "seen.parquet"), class_=class_, **settings) as project:
            done = project.run(place / "released.parquet", report=False)
            releases = [pd.read_parquet(place / "released.parquet")]
            if other is not None:
                other.to_parquet(place / "unseen.parquet", index=False)
                target = place / "other.parquet"
                project.release(
                    dict(done.levels), target, source=place / "unseen.parquet", requirement={"k": 1}, unmapped="root"
                )
                releases.append(pd.read_parquet(target))
            return done, len(project.rules()), done.levels, releases


def _told(done: anonduck.project.Run) -> tuple[float, float, float]:
    expected = done.expected["tree"]
    return done.rule.accuracy["tree"], expected["accuracy"], expected["error"]


def _tree_accuracy(seen: pd.DataFrame, unseen: pd.DataFrame, class_: str, columns: list[str]) -> float:
    """A tuned tree that learns from the release of one half, tested on that of the other, by rows and scikit-learn."""
    both = pd.concat([seen[columns], unseen[columns]])
    features = pd.get_dummies(both.astype("string").fillna("no value"), dtype=float).to_numpy()
    model = _tuned_tree().fit(features[: len(seen)], seen[class_].astype(str))
    return float((model.predict(features[len(seen) :]) == unseen[class_].astype(str)).mean())


def _tuned_tree():
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    return GridSearchCV(tree, {"ccp_alpha": [0, *np.geomspace(5e-4, 0.1, 16)]}, cv=5)


# -- baselines ---------------------------------------------------------------------------------------------------------


def baselines(data: Path, _: int) -> None:
    """The accuracy on the ungeneralized data, beside that of a tree tuned by scikit-learn inside each training fold."""
    head("table", "records", "anonduck", "error", "tuned by scikit-learn")
    for name, table, class_ in _whole_tables(data):
        with anonduck.Project(source=table, class_=class_, time_limit=5) as project:
            found = project.discover().baseline
        line(
            name, len(table), found["accuracy"]["tree"], found["accuracy_standard_error"]["tree"], _tuned(table, class_)
        )


def _whole_tables(data: Path) -> Iterator[tuple[str, pd.DataFrame, str]]:
    from anonduck.demo.export import write_demo_export

    for name, (file, class_) in TABLES.items():
        yield name, pd.read_csv(data / file), class_
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "persons.parquet"
        write_demo_export(path, rows=3_000)
        persons = pd.read_parquet(path).drop(columns=["person_id", "email", "contact_channel"])
    yield "persons", persons, "buys_insurance"


def _tuned(table: pd.DataFrame, class_: str) -> float:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    others = table.drop(columns=[class_])
    numbers = others.select_dtypes(include="number").fillna(-1)
    names = [name for name in others.columns if name not in numbers]
    texts = [
        pd.get_dummies(others[name].astype("string").fillna("no value"), prefix=name, dtype=float) for name in names
    ]
    features = pd.concat([numbers, *texts], axis=1)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return float(cross_val_score(_tuned_tree(), features.to_numpy(), table[class_].astype(str), cv=folds).mean())


PARTS: dict[str, Callable[[Path, int], None]] = {"coin": coin, "halves": halves, "baselines": baselines}


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="what to measure (default: all)")
    default = Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--repeats", type=int, default=REPEATS, help="coins, and halves of each table")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ANONDUCK_DATA", default)))
    asked = parser.parse_args()
    for part in asked.parts or PARTS:
        PARTS[part](asked.data, asked.repeats)


if __name__ == "__main__":
    main()
