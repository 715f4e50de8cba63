"""A release as a SQLMesh model: one SELECT, and audits in plain SQL that keep a release under its requirement back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.errors import ConfigError
from anonduck.release.gate import TEMPLATE, Gate, as_template, comments, gate_of
from anonduck.release.script import release_select
from anonduck.release.script_text import TextOptions
from anonduck.statements.pipeline.builder_gate import small_classes, uniform_classes
from anonduck.statements.pipeline.engines import Engine
from anonduck.workspace import Workspace

DEFAULT_NAME = "anonduck.release"
THIS = "@this_model"


def sqlmesh_model(
    workspace: Workspace,
    rule: str | Mapping[str, int] | None,
    options: TextOptions,
    *,
    name: str | None = None,
    unmapped: str | None = None,
    requirement: Mapping[str, Any] | None = None,
) -> str:
    """The model of a rule, or for None of the one that is locked, with its audits.

    ``options.table`` is the model that it reads, ``name`` what it is called itself. Raises ConfigError for names that
    are none, and what ``release_select`` does.
    """
    called, read = _checked(name or DEFAULT_NAME), options.table
    if read is None:
        raise ConfigError("name the model that it reads, such as raw.customers: `table=NAME`")
    gate = gate_of(workspace, rule, requirement, options.identifiers)
    text = release_select(
        workspace,
        gate.levels,
        _checked(read),
        dialect=options.dialect,
        identifiers=options.identifiers,
        unmapped=unmapped,
        requirement=requirement,
    )
    audits = dict(_audits(gate, options.engine))
    properties = [f"name {called}", "kind FULL", f"dialect {options.engine.dialect}", f"audits ({', '.join(audits)})"]
    head = "MODEL (\n  " + ",\n  ".join(properties) + "\n);"
    bodies = [f"AUDIT (\n  name {audit}\n);\n\n{_query(query)}" for audit, query in audits.items()]
    return "\n\n".join([f"{comments(gate.told('SQLMesh'))}\n{head}", _query(text), *bodies]) + "\n"


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
