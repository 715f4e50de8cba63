"""Whether the offer's expected scores hold: made-up tables, and the truth on 100,000 fresh records of the same kind.

For each seed a small table is drawn, and the whole offer is made of it. What each candidate's models are expected to
reach on people who were not there is compared with what the same models reach that learn from the release of the whole
table and are tested on fresh records. An error that says what it means covers the truth for 68 % of the tables at one
error, and for 95 % at 1.96; brackets hold the 95 % interval of such a share, by tables (Wilson 1927). `chosen` is the
candidate that `run` takes, with the scores that it prints, which did not choose it; `chosen, as listed` has those of
the list, which did; `by accuracy` and `by roc_auc` are what these would choose. Tables without a candidate that may be
taken have none of them.

The kind `adult` draws its tables from Adult, and the truth is that of all its other records. Taxonomies are those of
all records, and what methods find is measured alone, so that a table takes seconds.

    python calibration.py --seeds 200 --kinds signal
    ANONDUCK_DATA=... python calibration.py --kinds adult --rows 2000 --seeds 300 --cpu-seconds 7200
    python calibration.py --seeds 30 --kinds signal:0.3 signal:0.16 signal:0.08 --rows 1000
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from data_sets import data

import anonduck
from anonduck.config.reading import with_changes
from anonduck.evaluation.evaluation import RecodedCells
from anonduck.evaluation.finding import recode_by_levels, recode_by_method
from anonduck.evaluation.holdout import HeldOutParts, HoldoutProtocol, protocol_for
from anonduck.evaluation.source_cells import SourceCells
from anonduck.measures.requirement import requirement_of
from anonduck.models.cross_validation import never
from anonduck.models.sampling import sample_records
from anonduck.offer.candidates import Candidate, kept_offer
from anonduck.offer.choice import choose
from anonduck.offer.nested_choice import expected_of_choice
from anonduck.workspace import Workspace

if TYPE_CHECKING:
    from anonduck.evaluation.cells import Cells

FRESH = 100_000
METHODS = ["rules", "mondrian", "mondrian:splits=entropy"]
MODELS = ("tree", "boosting")
ADULT, ADULT_K = "adult", 5
ONE_TURN = HoldoutProtocol(2, ((0,),))
ONE_ERROR, NINETY_FIVE = 1.0, 1.96
SHIFTS = {"0.4": -0.53, "0.3": -1.17, "0.25": -1.52, "0.16": -2.26, "0.08": -3.21}
"""What makes the rarer value of the class so frequent."""
SCORES = {"accuracy": "error", "roc_auc": "roc_auc_error"}


def people(kind: str, seed: int, rows: int) -> pd.DataFrame:
    """Five columns of small domains, so that a fresh table has every value, and a class.

    The class is a coin in ``coin``; in ``signal`` three columns tell of it, two of them together, and in
    ``signal:0.16`` that share of the people has the rarer value.
    """
    random = np.random.default_rng(seed)
    age, hours = random.integers(18, 58, rows), random.integers(0, 12, rows)
    job, town = random.choice(list("abcdefgh"), rows), random.choice(list("pqrs"), rows)
    sex = random.choice(["f", "m"], rows)
    logit = np.zeros(rows) if kind == "coin" else (age - 38) / 9 + np.where((sex == "f") ^ (job < "d"), 0.8, -0.8)
    _, _, share = kind.partition(":")
    if share:
        logit = logit + SHIFTS[share]
    bought = np.where(random.random(rows) < 1 / (1 + np.exp(-logit)), "yes", "no")
    return pd.DataFrame({"age": age, "hours": hours, "job": job, "town": town, "sex": sex, "bought": bought})


@dataclass(frozen=True)
class Pair:
    """A score that was expected with its error, and the true one, of a candidate of a made-up table, which keeps so
    much detail."""

    table: str
    seed: int
    of: str
    model: str
    expected: float
    error: float
    true: float
    score: str = "accuracy"
    detail: float = 0.0

    @property
    def off(self) -> float:
        """How many errors the expected score lies above the truth."""
        return (self.expected - self.true) / self.error


# -- made-up tables ----------------------------------------------------------------------------------------------------


def project_of(table: pd.DataFrame, methods: list[str]) -> anonduck.Project:
    """A project over a made-up table, with the default of what models of rules are tested on in a search."""
    keys = {"requirement": {"k": 10}, "methods": methods, "budget": 300}
    return anonduck.Project(source=table, class_="bought", **keys)


def measured(kind: str, seed: int, rows: int, truth: _Fresh) -> list[Pair]:
    """What was expected of each candidate of a table, and of the chosen one, and what is true."""
    found: list[Pair] = []
    with project_of(people(kind, seed, rows), METHODS) as project, contextlib.ExitStack() as stack:
        project.discover()
        workspace = project.workspace
        candidates = [one for one in kept_offer(workspace, project.discovered()) if one.expected]
        choice = choose(candidates, workspace.config)
        by_score = {name: choose(candidates, with_changes(workspace.config, {"select": name})) for name in SCORES}
        source = SourceCells(workspace, stack)
        for one in candidates:
            true = truth.reached(_recoded(one, workspace, source))
            pairs = [
                Pair(kind, seed, _kind_of(one), model, score[name], score[error], true[model][name], name, one.detail)
                for model, score in (one.expected or {}).items()
                for name, error in SCORES.items()
            ]
            found += pairs
            for name, by in by_score.items():
                if by is not None and one is by.chosen:
                    found += [replace(pair, of=f"by {name}") for pair in pairs]
            if choice is not None and one is choice.chosen:
                found += [replace(pair, of="chosen, as listed") for pair in pairs]
                told = expected_of_choice(one, candidates, workspace.config)
                for pair in pairs:
                    own = told[pair.model]
                    given = {"expected": own[pair.score], "error": own[SCORES[pair.score]]}
                    found.append(replace(pair, of="chosen", **given))
    return found


def _recoded(one: Candidate, workspace: Workspace, source: SourceCells) -> RecodedCells:
    """What a candidate shows of the whole table."""
    if one.levels is None:
        return recode_by_method(workspace, source.cells(one.k_required), one.method, one.settings, one.k_required)
    wanted = requirement_of(workspace.config, workspace.folder)
    return recode_by_levels(source.own, one.levels, workspace.config, wanted, one.id, one.id)


def _kind_of(one: Candidate) -> str:
    """The name of a candidate's kind, such as ``mondrian:splits=entropy``."""
    return ":".join([one.method, *(f"{name}={value}" for name, value in one.settings.items())])


def truth_of(fresh: pd.DataFrame, stack: contextlib.ExitStack) -> _Fresh:
    """Fresh records, all of which test models."""
    project = stack.enter_context(project_of(fresh, ["rules"]))
    cells = SourceCells(project.workspace, stack).own
    return _Fresh(cells, ONE_TURN, 0, never)


class _Fresh(HeldOutParts):
    """Fresh records: none of them is recoded, and models learn nothing from them."""

    def reached(self, recoded: RecodedCells, fresh: np.ndarray | None = None) -> dict[str, dict[str, float]]:
        """By model, the scores that it reaches on the fresh records, all by default, learning from a recoding of
        others."""
        tested = self._tested(MODELS, [recoded.part_table(self.cells, self.cells.records if fresh is None else fresh)])
        return {
            model: {
                "accuracy": float(np.trace(found.confusion) / found.confusion.sum()),
                "roc_auc": 0.5 if found.roc_auc is None else found.roc_auc,
            }
            for model, (found,) in tested.items()
        }


# -- tables drawn from Adult -------------------------------------------------------------------------------------------


def of_made_up(kind: str, rows: int, stack: contextlib.ExitStack) -> Callable[[int], list[Pair]]:
    """What is measured of a made-up table, by its seed."""
    truth = truth_of(people(kind, 10**6, FRESH), stack)
    return lambda seed: measured(kind, seed, rows, truth)


def of_adult(rows: int, stack: contextlib.ExitStack) -> Callable[[int], list[Pair]]:
    """What is measured of a table drawn from Adult, by its seed."""
    keys = {"requirement": {"k": ADULT_K}, "methods": METHODS[1:]}
    project = stack.enter_context(anonduck.Project(source=str(data() / "adult.csv"), class_="class", **keys))
    workspace = project.workspace
    changed = workspace.with_config(with_changes(workspace.config, {"measures": ["loss", "ncp"]}))
    source = SourceCells(changed, stack)
    return lambda seed: drawn_from(source, changed, rows, seed)


def drawn_from(source: SourceCells, workspace: Workspace, rows: int, seed: int) -> list[Pair]:
    """What is expected of each candidate of a table of so many records, and what is true of all others."""
    found, candidates = [], []
    whole, protocol = source.own, protocol_for(rows, workspace.config.holdout)
    assert protocol is not None
    drawn = sample_records(whole.records, rows, seed=seed)
    table, fresh = whole.without(whole.records - drawn), whole.records - drawn
    held, truth = HeldOutParts(table, protocol, seed, never), _Fresh(whole, ONE_TURN, 0, never)
    for number, method in enumerate(METHODS[1:], start=1):
        name, _, setting = method.partition(":")
        settings = dict([setting.split("=")]) if setting else {}

        def recode(cells: Cells, at: int, name: str = name, settings: Any = settings) -> RecodedCells:
            return recode_by_method(workspace, cells, name, settings, at)

        tested = held.tested(held.recoded(recode, ADULT_K), MODELS)
        scores = {model: one.as_json() for model, one in tested.expected.items()}
        recoded = recode(table, ADULT_K)
        detail = 1 - recoded.measured.measures["ncp"]
        candidates.append(Candidate(f"M{number}", name, settings, ADULT_K, k=ADULT_K, detail=detail, expected=scores))
        found.append(_pairs(method, seed, scores, truth.reached(recoded, fresh), detail))
    choice = choose(candidates, workspace.config)
    assert choice is not None
    at = candidates.index(choice.chosen)
    own, told = found[at], expected_of_choice(choice.chosen, candidates, workspace.config)
    true = {model: {one.score: one.true for one in own if one.model == model} for model in MODELS}
    chosen = _pairs("chosen", seed, told, true, choice.chosen.detail)
    return [*itertools.chain(*found), *(replace(one, of="chosen, as listed") for one in own), *chosen]


def _pairs(
    of: str, seed: int, scores: Mapping[str, Mapping[str, Any]], true: Mapping[str, Mapping[str, float]], detail: float
) -> list[Pair]:
    return [
        Pair(ADULT, seed, of, model, score[name], score[error], true[model][name], name, detail)
        for model, score in scores.items()
        for name, error in SCORES.items()
    ]


# -- what is printed ---------------------------------------------------------------------------------------------------


def covered(tables: dict[int, list[bool]]) -> str:
    """The share of tables whose truth is covered, with its 95 % interval; a table with several candidates has a share.

    >>> covered({1: [True], 2: [True, False], 3: [False]})
    '50 % [15, 85]'
    """
    share, z, n = float(np.mean([np.mean(one) for one in tables.values()])), NINETY_FIVE, len(tables)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return f"{100 * share:.0f} % [{100 * max(0.0, middle - half):.0f}, {100 * (middle + half):.0f}]"


def print_coverage(pairs: Sequence[Pair]) -> None:
    """Print coverage by kind of table, by kind of candidate and by model."""
    columns = ["table", "candidate", "model", "score", "tables", "detail, %", "true, %", "above the truth, points"]
    print(f"| {' | '.join([*columns, 'within 1 error', 'within 1.96'])} |")
    print("|" + " --- |" * (len(columns) + 2))
    groups: dict[tuple[str, ...], dict[int, list[Pair]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        if pair.error:
            groups[pair.table, pair.of, pair.model, pair.score][pair.seed].append(pair)
    for names, tables in sorted(groups.items()):
        means = [100 * np.mean([one.expected - one.true for one in ones]) for ones in tables.values()]
        error = np.std(means, ddof=1) / sqrt(len(means)) if len(means) > 1 else float("nan")
        shares = [
            covered({seed: [abs(one.off) <= bound for one in ones] for seed, ones in tables.items()})
            for bound in (ONE_ERROR, NINETY_FIVE)
        ]
        told = [f"{100 * mean_of(tables, 'detail'):.0f}", f"{100 * mean_of(tables, 'true'):.1f}"]
        print(f"| {' | '.join([*names, str(len(tables)), *told, f'{np.mean(means):+.1f} ± {error:.1f}', *shares])} |")


def mean_of(tables: Mapping[int, Sequence[Pair]], name: str) -> float:
    """The mean over tables of a field of their pairs."""
    return float(np.mean([np.mean([getattr(one, name) for one in ones]) for ones in tables.values()]))


def drawn(asked: argparse.Namespace) -> Iterator[list[Pair]]:
    """The pairs of each table, until the time is up."""
    began = time.process_time()
    for kind in asked.kinds:
        with contextlib.ExitStack() as stack:
            of_table = of_adult(asked.rows, stack) if kind == ADULT else of_made_up(kind, asked.rows, stack)
            for seed in range(asked.first, asked.first + asked.seeds):
                if time.process_time() - began > asked.cpu_seconds:
                    return
                yield of_table(seed)


def main() -> None:
    """Print coverage by kind of table and of candidate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cpu-seconds", type=float, default=900, help="no table is drawn after so long")
    parser.add_argument("--kinds", nargs="*", default=["signal", "coin"])
    asked = parser.parse_args()
    began, pairs = time.process_time(), []
    with contextlib.suppress(KeyboardInterrupt):
        for of_table in drawn(asked):
            pairs += of_table
    print_coverage(pairs)
    print(f"\n{time.process_time() - began:.0f} CPU seconds")


if __name__ == "__main__":
    main()
