"""A release as texts of SQL, by the files that they go to: one of any name, or the two models of SQLMesh."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from anonduck.database.private_file import whole_file, write_private
from anonduck.errors import ConfigError
from anonduck.methods.recodings import Levels, Recoding
from anonduck.methods.registry import METHODS
from anonduck.release.by_recoding import Origin, method_origin
from anonduck.release.dbt.model import dbt_model
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.script import class_script, release_script
from anonduck.release.script_text import TextOptions
from anonduck.release.sqlmesh_model import sqlmesh_models
from anonduck.workspace import Workspace

MODELS = ("dbt", "sqlmesh")
ALONE = ""
"""In the place of a file's name: the only text, which goes to a file of any name."""


def release_texts(
    workspace: Workspace,
    rule: str | Mapping[str, int] | None,
    options: TextOptions,
    name: str | None,
    settings: ReleaseSettings,
) -> dict[str, str]:
    """The texts of a rule or a method; a model is of the locked rule where none is named.

    ``name`` is that of a SQLMesh model; of the settings, ``requirement`` and ``unmapped`` count. Raises ConfigError for
    what does not go together.
    """
    method = isinstance(rule, str) and rule in METHODS
    if options.form in MODELS and method:
        raise ConfigError(
            f"a model is written of a rule, and {rule} is a method; name a rule, or none for the locked one"
        )
    if options.form == "sqlmesh":
        return sqlmesh_models(workspace, rule, options, settings, name=name)
    if options.form == "dbt":
        if name is not None:
            raise ConfigError("`name` is what a SQLMesh model is called; a dbt model is called like its file")
        return {ALONE: dbt_model(workspace, rule, options, settings)}
    if name is not None:
        raise ConfigError("`name` is what a SQLMesh model is called; it goes with `as_='sqlmesh'`")
    if rule is None:
        raise ConfigError("the SQL of a release takes a rule; name one, such as R12 or age=3")
    if isinstance(rule, str) and method:
        return {ALONE: class_script(workspace, None, method_origin(workspace, rule), options, settings)}
    return {ALONE: release_script(workspace, rule, options, settings)}


def recoding_text(
    workspace: Workspace,
    recoding: Recoding,
    origin: Origin,
    options: TextOptions,
    settings: ReleaseSettings = AS_CONFIGURED,
) -> str:
    """The release by a recoding that is there as one SELECT or as a script, as ``options.form`` says.

    Raises ConfigError for a model of dbt or SQLMesh, which is of a rule, and as ``release_recoding`` does.
    """
    if isinstance(recoding, Levels):
        return release_script(workspace, recoding.levels, options, settings)
    if options.form in MODELS:
        raise ConfigError(f"a model is written of a rule, and these are {recoding.kind}; name a rule")
    return class_script(workspace, recoding, origin, options, settings)


def as_one(texts: Mapping[str, str]) -> str:
    """Texts after one another, each under a comment with its file's name."""
    return "\n".join(text if name == ALONE else f"-- {name}\n{text}" for name, text in texts.items())


def write_texts(path: Path, texts: Mapping[str, str], *, overwrite: bool) -> list[Path]:
    """Write a text to a private file, or texts of named files into a folder, all or none; the files written.

    Raises ConfigError for a file that exists and may not be replaced, and for a folder that is not there.
    """
    if list(texts) == [ALONE]:
        write_private(path, texts[ALONE], overwrite=overwrite)
        return [path]
    if not path.is_dir():
        what = "is a file" if path.exists() else "is no folder"
        raise ConfigError(f"{path} {what}, and {' and '.join(texts)} go into one; make or name a folder")
    files = [path / name for name in texts]
    for file in files:
        if file.is_dir() or (file.exists() and not overwrite):
            raise ConfigError(f"{file} exists; `overwrite=True` replaces it")
    with ExitStack() as drafts:
        for file in reversed(files):  # the last to be opened is the first in place
            drafts.enter_context(whole_file(file, ConfigError)).write_text(texts[file.name], encoding="utf-8")
    return files
