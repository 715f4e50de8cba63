"""A signal ends a command whatever it does inside: Python that goes on, a library that holds Python up, SQL."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

GOES_ON = """
    while True:
        try:
            print("runs", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""
KEEPS_PYTHON = """
    import ctypes
    lock, library = ctypes.create_string_buffer(64), ctypes.PyDLL(None)  # PyDLL: Python waits for what it calls
    library.pthread_mutex_lock(lock)
    while True:
        try:
            print("runs", flush=True)
            library.pthread_mutex_lock(lock)
        except KeyboardInterrupt:  # it came before the library was called
            pass
"""
IN_A_STATEMENT = """
    from anonduck.database.connection import Database
    from anonduck.statements import Statement
    database = Database()
    print("runs", flush=True)
    database.value(Statement("endless", "SELECT count(*) FROM range(100000000) a, range(100000000) b"))
"""
WHAT_ENDS_SLOWLY = """
    import atexit

    class Slow:
        def __del__(self):
            time.sleep(60)

    types.slow = Slow()  # goes when Python takes its modules apart
    atexit.register(Path("tidied").touch)
    print("runs", flush=True)
    time.sleep(60)
"""
PROGRAM = """
import sys, time, types
from pathlib import Path

def command():
    from anonduck.errors import ConfigError
    from anonduck.database.private_file import unfinished_file
    with unfinished_file(Path("draft"), ConfigError):
        inside()

def inside():
{inside}

sys.modules["anonduck.cli"] = types.SimpleNamespace(main=command)
from anonduck.__main__ import main
main()
"""


def ended(folder: Path, inside: str, number: int) -> int:
    def heed():
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)

    program = [sys.executable, "-c", PROGRAM.format(inside=inside)]
    with subprocess.Popen(program, cwd=folder, stdout=subprocess.PIPE, preexec_fn=heed) as process:  # noqa: PLW1509
        assert process.stdout is not None
        assert process.stdout.readline() == b"runs\n"
        process.send_signal(number)
        try:
            return process.wait(60)
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("inside", [GOES_ON, IN_A_STATEMENT])
@pytest.mark.some(1)
def test_what_goes_on_is_ended_and_leaves_no_draft(tmp_path, inside, number):
    assert ended(tmp_path, inside, number) == 128 + number
    assert not list(tmp_path.iterdir())


def test_what_ends_slowly_is_not_waited_for_once_everything_is_tidied(tmp_path):
    assert ended(tmp_path, WHAT_ENDS_SLOWLY, signal.SIGTERM) == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["tidied"]


IN_A_FREED_OBJECT = """
    class Freed:
        def __del__(self):
            print("runs", flush=True)
            time.sleep(60)
    Freed()
    time.sleep(60)
"""


def test_a_signal_where_python_ignores_what_is_raised_ends_it_without_a_traceback(tmp_path, capfd):
    assert ended(tmp_path, IN_A_FREED_OBJECT, signal.SIGTERM) == 128 + signal.SIGTERM
    assert capfd.readouterr().err == "stopped\n"


DONE = """
    import atexit

    class Left:
        def __del__(self):
            print("taken apart", flush=True)

    types.left = Left()
    {watched}
    atexit.register(print, "tidied")
    print("done")
    sys.exit(3)
"""
A_THREAD = "import threading; threading.Timer(0.1, print, ['waited for']).start()"


@pytest.mark.parametrize(
    ("watched", "printed"),
    [
        ("", ["done", "tidied"]),
        ("sys.setprofile(lambda *_: None)", ["done", "tidied", "taken apart"]),
        (A_THREAD, ["done", "waited for", "tidied", "taken apart"]),
    ],
)
def test_a_command_that_is_done_ends_without_taking_modules_apart(tmp_path, watched, printed):
    program = PROGRAM.format(inside=DONE.format(watched=watched))
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=False, text=True)
    assert (ended.returncode, ended.stdout.splitlines()) == (3, printed)
    assert not list(tmp_path.iterdir())


PRINTS = """
    import os
    print("said")
    print("said", file=sys.stderr)
    os.write(os.open("made", os.O_CREAT | os.O_WRONLY), b"own")
    sys.exit(3)
"""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_what_is_written_to_a_closed_stream_goes_nowhere(tmp_path, closed):
    (tmp_path / "program.py").write_text(PROGRAM.format(inside=PRINTS), encoding="utf-8")
    shell = f"exec {sys.executable} program.py {closed}"
    ended = subprocess.run(shell, shell=True, cwd=tmp_path, capture_output=True, check=False, text=True)  # noqa: S602
    assert (ended.returncode, ended.stdout + ended.stderr) == (3, "" if closed == ">&- 2>&-" else "said\n")
    assert (tmp_path / "made").read_text(encoding="utf-8") == "own"


@pytest.mark.slow
def test_a_library_that_keeps_python_from_running_is_killed(tmp_path):
    assert ended(tmp_path, KEEPS_PYTHON, signal.SIGTERM) == -signal.SIGKILL
