"""What the tests of each room may cost: conftest.py writes what each test took, and this compares it with the budgets.

A budget is a number of yardsticks, so that a slow machine changes nothing: each process that runs tests first times the
same small piece of work. `make check` prints the ten slowest files and each room beside its budget, and fails where a
room has outgrown it.

    pytest --times=build/times.json && python tests/budgets.py build/times.json
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import statistics
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

import pytest

BUDGETS = Path(__file__).with_name("budgets.toml")


def processor() -> float:
    """Processor seconds of this process and of its children, those that it waited for and those that live."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime + _living()


def _living() -> float:
    """Processor seconds of children that live, and of those that these waited for: of Spark's virtual machine and of
    the commands of `forked`, which the test that ends last would pay for. 0 where the system does not list them."""
    ticks = 0
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread or a child that ended meanwhile
            for child in listed.read_text(encoding="ascii").split():
                stat = Path(f"/proc/{child}/stat").read_text(encoding="utf-8", errors="replace")
                ticks += sum(map(int, stat.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def yardstick() -> float:
    """Processor seconds of a small piece of work like that of the tests: Python, and a query of DuckDB."""
    import duckdb

    def work() -> float:
        start = time.process_time()
        text = ",".join(str(number * number % 97) for number in range(60_000))
        assert len(set(text.split(","))) == 49
        with duckdb.connect(config={"threads": 1}) as connection:
            counted = "SELECT count(*) FROM (SELECT r % 997 AS a, sum(r) FROM range(400_000) AS t(r) GROUP BY a)"
            assert connection.execute(counted).fetchone() == (997,)
        return time.process_time() - start

    return min(work() for _ in range(3))


class Times:
    """Adds what each test took to its report, in processor seconds: of setting up, the test, and taking down."""

    def __init__(self) -> None:
        self.start = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Start the clock of a test."""
        self.start = processor()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]):
        """Put what was taken so far into each report of a test; the last one counts."""
        report = yield
        report.user_properties = [*report.user_properties, ("processor", processor() - self.start)]
        return report


class Written:
    """Collects what the tests took, and writes it when they have ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds: dict[str, float] = {}
        self.yardsticks: list[float] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the last figure of a test."""
        self.seconds[report.nodeid] = dict(report.user_properties)["processor"]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Keep the yardstick of a worker."""
        self.yardsticks.append(node.workeroutput["yardstick"])

    def pytest_sessionfinish(self) -> None:
        """Write yardstick and tests."""
        unit = statistics.mean(self.yardsticks or [yardstick()])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps({"yardstick": unit, "tests": self.seconds}), encoding="utf-8")


def register(config: pytest.Config) -> None:
    """Measure where `--times` asks for it: each worker its tests, and the process that prints all of them."""
    if path := config.getoption("times"):
        config.pluginmanager.register(Times())
        if hasattr(config, "workerinput"):
            config.workeroutput["yardstick"] = yardstick()
        else:
            config.pluginmanager.register(Written(Path(path)))


def room(test: str) -> str:
    """The folder under tests of a test, or `top`."""
    parts = test.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "top"


def outgrown(spent: dict[str, float], budgets: dict[str, float]) -> list[str]:
    """The rooms that cost more than their budget, and those that have none."""
    return sorted(name for name, cost in spent.items() if cost > budgets.get(name, 0))


def main(path: str) -> int:
    """Print the ten slowest files and the rooms; 1 where a room has outgrown its budget."""
    measured = json.loads(Path(path).read_text(encoding="utf-8"))
    unit, tests = measured["yardstick"], measured["tests"]
    files: Counter[str] = Counter()
    rooms: Counter[str] = Counter()
    for test, seconds in tests.items():
        files[test.partition("::")[0]] += seconds
        rooms[room(test)] += seconds / unit
    budgets = tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["yardsticks"]
    print(f"{len(tests)} tests took {sum(files.values()):.0f} processor seconds; a yardstick is {unit:.3f}\n")
    print("The ten slowest files, in processor seconds:")
    print("".join(f"{seconds:8.1f}  {name}\n" for name, seconds in files.most_common(10)))
    print("Rooms, in yardsticks, and their budgets (tests/budgets.toml):")
    print("".join(f"{cost:8.0f} of {budgets.get(name, 0):6}  {name}\n" for name, cost in rooms.most_common()))
    over = outgrown(dict(rooms), budgets)
    if over:
        print(f"outgrown: {', '.join(over)}. Make other tests of the room cheaper, or say why it may cost more.")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
