"""How many small faults in the code the tests find: a mutation run over a seeded sample of mutants in each room.

The first command writes which tests run which lines, once a version of the suite; the second tries the mutants. A
mutant is tried by the tests that run its statement, the quick ones first, up to some processor seconds of them. The
operators are Cosmic Ray's (``pip install cosmic-ray coverage``); a mutant is a process of its own, forked from one that
has imported the libraries.

    python benchmarks/mutation.py cover --map /tmp/covered [TESTS...]
    python benchmarks/mutation.py try --map /tmp/covered --room privacy --mutants 400 --seed 1 --out /tmp/privacy.jsonl
    python benchmarks/mutation.py show --lived /tmp/privacy.jsonl

Where two versions of the tests are compared, the mutants that live under the newer are tried by the older: it can have
killed no more than all the others and those (``try --lived JSONL``, in a checkout of the older version).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from difflib import unified_diff
from pathlib import Path
from typing import Any

from coverage import CoverageData
from mutating.mutants import Mutant, drawn
from mutating.trial import run

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("methods", "privacy", "auditing", "release", "measures", "search")
LIBRARIES = ("duckdb", "pyarrow.parquet", "pandas", "scipy.stats", "sklearn.tree", "sklearn.linear_model", "sqlglot",
             "pydantic", "click", "rich.table", "yaml", "hypothesis", "pytest")  # fmt: skip


@dataclass
class Covered:
    """Which tests run a line of a file, and the processor seconds of each test."""

    tests: dict[str, dict[int, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    seconds: dict[str, float] = field(default_factory=dict)

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that run a mutant's statement, the quick ones first; of a statement outside of functions, which
        runs when the module is imported, those that run anything of the module and those of its room."""
        lines = self.tests.get(mutant.path, {})
        found = set().union(*(lines.get(line, set()) for line in range(mutant.first, mutant.last + 1)))
        if not found and self._at_import(mutant):
            room = f"tests/{mutant.path.split('/')[1]}/"
            found = set().union(*lines.values(), (test for test in self.seconds if test.startswith(room)))
        return sorted(found, key=lambda test: (self.seconds[test], test))

    @staticmethod
    def _at_import(mutant: Mutant) -> bool:
        text = (ROOT / mutant.path).read_text(encoding="utf-8").splitlines()
        return not text[mutant.first - 1].startswith((" " * 8, "    return", "    if", "    for"))


def covered(folder: Path) -> Covered:
    """Read what the plugin wrote; what a shared fixture runs is run by all tests of its place."""
    found = Covered()
    for path in sorted(folder.glob("times.*.jsonl")):
        for row in path.read_text(encoding="utf-8").splitlines():
            test, seconds, *_ = json.loads(row)
            found.seconds[test] = seconds
    places: dict[str, list[str]] = {}
    for path in sorted(folder.glob("lines.*")):
        data = CoverageData(str(path))
        data.read()
        for file in data.measured_files():
            lines = found.tests[Path(file).relative_to(measured_root(data)).as_posix()]
            for line, contexts in data.contexts_by_lineno(file).items():
                for context in contexts:
                    if context.startswith("fixture "):
                        place = context.split()[1]
                        if place not in places:
                            places[place] = [test for test in found.seconds if test.startswith(place)]
                        lines[line].update(places[place])
                    elif context in found.seconds:
                        lines[line].add(context)
    return found


def measured_root(data: CoverageData) -> Path:
    """The folder of the project that was measured, which may be another checkout than this one."""
    file = Path(min(data.measured_files()))
    return next(
        parent for parent in file.parents if parent.name == "anonduck" and (parent / "__main__.py").exists()
    ).parent


def cover(folder: Path, profile: str, tests: Sequence[str]) -> None:
    """Run the tests of `make test`, all of them unless some are named, and write which lines each runs."""
    folder.mkdir(parents=True, exist_ok=False)
    places = os.pathsep.join(str(ROOT / "anonduck" / room) for room in ROOMS)
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "COVERING": str(folder), "COVERED": places, "PYTHONPATH": path}
    command = [sys.executable, "-m", "pytest", "-p", "mutating.covering", "-p", "no:cacheprovider"]
    command += ["-m", "not nightly", f"--hypothesis-profile={profile}", *tests]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


def chosen(tests: Sequence[str], seconds: dict[str, float], most: float) -> list[str]:
    """The first tests whose processor seconds together are no more than these, at least one."""
    kept, spent = [], 0.0
    for test in tests:
        spent += seconds[test]
        if kept and spent > most:
            break
        kept.append(test)
    return kept


@dataclass
class Trial:
    """A running trial: its process, where its answer comes from, and when it is ended."""

    mutant: Mutant
    child: int
    answer: int
    tests: int
    end: float
    start: float = field(default_factory=time.perf_counter)

    def outcome(self) -> tuple[str, str]:
        """``killed`` with the test, ``lived``, or ``endless``."""
        if time.perf_counter() > self.end:
            os.killpg(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
            return "endless", ""
        said = os.read(self.answer, 1 << 16).decode()
        _, status = os.waitpid(self.child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return "endless", ""
        if said.startswith("fault of the run"):
            raise RuntimeError(f"{self.mutant}\n{said}")
        if status:
            return "killed", f"the process ended with {os.waitstatus_to_exitcode(status)}"
        return ("killed", said) if said else ("lived", "")


def started(mutant: Mutant, tests: Sequence[str], seconds: float, profile: str) -> Trial:
    """Fork a trial of a mutant; it is endless after three times the processor seconds of its tests, and some more to
    import and collect, or where it waits for what never comes."""
    text, allowed = mutant.source(ROOT), 15 + 3 * seconds
    answer, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(answer)
        try:
            run(ROOT, mutant.path, text, tests, write, profile=profile, processor_seconds=allowed)
        except BaseException:
            os.write(write, ("fault of the run: " + traceback.format_exc()).encode())
            os._exit(0)
    os.close(write)
    return Trial(mutant, child, answer, len(tests), time.perf_counter() + 20 * allowed)


def ended(running: list[Trial]) -> Iterator[Trial]:
    """Wait until some trial has ended or is over time, and take those out of the running ones."""
    ready, _, _ = select.select([one.answer for one in running], [], [], 1)
    for one in list(running):
        if one.answer in ready or time.perf_counter() > one.end:
            running.remove(one)
            yield one


def tried(
    mutants: Sequence[Mutant], found: Covered, most: float, processes: int, profile: str
) -> Iterator[dict[str, object]]:
    """Try mutants, some at once, and give each with what came of it."""
    running: list[Trial] = []
    waiting = list(reversed(mutants))
    while waiting or running:
        while waiting and len(running) < processes:
            mutant = waiting.pop()
            tests = chosen(found.of(mutant), found.seconds, most)
            if tests:
                running.append(started(mutant, tests, sum(found.seconds[test] for test in tests), profile))
            else:
                yield {**asdict(mutant), "outcome": "no test", "by": "", "tests": 0, "seconds": 0.0}
        for trial in ended(running) if running else ():
            outcome, test = trial.outcome()
            os.close(trial.answer)
            seconds = round(time.perf_counter() - trial.start, 2)
            yield {**asdict(trial.mutant), "outcome": outcome, "by": test, "tests": trial.tests, "seconds": seconds}


def mutant_of(row: dict[str, Any]) -> Mutant:
    """The mutant that a row of a run is of."""
    return Mutant(**{one.name: row[one.name] for one in fields(Mutant)})


def difference(mutant: Mutant) -> str:
    """The lines of a mutant that changed."""
    text = (ROOT / mutant.path).read_text(encoding="utf-8")
    lines = unified_diff(text.splitlines(), mutant.source(ROOT).splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


def interval(killed: int, tried: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's score."""
    share, spread = killed / tried, 1.96**2 / tried
    middle = (share + spread / 2) / (1 + spread)
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5 / (1 + spread)
    return middle - half, middle + half


def show(path: Path, *, lived: bool) -> None:
    """Print the share of mutants killed with its 95 % interval, and on request those that lived."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    counts = Counter(row["outcome"] for row in rows)
    killed = counts["killed"] + counts["endless"]
    low, high = interval(killed, len(rows))
    share = f"{killed / len(rows):.1%}, {low:.1%} to {high:.1%}"
    print(f"{path.stem}: {killed} of {len(rows)} killed ({share}); {dict(sorted(counts.items()))}")
    for row in rows if lived else ():
        if row["outcome"] in ("lived", "no test"):
            mutant = mutant_of(row)
            print(f"\n{row['path']}:{row['first']} {row['outcome']}, {row['tests']} tests\n{difference(mutant)}")


def lived(path: Path) -> list[Mutant]:
    """The mutants that lived in a run of another version of the tests, of the modules that both versions share."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = []
    for row in rows:
        if row["outcome"] in ("lived", "no test"):
            mutant = mutant_of(row)
            if digest_of(mutant.path) == row["module"]:
                found.append(mutant)
            else:
                print(f"{mutant.path}:{mutant.first} is in a module that changed: left out")
    return found


def digest_of(path: str) -> str:
    """The SHA-256 of a module, to know it in another version."""
    file = ROOT / path
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else ""


def attempt(asked: argparse.Namespace) -> None:
    """Try the mutants of one room that are not in the file yet, and write each as it ends."""
    for name in LIBRARIES:
        importlib.import_module(name)
    found = covered(asked.map)
    mutants = lived(asked.lived) if asked.lived else drawn(ROOT, asked.room, asked.mutants, asked.seed)
    done = asked.out.read_text(encoding="utf-8").splitlines() if asked.out.exists() else []
    known = {(row["path"], row["operator"], row["occurrence"]) for row in map(json.loads, done)}
    left = [one for one in mutants if (one.path, one.operator, one.occurrence) not in known]
    with asked.out.open("a", encoding="utf-8") as out:
        for row in tried(left, found, asked.seconds, asked.processes, asked.profile):
            out.write(json.dumps({**row, "module": digest_of(row["path"])}) + "\n")
            out.flush()
    show(asked.out, lived=False)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    covering = commands.add_parser("cover")
    covering.add_argument("--map", type=Path, required=True)
    covering.add_argument("tests", nargs="*")
    trying = commands.add_parser("try")
    trying.add_argument("--map", type=Path, required=True)
    trying.add_argument("--room", choices=ROOMS, required=True)
    trying.add_argument("--mutants", type=int, default=400)
    trying.add_argument("--seed", type=int, default=1)
    trying.add_argument("--lived", type=Path, metavar="JSONL", help="try those that lived in another run")
    trying.add_argument("--seconds", type=float, default=30, help="processor seconds of tests that a mutant gets")
    trying.add_argument("--processes", type=int, default=2)
    trying.add_argument("--out", type=Path, required=True)
    showing = commands.add_parser("show")
    showing.add_argument("out", type=Path, nargs="+")
    showing.add_argument("--lived", action="store_true")
    for one in (covering, trying):
        one.add_argument("--profile", default="ci", help="of hypothesis; `default` draws what plain pytest draws")
    asked = parser.parse_args()
    if asked.command == "cover":
        cover(asked.map, asked.profile, asked.tests)
    elif asked.command == "try":
        attempt(asked)
    else:
        for path in asked.out:
            show(path, lived=asked.lived)


if __name__ == "__main__":
    main()
