"""The sensitive values that bounds of single values count: the named ones, or all but the harmless ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.statements import statement

EXCEPT = "except"
FORMS = "a list of values, such as [hiv, cancer], or all but some, such as {except: [none]}"


@dataclass(frozen=True)
class ValueChoice:
    """The values that bounds of single values count: the named ones, or all others if the named ones are ``harmless``.

    Values are texts as DuckDB writes them; None is NULL. If nothing is named, every value counts.
    """

    named: tuple[str | None, ...] = ()
    harmless: bool = True

    @property
    def binds(self) -> dict[str, Any]:
        """The parameters of the queries in sql/privacy that distinguish such values."""
        return {**self.of_named, "harmless": self.harmless}

    @property
    def of_named(self) -> dict[str, Any]:
        """The parameters of the queries that look for the named values only."""
        return {"named": [value for value in self.named if value is not None], "null_named": None in self.named}

    def covers(self, other: ValueChoice) -> bool:
        """Whether each value that another choice counts is counted by this one, whatever occurs.

        >>> EVERY.covers(ValueChoice(("hiv",), False)), ValueChoice(("hiv",)).covers(EVERY)
        (True, False)
        """
        mine, others = set(self.named), set(other.named)
        if self.harmless:
            return mine <= others if other.harmless else not mine & others
        return not other.harmless and others <= mine

    @property
    def given(self) -> Any:
        """The choice as the config writes it."""
        return {EXCEPT: list(self.named)} if self.harmless else list(self.named)

    @property
    def words(self) -> str:
        """The choice in words.

        >>> ValueChoice(("none", None)).words
        "all but 'none', NULL"
        """
        named = ", ".join("NULL" if value is None else repr(value) for value in self.named)
        if not self.harmless:
            return named or "none of those that were named"
        return f"all but {named}" if named else "all"


EVERY = ValueChoice()
"""All values count."""

ValueChoices = Mapping[str, ValueChoice]


def choose(given: Mapping[str, Any], sensitive: Iterable[str]) -> dict[str, ValueChoice]:
    """Read the choices of sensitive columns, each a list or ``{"except": [...]}``. Raises AuditError.

    >>> choose({"diagnosis": ["hiv", None]}, ["diagnosis"])["diagnosis"]
    ValueChoice(named=('hiv', None), harmless=False)
    """
    strangers = [name for name in given if name not in set(sensitive)]
    if strangers:
        raise AuditError(
            f"sensitive values are named of {', '.join(map(repr, strangers))}, which is not a sensitive column; "
            "name it with `--sensitive COLUMN`, or under `sensitive`"
        )
    return {name: _chosen(name, values) for name, values in given.items()}


def _chosen(name: str, values: Any) -> ValueChoice:
    harmless = isinstance(values, Mapping)
    named = values.get(EXCEPT) if harmless and set(values) == {EXCEPT} else values
    if isinstance(named, str) or not isinstance(named, Sequence) or not named:
        raise AuditError(f"the sensitive values of {name!r} must be {FORMS}")
    return ValueChoice(tuple(dict.fromkeys(_text(value) for value in named)), harmless)


def chosen_words(given: Any) -> str:
    """The choice of a receipt in words; it may hold none of the named values."""
    harmless = isinstance(given, Mapping)
    return ValueChoice(tuple(given[EXCEPT] if harmless else given), harmless).words


def _text(value: object) -> str | None:
    """A value as DuckDB writes it."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def occurring(database: Database, table: str, column: str, chosen: ValueChoice) -> ValueChoice:
    """The choice without named values that a table's column does not hold."""
    query = statement("privacy/named_values.sql", column={"sensitive": column}, table={"frequency_set": table})
    found = {value for (value,) in database.rows(query, chosen.of_named)}
    return replace(chosen, named=tuple(value for value in chosen.named if value in found))


def absent_words(name: str, chosen: ValueChoice, held: ValueChoice, where: str) -> str | None:
    """How many named values do not occur, in words that name none of them; None if all occur."""
    lacking = len(chosen.named) - len(held.named)
    if not lacking:
        return None
    count = f"{lacking} of the {len(chosen.named)} values" if len(chosen.named) > 1 else "the value"
    do = "does not occur" if lacking == 1 else "do not occur"
    harmless = " as harmless" if chosen.harmless else ""
    return f"{count} named{harmless} for the sensitive column {name!r} {do} in {where}; values are compared as texts"


def refuse_absent(
    database: Database, table: str, columns: Mapping[str, str], chosen: ValueChoices, announce: Callable[[str], None]
) -> None:
    """Raise AuditError if a table holds none of the values named for a sensitive column; announce that it lacks some.

    ``columns`` maps sensitive columns to the table's columns. If none occurs, bounds of single values would check
    nothing.
    """
    for name, one in chosen.items():
        held = occurring(database, table, columns[name], one)
        words = absent_words(name, one, held, "the source")
        if words and not held.named and not one.harmless:
            raise AuditError(f"{words}; correct `sensitive_values`, because nothing else would be checked there")
        if words:
            announce(words)


def refuse_unbound(chosen: ValueChoices, held: ValueChoices, required: Sequence[str]) -> None:
    """Raise AuditError if a file holds none of a sensitive column's named values and bounds of them are
    ``required``.
    """
    for name, one in chosen.items():
        words = absent_words(name, one, held[name], "the file")
        if words and required and not held[name].named and not one.harmless:
            raise AuditError(
                f"{words}, so that {', '.join(required)} would be met without checking anything; correct "
                "`--sensitive-value COLUMN=VALUE`, or give `--allow-absent` if the file should hold none"
            )
