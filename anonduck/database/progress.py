"""How long steps report to their caller: messages, progress by stage, and SQL."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Progress = Callable[[str, int, int], None]
"""Gets the name of a stage, how many of its steps are done, and how many there are (0 if unknown)."""


def no_message(_: str) -> None:
    """Announce nothing: for work whose messages were announced before."""


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """The progress that nobody follows."""
    return


@dataclass(frozen=True)
class Reporter:
    """Where messages and progress go; by default nowhere. Neither ever holds a value of the source.

    ``detail`` gets messages that few ask for, such as how each taxonomy was built. ``trace`` gets the text of each SQL
    statement as it ran, with its parameters written in.
    """

    announce: Callable[[str], None] = no_message
    progress: Progress = no_progress
    trace: Callable[[str], None] | None = None
    detail: Callable[[str], None] = no_message

    @contextlib.contextmanager
    def during(self, stage: str) -> Iterator[None]:
        """Report that a stage runs as long as what is inside, of which no share is known."""
        self.progress(stage, 0, 0)
        yield
        self.progress(stage, 1, 1)
