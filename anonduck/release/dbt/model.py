"""A release as a dbt model: one SELECT, and the hook that lets the model fail where a class is too small."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonduck.errors import ConfigError
from anonduck.release.gate import Gate, as_template, comments, gate_of
from anonduck.release.plan import ReleaseSettings
from anonduck.release.script import release_select
from anonduck.release.script_text import TextOptions
from anonduck.workspace import Workspace

RELATION = "anonduck_relation_of_the_model"
TRANSACTIONAL = ("duckdb", "postgres", "redshift")
"""Dialects whose adapters put a table in place in the transaction of its hooks; elsewhere the SELECT itself stops."""


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
