"""What a person sees in a terminal: messages and progress on stderr, results on stdout."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from anonduck.database.progress import Reporter, no_message

if TYPE_CHECKING:
    from anonduck.project import Project

BIDIRECTIONAL = (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
MINUTE = 60.0
CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *BIDIRECTIONAL)
SHOW_SQL = "anonduck.show_sql"
VERBOSE = "anonduck.verbose"
ONE_LINE = "anonduck.one_line"
ESCAPED = {code: chr(code).encode("unicode_escape").decode("ascii") for code in CONTROLS if chr(code) not in "\n\t"}
ESCAPED_IN_JSON = {code: f"\\u{code:04x}" for code in CONTROLS if code > 0x7E}  # JSON itself escapes those under 0x20


def plain(text: str) -> str:
    r"""Text that a terminal shows and does not obey: names of columns, files and labels may hold its commands.

    >>> plain("a\x1b[2Jb\tc")
    'a\\x1b[2Jb\tc'
    """
    return text.translate(ESCAPED)


def on_one_line(text: str) -> str:
    """Plain text without line breaks, which would look like words of anonduck's own."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


def line_width(*, err: bool = False) -> int | None:
    """How wide lines may be: as COLUMNS says, or as the terminal is; None where they go to neither."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named) > 0:
        return int(named)
    return shutil.get_terminal_size().columns if (sys.stderr if err else sys.stdout).isatty() else None


def wrapped(text: str, width: int | None) -> str:
    """Text in lines of at most so many cells, broken at spaces alone, so that no path and no command is cut.

    >>> wrapped("wrote released.csv: 40 records", 20)
    'wrote released.csv:\\n40 records'
    """
    if width is None:
        return text
    return "\n".join(_line_in(line, width) for line in text.split("\n"))


def _line_in(line: str, width: int) -> str:
    indent = line[: len(line) - len(line.lstrip(" "))]
    if len(line) <= width and line.isascii():
        return line
    from rich.cells import cell_len

    lines, held = [], indent
    for word in line.strip(" ").split(" "):
        if held.strip(" ") and cell_len(held) + 1 + cell_len(word) > width:
            lines.append(held)
            held = indent + word
        else:
            held = f"{held} {word}" if held.strip(" ") else held + word
    return "\n".join([*lines, held])


def say(text: str, *, err: bool = False) -> None:
    """Print a line on stdout or stderr; it holds no command for the terminal.

    It goes on in the next line where it is wider than the terminal, or than COLUMNS says.
    """
    click.echo(wrapped(plain(text), line_width(err=err)), err=err)


def tracer() -> Callable[[str], None] | None:
    """A function that prints SQL on stderr, if the running command has ``--show-sql``; else None."""
    context = click.get_current_context(silent=True)
    asked = context is not None and context.meta.get(SHOW_SQL)
    return (lambda text: click.echo(plain(text), err=True)) if asked else None


def is_verbose() -> bool:
    """Whether the running command has ``-v``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(VERBOSE))


class MinuteLines:
    """Prints once a minute which stage is running, its progress, and the time since the command began.

    ``progress`` receives each step, as a reporter does; ``line`` is the current text; ``clock`` returns seconds. Where
    a stage ended that was part of a longer one, the line is of the longer one.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.say = say
        self.clock = clock
        self._began = clock()
        self._running: dict[str, tuple[int, int, float]] = {}
        self._last = ""

    def progress(self, stage: str, done: int, total: int) -> None:
        """Record the progress of a stage; ``total`` is 0 if it is unknown."""
        _, _, began = self._running.pop(stage, (0, 0, self.clock()))
        if 0 < total <= done:
            self._last = stage
        else:
            self._running[stage] = (done, total, began)

    def line(self) -> str:
        """The current line, such as ``joining pairs: 40 %, about 5 min left, after 3 min``."""
        now = self.clock()
        after = f"after {int((now - self._began) / MINUTE)} min"
        if not self._running:
            return f"still working{f', done with {self._last}' if self._last else ''}, {after}"
        stage, (done, total, began) = list(self._running.items())[-1]
        if not total:
            return f"{stage}, {after}"
        left = f", {_left((now - began) * (total - done) / done)} left" if done else ""
        return f"{stage}: {done * 100 // total} %{left}, {after}"

    def tell(self, stopped: Callable[[float], bool]) -> None:
        """Print a line after each minute; ``stopped`` waits so many seconds and returns whether to stop."""
        while not stopped(MINUTE):
            self.say(self.line())


def _left(seconds: float) -> str:
    """A time to wait, as a person says it."""
    return "less than a minute" if seconds < MINUTE else f"about {seconds / MINUTE:.0f} min"


@contextlib.contextmanager
def minute_lines(say: Callable[[str], None]) -> Iterator[MinuteLines]:
    """Print lines from a thread while the block runs, so that a single long query is covered too."""
    lines, over = MinuteLines(say), threading.Event()
    thread = threading.Thread(target=lines.tell, args=(over.wait,), name="minute lines", daemon=True)
    thread.start()
    try:
        yield lines
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def reporting(*, quiet: bool = False) -> Iterator[Reporter]:
    """Messages to stderr, and progress: bars with the time left where stderr is a terminal, else a line a minute."""

    def announce(text: str) -> None:
        if not quiet:
            say(on_one_line(text), err=True)

    detail = announce if is_verbose() else no_message
    if quiet:
        yield Reporter(announce, trace=tracer())
        return
    if not sys.stderr.isatty():
        with minute_lines(announce) as lines:
            yield Reporter(announce, lines.progress, tracer(), detail)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(plain(stage), total=total or None)
            bars.update(tasks[stage], total=total or None, completed=done, visible=done < total or not total)

        def shown(text: str) -> None:
            bars.console.print(wrapped(text, line_width(err=True)), markup=False, highlight=False, soft_wrap=True)

        def said(text: str) -> None:
            shown(on_one_line(text))

        traced = None if tracer() is None else lambda text: shown(plain(text))
        yield Reporter(said, progress, traced, said if is_verbose() else no_message)


@contextlib.contextmanager
def opened(path: str, source: str | None = None, *, quiet: bool = False) -> Iterator[Project]:
    """The project of a config, with another source if one is named; messages and progress go to stderr."""
    from anonduck.project import Project

    with reporting(quiet=quiet) as reporter, Project(path, source=source, reporter=reporter) as project:
        yield project


def print_json(document: object, *, one_line: bool | None = None) -> None:
    """Print one JSON document on stdout.

    It is on one line if ``one_line`` says so, by default if the running command was asked for that.
    """
    if one_line is None:
        context = click.get_current_context(silent=True)
        one_line = context is not None and bool(context.meta.get(ONE_LINE))
    indent = None if one_line else 2
    click.echo(json.dumps(document, indent=indent, ensure_ascii=False, default=str).translate(ESCAPED_IN_JSON))
