"""A release as a model of a tool that builds tables from files of SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.errors import ConfigError
from anonduck.methods.registry import METHODS
from anonduck.release.dbt.model import dbt_model
from anonduck.release.script_text import TextOptions
from anonduck.release.sqlmesh_model import sqlmesh_model
from anonduck.workspace import Workspace

MODELS = ("dbt", "sqlmesh")


def release_model(
    workspace: Workspace,
    rule: str | Mapping[str, int] | None,
    options: TextOptions,
    name: str | None,
    **changes: Any,
) -> str:
    """The model of a rule, or for None of the locked one, for the tool that ``options.form`` names.

    ``changes`` are ``requirement`` and ``unmapped``, as of a release; ``name`` is that of a SQLMesh model.
    """
    if isinstance(rule, str) and rule in METHODS:
        raise ConfigError(
            f"a model is written of a rule, and {rule} is a method; name a rule, or none for the locked one"
        )
    if options.form == "sqlmesh":
        return sqlmesh_model(workspace, rule, options, name=name, **changes)
    if name is not None:
        raise ConfigError("`name` is what a SQLMesh model is called; a dbt model is called like its file")
    return dbt_model(workspace, rule, options, **changes)
