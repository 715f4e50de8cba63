"""The frontier of the default search beside the exact one, at every k, on the paper's tables with the authors' levels.

`discover` as it is by default, once; then `discover --search lattice --select MEASURE` for each measure, with limits so
wide that it proves the frontier of k and that measure. At each k that a rule of either has, the best of the measure at
that k or more is compared. The script ends with 1 where one differs, or where an exact search did not end.
With `--times` each search takes its turn instead, as `discover --search` names it, each in a project of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import adult

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from anonduck import Project
from anonduck.rules.rule import Rule
from benchmarks.real_data.data_sets import DATA_SETS, open_project

MEASURES: Mapping[str, Callable[[Rule], float]] = {
    "accuracy": lambda rule: rule.accuracy["tree"],
    "balanced_accuracy": lambda rule: rule.balanced_accuracy["tree"],
    "information_gain": lambda rule: rule.measures.information_gain,
}
SEARCHES = ("auto", "lattice", "rfd")
EXACT = {"search": "lattice", "budget": 100_000_000, "time_limit": 86_400.0}
TOLERANCE = 1e-9


def main() -> None:
    """Compare the named tables (by default all) and print a line each, and one for each measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(DATA_SETS)}; default: all")
    parser.add_argument("--times", action="store_true", help="only how long the searches take")
    options = parser.parse_args()
    if options.times:
        print(f"| table | {' | '.join(SEARCHES)} |\n| --- | {'--- | ' * len(SEARCHES)}")
        for name in options.tables or DATA_SETS:
            taken = (f"{seconds(name, search):.0f}" for search in SEARCHES)
            print(f"| {DATA_SETS[name].title} | {' | '.join(taken)} |", flush=True)
        return
    if sum([compare(name) for name in options.tables or DATA_SETS]):
        sys.exit(1)


@contextlib.contextmanager
def opened(name: str) -> Iterator[Project]:
    """A project on a table with the authors' taxonomies, its decision database in a file of its own."""
    item = DATA_SETS[name]
    with (
        tempfile.TemporaryDirectory() as folder,
        open_project(item, adult.data(), Path(folder) / "a.duckdb", by_default=True) as one,
    ):
        one.import_taxonomies(
            adult.data() / "authors-taxonomies" / item.taxonomies, format_="blocks", mapping=dict(item.mapping)
        )
        yield one


def seconds(name: str, search: str) -> float:
    """Seconds of processor time that `discover` takes with a search."""
    with opened(name) as one:
        begun = time.process_time()
        one.discover(search=search)
        return time.process_time() - begun


def compare(name: str) -> int:
    """How many k of a table differ, over all measures; a search that did not end counts as one."""
    item = DATA_SETS[name]
    with opened(name) as one:
        begun = time.process_time()
        found = one.discover(search="auto")
        taken = time.process_time() - begun
        default = {measure: steps(found.rules, read) for measure, read in MEASURES.items()}
        proven = f"proven from k = {found.proven_from_k:,}" if found.proven_from_k else "not proven"
        lines, different, compared = [], 0, 0
        for measure in MEASURES:
            k, other, line = beside(one, measure, default[measure])
            lines.append(line)
            compared, different = compared + k, different + other
    print(
        f"{item.title}: {compared:,} k compared in {len(MEASURES)} measures, {different:,} different; default "
        f"{taken:.1f} s of processor time, {proven}"
    )
    print("\n".join(lines), flush=True)
    return different


def beside(project: Project, measure: str, default: Mapping[int, float]) -> tuple[int, int, str]:
    """Prove the frontier of a measure: how many k were compared, how many differ, and a line that tells of both."""
    begun = time.process_time()
    exact = project.discover(select=measure, **EXACT)
    taken = time.process_time() - begun
    steps_of_exact = steps(exact.rules, MEASURES[measure])
    ks = sorted({*default, *steps_of_exact})
    other = [k for k in ks if abs(at(default, k) - at(steps_of_exact, k)) > TOLERANCE]
    ended = exact.proven
    line = f"  {measure}: {len(ks):,} k, {len(other):,} different; exact {taken:.1f} s" + (
        "" if ended else ", NOT PROVEN"
    )
    line += f"; k = {', '.join(map(str, other[:10]))}" if other else ""
    return len(ks), len(other) + (not ended), line


def steps(rules: tuple[Rule, ...], read: Callable[[Rule], float]) -> dict[int, float]:
    """The largest value at each k or more, by the k at which it rises."""
    best: dict[int, float] = {}
    for rule in sorted(rules, key=lambda one: -one.measures.k):
        if rule.accuracy and read(rule) > max(best.values(), default=0.0):
            best[rule.measures.k] = read(rule)
    return best


def at(steps_: Mapping[int, float], k: int) -> float:
    """The largest value at a k or more; 0 where there is no rule."""
    return max((value for own, value in steps_.items() if own >= k), default=0.0)


if __name__ == "__main__":
    main()
