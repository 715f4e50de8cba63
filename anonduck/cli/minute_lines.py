"""What long work writes where there is no terminal to draw a bar in: a plain line a minute, none under a minute."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

MINUTE = 60.0


class MinuteLines:
    """Tells once a minute what is being done, how much of it is, and for how long the command has worked.

    ``progress`` is told of each step, as a reporter is; ``line`` is the text of the moment. ``clock`` gives seconds.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.say = say
        self.clock = clock
        self._began = clock()
        self._step: tuple[str, int, int] | None = None

    def progress(self, stage: str, done: int, total: int) -> None:
        """A stage has come so far; ``total`` 0 where nobody knows how far that is."""
        self._step = None if 0 < total <= done else (stage, done, total)

    def line(self) -> str:
        """What there is to say now, such as ``joining pairs: 40 %, 3 min``."""
        step, minutes = self._step, int((self.clock() - self._began) / MINUTE)
        if step is None:
            return f"still working, {minutes} min"
        stage, done, total = step
        return f"{stage}: {done * 100 // total} %, {minutes} min" if total else f"{stage}, {minutes} min"

    def tell(self, stopped: Callable[[float], bool]) -> None:
        """Say a line after each minute; ``stopped`` waits for so many seconds, or until nothing more is to be said."""
        while not stopped(MINUTE):
            self.say(self.line())


@contextlib.contextmanager
def minute_lines(say: Callable[[str], None]) -> Iterator[MinuteLines]:
    """Lines for as long as the block lasts, said by a thread: a single long query is told of too."""
    lines, over = MinuteLines(say), threading.Event()
    thread = threading.Thread(target=lines.tell, args=(over.wait,), name="minute lines", daemon=True)
    thread.start()
    try:
        yield lines
    finally:
        over.set()
        thread.join()
