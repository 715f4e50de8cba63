"""A release as texts of SQL, by the files that they go to: one of any name, or the two models of SQLMesh."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from anonduck.database.private_file import whole_file, write_private
from anonduck.errors import ConfigError
from anonduck.methods.recodings import Levels, Recoding
from anonduck.methods.registry import METHODS
from anonduck.release.by_recoding import Origin, method_origin
from anonduck.release.dbt.model import TEMPLATE, Gate, as_template, comments, dbt_model, gate_of
from anonduck.release.plan import AS_CONFIGURED, ReleaseSettings
from anonduck.release.policy_floors import refuse_text
from anonduck.release.script import class_script, release_script, release_select
from anonduck.release.script_text import TextOptions
from anonduck.statements.pipeline.builder_gate import passing_rows, small_classes, uniform_classes
from anonduck.statements.pipeline.engines import Engine
from anonduck.workspace import Workspace

MODELS = ("dbt", "sqlmesh")
ALONE = ""
"""In the place of a file's name: the only text, which goes to a file of any name."""


DEFAULT_NAME = "anonduck.release"
STAGED = "_staged"
THIS = "@this_model"


def sqlmesh_models(
    workspace: Workspace,
    rule: str | Mapping[str, int] | None,
    options: TextOptions,
    settings: ReleaseSettings,
    *,
    name: str | None = None,
) -> dict[str, str]:
    """The models of a rule, or for None of the one that is locked, by the names of their files: the staged one first.

    ``options.table`` is the model that the staged one reads, ``name`` what the published one is called. Raises
    ConfigError for names that are none, and what ``release_select`` does.
    """
    called, read = _checked(name or DEFAULT_NAME), options.table
    if read is None:
        raise ConfigError("name the model that it reads, such as raw.customers: `table=NAME`")
    gate = gate_of(workspace, rule, settings, options.identifiers)
    text, written = release_select(workspace, gate.levels, _checked(read), options, settings, gated=False)
    file, staged, engine = called.rpartition(".")[2], staged_name(called), options.engine
    published = passing_rows(staged, gate.columns, gate.k, dict.fromkeys(gate.sensitive, gate.l or 1), engine)
    comment = f"{called}: the rows of {staged}, which SQLMesh audits before it makes this table"
    return {
        f"{file}{STAGED}.sql": _model(
            staged, engine, gate.comment_lines("SQLMesh", written), text, dict(_audits(gate, engine))
        ),
        f"{file}.sql": _model(called, engine, [comment], published, {}),
    }


def staged_name(name: str) -> str:
    """The staged model of a published one, in a schema of its own, which others need not read.

    >>> staged_name("privacy.customers"), staged_name("customers")
    ('privacy_staged.customers', 'staged.customers')
    """
    *catalog, schema, own = name.split(".") if "." in name else ("", name)
    return ".".join([*catalog, f"{schema}{STAGED}".lstrip("_"), own])


def _model(name: str, engine: Engine, lines: Iterable[str], query: str, audits: Mapping[str, str]) -> str:
    """The text of a model with its audits, by name."""
    properties = [f"name {name}", "kind FULL", f"dialect {engine.dialect}"]
    properties += [f"audits ({', '.join(audits)})"] if audits else []
    head = "MODEL (\n  " + ",\n  ".join(properties) + "\n);"
    bodies = [f"AUDIT (\n  name {audit}\n);\n\n{_query(text)}" for audit, text in audits.items()]
    return "\n\n".join([f"{comments(list(lines))}\n{head}", _query(query), *bodies]) + "\n"


def _audits(gate: Gate, engine: Engine) -> Iterator[tuple[str, str]]:
    """The audits by name."""
    yield "anonduck_k", small_classes(THIS, gate.columns, gate.k, engine)
    for number, name in enumerate(gate.sensitive, start=1):
        yield f"anonduck_l_{number}", uniform_classes(THIS, gate.columns, name, gate.l or 1, engine)


def _query(text: str) -> str:
    """A query as SQLMesh reads it: as it is, or where it looks like Jinja as a template of itself."""
    if TEMPLATE.search(text) is None:
        return f"{text};"
    return f"JINJA_QUERY_BEGIN;\n{as_template(text)}\nJINJA_END;"


def _checked(name: str) -> str:
    """A name of a model, with its schema; raises ConfigError for anything else."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigError(f"{name!r} is no name of a SQLMesh model; write one such as privacy.customers")
    return name


def release_texts(
    workspace: Workspace,
    rule: str | Mapping[str, int] | None,
    options: TextOptions,
    name: str | None,
    settings: ReleaseSettings,
) -> dict[str, str]:
    """The texts of a rule or a method; a model is of the locked rule where none is named.

    ``name`` is that of a SQLMesh model; of the settings, ``requirement`` and ``unmapped`` count. Raises ConfigError for
    what does not go together, and where a policy sets floors that no text checks.
    """
    refuse_text(workspace)
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
    refuse_text(workspace)
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
