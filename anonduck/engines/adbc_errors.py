"""What a warehouse refuses, in words of anonduck's: its own quote values of records, so only the condition is told."""

from __future__ import annotations

import re
from typing import Any

from anonduck.errors import AnonduckError, SourceError

KNOWN = {
    "0A": "the server cannot do this, such as to read a table of another database",
    "08": "the connection cannot be made, or is lost; see that the server runs and where the environment says it is",
    "22": "a value does not fit the type that it is read as; name another under `types`",
    "25006": "the server or the session may only read",
    "25": "the transaction has ended; try again",
    "28": "the server does not let the user in; credentials come from the environment alone",
    "2BP01": "other objects of the database depend on it, such as views; drop those, or write to another name",
    "3D": "there is no such database",
    "3F": "there is no such schema",
    "40": "another transaction was in the way; try again",
    "42501": "the user lacks a privilege on it",
    "42703": "it has no column of a name that is asked for",
    "42809": "it is there, but no table",
    "42883": "an operation is not defined for the type of a column; name another type under `types`",
    "42P01": "there is no such table, or none that the user may see; name it schema.table",
    "42P07": "there is something of that name already",
    "53100": "the server's disk is full",
    "53": "the server lacks memory, disk or connections",
    "55": "somebody else uses the table; try again",
    "57014": "the statement was cancelled, by somebody or by a time limit of the server",
    "57": "the server was shut down, or ended the session",
    "58": "the server could not read or write its files",
}
"""By SQLSTATE or its class, the longest first."""

STOPPED = re.compile(r'"(column .+: a value that .+)"')
"""What a statement of anonduck's stops itself by: see ``stop`` in anonduck.statements.pipeline.engine_values."""


def refused(title: str, what: str, error: BaseException, text: str = "") -> AnonduckError:
    """The error to raise for one of a driver's, in words that hold no value.

    Args:
        title: what messages call the engine.
        what: what was asked of it.
        error: what the driver raised.
        text: the statement, whose own words may be told.
    """
    return SourceError(f"{title} cannot answer ({what}): {told(error, text)}")


def told(error: BaseException, text: str = "") -> str:
    """What went wrong, by the SQLSTATE of an error of ADBC, or by its class.

    >>> told(ValueError("age 47"))
    'ValueError'
    """
    found = STOPPED.search(_primary(error))
    if found and found[1].replace("'", "''") in text:
        return found[1]
    state = str(getattr(error, "sqlstate", None) or "")
    for length in (5, 2):
        if state[:length] in KNOWN:
            return f"{KNOWN[state[:length]]} (SQLSTATE {state})"
    if state.strip("\0"):
        return f"SQLSTATE {state}"
    return status(error) or type(error).__name__


def status(error: BaseException) -> str:
    """The name of ADBC's own status, such as IO; empty where an error has none."""
    return str(getattr(getattr(error, "status_code", None), "name", ""))


def _primary(error: BaseException) -> str:
    """The first of the words of PostgreSQL, without details, hints and the statement."""
    details: Any = getattr(error, "details", None) or []
    named = {_text(name): _text(value) for name, value in details}
    return named.get("PG_DIAG_MESSAGE_PRIMARY", "")


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
