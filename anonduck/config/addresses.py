"""How sources of engines are named: as tables, or by addresses, which hold no password."""

from __future__ import annotations

from urllib.parse import urlsplit

LOCAL = "duckdb"
TABLE = "table:"
"""What the name of a table of an engine begins with, as a source."""


def is_of_engine(source: str) -> bool:
    """Whether a source is named as only an engine has it: no path of this machine.

    >>> is_of_engine("table:sales.people"), is_of_engine("s3a://exports/people"), is_of_engine("exports/people")
    (True, True, False)
    """
    return source.startswith(TABLE) or "://" in source


def has_password(address: str) -> bool:
    """Whether an address names somebody with a password, as ``user:secret@host`` does.

    >>> has_password("spark://host:7077"), has_password("s3a://key:secret@bucket/exports")
    (False, True)
    """
    user, at, _ = urlsplit(address).netloc.rpartition("@")
    return bool(at) and ":" in user
