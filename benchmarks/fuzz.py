"""Random tables, released in every way there is, and checked by counting without anonduck.

A case is a table with roles, taxonomies and a requirement, and a few releases of it. A promise that is larger than the
truth is a finding, and so is a hidden text in what is handed out, an exit code that is not documented, a file that a
refusal left, and a case that does not end. A finding is printed with what repeats it.

    python benchmarks/fuzz.py --minutes 60 --seed 1
    python benchmarks/fuzz.py --seed 1 --case 17
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from fuzzing import ways
from fuzzing.case import Case
from fuzzing.released import Finding, Released
from fuzzing.tables import drawn_table

LIMIT = 180
"""Seconds that a case may take."""

WAYS: tuple[Callable[[Case], Any], ...] = (
    *(ways.by_rule, ways.by_method, ways.by_method, ways.by_method, ways.by_run, ways.by_lock, ways.by_classes),
    *(ways.by_other_export, ways.by_broken_input),
)
Played = tuple[list[tuple[str, str, str]], list[Finding], list[str], str]


def play(case: Case) -> None:
    """Do a few things with a table."""
    (case.table.folder / "out").mkdir()
    for _ in range(3):
        ways.of_the_source(case)
    for way in case.random.sample(WAYS, k=3):
        made = way(case)
        if isinstance(made, Released) and case.random.random() < 0.5:
            ways.audited(case, made)


def play_case(seed: int, number: int, folder: Path) -> Played:
    """One case: what was done, what was found, the commands, and the config."""
    random = Random(f"{seed} {number}")  # noqa: S311 - it must come back
    try:
        case = Case(random, drawn_table(random, folder))
        play(case)
    except Exception:
        return [], [Finding("fault of the fuzzer", traceback.format_exc()[-1500:])], [], ""
    return case.done, case.findings, case.commands, (folder / "anonduck.yml").read_text(encoding="utf-8")


def work(seed: int, asked: Connection) -> None:
    """Play the cases that are asked for, in a process that may be ended."""
    while True:
        number = asked.recv()
        with tempfile.TemporaryDirectory() as folder:
            asked.send(play_case(seed, number, Path(folder)))


class Worker:
    """A process that plays cases, started anew after one that did not end."""

    def __init__(self, seed: int, work: Callable[[int, Connection], None] = work, limit: float = LIMIT) -> None:
        self.seed, self.work, self.limit = seed, work, limit
        self.start()

    def start(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=self.work, args=(self.seed, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def play(self, number: int) -> Played:
        """One case; a process that hangs or dies is a finding."""
        self.pipe.send(number)
        try:
            if self.pipe.poll(self.limit):
                return self.pipe.recv()
            found = Finding("hang", f"not done after {self.limit} seconds")
        except EOFError:
            found = Finding("crash", f"the process ended with {self.process.exitcode}")
        self.process.kill()
        self.process.join()
        self.start()
        return [], [found], [], ""


class Summary:
    """Counts of all cases."""

    def __init__(self) -> None:
        self.cases = 0
        self.done: Counter[tuple[str, str]] = Counter()
        self.reasons: dict[str, Counter[str]] = {}
        self.found: Counter[str] = Counter()

    def add(self, played: Played) -> None:
        """Count one case."""
        self.cases += 1
        for name, how, why in played[0]:
            self.done[name, how] += 1
            if why:
                self.reasons.setdefault(name, Counter())[why] += 1
        self.found.update({one.kind for one in played[1]})

    def show(self) -> None:
        """Print the tables."""
        done = sum(count for (_, how), count in self.done.items() if how == "released")
        print(f"\n{self.cases} tables, {done} releases and audits\n")
        print("| way | done | refused | reasons, the most frequent |\n| --- | ---: | ---: | --- |")
        for name in sorted({name for name, _ in self.done}):
            common = self.reasons.get(name, Counter()).most_common(6)
            reasons = "; ".join(f"{count} x {why}" for why, count in common)
            print(f"| {name} | {self.done[name, 'released']} | {self.done[name, 'refused']} | {reasons} |")
        print("\n| finding | cases |\n| --- | ---: |")
        for kind, count in self.found.most_common():
            print(f"| {kind} | {count} |")


def show(seed: int, number: int, played: Played, everything: bool) -> None:
    """Print what one case found."""
    for one in played[1]:
        print(f"FOUND {one.kind} in --seed {seed} --case {number}: {one.words}", flush=True)
    if everything:
        print(played[3], *played[2], sep="\n", flush=True)


def main() -> None:
    """Play cases until the time is over, or one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="play this case alone, and print its config and commands")
    options = parser.parse_args()
    if options.case is not None:
        with tempfile.TemporaryDirectory() as folder:
            show(options.seed, options.case, play_case(options.seed, options.case, Path(folder)), everything=True)
        return
    worker, summary = Worker(options.seed), Summary()
    end, number = time.monotonic() + options.minutes * 60, 0
    while time.monotonic() < end:
        played = worker.play(number)
        show(options.seed, number, played, everything=False)
        summary.add(played)
        number += 1
    summary.show()


if __name__ == "__main__":
    main()
