"""How long steps tell their caller what happens: messages, and progress by stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _silent(_: str) -> None:
    return None


def _unseen(_stage: str, _done: int, _total: int) -> None:
    return None


@dataclass(frozen=True)
class Reporter:
    """Where messages and progress go; by default nowhere. Neither ever holds a value of the source.

    ``progress`` is told a stage, how many steps of it are done, and of how many: 0 where that is not known.
    ``trace`` is told each SQL statement as it ran, with the values that it was given.
    """

    announce: Callable[[str], None] = _silent
    progress: Callable[[str, int, int], None] = _unseen
    trace: Callable[[str], None] | None = None
