"""What `run` would choose of an offer, and what each candidate comes to: accuracy and AUC on people who are not in the
release, detail lost, columns kept, seconds of the processor.

Each table is proposed by `init` as a user meets it. Models are a tree, logistic regression and gradient boosting. A
choice loses where another candidate that may be chosen has a best expected score that is more than one of its errors,
and more than one point, higher; the last lines count such cells, by ROC AUC and by accuracy.

    ANONDUCK_DATA=... python benchmarks/offer.py --data-set adult bank --k 5 25
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from data_sets import FILES, data

from anonduck import Project
from anonduck.init.init import initialize
from anonduck.offer.candidates import Candidate, candidate_from_json
from anonduck.offer.choice import choose, misses

SCORES = ("roc_auc", "accuracy")
METHODS = ["rules", "mondrian", "mondrian:splits=entropy", "sequential"]
MOST_SEQUENTIAL = 10_000
"""Records up to which `sequential` is measured, whose work grows with their square."""


def customers(records: int) -> pd.DataFrame:
    """Made-up customers: six quasi-identifiers, of which three and their interplay decide whether they leave."""
    random = np.random.default_rng(11)
    age = random.gamma(9, 5, records).astype(int) + 18
    area, plan = random.zipf(1.6, records).clip(max=400), random.integers(0, 5, records)
    months, calls = random.geometric(0.03, records).clip(max=120), random.poisson(2 + plan)
    spent = np.round(random.lognormal(3 + 0.2 * plan, 0.5), 0)
    odds = 0.05 * (40 - age) + 0.5 * calls - 0.04 * months + (area % 3 == 1) - 0.8
    left = random.random(records) < 1 / (1 + np.exp(-odds))
    return pd.DataFrame(
        {
            "age": age,
            "area": [f"{one:03d}" for one in area],
            "plan": [f"plan {one}" for one in plan],
            "months": months,
            "calls": calls,
            "spent": spent,
            "left": np.where(left, "yes", "no"),
        }
    )


def visits(records: int) -> pd.DataFrame:
    """Made-up hospital visits with NULL and a rare class, which age and ward decide."""
    random = np.random.default_rng(12)
    age = random.normal(58, 19, records).clip(0, 99).astype(int)
    ward = random.choice(list("ABCDEFGH"), records, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02])
    days = random.geometric(0.2, records)
    odds = 0.04 * (age - 70) + 0.15 * days - 2.2 + (ward == "C")
    again = random.random(records) < 1 / (1 + np.exp(-odds))
    found = pd.DataFrame({"age": age.astype(float), "ward": ward, "days": days, "again": np.where(again, "yes", "no")})
    found.loc[random.random(records) < 0.03, "age"] = np.nan
    return found


def noise(records: int) -> pd.DataFrame:
    """Made-up records whose class depends on nothing."""
    random = np.random.default_rng(13)
    columns = {name: random.integers(0, 30, records) for name in "abcd"}
    return pd.DataFrame({**columns, "class": random.choice(["x", "y"], records)})


MADE: dict[str, Callable[[], pd.DataFrame]] = {
    "customers": lambda: customers(20_000),
    "visits": lambda: visits(8_000),
    "noise": lambda: noise(2_000),
}


def main() -> None:
    """Print a table for each data set and k."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data-set", nargs="*", choices=[*FILES, *MADE], default=[*FILES, *MADE])
    parser.add_argument("--k", type=int, nargs="*", default=[5, 10, 25, 100])
    options = parser.parse_args()
    lost, cells = Counter[str](), 0
    for name in options.data_set:
        for k in options.k:
            with tempfile.TemporaryDirectory() as folder:
                lost.update(measure(name, k, Path(folder)))
                cells += 1
    for name in SCORES:
        print(f"by {name} the choice loses to another candidate in {lost[name]} of {cells} cells")


def measure(name: str, k: int, folder: Path) -> list[str]:
    """Print the candidates of a table at a k; returns the scores by which the choice loses."""
    if name in MADE:
        frame = MADE[name]()
        source, class_ = folder / f"{name}.csv", frame.columns[-1]
        frame.to_csv(source, index=False)
    else:
        file, class_ = FILES[name]
        source = data() / file
    records = sum(1 for _ in source.open("rb"))
    path = folder / "anonduck.yml"
    initialize(path, str(source), class_, here=folder)
    methods = [one for one in METHODS if one != "sequential" or records <= MOST_SEQUENTIAL]
    text = "".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("methods:"))
    path.write_text(f"{text}\nmodels: [tree, logistic, boosting]\nmethods: {methods}\n".replace("k: 5", f"k: {k}"))
    began = time.process_time()
    with Project(path) as project:
        project.discover()
        spent = time.process_time() - began
        found = [candidate_from_json(row) for row in project.candidates().to_dict("records")]
        choice = choose(found, project.config)
        quasi = len(project.workspace.roles.quasi_identifiers)
        required = project.config.requirement
    print(f"\n{name}, k = {k}: {records - 1:,} records, {quasi} quasi-identifiers, {spent:.1f} CPU seconds in all")
    for one in found:
        print(line(one, quasi, chosen=choice is not None and choice.chosen.id == one.id))
    if choice is None:
        return []
    others = [one for one in found if one.failed is None and one.expected and not misses(one, required)]
    lost = [
        name
        for name in SCORES
        if any(
            score - max(0.01, error) > best(choice.chosen, name)[0]
            for score, error in (best(one, name) for one in others)
        )
    ]
    if lost:
        print(f"  the choice loses by {' and '.join(lost)}")
    return lost


def best(one: Candidate, name: str) -> tuple[float, float]:
    """The best expected score of a candidate, and its error."""
    found = [score for model in one.expected or {} if (score := one.score(f"{name}.{model}")) is not None]
    return max(found, default=(0.0, 0.0))


def line(one: Candidate, quasi: int, *, chosen: bool) -> str:
    """A candidate in a line."""
    if one.failed is not None:
        return f"  {one.label[:40]:40} nothing: {one.failed[:60]}"
    scores = "  ".join(
        f"{model} {score['accuracy']:.3f} ± {score['error']:.3f} / {score['roc_auc'] or 0:.3f}"
        for model, score in (one.expected or {}).items()
    )
    gain = "" if one.inference is None else f"  guessed {one.inference['gain']:+.3f}"
    kept = f"k {one.k:5}  {len(one.columns):2} of {quasi}  lost {1 - one.detail:.2f}"
    return f"{'*' if chosen else ' '} {one.id:4} {one.label[:32]:32} {kept}  {scores}{gain}"


if __name__ == "__main__":
    main()
