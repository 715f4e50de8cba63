"""A release as a dbt model: one SELECT, and the hook that lets the model fail where a class is too small."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config.lock import LOCK_NAME
from anonduck.config.policy import policy_of
from anonduck.config.requirement_change import with_requirement
from anonduck.errors import ConfigError
from anonduck.release.lock import locked_text
from anonduck.release.plan import ReleaseSettings
from anonduck.release.script import FoundRecoding, Rule, release_select
from anonduck.release.script_text import ALONE, ReleaseText, TextOptions
from anonduck.release.scripts.lookup_files import file_text, in_files
from anonduck.release.scripts.select_parts import Holder, LookupTable, in_the_text
from anonduck.statements.dialects import Dialect
from anonduck.statements.pipeline.engine_values import type_of
from anonduck.words import __version__
from anonduck.workspace import Workspace

RELATION = "anonduck_relation_of_the_model"
SEED = "anonduck_seed_of_the_model_"
DEFAULT_NAME = "anonduck_release"
TRANSACTIONAL = ("duckdb", "postgres")
"""Dialects whose adapters put a table in place in the transaction of its hooks; elsewhere the SELECT itself stops."""


TEMPLATE = re.compile(r"\{(?=[{%#])")
OPEN = '{{ "{" }}'


@dataclass(frozen=True)
class Gate:
    """The columns that make the classes of a release, the k that is required of it, and the l of each sensitive column.

    ``unchecked`` are requirements that are checked nowhere but in releases by anonduck.
    """

    columns: tuple[str, ...]
    k: int
    l: int | None  # noqa: E741 - as the literature calls it
    sensitive: tuple[str, ...]
    unchecked: tuple[str, ...]


@dataclass(frozen=True)
class Modelled:
    """A release that a model is written of: its SELECT, what that was written of, and its gate.

    ``locked`` says that it is what is locked.
    """

    select: str
    written: ReleaseText
    gate: Gate
    locked: bool

    def comment_lines(self, tool: str) -> list[str]:
        """What a model is, for its comments; ``tool`` builds it."""
        written, unchecked = self.written, ", ".join(self.gate.unchecked)
        first = f"anonduck {__version__}: the release of {written.called}, as a model of {tool}"
        held = (
            f"It holds values of the source, and so does what {tool} compiles of it: keep both as safe as the source."
            if written.holds_values
            else ""
        )
        lines = [
            first,
            f"Made from {LOCK_NAME}: lock again, then make this text again." if self.locked else "",
            f"Required and not checked here: {unchecked}." if unchecked else "",
            written.unseen,
            *written.stops,
            *written.values,
            held,
        ]
        return [line for line in lines if line]


def modelled(
    workspace: Workspace,
    of: Rule | FoundRecoding | None,
    relation: str,
    options: TextOptions,
    settings: ReleaseSettings,
    *,
    gated: bool,
    held: Holder = in_the_text,
) -> Modelled:
    """The release of a rule, of what a method found, or for None of what is locked, over a ``relation`` of a tool.

    Raises what ``release_select`` does, and as ``release_locked`` does where something is not as it
    was locked.
    """
    locked = of is None
    if of is None:
        workspace, of, settings = locked_text(workspace, settings)
    select, written = release_select(workspace, of, relation, options, settings, gated=gated, held=held)
    columns = [column.name for column in written.columns if column.generalized]
    return Modelled(select, written, _gate(workspace, columns, settings, options.identifiers), locked)


def _gate(workspace: Workspace, named: Sequence[str], settings: ReleaseSettings, case: str) -> Gate:
    """The gate of a release that shows these quasi-identifiers.

    ``case`` is that in which columns are called: ``quoted``, ``upper`` or ``lower``.
    """
    config, roles = with_requirement(workspace.config, settings.requirement or {}), workspace.roles
    policy_of(config, workspace.folder, "the gate")
    required = config.requirement
    return Gate(
        tuple(_called(name, case) for name in named),
        required.k,
        required.l,
        tuple(_called(name, case) for name in roles.sensitive) if required.l is not None else (),
        tuple(name for name in required.asked if name not in ("k", "l")),
    )


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


def dbt_files(
    workspace: Workspace,
    of: Rule | FoundRecoding | None,
    options: TextOptions,
    settings: ReleaseSettings,
    *,
    name: str | None = None,
) -> dict[str, str]:
    """The model of a rule, of what a method found, or for None of what is locked, by the name of its file.

    ``options.table`` is what it reads: ``ref('customers')``, ``source('raw', 'customers')`` or the name of a model. For
    a folder the model is called ``name``, and its lookup tables are seeds. Raises ConfigError for anything else, and
    what ``modelled`` does.
    """
    relation, called = _relation(options.table), name or DEFAULT_NAME
    if not called.isidentifier():
        raise ConfigError(f"{called!r} is no name of a dbt model; write one such as persons_release")
    gated, seeds = options.dialect not in TRANSACTIONAL, dict[str, LookupTable]()

    def held(lookup: LookupTable) -> str | None:
        if not options.folder or not _is_seed(lookup, options.engine):
            return None
        seeds[f"{called}_{lookup.name}"] = lookup
        return f"{SEED}{called}_{lookup.name}_"

    one = modelled(workspace, of, RELATION, options, settings, gated=gated, held=held)
    select = as_template(one.select)
    for seed in seeds:
        select = select.replace(f"{SEED}{seed}_", f"{{{{ ref('{seed}') }}}}")
    header = as_template(comments(one.comment_lines("dbt")))
    model = f"{header}\n{_config(one.gate)}\n\n{select.replace(RELATION, relation)}\n"
    if not options.folder:
        return {ALONE: model}
    files = {f"seeds/{seed}.csv": file_text(lookup, options.engine) for seed, lookup in seeds.items()}
    properties = {f"seeds/{called}.yml": _properties(seeds, options.engine)} if seeds else {}
    return {f"models/{called}.sql": model, **files, **properties}


def _is_seed(lookup: LookupTable, engine: Dialect) -> bool:
    """Whether dbt reads all that a lookup holds: it takes nothing, and the word null, for NULL."""
    cells = (cell for row in lookup.rows for cell in row)
    return in_files(lookup, engine) and not any(cell is not None and cell.lower() in ("", "null") for cell in cells)


def _properties(seeds: Mapping[str, LookupTable], engine: Dialect) -> str:
    """The properties of seeds: the types of their columns, as YAML."""
    listed = [
        {
            "name": seed,
            "config": {
                "quote_columns": True,
                "column_types": {name: type_of(engine, kind) for name, kind in lookup.columns.items()},
            },
        }
        for seed, lookup in seeds.items()
    ]
    return json.dumps({"version": 2, "seeds": listed}, ensure_ascii=False, indent=2) + "\n"


def _relation(given: str | None) -> str:
    """The expression that a model reads; a call of ``ref`` or ``source`` with texts alone."""
    if given is None:
        raise ConfigError("name what the model reads, such as ref('customers'): `--table NAME`")
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
