"""How a signal ends the process in time: statements are interrupted, and a library that blocks is ended.

Python runs the handler of a signal between two steps of Python, which a library may keep it from for minutes. So two
others hear of it. A thread interrupts the statements that run, then removes what is unfinished and ends the process. A
second process ends this one if the thread is kept from running too.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

INTERRUPTED = (0.3, 0.8)  # seconds after the signal at which statements are interrupted
ENDED = 1.3  # seconds after the signal at which the thread ends the process
KILLED = 1.7  # seconds after the signal at which the second process ends it


class Interruptible(Protocol):
    """What runs statements, and can be asked from another thread to stop."""

    def interrupt(self) -> None:
        """Stop the statement that runs, if there is one."""


_RUNNING: weakref.WeakSet[Interruptible] = weakref.WeakSet()
_UNFINISHED: set[Path] = set()


@contextlib.contextmanager
def interruptible(one: Interruptible) -> Iterator[None]:
    """Let a signal interrupt what runs inside."""
    _RUNNING.add(one)
    try:
        yield
    finally:
        _RUNNING.discard(one)


def remove_at_the_end(path: Path) -> None:
    """Remove a file or folder if the process is ended before it can do so itself."""
    _UNFINISHED.add(path)


def removed(path: Path) -> None:
    """Forget a file or folder that is gone, or finished."""
    _UNFINISHED.discard(path)


def end_in_time(received: list[int], stopped: str) -> None:
    """Make sure that each signal with a handler ends this process within two seconds.

    ``received`` lists the signals whose handlers have run; ``stopped`` is printed to stderr where the thread ends the
    process. To be called once, before there are other threads.
    """
    told, tell = os.pipe()
    warned, warn = os.pipe()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        own = os.getpid()
        if os.fork() == 0:
            _guard(own, told, warn)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    os.close(told)
    os.close(warn)
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(warned, received, stopped), daemon=True).start()


def _guard(process: int, told: int, warn: int) -> None:
    """Live in the second process: wait for a signal or for the end of the first; never returns."""
    try:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        low, high = sorted((told, warn))
        for start, end in ((0, low), (low + 1, high), (high + 1, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(start, end)
        received = os.read(told, 1)
        if received:
            with contextlib.suppress(OSError):
                os.write(warn, received)
            over = time.monotonic() + KILLED
            while (left := over - time.monotonic()) > 0:
                if select.select([told], [], [], left)[0] and not os.read(told, 64):
                    break  # the first process ended
            else:
                if os.getppid() == process:
                    os.kill(process, signal.SIGKILL)
    finally:
        os._exit(0)


def _watch(warned: int, received: list[int], stopped: str) -> None:
    """Live in the thread: wait for a signal, interrupt statements, and end the process."""
    number = os.read(warned, 1)
    if not number:
        return
    since = 0.0
    for at in INTERRUPTED:
        time.sleep(at - since)
        since = at
        for one in list(_RUNNING):
            one.interrupt()
    time.sleep(ENDED - since)
    for path in list(_UNFINISHED):
        with contextlib.suppress(OSError):
            path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), stopped.encode())
    os._exit(128 + (received[0] if received else number[0]))
