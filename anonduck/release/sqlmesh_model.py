"""A release as two SQLMesh models: a staged one with audits in plain SQL, and a published one that selects from it.

SQLMesh fills the table of a model first and audits it then, and where the version of the model is the same that is the
table which the view shows. So what an audit refuses would be read. It is the staged table that is audited here, and the
published one is made only after that. SQLMesh can be asked for the published one alone, after a refusal too: so its
SELECT counts the classes once more, and stops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from anonduck.errors import ConfigError
from anonduck.release.gate import TEMPLATE, Gate, as_template, comments, gate_of
from anonduck.release.plan import ReleaseSettings
from anonduck.release.script import release_select
from anonduck.release.script_text import TextOptions
from anonduck.statements.pipeline.builder_gate import passing_rows, small_classes, uniform_classes
from anonduck.statements.pipeline.engines import Engine
from anonduck.workspace import Workspace

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
    text = release_select(workspace, gate.levels, _checked(read), options, settings)
    file, staged, engine = called.rpartition(".")[2], staged_name(called), options.engine
    published = passing_rows(staged, gate.columns, gate.k, dict.fromkeys(gate.sensitive, gate.l or 1), engine)
    comment = f"{called}: the rows of {staged}, which SQLMesh audits before it makes this table"
    return {
        f"{file}{STAGED}.sql": _model(staged, engine, gate.comment_lines("SQLMesh"), text, dict(_audits(gate, engine))),
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
