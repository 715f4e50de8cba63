"""What of a proposal must not be taken unread, and what the rest assumes, in a few lines.

A column that is left out or generalized is safe by proposal. A reader decides where the user keeps a column that names
people, where k would count records although it should count persons, and where nothing can be released at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

from anonduck.config.requirement import DEFAULT_K
from anonduck.errors import ConfigError
from anonduck.init.config_file import GUARDED
from anonduck.init.proposal import KEPT, text_of_people
from anonduck.source.columns import NO_RECORDS
from anonduck.source.source import MAX_CLASS_VALUES
from anonduck.words import counted

if TYPE_CHECKING:
    from anonduck.init.init import Suggestion
    from anonduck.init.proposal import ColumnProposal

NO_CLASS = "no class is predicted: the release that keeps most detail is chosen; `--class COLUMN` names one"
DECIDE = "Or write a config, decide there, and run by it: `anonduck init SOURCE --class COLUMN`"


def refuse_unread(found: Suggestion, k: int = DEFAULT_K) -> None:
    """Raise ConfigError where somebody has to read the proposal before a release, with the next step."""
    for column in found.proposal.columns:
        _refuse_column(column)
    records = next((column.profile.rows for column in found.proposal.columns), 0)
    if not records:
        raise ConfigError(NO_RECORDS)
    if records < k:
        raise ConfigError(
            f"the source has {counted(records, 'record', 'records')}, and a release has groups of at least k = {k:,}. "
            "Give it more records, or require less: `-k N`"
        )
    for class_ in found.proposal.of_role("class"):
        if class_.profile.distinct > MAX_CLASS_VALUES:
            raise ConfigError(
                f"the class {class_.profile.name!r} has {class_.profile.distinct:,} distinct values; allowed are up to "
                f"{MAX_CLASS_VALUES}. Group them in the source, or name another column as `--class COLUMN`"
            )
    if not found.proposal.of_role("quasi_identifiers"):
        raise ConfigError(
            "no column is left to generalize: each is left out, kept or the class. "
            "Name one that is known of people: `--quasi-identifier COLUMN`"
        )
    if found.entity is not None and not found.entity.proposed:
        key = found.entity.column
        raise ConfigError(
            f"{'. '.join(found.entity.lines[:2])}, so k would count records. {DECIDE}, with `where: "
            f"'\"{key}\" IS NOT NULL'` and `entity: {key}`; or leave the column out and count records: "
            f"`--drop {quote(key)}`"
        )


def _refuse_column(column: ColumnProposal) -> None:
    """Raise ConfigError for a column of text that the user wants in the release although it may name people."""
    exposed = text_of_people(column.profile)
    if exposed is None or column.role not in (*KEPT, "quasi_identifiers"):
        return
    name = column.profile.name
    step = "Name another class" if column.role == "class" else f"Leave it out: `--drop {quote(name)}`"
    raise ConfigError(f"column {name!r} would be in the release, and it {_third(exposed)}. {step}. {DECIDE}")


def _third(reason: str) -> str:
    return reason if reason.startswith("holds") else f"is {reason}"


def assumptions(found: Suggestion, k: int = DEFAULT_K) -> Iterator[str]:
    """What the proposal assumes, a line for each role; counts and names of columns, never a value."""
    if not found.proposal.of_role("class"):
        yield NO_CLASS
    for role, words in (
        ("class", "to be predicted, kept as it is"),
        ("identifiers", "left out, as they identify people"),
        ("drop", "left out"),
        ("sensitive", "kept as they are, sensitive"),
        ("insensitive", "kept as they are"),
        ("quasi_identifiers", "generalized"),
    ):
        columns = found.proposal.of_role(role)  # type: ignore[arg-type] # one of the roles
        reasoned = role in ("identifiers", "drop")
        listed = [f"{c.profile.name} ({c.reason})" if reasoned else c.profile.name for c in columns]
        if listed:
            yield f"{words}: {'; '.join(listed) if reasoned else ', '.join(listed)}"
    if found.proposal.of_role("class"):
        yield f"the class: {GUARDED}"
    if found.proposal.of_role("sensitive"):
        yield "k alone lets a sensitive value be inferred where all records of a class share it; `l: 2` does not"
    persons = found.entity is not None and found.entity.proposed
    whose = f"persons, told apart by {found.entity.column}" if persons and found.entity else "records"
    yield f"required: k >= {k:,} {whose}"
