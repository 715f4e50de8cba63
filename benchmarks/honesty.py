"""Whether what anonduck prints of models holds where a class is a coin: the truth is one half, whatever is found.

What the search picks looks better than it is; what is expected of it must not.

    python honesty.py coin
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import anonduck


def coins(seed: int, rows: int = 500) -> pd.DataFrame:
    """Eight columns that tell nothing of the class."""
    random = np.random.default_rng(seed)
    numbers = {f"number_{i}": random.integers(0, 30, rows) for i in range(4)}
    names = {f"name_{i}": random.choice(list("abcdefgh"), rows) for i in range(4)}
    return pd.DataFrame({**numbers, **names, "side": random.permuted(["heads", "tails"] * (rows // 2))})


def main() -> None:
    """Print a row for each table: how many rules there are, the score of the best, and what is expected of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=6)
    print("| table | rules | in-sample | expected | error |\n|" + " --- |" * 5)
    for seed in range(parser.parse_args().repeats):
        config = {"requirement": {"k": 2}, "methods": ["rules"], "models": ["tree"]}
        with (
            tempfile.TemporaryDirectory() as folder,
            anonduck.Project(source=coins(seed), class_="side", **config) as project,
        ):
            done = project.run(Path(folder) / "released.parquet", report=False)
            expected, best = done.expected["tree"], done.rule.accuracy["tree"]
            told = f"{best:.4f} | {expected['accuracy']:.4f} | {expected['error']:.4f}"
            print(f"| coin {seed} | {len(project.rules())} | {told} |", flush=True)


if __name__ == "__main__":
    main()
