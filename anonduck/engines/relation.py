"""What an engine is asked about: a table by name or files by path, filtered and cast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonduck.errors import SourceError


@dataclass(frozen=True)
class Place:
    """Where an engine reads or writes records: a table by the parts of its name, or Parquet files by path."""

    parts: tuple[str, ...] = ()
    path: str = ""

    def __str__(self) -> str:
        """The name in messages."""
        return self.path or ".".join(self.parts)


@dataclass(frozen=True)
class Relation:
    """The records of a place that meet a condition, with columns cast.

    ``where`` is a condition in the engine's dialect, built only from what means the same there. ``casts`` are columns
    with the engine's own type names, sorted by column.
    """

    place: Place
    where: str = ""
    casts: tuple[tuple[str, str], ...] = ()

    def cast(self, names: Sequence[str], kind: str) -> Relation:
        """The same records with some columns cast to a type of the engine.

        >>> Relation(Place(("t",)), casts=(("b", "INT"),)).cast(["a"], "TEXT").casts
        (('a', 'TEXT'), ('b', 'INT'))
        """
        return replace(self, casts=tuple(sorted({**dict(self.casts), **dict.fromkeys(names, kind)}.items())))

    def __str__(self) -> str:
        """The name in messages."""
        return str(self.place)


def refuse_alike(names: Sequence[str], relation: Relation) -> None:
    """Raise SourceError for two columns whose names the engine or DuckDB cannot distinguish."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            raise SourceError(
                f"{relation} has two columns named {name!r} (names are compared without regard to case); rename one"
            )
