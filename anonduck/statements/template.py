"""Queries of sql/ and the binding of column lists, single columns and tables into them.

A query file opens with comments; one of them declares what is bound, and nothing else may be:

    -- Binds: attributes (columns), class (column), frequency_set (table), $minimum (value)

``columns`` is a list: its bare marker stands in a select list, GROUP BY, PARTITION BY or row() and is replaced by
quoted columns. ``column`` and ``table`` are single names. ``value`` travels as a DuckDB parameter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from anonduck.statements.trees import exp, sqlglot

PIPELINE = Path(__file__).with_name("pipeline")
DIALECT = "duckdb"
KINDS = ("columns", "column", "table", "value")
TEXTS_KEPT = 512
"""So many texts a process keeps of each statement that follows from a name and a few numbers: to write one of a
taxonomy takes longer than to run it, and names and heights come again."""


class BindingError(ValueError):
    """A query file and what is bound into it do not agree: a defect of anonduck, not of its input."""


@dataclass(frozen=True)
class Statement:
    """SQL that is ready to run: its name, its text, and the names of the parameters that it takes."""

    name: str
    sql: str
    parameters: frozenset[str] = frozenset()

    @property
    def origin(self) -> str:
        """The file that it is from: that of the query, or for one that is built, the module and what it builds.

        >>> Statement("measures/rule.sql", "").origin, Statement("builder_source.sniff", "").origin
        ('sql/measures/rule.sql', 'anonduck/statements/builder_source.py (sniff)')
        """
        if self.name.endswith(".sql"):
            return f"sql/{self.name}"
        module, dot, built = self.name.partition(".")
        room = "pipeline/" if (PIPELINE / f"{module}.py").exists() else ""
        return f"anonduck/statements/{room}{module}.py ({built})" if dot else self.name


@dataclass(frozen=True)
class Template:
    """A query file: its name, its text, its comments and the kind of each declared bind."""

    name: str
    text: str
    header: str
    binds: Mapping[str, str]
    skeletons: dict[Shape, Skeleton] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def tree(self) -> exp.Expr:
        """The parsed query, without comments; raises BindingError where binds are not used as they are declared."""
        return _checked_tree(self.name, self.text, self.binds)

    def bind(
        self,
        *,
        columns: Mapping[str, Sequence[str]] | None = None,
        column: Mapping[str, str] | None = None,
        table: Mapping[str, str | tuple[str, str]] | None = None,
    ) -> Statement:
        """The statement with its markers replaced by quoted names; raises BindingError if binds differ from
        declared ones."""
        columns, column, table = columns or {}, column or {}, table or {}
        given = {
            **dict.fromkeys(columns, "columns"),
            **dict.fromkeys(column, "column"),
            **dict.fromkeys(table, "table"),
        }
        wanted = {name: kind for name, kind in self.binds.items() if kind != "value"}
        if given != wanted:
            raise BindingError(f"sql/{self.name} binds {wanted}, but got {given}")
        shape = (
            frozenset(marker for marker, names in columns.items() if not names),
            frozenset(marker for marker, target in table.items() if isinstance(target, tuple)),
        )
        if shape not in self.skeletons:
            self.skeletons[shape] = _skeleton(self, *shape)
        values = frozenset(name for name, kind in self.binds.items() if kind == "value")
        return Statement(self.name, self.skeletons[shape].filled({**columns, **column, **table}), values)

    def bound_tree(
        self,
        *,
        columns: Mapping[str, Sequence[str]],
        column: Mapping[str, str],
        table: Mapping[str, str | tuple[str, str]],
    ) -> exp.Expr:
        """The tree with its markers replaced; ``bind`` does it once per shape, with stand-ins for the names."""
        tree = self.tree.copy()
        for marker, names in columns.items():
            _replace_list(self.name, tree, marker, names)
        for marker, name in column.items():
            for node in _columns_named(tree, marker):
                node.set("this", exp.to_identifier(name, quoted=True))
        for marker, target in table.items():
            _replace_table(tree, marker, target)
        return tree


Shape = tuple[frozenset[str], frozenset[str]]  # the lists that are empty, the tables that have a schema
STAND_IN = "\x00"  # no text of a query holds it
Slot = tuple[str, int, str, str]  # marker, part, alias, and what follows the name inside its quotes
LIST = -1  # the part of a slot that takes a list of names; 0 and 1 are parts of a single one
TEXT = -2  # the part of a slot that takes a name as a text


@dataclass(frozen=True)
class Skeleton:
    """The text of a bound query, cut at its names: between two ``texts`` stands a slot.

    To fill it takes 0.007 ms where to bind the tree of ``measures/rule.sql`` takes 2.3 ms, about as long as the query
    itself runs, once for each rule: 0.4 of 20 seconds of a discovery that binds 395 times.
    """

    texts: tuple[str, ...]
    slots: tuple[Slot, ...]

    def filled(self, given: Mapping[str, str | Sequence[str]]) -> str:
        """The query's text with the quoted names in their places."""
        parts = [self.texts[0]]
        for (marker, part, alias, after), text in zip(self.slots, self.texts[1:], strict=True):
            bound = given[marker]
            if part == TEXT:
                parts.append(_text(f"{bound}{after}"))
            elif part == LIST:
                parts.append(f", {alias}".join(_quoted(name) for name in bound))
            else:
                parts.append(_quoted((bound if isinstance(bound, str) else bound[part]) + after))
            parts.append(text)
        return "".join(parts)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _skeleton(template: Template, empty: frozenset[str], schemas: frozenset[str]) -> Skeleton:
    """Bind a stand-in for each name into the tree, write it as SQL, and cut that at the stand-ins."""
    markers = {kind: [name for name, of in template.binds.items() if of == kind] for kind in KINDS}

    def stand_in(marker: str, part: int) -> str:
        return f"{STAND_IN}{marker} {part}{STAND_IN}"

    tree = template.bound_tree(
        columns={m: [] if m in empty else [stand_in(m, LIST)] for m in markers["columns"]},
        column={m: stand_in(m, 0) for m in markers["column"]},
        table={m: (stand_in(m, 0), stand_in(m, 1)) if m in schemas else stand_in(m, 0) for m in markers["table"]},
    )
    for node in tree.find_all(exp.Column):
        if node.table and node.name.startswith(STAND_IN):
            alias = node.args["table"].sql(DIALECT)
            node.set("this", exp.to_identifier(f"{node.name[:-1]} {alias}.{STAND_IN}", quoted=True))
    return _cut(tree.sql(DIALECT, pretty=True))


_STANDS = re.compile(rf"""(["'])({STAND_IN})([^{STAND_IN}]*){STAND_IN}([^"'{STAND_IN}]*)\1""")
"""A stand-in that is quoted as a name or as a text, and what follows it inside the quotes."""


def _cut(text: str) -> Skeleton:
    """Cut a text at its stand-ins; raises BindingError for one that is no whole name or text, or not its beginning."""
    texts, slots, end = [], [], 0
    for found in _STANDS.finditer(text):
        texts.append(text[end : found.start()])
        slots.append(_slot(found[1], found[3], found[4]))
        end = found.end()
    texts.append(text[end:])
    if STAND_IN in "".join(texts):
        raise BindingError(f"a name is written into a text in another way than as a name: {text!r}")
    return Skeleton(tuple(texts), tuple(slots))


def _slot(quote: str, stand_in: str, after: str) -> Slot:
    marker, part, *alias = stand_in.split(" ", 2)
    return marker, TEXT if quote == "'" else int(part), "".join(alias), after


@cache
def load(name: str) -> Template:
    """Read the query file ``name`` (a path under sql/, such as ``measures/k.sql``); it is checked when parsed."""
    return _template(name, _queries().joinpath(name).read_text(encoding="utf-8"))


@cache
def _queries() -> Traversable:
    return files("anonduck.sql")


def parse_template(name: str, text: str) -> Template:
    """Check that ``text`` uses just the binds that its header declares, each where its kind is legal."""
    template = _template(name, text)
    _ = template.tree
    return template


def _template(name: str, text: str) -> Template:
    header = "\n".join(line for line in text.splitlines() if line.startswith("--"))
    return Template(name, text, header, _declared(name, header))


def _checked_tree(name: str, text: str, binds: Mapping[str, str]) -> exp.Expr:
    trees = [tree for tree in sqlglot.parse(text, read=DIALECT) if tree is not None]
    if len(trees) != 1:
        raise BindingError(f"sql/{name} holds {len(trees)} statements; a file is one query")
    tree = trees[0]
    for node in tree.walk():
        node.comments = None
        node._meta = None  # the place in the file, which takes half of the time of a copy
    used = {node.name for node in tree.find_all(exp.Placeholder, exp.Parameter)}
    declared = {marker for marker, kind in binds.items() if kind == "value"}
    if used != declared:
        raise BindingError(f"sql/{name} declares the values {sorted(declared)} and uses {sorted(used)}")
    for marker, kind in binds.items():
        if kind == "columns" and not _list_places(name, tree, marker):
            raise BindingError(f"sql/{name} declares the columns {marker} and does not use them")
        if kind == "column" and not _columns_named(tree, marker):
            raise BindingError(f"sql/{name} declares the column {marker} and does not use it")
        if kind == "table" and not _tables_named(tree, marker):
            raise BindingError(f"sql/{name} declares the table {marker} and does not use it")
    return tree


def statement(
    name: str,
    *,
    columns: Mapping[str, Sequence[str]] | None = None,
    column: Mapping[str, str] | None = None,
    table: Mapping[str, str | tuple[str, str]] | None = None,
) -> Statement:
    """Load the query file ``name`` and bind names into it."""
    return load(name).bind(columns=columns, column=column, table=table)


def together(statements: Sequence[Statement]) -> Statement:
    """All rows of several queries of the same columns and parameters, each row after the place of its query."""
    (name,) = {one.name for one in statements}
    numbered = enumerate(statements)
    parts = [" ".join(["SELECT", str(place), "AS place, * FROM (", one.sql, ")"]) for place, one in numbered]
    return Statement(name, "\nUNION ALL\n".join(parts), statements[0].parameters)


def _declared(name: str, header: str) -> dict[str, str]:
    lines = re.findall(r"^-- Binds:(.*(?:\n--   .*)*)", header, flags=re.MULTILINE)
    if len(lines) != 1:
        raise BindingError(f"sql/{name} needs one line '-- Binds: ...' (or '-- Binds: nothing')")
    text = lines[0].replace("\n--", " ").strip()
    if text == "nothing":
        return {}
    binds: dict[str, str] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*\$?(\w+) \((\w+)\)\s*", part)
        if match is None or match[2] not in KINDS or match[1] in binds:
            raise BindingError(f"sql/{name} declares {part.strip()!r}; write 'name (kind)' once, kind one of {KINDS}")
        binds[match[1]] = match[2]
    return binds


def _columns_named(tree: exp.Expr, marker: str) -> list[exp.Column]:
    return [node for node in tree.find_all(exp.Column) if node.name == marker and not node.this.quoted]


def _tables_named(tree: exp.Expr, marker: str) -> list[exp.Table]:
    return [node for node in tree.find_all(exp.Table) if node.name == marker and not node.this.quoted]


def _list_places(name: str, tree: exp.Expr, marker: str) -> list[exp.Expr]:
    """The list items that a marker is; a plain ascending ORDER BY item counts as one."""
    places = [_item(node) for node in _columns_named(tree, marker)]
    for node in places:
        holder = node.parent
        held = holder.args.get(str(node.arg_key)) if holder is not None else None
        if not isinstance(held, list) or isinstance(holder, exp.Distinct):
            raise BindingError(
                f"sql/{name} puts the list {marker} inside {type(holder).__name__}; "
                "a list stands in a select list, GROUP BY, PARTITION BY, ORDER BY (ascending) or row()"
            )
    for join in tree.find_all(exp.Join):
        if any(using.name == marker for using in join.args.get("using") or []):
            raise BindingError(f"sql/{name} puts the list {marker} inside USING; write the comparison out")
    return places


def _item(node: exp.Column) -> exp.Expr:
    ordered = node.parent
    if isinstance(ordered, exp.Ordered) and not ordered.args.get("desc") and not ordered.args.get("nulls_first"):
        return ordered
    return node


def _replace_list(name: str, tree: exp.Expr, marker: str, names: Sequence[str]) -> None:
    for node in _list_places(name, tree, marker):
        holder, key, column = node.parent, str(node.arg_key), node.find(exp.Column)
        assert holder is not None
        assert column is not None
        alias = column.args.get("table")
        fresh = [exp.column(exp.to_identifier(n, quoted=True), table=alias.copy() if alias else None) for n in names]
        held = holder.args[key]
        at = next(i for i, item in enumerate(held) if item is node)
        holder.set(key, [*held[:at], *fresh, *held[at + 1 :]])
    for group in list(tree.find_all(exp.Group)):
        if not group.expressions and not group.args.get("all"):
            group.pop()


def _replace_table(tree: exp.Expr, marker: str, target: str | tuple[str, str]) -> None:
    schema, name = target if isinstance(target, tuple) else (None, target)
    for node in _tables_named(tree, marker):
        if schema is not None:
            node.set("db", exp.to_identifier(schema, quoted=True))
        node.set("this", exp.to_identifier(name, quoted=True))
        if not node.alias and isinstance(node.parent, (exp.From, exp.Join)):
            node.set("alias", exp.TableAlias(this=exp.to_identifier(marker)))
