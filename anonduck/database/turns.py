"""Whose turn it is to work on a decision database, among the sessions of one process."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

from anonduck.errors import DatabaseError


class Turn:
    """Whose turn it is to work on a decision database: its tables belong to one job, and to the jobs that it calls."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._worker: object | None = None

    @contextlib.contextmanager
    def of(self, worker: object) -> Iterator[bool]:
        """Wait for the other threads, and let them wait for the block, which is told whether its turn begins with it; a
        worker that has its turn goes on.

        Raises DatabaseError where another worker of this very thread is in the middle of a job, which waiting would
        never end.
        """
        with self._lock:
            before = self._worker
            if before not in (None, worker):
                raise DatabaseError(
                    "another project is in the middle of a job on this decision database, and called this one; let it "
                    "come to its end first, or give each a decision database of its own"
                )
            self._worker = worker
            try:
                yield before is None
            finally:
                self._worker = before


_MAKING = threading.Lock()
_TURNS: weakref.WeakValueDictionary[str, Turn] = weakref.WeakValueDictionary()
"""By decision file, for as long as a session of it is there: connections of one process share what is in a file."""


def turn_at(path: Path | None) -> Turn:
    """The turns at a decision file; a database in memory has its own."""
    if path is None:
        return Turn()
    with _MAKING:
        return _TURNS.setdefault(os.path.realpath(path), Turn())
