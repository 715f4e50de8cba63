"""One mutant's trial: its covering tests, in a process forked before anything of anonduck was imported."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import Phase, settings

OPTIONS = ("-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", "-x", "-q")
FIRST_BATCH = 6
ALREADY_IMPORTED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


class _Source(importlib.machinery.SourceFileLoader):
    """Loads a module's file as if it held another text."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> Any:
        return compile(self.text, self.path, "exec", dont_inherit=True)


class _Changed(importlib.abc.MetaPathFinder):
    """Finds one module with its change; everything else is found as always."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name, self.path, self.text = name, path, text

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname != self.name:
            return None
        loader = _Source(fullname, str(self.path), self.text)
        folder = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=loader, submodule_search_locations=folder
        )


class _Failed:
    """Keeps the first test that failed, and spares the search for a smaller example of it."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.test = ""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile(
            "trial", settings.get_profile(self.profile), phases=phases, report_multiple_bugs=False
        )
        settings.load_profile("trial")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid


def run(
    root: Path, path: str, text: str, tests: Sequence[str], answer: int, *, profile: str, processor_seconds: float
) -> None:
    """Run the tests with one module changed, write the first that fails, and end this process.

    The answer is a file descriptor. An empty answer is a mutant that lived. A process that takes more than the
    processor seconds is ended by SIGXCPU: on a busy machine the clock would take a slow trial for an endless one.
    """
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    most = int(processor_seconds + time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
    silent = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silent, descriptor)
    os.chdir(root)
    name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
    sys.meta_path.insert(0, _Changed(name, root / path, text))
    failed = _Failed(profile)
    for batch in _batches(tests):
        code = pytest.main([*OPTIONS, *ALREADY_IMPORTED, *batch], plugins=[failed])
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            os.write(answer, (failed.test or f"pytest ended with {code}").encode())
            break
    os._exit(0)


def _batches(tests: Sequence[str]) -> Iterator[Sequence[str]]:
    """Few tests first, then more: most mutants are killed by a quick one, and collecting many files takes seconds."""
    start, size = 0, FIRST_BATCH
    while start < len(tests):
        yield tests[start : start + size]
        start, size = start + size, size * 5
