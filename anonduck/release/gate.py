"""What a release that is made elsewhere has to be checked for there: which columns tell a class, and what is required.

A rule that is not named is that of the lock file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from anonduck.config.config import Config
from anonduck.config.lock import LOCK_NAME, read_lock
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.release.job import checked_levels
from anonduck.release.lock import lock_path, refuse_changed
from anonduck.release.plan import ReleaseSettings
from anonduck.release.script_text import ReleaseText
from anonduck.rules.rule import literal
from anonduck.search.stored_rules import rule_levels
from anonduck.words import __version__
from anonduck.workspace import Workspace

TEMPLATE = re.compile(r"\{(?=[{%#])")
OPEN = '{{ "{" }}'


@dataclass(frozen=True)
class Gate:
    """The columns that tell a class of a release, the k that is required of it, and the l of each sensitive column.

    ``unchecked`` are requirements that are checked nowhere but in releases by anonduck.
    """

    levels: Mapping[str, int]
    columns: tuple[str, ...]
    k: int
    l: int | None  # noqa: E741 - as the literature calls it
    sensitive: tuple[str, ...]
    unchecked: tuple[str, ...]
    locked: bool

    def comment_lines(self, tool: str, written: ReleaseText) -> list[str]:
        """What a model is, for its comments; ``tool`` builds it."""
        made = f"Made from {LOCK_NAME}: lock again, then make this text again." if self.locked else ""
        unchecked = f"Required and not checked here: {', '.join(self.unchecked)}." if self.unchecked else ""
        first = f"anonduck {__version__}: the release of the rule {literal(self.levels)}, as a model of {tool}"
        held = (
            f"It holds values of the source, and so does what {tool} compiles of it: keep both as safe as the source."
            if written.holds_values
            else ""
        )
        return [line for line in (first, made, unchecked, *written.stops, held) if line]


def gate_of(workspace: Workspace, rule: str | Mapping[str, int] | None, settings: ReleaseSettings, case: str) -> Gate:
    """The gate of a rule, or for None of the one that is locked; raises ConfigError for a locked method.

    ``case`` is that in which columns are called: ``quoted``, ``upper`` or ``lower``.
    """
    levels = _locked_levels(workspace) if rule is None else rule_levels(workspace, rule)[1]
    config, roles = with_requirement(workspace.config, settings.requirement or {}), workspace.roles
    made = taxonomies_of(workspace, [name for name in levels if name in roles.quasi_identifiers], config.requirement.k)
    levels = checked_levels(levels, roles, made)
    named = [name for name in roles.quasi_identifiers if name in levels]
    counted = [*named, *([roles.class_] if "class" in config.k_counts else [])]
    required = config.requirement
    return Gate(
        levels,
        tuple(_called(name, case) for name in counted),
        required.k,
        required.l,
        tuple(_called(name, case) for name in roles.sensitive) if required.l is not None else (),
        _unchecked(config),
        rule is None,
    )


def _locked_levels(workspace: Workspace) -> Mapping[str, int]:
    lock = read_lock(lock_path(workspace))
    refuse_changed(workspace, lock)
    if lock.rule is None:
        raise ConfigError(f"{LOCK_NAME} holds a method, of which no model is written; lock a rule, or name one")
    return lock.rule


def _unchecked(config: Config) -> tuple[str, ...]:
    return tuple(name for name in config.requirement.asked if name not in ("k", "l"))


def _called(name: str, case: str) -> str:
    return name.upper() if case == "upper" else name.lower() if case == "lower" else name


def as_template(text: str) -> str:
    """A text that Jinja renders as it was: values of the source may look like its tags."""
    return TEMPLATE.sub(OPEN, text)


def comments(lines: list[str]) -> str:
    """Lines as comments of SQL."""
    return "\n".join("-- " + " ".join(line.splitlines()) for line in lines)
