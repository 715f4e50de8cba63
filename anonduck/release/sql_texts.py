"""A release as texts of SQL, by the files that they go to: one of any name, or the two models of SQLMesh."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from anonduck.database.private_file import whole_file, write_private
from anonduck.errors import ConfigError
from anonduck.methods.registry import METHODS
from anonduck.release.bound_columns import refuse_bounds
from anonduck.release.by_recoding import method_origin
from anonduck.release.dbt.model import TEMPLATE, Gate, as_template, comments, dbt_files, modelled
from anonduck.release.plan import ReleaseSettings
from anonduck.release.policy_floors import refuse_text
from anonduck.release.script import FoundRecoding, Rule, release_script
from anonduck.release.script_text import ALONE, TextOptions
from anonduck.release.scripts.gates import passing_rows, small_classes, uniform_classes
from anonduck.statements.dialects import Dialect
from anonduck.workspace import Workspace

DEFAULT_NAME = "anonduck.release"
STAGED = "_staged"
THIS = "@this_model"


def sqlmesh_models(
    workspace: Workspace,
    of: Rule | FoundRecoding | None,
    options: TextOptions,
    settings: ReleaseSettings,
    *,
    name: str | None = None,
) -> dict[str, str]:
    """The models of a rule, of what a method found, or for None of what is locked, by the names of their files: the
    staged one first.

    ``options.table`` is the model that the staged one reads, ``name`` what the published one is called. Raises
    ConfigError for names that are none, and what ``modelled`` does.
    """
    called, read = _checked(name or DEFAULT_NAME), options.table
    if read is None:
        raise ConfigError("name the model that it reads, such as raw.customers: `--table NAME`")
    one = modelled(workspace, of, _checked(read), options, settings, gated=False)
    gate = one.gate
    file, staged, engine = called.rpartition(".")[2], staged_name(called), options.engine
    published = passing_rows(staged, gate.columns, gate.k, dict.fromkeys(gate.sensitive, gate.l or 1), engine)
    comment = f"{called}: the rows of {staged}, which SQLMesh audits before it makes this table"
    return {
        f"{file}{STAGED}.sql": _model(
            staged, engine, one.comment_lines("SQLMesh"), one.select, dict(_audits(gate, engine))
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


def _model(name: str, engine: Dialect, lines: Iterable[str], query: str, audits: Mapping[str, str]) -> str:
    """The text of a model with its audits, by name."""
    properties = [f"name {name}", "kind FULL", f"dialect {engine.name}"]
    properties += [f"audits ({', '.join(audits)})"] if audits else []
    head = "MODEL (\n  " + ",\n  ".join(properties) + "\n);"
    bodies = [f"AUDIT (\n  name {audit}\n);\n\n{_query(text)}" for audit, text in audits.items()]
    return "\n\n".join([f"{comments(list(lines))}\n{head}", _query(query), *bodies]) + "\n"


def _audits(gate: Gate, engine: Dialect) -> Iterator[tuple[str, str]]:
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
    of: Rule | FoundRecoding | None,
    options: TextOptions,
    name: str | None,
    settings: ReleaseSettings,
) -> dict[str, str]:
    """The texts of a rule, a method or what one found; a model is of what is locked where nothing is named.

    ``name`` is that of a SQLMesh model; of the settings, ``requirement`` and ``unmapped`` count. Raises ConfigError for
    what does not go together, and where a policy sets floors that no text checks.
    """
    refuse_text(workspace)
    refuse_bounds(workspace.config.bounds, "a script or a query")
    if isinstance(of, str) and of in METHODS:
        of = FoundRecoding(None, method_origin(workspace, of), of)
    if options.form == "sqlmesh":
        return sqlmesh_models(workspace, of, options, settings, name=name)
    if name is not None and not (options.form == "dbt" and options.folder):
        other = "a dbt model is called like its file" if options.form == "dbt" else "it goes with `--as sqlmesh`"
        raise ConfigError(f"`name` is what a SQLMesh model is called; {other}")
    if options.form == "dbt":
        return dbt_files(workspace, of, options, settings, name=name)
    if of is None:
        raise ConfigError("the SQL of a release takes a rule; name one, such as R12 or age=3")
    return release_script(workspace, of, options, settings)


def as_one(texts: Mapping[str, str]) -> str:
    """The texts of SQL after one another, each under a comment with its file's name where there are several."""
    sql = {name: text for name, text in texts.items() if name == ALONE or name.endswith(".sql")}
    if len(sql) == 1:
        return next(iter(sql.values()))
    return "\n".join(f"-- {name}\n{text}" for name, text in sql.items())


def write_texts(path: Path, texts: Mapping[str, str], *, overwrite: bool) -> list[Path]:
    """Write a text to a private file, or texts of named files into a folder, all or none; the files written.

    The folder is made where it is not there. Raises ConfigError for a file that exists and may not be replaced.
    """
    if list(texts) == [ALONE]:
        write_private(path, texts[ALONE], overwrite=overwrite)
        return [path]
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path} is a file, and {' and '.join(texts)} go into a folder; make or name one")
    files = [path / name for name in texts]
    for file in files:
        if file.is_dir() or (file.exists() and not overwrite):
            raise ConfigError(f"{file} exists; `--overwrite` replaces it")
    for folder in dict.fromkeys([path, *(file.parent for file in files)]):
        _make_folder(folder)
    with ExitStack() as drafts:
        for name, file in reversed([*zip(texts, files, strict=True)]):  # the last to be opened is the first in place
            drafts.enter_context(whole_file(file, ConfigError)).write_text(texts[name], encoding="utf-8")
    return files


def _make_folder(folder: Path) -> None:
    """Make a folder that its owner alone can read, where it is not there; raises ConfigError where it cannot be."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror}; make or name a folder") from None
