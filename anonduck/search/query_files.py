"""A query file expanded for a project: its lists are the project's quasi-identifiers, and its tables those of a run."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.errors import ConfigError
from anonduck.privacy.audited_tables import quasi_names, sensitive_names
from anonduck.statements import Template, load
from anonduck.statements.expansion import Item
from anonduck.statements.pipeline.column_names import code_column, levels_to, value_column
from anonduck.statements.template import AskedList, asked_lists, query_names
from anonduck.taxonomy.catalog import entries
from anonduck.words import known_names
from anonduck.workspace import Workspace

COMMANDS = {
    "attacks": "anonduck attack",
    "auditing": "anonduck audit",
    "comparison": "anonduck compare",
    "demo": "anonduck demo",
    "evaluation": "anonduck run",
    "init": "anonduck init",
    "offer": "anonduck run",
    "privacy": "anonduck audit",
    "release": "anonduck release",
    "report": "anonduck report",
    "taxonomy": "anonduck taxonomy build",
}
"""By folder of queries the command that runs them; `discover` runs all others."""
RELATED = 5
FIXED_TABLES = {"frequency": "frequency_set", "coded": "coded_frequency_set"}
"""Tables that a run gives another name than files do; all others are printed as files name them."""
OF_QUASI = ("attributes", "names", "quasi", "columns")
ROOMS = ("attacks", "auditing", "frequency", "measures", "privacy", "release", "report", "search")
"""Where the lists of OF_QUASI hold quasi-identifiers."""
NUMBERED = ("attacks", "privacy", "release")
"""Where single columns of quasi-identifiers are called q_1 and so on."""


def file_sql(workspace: Workspace, file: str) -> str:
    """A query file with the project's names in it, under its comments, for a DuckDB shell.

    Raises ConfigError for a file that is not known, and for one that asks for what a command alone knows.
    """
    template = load(_known(file))
    asked = _Asked(workspace, template)
    lists = {one.name: asked.items(one) for one in asked_lists(template) if template.binds[one.name] == "list"}
    for marker in _markers(template, "field"):
        raise asked.lacking(f"the field `{marker}`")
    query = template.bind(
        column={marker: asked.column(marker) for marker in _markers(template, "column")},
        columns={marker: asked.columns(marker) for marker in _markers(template, "columns")},
        table={marker: FIXED_TABLES.get(marker, marker) for marker in _markers(template, "table")},
        lists=lists,
    )
    left = [name for name, items in lists.items() if not items]
    about = [f"-- {query.origin}", *_header(template)]
    about += [f"-- Left empty: {', '.join(left)}"] if left else []
    values = [f"${one}" for one in sorted(query.parameters)]
    about += [f"-- Values to write in: {', '.join(values)}"] if values else []
    return "\n".join([*about, f"{query.sql};"]) + "\n"


def _known(file: str) -> str:
    """The name of a query file, which may be given as traces show it."""
    names = query_names()
    name = file.strip().removeprefix("sql/")
    for one in (name, f"{name}.sql"):
        if one in names:
            return one
    near = difflib.get_close_matches(name, names, n=RELATED, cutoff=0.5)
    near += [one for one in names if one.rpartition("/")[2].startswith(name) and one not in near][:RELATED]
    folders = sorted({one.partition("/")[0] for one in names})
    hint = f"near ones: {known_names(near)}" if near else f"they are in the folders {', '.join(folders)}"
    raise ConfigError(f"there is no query file {file!r}; {hint}")


def _markers(template: Template, kind: str) -> list[str]:
    return [marker for marker, of in template.binds.items() if of == kind]


def _header(template: Template) -> list[str]:
    """The comments of a file, but for its binds, which are filled."""
    lines, of_binds = [], False
    for one in template.header.splitlines():
        of_binds = one.startswith("-- Binds:") or (of_binds and one.startswith("--   "))
        lines += [] if of_binds else [one]
    return lines


class _Asked:
    """What a project has of what a query file asks for."""

    def __init__(self, workspace: Workspace, template: Template) -> None:
        self.workspace = workspace
        self.template = template
        self.room = template.name.partition("/")[0]
        self.lists = asked_lists(template)

    def items(self, asked: AskedList) -> Sequence[Item]:
        """The items of a list; none where it may be empty and another list of the file is of quasi-identifiers."""
        if not self._of_quasi(asked.name):
            if asked.may_be_empty and any(self._of_quasi(one.name) for one in self.lists):
                return []
            raise self.lacking(f"the list `{asked.name}`")
        roles = self.workspace.roles
        names = quasi_names(len(roles.quasi_identifiers))
        fields: list[Mapping[str, Any]] = [
            {"name": name, "number": place + 1, "place": place, "called": names[place]}
            for place, name in enumerate(roles.quasi_identifiers)
        ]
        if asked.fields & {"root", "levels"}:
            fields = [{**one, **self._taxonomy(one["name"])} for one in fields]
        known = {*fields[0], *(["level"] if "levels" in asked.fields else [])}
        if lacking := sorted(asked.fields - known - {one.name for one in self.lists}):
            raise self.lacking(f"the field `{lacking[0]}` of the list `{asked.name}`")
        return fields

    def _of_quasi(self, name: str) -> bool:
        return name in OF_QUASI and self.room in ROOMS and self.template.binds[name] == "list"

    def _taxonomy(self, name: str) -> dict[str, Any]:
        """How high the taxonomy of a column is."""
        found = entries(self.workspace.database).get(name)
        if found is None:
            raise ConfigError(
                f"sql/{self.template.name} asks for the levels of {name!r}, and the decision database has no taxonomy "
                "of it; run `anonduck taxonomy build` first"
            )
        root = found.taxonomy.root
        return {"root": root, "levels": levels_to(root - 1, 0)}

    def columns(self, marker: str) -> list[str]:
        """The names of columns in the place of a marker."""
        roles = self.workspace.roles
        if marker == "leaves":
            return [code_column(name, 0) for name in roles.quasi_identifiers]
        if marker == "quasi":
            return list(roles.quasi_identifiers)
        if marker == "attributes" and self.room in NUMBERED:
            return list(quasi_names(len(roles.quasi_identifiers)))
        if marker == "sensitive" and self.room in NUMBERED:
            return list(sensitive_names(len(roles.sensitive)))
        raise self.lacking(f"the columns `{marker}`")

    def column(self, marker: str) -> str:
        """The name of a column in the place of a marker."""
        entity = self.workspace.config.entity
        if marker == "class_value":
            return value_column(self.workspace.roles.class_)
        if marker == "entity" and entity is not None:
            return entity.column
        raise self.lacking(f"the column `{marker}`")

    def lacking(self, what: str) -> ConfigError:
        """What is raised for what a project alone does not have."""
        command = COMMANDS.get(self.room, "anonduck discover")
        return ConfigError(
            f"sql/{self.template.name} asks for {what}, which a project alone does not have: it follows from what a "
            f"command is asked for. `--show-sql` prints the query as it runs, here with `{command}`"
        )
