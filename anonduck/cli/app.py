"""The command group, what all commands share, and how errors end a process."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence

import click

import anonduck
from anonduck.cli.groups import LazyGroup
from anonduck.cli.terminal import SHOW_SQL, VERBOSE, print_json, say
from anonduck.errors import PASSING, AnonduckError, TryAgainError

BUG = 4
NO_FILE = (errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ELOOP)
TOO_LARGE = (errno.EFBIG,)
COMMANDS = {
    "demo": "demo",
    "init": "init",
    "advise": "columns",
    "quasi-identifiers": "columns",
    "taxonomy": "taxonomy",
    "discover": "discover",
    "rules": "rules",
    "frontier": "rules",
    "report": "report",
    "explore": "report",
    "release": "release",
    "anonymize": "release",
    "usefulness": "columns",
    "compare": "compare",
    "sql": "sql",
    "dbt-package": "sql",
    "audit": "audit",
    "attack": "attack",
    "reconstruct": "reconstruct",
    "lock": "run",
    "run": "run",
    "purge": "init",
    "schema": "init",
}
"""The module of each command, in the order of the work."""

HELP = {
    "demo": "Run the whole workflow on 50,000 synthetic records.",
    "init": "Profile a table and propose a config for it.",
    "advise": "Say which columns of a wide table to leave out.",
    "quasi-identifiers": "Find the fewest columns that single out most records.",
    "taxonomy": "Build, import, show, check and export taxonomies.",
    "discover": "Find and measure generalization rules.",
    "rules": "List the rules of the last discovery, or show one.",
    "frontier": "List the best trade-offs, which no rule dominates.",
    "report": "Write a decision report or a certificate as HTML.",
    "explore": "Try rules on a page with sliders, served to you alone.",
    "release": "Write the audited release of RULE or of classes.",
    "anonymize": "Write the audited release of a METHOD.",
    "usefulness": "Show how useful each column is for telling the class.",
    "compare": "Compare methods and rules: what each keeps, at each k.",
    "sql": "Print the SQL that makes the release of RULE.",
    "dbt-package": "Show or copy the dbt package of tests and hooks.",
    "audit": "Measure the privacy of a release from its file alone.",
    "attack": "Attack a release and measure what can be learned.",
    "reconstruct": "Draw tables from a release by nsvdist for models.",
    "lock": "Lock RULE, or a method, in anonduck.lock.yml.",
    "run": "Run it all: discover, select, release, audit.",
    "purge": "Delete the decision database and its spill files.",
    "schema": "Print the JSON schema of anonduck.yml, for editors.",
}
"""What the help says of each command, so that it need not import them."""


@click.group(cls=LazyGroup, homes=COMMANDS, helps=HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(anonduck.__version__, prog_name="anonduck")
@click.option("-p", "--project", "path", metavar="PATH", help="Config file or its folder, before or after the command.")
@click.option("-v", "--verbose", is_flag=True, help="Say more on stderr, before or after the command.")
@click.option("--show-sql", is_flag=True, help="Print the SQL that runs, before or after the command.")
@click.pass_context
def cli(context: click.Context, path: str | None, verbose: bool, show_sql: bool) -> None:
    """Anonymize a table, in DuckDB, on your machine.

    anonduck finds generalization rules for a warehouse export, compares what they protect
    and what they cost, writes the release that you pick, and audits it from the file alone.

    \b
    Exit codes: 0 done; 1 a requirement is not met; 2 bad usage, config or input;
    3 no rule can meet the requirement; 4 a bug in anonduck; 5 the time was up
    before a rule was scored; 6 try again later: a file in use, a full disk.
    """
    if show_sql:
        context.meta[SHOW_SQL] = True
    if verbose:
        context.meta[VERBOSE] = True


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:  # noqa: PLR0911 - one return for each way to end
    """Run a command; returns its exit code."""
    try:
        code = cli.main(args=arguments, prog_name="anonduck", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except AnonduckError as error:
        return _failed(arguments, error.exit_code, str(error))
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        say(shown.getvalue().rstrip("\n"), err=True)
        return error.exit_code if error.exit_code != 1 else 2
    except (click.Abort, KeyboardInterrupt):
        return _stopped()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (*PASSING, *TOO_LARGE):
            code = 2 if error.errno in TOO_LARGE else TryAgainError.exit_code
            if error.filename is not None:
                return _failed(arguments, code, f"{str(error.filename)[:80]!r}: {error.strerror}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _failed([], code, f"what it prints cannot be written: {error.strerror}")
        if isinstance(error, OSError) and error.errno in NO_FILE and isinstance(error.filename, str):
            return _failed(arguments, 2, f"{error.filename[:80]!r}: {error.strerror}; name another path")
        if isinstance(error, RuntimeError) and "interrupt" in str(error).lower():
            return _stopped()  # how DuckDB reports Ctrl-C while it opens a database
        return _failed(arguments, BUG, _bug(error))


def _stopped() -> int:
    with contextlib.suppress(OSError):  # the terminal may be what ended
        click.echo("stopped", err=True)
    return 130


def _failed(arguments: list[str], code: int, message: str) -> int:
    if "--json" in arguments or "--json-line" in arguments:
        print_json({"error": message, "exit_code": code}, one_line="--json-line" in arguments)
    say(f"anonduck: {message}", err=True)
    return code


def _bug(error: Exception) -> str:
    """Where it happened, without the message, which may hold values."""
    if os.environ.get("ANONDUCK_DEBUG"):
        return "".join(traceback.format_exception(error))
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
    return f"a bug: {type(error).__name__} at {place}. ANONDUCK_DEBUG=1 shows all of it; report it without private data"
