"""The command `anonduck` as a process of its own, forked from one that has loaded the libraries, which takes a second.

A folder with a command `anonduck` goes to the front of PATH. The command hands its arguments, folder, environment and
the files 0, 1 and 2 to a server, which forks, and ends with the exit code of the fork. So pipes, redirections and `||`
in bash work as ever, and nothing that one command loads, sets or leaves is seen by the next. How a process starts, what
it loads and how signals end it is tested elsewhere, on the command itself.
"""

import contextlib
import json
import os
import socket
import sys

FILES = [0, 1, 2]
SIZE = 4  # bytes that tell how long a request is
LIBRARIES = (
    "pandas",
    "pyarrow.parquet",
    "scipy.special",
    "sklearn.linear_model",
    "sklearn.svm",
    "sklearn.tree",
    "sqlglot.dialects.duckdb",
)
COMMAND = """\
#!/bin/sh
exec {python} -IS {here} ask {address} "$@"
"""


@contextlib.contextmanager
def forked_commands():
    """A folder with the command, whose server ends with the context, or with the process."""
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="", dir="/tmp") as folder:  # the name of a socket is short
        address, command = os.path.join(folder, "server"), os.path.join(folder, "anonduck")
        with open(command, "w") as script:
            script.write(COMMAND.format(python=sys.executable, here=__file__, address=address))
        os.chmod(command, 0o700)
        serving = [sys.executable, "-P", __file__, "serve", address]
        with subprocess.Popen(serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            assert server.stdout.readline() == b"ready\n"
            yield folder


def ask(address, arguments):
    """Have the command run with the files of this process; returns its exit code."""
    asked = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [len(asked).to_bytes(SIZE, "big")], FILES)
        server.sendall(asked)
        answer = server.recv(1)
    return answer[0]


def serve(address):
    """Fork for each request; returns in the forked process, which is to run the command. Ends when asked no more."""
    import select

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        os.write(1, b"ready\n")
        while True:
            if sys.stdin in select.select([listening, sys.stdin], [], [])[0]:
                _wait_for_ended()
                os._exit(0)
            _wait_for_ended()
            asking, _ = listening.accept()
            with asking:
                size, files, _, _ = socket.recv_fds(asking, SIZE, len(FILES))
                arguments, folder, environment = json.loads(_received(asking, int.from_bytes(size, "big")))
                if "--help" not in arguments:
                    load_libraries()
                if os.fork() == 0:
                    _answer(asking)
                    break
                for file in files:
                    os.close(file)
    for place, file in zip(FILES, files, strict=True):
        os.dup2(file, place)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["anonduck", *arguments]


def _wait_for_ended():
    """Let those go that have answered, so that their time counts as this process's."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _received(asking, size):
    parts = []
    while size:
        parts.append(asking.recv(size))
        size -= len(parts[-1])
    return b"".join(parts)


def _answer(asking):
    """Fork again; the forked process returns, and this one waits for it, tells its exit code and ends."""
    forked = os.fork()
    if forked:
        _, status = os.waitpid(forked, 0)
        code = os.waitstatus_to_exitcode(status)
        asking.send(bytes([code if code >= 0 else 128 - code]))
        os._exit(0)


def load_libraries():
    """Import what commands import, and leave it alone from then on: memory that nobody writes to stays shared."""
    import gc
    import importlib
    import pkgutil

    import anonduck

    for module in pkgutil.walk_packages(anonduck.__path__, "anonduck."):
        if not module.name.startswith("anonduck.release.dbt."):  # that is loaded by dbt, in an environment of its own
            importlib.import_module(module.name)
    for library in LIBRARIES:
        importlib.import_module(library)
    gc.freeze()


if __name__ == "__main__":
    what, where, *given = sys.argv[1:]
    if what == "ask":
        sys.exit(ask(where, given))
    serve(where)
    from anonduck.__main__ import main

    main()
