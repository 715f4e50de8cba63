"""A pytest plugin that writes the lines that each test runs, and the seconds that each test takes.

Load it by ``-p mutating.covering`` with COVERING set to an empty folder and COVERED to the folders of the modules.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest


def processor() -> float:
    """Processor seconds of this process and of the children that ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Covering:
    """Measures each test of one process; lines that a shared fixture runs are written under the fixture's name."""

    def __init__(self, folder: Path, covered: list[str]) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        include = [f"{one}/*" for one in covered]
        self.coverage = coverage.Coverage(data_file=str(folder / f"lines.{worker}"), include=include, config_file=False)
        self.times = (folder / f"times.{worker}.jsonl").open("w", encoding="utf-8")
        self.test = ""
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Name the lines of this test, and time it."""
        self.test = item.nodeid
        self.coverage.switch_context(item.nodeid)
        seconds, clock = processor(), time.perf_counter()
        result = yield
        row = [item.nodeid, round(processor() - seconds, 4), round(time.perf_counter() - clock, 4)]
        self.times.write(json.dumps([*row, item.get_closest_marker("slow") is not None]) + "\n")
        self.times.flush()
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Name the lines of a shared fixture after the place that shares it."""
        if fixturedef.scope == "function":
            return (yield)
        self.coverage.switch_context(f"fixture {fixturedef.baseid}")
        try:
            return (yield)
        finally:
            self.coverage.switch_context(self.test)

    def pytest_sessionfinish(self) -> None:
        """Write what was measured."""
        self.coverage.stop()
        self.coverage.save()
        self.times.close()


def pytest_configure(config: pytest.Config) -> None:
    """Measure in each process that runs tests: in the workers, or in the only process there is."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        folders = os.environ["COVERED"].split(os.pathsep)
        config.pluginmanager.register(Covering(Path(os.environ["COVERING"]), folders))
