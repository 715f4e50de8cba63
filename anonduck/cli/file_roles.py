"""Roles of a release's columns that are asked of a config; audits and attacks read the files alone otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.cli.terminal import tracer

if TYPE_CHECKING:
    from anonduck.config.file_roles import FileRoles


def roles_by_config(
    config: str, release: str, delim: str | None, given: Mapping[str, Any], engine: str | None = None
) -> FileRoles:
    """The roles of the columns of a release, whose names alone are read, by a config; those that are given win."""
    from contextlib import nullcontext

    from anonduck.config.file_roles import roles_of_file
    from anonduck.database.connection import Database
    from anonduck.privacy.audited_engine import engine_table
    from anonduck.privacy.composition import columns_of

    database = Database(tracer=tracer())
    try:
        with nullcontext(release) if engine is None else engine_table(release, engine) as opened:
            columns = columns_of(database, opened, delim)
    finally:
        database.close()
    return roles_of_file(Path(config), columns, given)
