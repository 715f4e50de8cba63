"""A release as a dbt model: one SELECT, and the hook that lets the model fail where a class is too small."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config.config import Config
from anonduck.config.lock import LOCK_NAME, read_lock
from anonduck.config.policy import policy_of
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError
from anonduck.frequency.taxonomies import taxonomies_of
from anonduck.release.job import checked_levels
from anonduck.release.lock import lock_path, refuse_changed
from anonduck.release.plan import ReleaseSettings
from anonduck.release.script import release_select
from anonduck.release.script_text import ReleaseText, TextOptions
from anonduck.rules.rule import literal
from anonduck.search.stored_rules import rule_levels
from anonduck.words import __version__
from anonduck.workspace import Workspace

RELATION = "anonduck_relation_of_the_model"
TRANSACTIONAL = ("duckdb", "postgres", "redshift")
"""Dialects whose adapters put a table in place in the transaction of its hooks; elsewhere the SELECT itself stops."""


TEMPLATE = re.compile(r"\{(?=[{%#])")
OPEN = '{{ "{" }}'


@dataclass(frozen=True)
class Gate:
    """The columns that make the classes of a release, the k that is required of it, and the l of each sensitive column.

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
    policy_of(config, workspace.folder, "the gate")
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


def package_folder() -> Path:
    """The folder of the dbt package, for ``local:`` in ``packages.yml``."""
    return Path(__file__).parent / "package"


def copy_package(folder: Path) -> Path:
    """Copy the dbt package into a folder that does not exist or is empty; raises ConfigError for any other."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already and is not empty; name another folder")
    try:
        shutil.copytree(package_folder(), folder, dirs_exist_ok=True)
    except OSError as error:
        raise ConfigError(f"the dbt package cannot be copied to {folder}: {error.strerror}") from None
    return folder


def dbt_model(
    workspace: Workspace,
    rule: str | Mapping[str, int] | None,
    options: TextOptions,
    settings: ReleaseSettings,
) -> str:
    """The model of a rule, or for None of the one that is locked.

    ``options.table`` is what it reads: ``ref('customers')``, ``source('raw', 'customers')`` or the name of a model.
    Raises ConfigError for anything else, and what ``release_select`` does.
    """
    relation = _relation(options.table)
    gate = gate_of(workspace, rule, settings, options.identifiers)
    gated = options.dialect not in TRANSACTIONAL
    text, written = release_select(workspace, gate.levels, RELATION, options, settings, gated=gated)
    parts = [as_template(part) for part in text.split(RELATION)]
    header = as_template(comments(gate.comment_lines("dbt", written)))
    return f"{header}\n{_config(gate)}\n\n{relation.join(parts)}\n"


def _relation(given: str | None) -> str:
    """The expression that a model reads; a call of ``ref`` or ``source`` with texts alone."""
    if given is None:
        raise ConfigError("name what the model reads, such as ref('customers'): `table=NAME`")
    if given.isidentifier():
        return f"{{{{ ref('{given}') }}}}"
    try:
        node = ast.parse(given.strip().removeprefix("{{").removesuffix("}}").strip(), mode="eval").body
    except (SyntaxError, ValueError):
        node = None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise _no_relation(given)
    values = [*node.args, *(one.value for one in node.keywords)]
    named = all(isinstance(one, ast.Constant) and isinstance(one.value, (str, int)) for one in values)
    if node.func.id not in ("ref", "source") or not node.args or not named:
        raise _no_relation(given)
    return f"{{{{ {ast.unparse(node)} }}}}"


def _no_relation(given: str) -> ConfigError:
    return ConfigError(
        f"a dbt model reads the name of a model, ref('customers') or source('raw', 'customers'), not {given!r}"
    )


def _config(gate: Gate) -> str:
    """The model's config: a table, what its hooks and the plugin read, and the hooks."""
    meta = {"anonduck": {"k": gate.k, "quasi_identifiers": list(gate.columns)}}
    hooks = ["{{ anonduck.anonduck_require_k() }}"]
    hooks += [f"{{{{ anonduck.anonduck_require_l({_text(name)}, {gate.l}) }}}}" for name in gate.sensitive]
    return f"{{{{ config(\n    materialized='table',\n    meta={_text(meta)},\n    post_hook={_text(hooks)}\n) }}}}"


def _text(value: Any) -> str:
    """A value as Jinja reads it; JSON is."""
    return json.dumps(value, ensure_ascii=False)
