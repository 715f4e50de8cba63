"""What an attack is asked: the roles of columns, what links them, and how many records are attacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonduck.attacks import splink_linkage
from anonduck.errors import AuditError
from anonduck.privacy.requirement import Required


@dataclass(frozen=True)
class AttackOptions:
    """The options of ``anonduck.attack``, checked; raises AuditError for what cannot be asked.

    Quasi-identifiers are by default all columns that have no other role: what the attacker knows. Inference guesses the
    sensitive columns, or the class if there are none. ``link`` names two sets of quasi-identifiers that an attacker
    holds in two places. Values meet released labels by their text, by intervals, and by taxonomies: lookup files or
    DataFrames by column, or those of the decision database of the config ``project``.

    At most ``guesses`` records are attacked in each group, drawn by ``seed``. Splink links records too if it is
    installed, always or never with ``splink``. A control group that shares records with the original beyond chance is
    noted, with ``strict`` refused. With ``downcoding`` it is tried what labels tell below themselves if they are the
    smallest nodes over their classes, with ``minimality`` what classes tell by not having been cut further, given what
    is required of the release: ``requirements`` (``{"k": 5, "l": 2}``), by default what its receipt says. ``delim`` is
    the separator of CSV files.
    """

    quasi_identifiers: Sequence[str] | None = None
    sensitive: Sequence[str] = ()
    class_: str | None = None
    insensitive: Sequence[str] = ()
    link: Sequence[Sequence[str]] = ()
    taxonomies: Mapping[str, Any] = field(default_factory=dict)
    project: Path | None = None
    guesses: int = 1_000
    seed: int = 0
    splink: bool | None = None
    strict: bool = False
    downcoding: bool = False
    minimality: bool = False
    requirements: Mapping[str, Required] | None = None
    delim: str | None = None
    with_splink: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.guesses < 1:
            raise AuditError(f"an attack makes at least one guess; got guesses={self.guesses}")
        if self.requirements and not self.minimality:
            raise AuditError(
                "what the release had to meet is needed where minimality is tried; add `minimality=True`, or leave it "
                "out"
            )
        object.__setattr__(self, "with_splink", splink_linkage.chosen(self.splink))

    @property
    def others(self) -> list[str]:
        """The columns that are no quasi-identifiers."""
        return [*self.sensitive, *([self.class_] if self.class_ else []), *self.insensitive]

    @property
    def goals(self) -> list[str]:
        """The columns that are guessed."""
        return list(self.sensitive) or ([self.class_] if self.class_ else [])
