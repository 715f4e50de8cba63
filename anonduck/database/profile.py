"""Where a job's time and memory go: a sample of what it runs, many times a second, as a tree and for flame graphs."""

from __future__ import annotations

import contextlib
import resource
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

INTERVAL = 0.005  # seconds between samples
LEAST_SHARE = 0.02  # of all seconds: what takes less is in the step that calls it
PACKAGE = str(Path(__file__).parents[1])
PAGE = resource.getpagesize()
MEGABYTE = 1 << 20


@dataclass
class Step:
    """A function of anonduck's with what it calls.

    ``seconds`` of the clock and ``cpu`` of the processor include what it calls; ``peak`` is the most memory, in bytes,
    that the process held while it ran, 0 where that cannot be read.
    """

    name: str
    seconds: float = 0.0
    cpu: float = 0.0
    peak: int = 0
    steps: dict[str, Step] = field(default_factory=dict)

    def add(self, names: Sequence[str], seconds: float, cpu: float, held: int) -> None:
        """Add a sample: the functions that ran, the outermost first, for so many seconds since the last sample."""
        step = self
        for name in (None, *names):
            step = step if name is None else step.steps.setdefault(name, Step(name))
            step.seconds += seconds
            step.cpu += cpu
            step.peak = max(step.peak, held)

    def tree(self) -> list[str]:
        """A line for each step that takes a share worth a line, under the step that calls it; the dearest first.

        A step that does nothing but call one other is left out.
        """
        lines = [f"{'seconds':>9} {'CPU':>8} {'share':>6} {'peak MB':>8}  step"]
        return lines + list(self._lines(0, self.seconds * LEAST_SHARE))

    def _lines(self, depth: int, least: float) -> Iterator[str]:
        worth = sorted((one for one in self.steps.values() if one.seconds >= least), key=lambda one: -one.seconds)
        passes_on = len(worth) == 1 and self.seconds - worth[0].seconds < least and depth > 0
        if not passes_on:
            share = self.seconds * LEAST_SHARE / least if least else 1.0
            yield (
                f"{self.seconds:9.2f} {self.cpu:8.2f} {share:6.0%} {self.peak / MEGABYTE:8.0f}  "
                f"{'  ' * depth}{self.name}"
            )
        for one in worth:
            yield from one._lines(depth if passes_on else depth + 1, least)

    def folded(self, above: tuple[str, ...] = ()) -> Iterator[str]:
        """A line for each step, with its callers and the microseconds that it takes itself.

        The format of Brendan Gregg's flamegraph.pl, which speedscope and others read too.
        """
        names = (*above, self.name)
        own = self.seconds - sum(one.seconds for one in self.steps.values())
        if round(own * 1e6) > 0:
            yield f"{';'.join(names)} {round(own * 1e6)}"
        for one in self.steps.values():
            yield from one.folded(names)


@contextlib.contextmanager
def profiled(name: str) -> Iterator[Step]:
    """Sample what the calling thread runs inside; the step of that ``name`` is complete at the end."""
    step, over = Step(name), threading.Event()
    asked = threading.get_ident()
    thread = threading.Thread(target=_sample, args=(step, asked, over), name="profile", daemon=True)
    thread.start()
    try:
        yield step
    finally:
        over.set()
        thread.join()


def _sample(step: Step, asked: int, over: threading.Event) -> None:
    clock, cpu = time.perf_counter(), time.process_time()
    last = False
    while not last:
        last = over.wait(INTERVAL)
        frame = sys._current_frames().get(asked)
        now, used = time.perf_counter(), time.process_time()
        step.add(_names(frame), now - clock, used - cpu, _held())
        clock, cpu = now, used


def _names(frame: FrameType | None) -> list[str]:
    """The functions of the package on a stack, the outermost first: room, module and name."""
    found = []
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(PACKAGE) and file != __file__:
            module = file.removeprefix(PACKAGE).removesuffix(".py").strip("/\\").replace("\\", "/").replace("/", ".")
            found.append(f"{module}.{frame.f_code.co_qualname}")
        frame = frame.f_back
    return found[::-1]


def _held() -> int:
    """The memory that this process holds, in bytes."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0
