"""Whether the offer's expected scores hold: made-up tables, and the truth on 100,000 fresh records of the same kind.

For each seed a small table is drawn, and the whole offer is made of it. What each candidate's models are expected to
reach on people who were not there is compared with what the same models reach that learn from the release of the whole
table and are tested on fresh records. An error that says what it means covers the truth for 68 % of the tables at one
error, and for 95 % at 1.96. `chosen` is the candidate that `run` takes, with the model that it is judged by: there the
best of many is picked.

    python calibration.py --seeds 200
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pandas as pd

import anonduck
from anonduck.evaluation.evaluation import RecodedCells
from anonduck.evaluation.finding import recode_by_levels, recode_by_method
from anonduck.evaluation.holdout import HeldOutParts, HoldoutProtocol
from anonduck.evaluation.source_cells import SourceCells
from anonduck.measures.requirement import requirement_of
from anonduck.models.cross_validation import never
from anonduck.offer.choice import choose

FRESH = 100_000
METHODS = ["rules", "mondrian", "mondrian:splits=entropy"]
ONE_ERROR, NINETY_FIVE = 1.0, 1.96


def people(kind: str, seed: int, rows: int) -> pd.DataFrame:
    """Five columns of small domains, so that a fresh table has every value, and a class.

    The class is a coin in ``coin``; in ``signal`` three columns tell of it, two of them together.
    """
    random = np.random.default_rng(seed)
    age, hours = random.integers(18, 58, rows), random.integers(0, 12, rows)
    job, town = random.choice(list("abcdefgh"), rows), random.choice(list("pqrs"), rows)
    sex = random.choice(["f", "m"], rows)
    logit = np.zeros(rows) if kind == "coin" else (age - 38) / 9 + np.where((sex == "f") ^ (job < "d"), 0.8, -0.8)
    bought = np.where(random.random(rows) < 1 / (1 + np.exp(-logit)), "yes", "no")
    return pd.DataFrame({"age": age, "hours": hours, "job": job, "town": town, "sex": sex, "bought": bought})


@dataclass(frozen=True)
class Pair:
    """A score that was expected with its error, and the true one."""

    expected: float
    error: float
    true: float

    @property
    def off(self) -> float:
        """How many errors the expected score lies above the truth."""
        return (self.expected - self.true) / self.error


def project_of(table: pd.DataFrame, methods: list[str]) -> anonduck.Project:
    """A project over a made-up table."""
    return anonduck.Project(source=table, class_="bought", requirement={"k": 10}, methods=methods, budget=300)


def measured(table: pd.DataFrame, truth: _Fresh) -> dict[str, list[Pair]]:
    """By kind of candidate, and for the chosen one, what was expected and what is true."""
    from anonduck.offer.candidates import kept_offer

    found = defaultdict(list)
    with project_of(table, METHODS) as project, contextlib.ExitStack() as stack:
        project.discover()
        workspace = project.workspace
        candidates = [one for one in kept_offer(workspace, project.discovered()) if one.failed is None and one.expected]
        choice = choose(candidates, workspace.config)
        source = SourceCells(workspace, stack)
        wanted = requirement_of(workspace.config, workspace.folder)
        for one in candidates:
            if one.levels is None:
                cells = source.cells(one.k_required)
                recoded = recode_by_method(workspace, cells, one.method, one.settings, one.k_required)
            else:
                recoded = recode_by_levels(source.own, one.levels, workspace.config, wanted, one.id, one.id)
            true = truth.reached(recoded)
            pairs = {
                model: Pair(score["accuracy"], score["error"], true[model]) for model, score in one.expected.items()
            }
            for model, pair in pairs.items():
                found[f"{one.method}, {model}"].append(pair)
            if choice is not None and one is choice.chosen:
                found["chosen"].append(max(pairs.values(), key=lambda pair: pair.expected))
    return found


def truth_of(fresh: pd.DataFrame, stack: contextlib.ExitStack) -> _Fresh:
    """Fresh records, all of which test models."""
    project = stack.enter_context(project_of(fresh, ["rules"]))
    cells = SourceCells(project.workspace, stack).own
    return _Fresh(cells, HoldoutProtocol(2, ((0,),)), ["tree", "boosting"], 0, never)


class _Fresh(HeldOutParts):
    """Fresh records: none of them is recoded, and models learn nothing from them."""

    def reached(self, recoded: RecodedCells) -> dict[str, float]:
        """The accuracy that each model reaches on the fresh records, learning from a recoding of others."""
        table = recoded.part_table(self.cells, self.cells.records)
        confusions = {model: self._tested(table, model).confusion for model in self.models}
        return {model: float(np.trace(one) / one.sum()) for model, one in confusions.items()}


def main() -> None:
    """Print coverage by kind of table and of candidate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cpu-seconds", type=float, default=900, help="no table is drawn after so long")
    parser.add_argument("--kinds", nargs="*", default=["signal", "coin"])
    asked = parser.parse_args()
    began = time.process_time()
    print("| table | tables | candidates | scores | above the truth | within 1 error | within 1.96 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for kind in asked.kinds:
        pairs, tables = defaultdict(list), 0
        with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
            truth = truth_of(people(kind, 10**6, FRESH), stack)
            for seed in range(asked.first, asked.first + asked.seeds):
                if time.process_time() - began > asked.cpu_seconds:
                    break
                for name, ones in measured(people(kind, seed, asked.rows), truth).items():
                    pairs[name] += ones
                tables += 1
        for name, ones in sorted(pairs.items()):
            off = np.array([one.off for one in ones])
            above = 100 * float(np.mean([one.expected - one.true for one in ones]))
            within = [f"{np.mean(np.abs(off) <= bound):.0%}" for bound in (ONE_ERROR, NINETY_FIVE)]
            print(f"| {kind} | {tables} | {name} | {len(ones)} | {above:+.2f} points | {' | '.join(within)} |")
    print(f"\n{time.process_time() - began:.0f} CPU seconds")


if __name__ == "__main__":
    main()
