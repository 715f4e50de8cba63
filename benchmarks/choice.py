"""How often `run` would choose another candidate on another split: each table is discovered once, and its offer is
scored again on other held-out people, by the seed that draws them.

Each table is proposed by `init` as a user meets it. A line is a split: what is chosen of it, its detail, expected ROC
AUC and accuracy, and which candidates stand beside the best. `coin` and `noise` have a class that nothing predicts: the
first has one held-out part, the second is too small for that, so that each part is held out in turn.

    ANONDUCK_DATA=... python choice.py --tables demo adult bank --splits 10 --keep offers.jsonl
    python choice.py --pool offers.jsonl --select '{"measure": "accuracy", "within": "1se"}'
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import calibration
import numpy as np
import offer
import pandas as pd
from data_sets import FILES, data

from anonduck import Project
from anonduck.config.config import Config
from anonduck.config.reading import with_changes
from anonduck.database.documents import EXPECTED, forget_documents
from anonduck.demo.demo import CLASS, GENERALIZED, KEPT
from anonduck.demo.export import write_demo_export
from anonduck.evaluation import holdout
from anonduck.init.init import initialize
from anonduck.offer.candidates import Candidate, candidate_from_json
from anonduck.offer.choice import choose
from anonduck.offer.offer import make_offer

HOUR = 3600.0
"""The time limit of a search, so that a slow machine scores the same candidates."""


@dataclass(frozen=True)
class Table:
    """A table as a file, its class, and what `init` is told of it."""

    write: Callable[[Path], Any]
    class_: str
    told: dict[str, Any] = field(default_factory=dict)


def visits(path: Path) -> None:
    """6,000 made-up hospital visits of 2,500 patients; some come again within a month."""
    random = np.random.default_rng(14)
    patients, rows = 2_500, 6_000
    patient = np.sort(random.integers(0, patients, rows))
    age, sex = random.normal(62, 18, patients).clip(0, 99).astype(int), random.choice(["f", "m"], patients)
    postcode = random.choice([f"{one:05d}" for one in range(10115, 10115 + 60)], patients)
    ward, kind = random.choice(list("ABCDEFGH"), rows), random.choice(["emergency", "planned", "transfer"], rows)
    days, before = random.geometric(0.2, rows), random.poisson(0.7, rows)
    odds = 0.02 * (age[patient] - 62) + 0.06 * days + 0.5 * before + 0.4 * (kind == "emergency") - 2.9
    again = np.where(random.random(rows) < 1 / (1 + np.exp(-odds)), "yes", "no")
    columns = {"patient": patient, "age": age[patient], "sex": sex[patient], "postcode": postcode[patient]}
    columns |= {"ward": ward, "admission": kind, "days": days, "visits_before": before, "again": again}
    pd.DataFrame(columns).to_csv(path, index=False)


def real(name: str) -> Table:
    """A real table."""
    file, class_ = FILES[name]
    return Table(lambda path: path.write_bytes((data() / file).read_bytes()), class_)


def demo(path: Path) -> None:
    """The table of `anonduck demo`."""
    write_demo_export(path.with_suffix(".parquet"))
    pd.read_parquet(path.with_suffix(".parquet")).to_csv(path, index=False)


TABLES = {
    "demo": Table(demo, CLASS, {"insensitive": [KEPT], "quasi_identifiers": [GENERALIZED]}),
    "adult": real("adult"),
    "bank": real("bank"),
    "customers": Table(lambda path: offer.customers(20_000).to_csv(path, index=False), "left"),
    "visits": Table(visits, "again", {"entity": "patient"}),
    "coin": Table(lambda path: calibration.people("coin", 15, 8_000).to_csv(path, index=False), "bought"),
    "noise": Table(lambda path: offer.noise(2_000).to_csv(path, index=False), "class"),
}


@dataclass(frozen=True)
class Split:
    """The offer of a table on a split, and the config that chooses; one a line of a file that is kept."""

    table: str
    number: int
    candidates: Sequence[Candidate]
    config: dict[str, Any]

    @property
    def kept(self) -> str:
        """The line of a file."""
        return json.dumps({**vars(self), "candidates": [one.as_json() for one in self.candidates]}) + "\n"


def splits_of(name: str, splits: int) -> Iterator[Split]:
    """The offer of a table on each of so many splits."""
    table = TABLES[name]
    with tempfile.TemporaryDirectory() as folder:
        source, path = Path(folder) / f"{name}.csv", Path(folder) / "anonduck.yml"
        table.write(source)
        initialize(path, str(source), table.class_, here=Path(folder), settings={"time_limit": HOUR}, **table.told)
        with Project(path) as project:
            workspace = project.workspace
            project.discover()
            config = workspace.config.model_dump(mode="json", by_alias=True, exclude={"source"})
            for number in range(splits):
                with patch.object(holdout, "DRAWING", holdout.DRAWING + number):
                    forget_documents(workspace.database, EXPECTED)
                    found = make_offer(workspace, project.discovered(), workspace.config.offered)
                yield Split(name, number, found, config)


def print_splits(splits: Sequence[Split], select: Any) -> None:
    """Print what is chosen on each split of a table, and how often the choice changes."""
    config = with_changes(Config.model_validate(splits[0].config), {"select": select})
    choices = {one.number: choose(one.candidates, config) for one in splits}
    taken = {number: one.chosen for number, one in choices.items() if one is not None}
    for number, one in sorted(taken.items()):
        area, score = (one.score(name) or (float("nan"), 0.0) for name in ("roc_auc", "accuracy"))
        told = choices[number].reason if choices[number] else ""
        print(f"  {number:2}  {one.id:4} kept {one.detail:.2f}  AUC {area[0]:.3f}  accuracy {score[0]:.3f}  {told}")
    times = Counter(one.id for one in taken.values()).most_common()
    areas = [score[0] for one in taken.values() if (score := one.score("roc_auc")) is not None]
    kept = [one.detail for one in taken.values()]
    told = ", ".join(f"{identifier} {number} times" for identifier, number in times)
    print(
        f"{splits[0].table}: of {len(splits)} splits {told}; another choice than the usual one on "
        f"{len(splits) - times[0][1] if times else len(splits)}; detail {np.mean(kept):.2f}, AUC {np.mean(areas):.3f}\n"
    )


def pooled(file: Path) -> dict[str, list[Split]]:
    """What a file holds, by table."""
    found: dict[str, list[Split]] = {}
    for text in file.read_text().splitlines():
        one = json.loads(text)
        one["candidates"] = [candidate_from_json(each) for each in one["candidates"]]
        found.setdefault(one["table"], []).append(Split(**one))
    return found


def main() -> None:
    """Print the choice on each split of each table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--tables", nargs="*", choices=[*TABLES], default=[*TABLES])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--select", type=json.loads, help="the key `select` in place of the default, as JSON")
    parser.add_argument("--keep", type=Path, help="append each offer to a file, one a line")
    parser.add_argument("--pool", type=Path, help="measure nothing; choose of what this file holds")
    asked = parser.parse_args()
    if asked.pool is not None:
        for splits in pooled(asked.pool).values():
            print_splits(splits, asked.select)
        return
    for name in asked.tables:
        began, splits = time.process_time(), []
        with contextlib.suppress(KeyboardInterrupt):
            for one in splits_of(name, asked.splits):
                splits.append(one)
                if asked.keep:
                    with asked.keep.open("a") as file:
                        file.write(one.kept)
        print_splits(splits, asked.select)
        print(f"{time.process_time() - began:.0f} CPU seconds\n", flush=True)


if __name__ == "__main__":
    main()
