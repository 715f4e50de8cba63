"""What can go wrong, drawn as a tree.

AnonduckError                  exit code 2 unless it says otherwise
├── ConfigError                anonduck.yml or an option is not what it must be
│   └── DialectError           a release that cannot be written in a dialect of SQL
├── SourceError                the export cannot be read, or its columns do not fit the roles
├── TaxonomyError              a taxonomy is not a tree over the column's values
├── RuleError                  a rule id or literal that does not exist here
├── ModelError                 a model that cannot be measured on contingency tables
├── ReleaseError               a release that could not be written
├── AuditError                 a file that cannot be audited
├── DatabaseError              the decision database cannot be opened
├── QueryError                 DuckDB refused a query; carries the query (exit code 4)
├── RequirementNotMet          a release or a file under its requirement (exit code 1)
│   └── ReleaseJudgedUnder     a release misses what no search judges, and another rule may meet it
├── NoRuleMeetsRequirement     nothing that was searched can meet it (exit code 3)
├── SearchCutShort             the time was up before rules were scored, so that none is published (exit code 5)
└── TryAgainError              the same command may work later: a file in use, a full disk, no answer (exit code 6)
    └── ConfigBusy, SourceBusy, TaxonomyBusy, ReleaseBusy, AuditBusy, DatabaseBusy: each also what it is named after

Every message says what is wrong, whose it is, what is allowed, what came, and the next step. No message holds a
value of the source, except what a caller asked to see.
"""

from __future__ import annotations

import errno
import os

LONGEST_NAME = 255
"""Bytes of a file's name, the most that file systems take."""

LONGEST_PATH = 4095
SHOWN = 40  # characters of a path that is not one


class AnonduckError(Exception):
    """Anything that anonduck reports on purpose."""

    exit_code = 2


class ConfigError(AnonduckError, ValueError):
    """The configuration, or an option in its place, is not what it must be."""


class DialectError(ConfigError):
    """A dialect of SQL that is not offered, or that cannot say what a release takes without changing it."""


class SourceError(AnonduckError, ValueError):
    """The export cannot be read, or its columns do not fit their roles.

    ``words`` are DuckDB's, redacted, if it spoke; ``fields`` describes a line with too many or too few of them.
    ``missing``: there is no such file.
    """

    def __init__(self, message: str, words: str = "", fields: str = "", *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing
        self.words = words or message
        self.fields = fields


class TaxonomyError(AnonduckError, ValueError):
    """A taxonomy is not a tree over the values of its column."""


class RuleError(AnonduckError, KeyError):
    """A rule id or literal names something that is not here."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ModelError(AnonduckError, ValueError):
    """A model cannot be trained on these contingency tables."""


class ReleaseError(AnonduckError, OSError):
    """A release could not be written; what stood in its place is untouched."""


class AuditError(AnonduckError, ValueError):
    """A file cannot be audited."""


class DatabaseError(AnonduckError, OSError):
    """The decision database cannot be opened or written."""


class QueryError(AnonduckError, RuntimeError):
    """DuckDB refused a query: carries the query's name, its bound SQL and DuckDB's redacted words."""

    exit_code = 4

    def __init__(self, name: str, sql: str, words: str) -> None:
        super().__init__(f"the query {name} failed: {words}\n--- {name} ---\n{sql}")
        self.name = name
        self.sql = sql
        self.words = words
        self.words = words


class RequirementNotMet(AnonduckError):
    """A release or an audited file stays under its requirement."""

    exit_code = 1


class ReleaseJudgedUnder(RequirementNotMet):
    """A release misses only what no search judges, so that the release of another rule may meet it.

    ``reached`` says what it reached and what is required, as words.
    """

    def __init__(self, message: str, reached: str) -> None:
        super().__init__(message)
        self.reached = reached


class NoRuleMeetsRequirement(AnonduckError):
    """No rule that was searched can meet the requirement."""

    exit_code = 3


class SearchCutShort(AnonduckError):
    """The time was up before there were scored rules to choose among; nothing is published."""

    exit_code = 5


class TryAgainError(AnonduckError):
    """What may be over when the same is tried again: a file is in use, a disk is full, an engine is not reached."""

    exit_code = 6


class ConfigBusy(TryAgainError, ConfigError):
    """What a config asks to be written cannot be written now."""


class SourceBusy(TryAgainError, SourceError):
    """The export cannot be read now."""


class TaxonomyBusy(TryAgainError, TaxonomyError):
    """A taxonomy cannot be written now."""


class ReleaseBusy(TryAgainError, ReleaseError):
    """A release cannot be written now."""


class AuditBusy(TryAgainError, AuditError):
    """A file cannot be audited now."""


class DatabaseBusy(TryAgainError, DatabaseError):
    """The decision database cannot be opened or written now."""


_LATER: dict[type[AnonduckError], type[AnonduckError]] = {
    ConfigError: ConfigBusy,
    SourceError: SourceBusy,
    TaxonomyError: TaxonomyBusy,
    ReleaseError: ReleaseBusy,
    AuditError: AuditBusy,
    DatabaseError: DatabaseBusy,
}
PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EBUSY, errno.EAGAIN, errno.ETXTBSY, errno.EMFILE, errno.ENFILE})
"""Errors of the operating system that may be over later."""


def later(kind: type[AnonduckError]) -> type[AnonduckError]:
    """The error of that kind for what may work when it is tried again."""
    return _LATER.get(kind, TryAgainError)


def kind_for(kind: type[AnonduckError], cause: BaseException) -> type[AnonduckError]:
    """An error of that kind, for what may work when it is tried again where the cause may be over then."""
    passing = isinstance(cause, TryAgainError) or (isinstance(cause, OSError) and cause.errno in PASSING)
    return later(kind) if passing else kind


def check_path(path: str | os.PathLike[str], kind: type[AnonduckError] = ConfigError) -> None:
    """Raise an error of that kind for a path that no file can have: too long, or with a NUL in it.

    Args:
        path: the path, or a glob, with a table behind it or not.
        kind: the error.
    """
    text = os.fspath(path)
    sizes = [len(part.encode(errors="surrogatepass")) for part in text.split("/")]
    if "\0" in text:
        why = "it holds the character NUL"
    elif max(sizes) > LONGEST_NAME:
        why = f"a name in it has {max(sizes):,} bytes, and the most is {LONGEST_NAME}"
    elif sum(sizes) + len(sizes) - 1 > LONGEST_PATH:
        why = f"it has {sum(sizes) + len(sizes) - 1:,} bytes, and the most is {LONGEST_PATH:,}"
    else:
        return
    shown = f"{text[:SHOWN]}..." if len(text) > SHOWN else text
    raise kind(f"{shown!r} cannot be the path of a file: {why}; name another")
