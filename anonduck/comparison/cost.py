"""What a row of a comparison costs, and where it is stopped: seconds, seconds of the processor, memory."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from anonduck.database.progress import Reporter

STATUS = Path("/proc/self/statm")
LOOKED_EVERY = 0.02


class TimeIsUpError(Exception):
    """A row took longer than it may."""


class RowClock:
    """The time that a row may take, from now on; None: as long as it takes."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self._began = time.monotonic()

    def over(self) -> bool:
        """Whether the time is up."""
        return self.limit is not None and time.monotonic() - self._began > self.limit

    def listening(self, reporter: Reporter) -> Reporter:
        """The reporter, whose progress raises TimeIsUpError once the time is up, which stops what reports progress."""

        def progress(stage: str, done: int, total: int) -> None:
            if self.over():
                raise TimeIsUpError
            reporter.progress(stage, done, total)

        return replace(reporter, progress=progress)


@dataclass
class Cost:
    """Seconds on the clock and of the processor, and the most memory that the process held, in MB.

    None where the system does not say.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float | None = None


@contextlib.contextmanager
def measured_cost() -> Iterator[Cost]:
    """What the block costs; known when it ends."""
    cost, over = Cost(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(cost, over), name="memory of a row", daemon=True)
    began, worked = time.perf_counter(), time.process_time()
    watcher.start()
    try:
        yield cost
    finally:
        cost.seconds = round(time.perf_counter() - began, 3)
        cost.cpu_seconds = round(time.process_time() - worked, 3)
        over.set()
        watcher.join()


def _watch(cost: Cost, over: threading.Event) -> None:
    while True:
        held = _held()
        if held is not None:
            cost.memory_mb = max(cost.memory_mb or 0.0, held)
        if held is None or over.wait(LOOKED_EVERY):
            return


def _held() -> float | None:
    """The memory of the process now, in MB; None where the system does not say."""
    try:
        pages = int(STATUS.read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
