"""The names that an owner gives to groups that anonduck made: looked up, checked, and written into the taxonomy.

A name may disclose no more than a label that anonduck makes: it holds no value that fewer than k records have, and is
not the name of another group or of a single value. Labels are always read from the taxonomy, so that names show
everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import line, statement
from anonduck.statements.pipeline.column_names import value_column


@dataclass(frozen=True)
class GroupNode:
    """A node of a taxonomy under its root: its level, its code there, its label, and its leaves."""

    level: int
    code: int
    label: str
    leaves: tuple[int, ...]


@dataclass(frozen=True)
class GroupLeaf:
    """A value of the column: as text, with its records."""

    text: str
    records: int


def name_groups(
    database: Database,
    column: str,
    names: Mapping[str, str | Mapping[str, str]],
    root: int,
    *,
    frequency: str,
    label_k: int,
    lenient: bool,
    announce: Callable[[str], None],
) -> None:
    """Write an owner's names for groups into ``taxonomy."<column>"``, just built with the root at a level.

    Raises TaxonomyError for groups that there are not, or several of, and for names that name a rare value, a single
    value or another group. With ``lenient`` groups that there are not are announced: they were there for a smaller k.
    """
    nodes = [node for level in range(1, root) for node in _nodes(database, column, level)]
    found: dict[GroupNode, str] = {}
    for level, label, name in _asked(column, names, root):
        named = _named_nodes(column, nodes, level, label, lenient=lenient)
        if not named:
            announce(
                f"labels.{column}: for k = {label_k:,} there is no group {label!r}, so that none is called {name!r}"
            )
        found |= dict.fromkeys(named, name)
    leaves = _leaves(database, column, frequency)
    for node, name in found.items():
        _check_name(column, node, name, leaves, label_k)
    _check_clashes(column, nodes, found)
    for node, name in found.items():
        text = 'UPDATE "taxonomy"."{column}" SET level_{level} = $name WHERE code_{level} = $code'
        query = line("taxonomy/group_names.name_groups", text, "name", "code", column=column, level=node.level)
        database.run(query, {"code": node.code, "name": name})


def _nodes(database: Database, column: str, level: int) -> Iterator[GroupNode]:
    text = (
        "SELECT code_{level}, any_value(level_{level}), array_agg(code_0 ORDER BY code_0) "
        'FROM "taxonomy"."{column}" GROUP BY code_{level} ORDER BY code_{level}'
    )
    query = line("taxonomy/group_names._nodes", text, level=level, column=column)
    for code, label, leaves in database.rows(query):
        yield GroupNode(level, code, label, tuple(leaves))


def _leaves(database: Database, column: str, frequency: str) -> dict[int, GroupLeaf]:
    query = statement(
        "taxonomy/group_leaves.sql",
        table={"taxonomy": ("taxonomy", column), "frequency": frequency},
        column={"raw_value": value_column(column)},
    )
    return {code: GroupLeaf(text, records) for code, text, records in database.rows(query)}


# -- which groups ------------------------------------------------------------------------------------------------------


def _asked(
    column: str, names: Mapping[str, str | Mapping[str, str]], root: int
) -> Iterator[tuple[int | None, str, str]]:
    """Each name with its label, and its level where that is given."""
    for key, name in names.items():
        if isinstance(name, str):
            yield None, key, name
            continue
        if not key.isdecimal() or not 0 < int(key) < root:
            levels = f"1 to {root - 1}" if root > 1 else "none"
            raise TaxonomyError(f"labels.{column}: {key!r} is no level of its groups; those are {levels}")
        for label, one in name.items():
            yield int(key), label, one


def _named_nodes(
    column: str, nodes: Sequence[GroupNode], level: int | None, label: str, *, lenient: bool
) -> list[GroupNode]:
    """The nodes that a label stands for: one group, at all levels that it is at."""
    found = [node for node in nodes if node.label == label and level in (None, node.level)]
    if not found and not lenient:
        where = "" if level is None else f" at level {level}"
        raise TaxonomyError(
            f"labels.{column}: there is no group {label!r}{where}; groups are those that "
            f"`anonduck taxonomy show {quote(column)}` shows while `labels` does not name any"
        )
    if len({node.leaves for node in found}) > 1:
        levels = ", ".join(str(node.level) for node in found)
        raise TaxonomyError(
            f"labels.{column}: groups of the levels {levels} are called {label!r}; name the level too, such as "
            f"`{column}: {{{found[0].level}: {{{label}: NAME}}}}`"
        )
    return found


# -- what they may be called -------------------------------------------------------------------------------------------


def _check_name(column: str, node: GroupNode, name: str, leaves: Mapping[int, GroupLeaf], label_k: int) -> None:
    """Raise TaxonomyError for a name that holds a rare value, or is a value that the group does not stand for."""
    for code, leaf in leaves.items():
        if leaf.records < label_k and _holds(name, leaf.text):
            raise TaxonomyError(
                f"labels.{column}: the name for {node.label!r} holds a value that fewer than {label_k:,} records have, "
                "and a label must not tell of it; choose another name"
            )
        if leaf.text == name and node.leaves != (code,):
            raise TaxonomyError(
                f"labels.{column}: {name!r}, the name for {node.label!r}, is a value of the column, which the group "
                "would be taken for; choose another name"
            )


def _holds(name: str, text: str) -> bool:
    """Whether a name has a value in it, as words of their own, in whatever case."""
    found = re.search(rf"(?<!\w){re.escape(text.casefold().strip())}(?!\w)", name.casefold())
    return bool(text.strip()) and found is not None


def _check_clashes(column: str, nodes: Sequence[GroupNode], names: Mapping[GroupNode, str]) -> None:
    """Raise TaxonomyError where two groups would be called the same, or one as the root is."""
    called: dict[str, tuple[int, ...]] = {}
    for node in nodes:
        label = names.get(node, node.label)
        if node in names and label == "*":
            raise TaxonomyError(f"labels.{column}: '*' is the name of the root; choose another for {node.label!r}")
        other = called.setdefault(label, node.leaves)
        if other != node.leaves and label in names.values():
            raise TaxonomyError(f"labels.{column}: two groups would be called {label!r}; give each a name of its own")
