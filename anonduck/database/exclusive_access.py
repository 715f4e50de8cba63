"""Exclusive access to a decision database, among the sessions of one process."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

from anonduck.errors import DatabaseError


class ExclusiveAccess:
    """Serializes the jobs on one decision database: its tables belong to one job, and to the jobs that it calls."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._worker: object | None = None

    @contextlib.contextmanager
    def held_by(self, worker: object) -> Iterator[bool]:
        """Block until other threads are done, and keep them out inside; yields whether this is a worker's outermost
        block, as one that has access may ask for it again.

        Raises DatabaseError where another worker of the same thread is in the middle of a job: to wait for it would
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
_BY_FILE: weakref.WeakValueDictionary[str, ExclusiveAccess] = weakref.WeakValueDictionary()
"""By decision file, for as long as a session of it is open: connections of one process share what is in a file."""


def access_to(path: Path | None) -> ExclusiveAccess:
    """The access to a decision file, shared by all its sessions; a database in memory has its own."""
    if path is None:
        return ExclusiveAccess()
    with _MAKING:
        return _BY_FILE.setdefault(os.path.realpath(path), ExclusiveAccess())
