"""``anonduck`` and ``python -m anonduck``."""

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

from anonduck.database.ending import end_in_time

STOPPED = 130
COLLECTED_AFTER = 50_000
"""So many new objects are there before Python looks for unused ones: imports alone make more than 100,000 that stay."""
WORDS = "stopped\n"
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end.

    Not KeyboardInterrupt itself: where that leaves an `exec`, as imports run by the dozen, Python remembers it and ends
    as if by SIGINT, whatever exit code was asked for.
    """


def main() -> None:
    """Run the command line; a signal that asks the process to end is obeyed as Ctrl-C is, even during the imports.

    So temporary files go whatever it was; the exit code is 128 and the signal's number, as in a shell, also where
    a process beside this one, such as Spark's Java, ended first and what failed is its answer. The process ends within
    two seconds of the signal, whatever it is doing.
    """
    gc.set_threshold(COLLECTED_AFTER)
    _open_closed_streams()
    received = _ended_by_signals()
    end_in_time(received, WORDS)
    try:
        from anonduck.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write(WORDS)
        _end(_code(received))
    except SystemExit as end:
        if end.code == STOPPED or (received and end.code):
            _end(_code(received))
        if not isinstance(end.code, int) or _looked_on():
            raise
        _end(end.code)


def _open_closed_streams() -> None:
    """Lead to nowhere what the caller closed: else the next file that is opened would have its number, and get what is
    written there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end


def _ended_by_signals() -> list[int]:
    """Let the signals that end a process raise Stopped; the list holds which came.

    A signal that was set to be ignored, as nohup does, stays ignored.
    """
    received: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        received.append(number)
        raise Stopped

    def tell_ignored(lost: "sys.UnraisableHookArgs") -> None:
        """What Python ignores, as while it frees an object: a stop ends the process in time all the same."""
        if not isinstance(lost.exc_value, Stopped):
            sys.__unraisablehook__(lost)

    sys.unraisablehook = tell_ignored
    for number in ENDINGS:
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, end)
    return received


def _looked_on() -> bool:
    """Whether a profiler or another thread is not done with this process: Python ends it then as it always does."""
    watched = sys.getprofile() is not None or sys.gettrace() is not None
    return watched or any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread())


def _end(code: int) -> NoReturn:
    """End once everything is removed, without taking all modules apart, object by object.

    That takes more than a tenth of a second where libraries are loaded. No thread runs meanwhile that could end it in
    time after a signal, and on a busy machine the process would be killed.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # its reader may be what ended
            stream.flush()
    os._exit(code)


def _code(received: list[int]) -> int:
    return 128 + received[0] if received else STOPPED


if __name__ == "__main__":
    main()
