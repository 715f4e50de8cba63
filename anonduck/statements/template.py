"""Queries of sql/ and the binding of column lists, single columns and tables into them.

A query file opens with comments; one of them declares what is bound, if anything is, and nothing else may be:

    -- Binds: attributes (columns), class (column), frequency_set (table), $minimum (value)

``columns`` is a list: its bare marker stands in a select list, GROUP BY, PARTITION BY or row() and is replaced by
quoted columns. ``column`` and ``table`` are single names. ``value`` travels as a DuckDB parameter. ``list`` is what a
text is repeated for, and ``field`` a field outside of lists: see expansion.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from anonduck.statements.expansion import (
    PLACE,
    BindingError,
    Expression,
    Item,
    Part,
    Repeat,
    expanded,
    fields_of,
    named,
    parsed,
    used,
)

PIPELINE = Path(__file__).with_name("pipeline")
DIALECT = "duckdb"
KINDS = ("columns", "column", "table", "list", "field", "value")


@dataclass(frozen=True)
class Statement:
    """SQL that is ready to run: its name, its text, and the names of the parameters that it takes."""

    name: str
    sql: str
    parameters: frozenset[str] = frozenset()

    @property
    def origin(self) -> str:
        """The file that it is from: that of the query, or for one that is built, the module and what it builds; one of
        another room than this is named with it.

        >>> Statement("measures/rule.sql", "").origin, Statement("release/table.written", "").origin
        ('sql/measures/rule.sql', 'anonduck/release/table.py (written)')
        """
        if self.name.endswith(".sql"):
            return f"sql/{self.name}"
        module, dot, built = self.name.partition(".")
        room = (
            "" if "/" in module else "statements/pipeline/" if (PIPELINE / f"{module}.py").exists() else "statements/"
        )
        return f"anonduck/{room}{module}.py ({built})" if dot else self.name


@dataclass(frozen=True)
class Template:
    """A query file: its name, its text, its comments and the kind of each declared bind."""

    name: str
    text: str
    header: str
    binds: Mapping[str, str]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The text in parts; raises BindingError where binds are not used as they are declared."""
        try:
            parts = parsed(self.text, self.binds)
        except BindingError as error:
            raise BindingError(f"sql/{self.name}: {error}") from None
        declared = {f"${marker}" if kind == "value" else marker for marker, kind in self.binds.items()}
        if declared != (found := set(used(parts, self.binds))):
            raise BindingError(f"sql/{self.name} declares {sorted(declared)} and uses {sorted(found)}")
        return parts

    def bind(
        self,
        *,
        columns: Mapping[str, Sequence[str]] | None = None,
        column: Mapping[str, str] | None = None,
        table: Mapping[str, str | tuple[str, ...]] | None = None,
        lists: Mapping[str, Sequence[Item]] | None = None,
        fields: Mapping[str, str | int] | None = None,
    ) -> Statement:
        """The statement with its markers replaced by quoted names, its texts repeated for the items of lists, and its
        fields filled; raises BindingError if binds differ from declared ones."""
        given: dict[str, Any] = {}
        kinds: dict[str, str] = {}
        for kind, bound in zip(KINDS, (columns, column, table, lists, fields), strict=False):
            given |= bound or {}
            kinds |= dict.fromkeys(bound or {}, kind)
        wanted = {name: kind for name, kind in self.binds.items() if kind != "value"}
        if kinds != wanted:
            raise BindingError(f"sql/{self.name} binds {wanted}, but got {kinds}")
        values = frozenset(name for name, kind in self.binds.items() if kind == "value")
        return Statement(self.name, expanded(self.parts, given), values)


@cache
def load(name: str) -> Template:
    """Read the query file ``name`` (a path under sql/, such as ``measures/k.sql``); it is checked when parsed."""
    return _template(name, _queries().joinpath(name).read_text(encoding="utf-8"))


def query_names() -> list[str]:
    """The query files, as ``load`` takes them, in order."""
    return sorted(_names(_queries(), ""))


def _names(folder: Traversable, above: str) -> Iterator[str]:
    for one in folder.iterdir():
        if one.is_dir():
            yield from _names(one, f"{above}{one.name}/")
        elif one.name.endswith(".sql"):
            yield above + one.name


@cache
def _queries() -> Traversable:
    return files("anonduck.sql")


def parse_template(name: str, text: str) -> Template:
    """Check that ``text`` uses just the binds that its header declares, each where its kind is legal."""
    template = _template(name, text)
    _ = template.parts
    return template


def _template(name: str, text: str) -> Template:
    header = "\n".join(line for line in text.splitlines() if line.startswith("--"))
    return Template(name, text.removeprefix(header).strip(), header, _declared(name, header))


def statement(
    name: str,
    *,
    columns: Mapping[str, Sequence[str]] | None = None,
    column: Mapping[str, str] | None = None,
    table: Mapping[str, str | tuple[str, ...]] | None = None,
    lists: Mapping[str, Sequence[Item]] | None = None,
    fields: Mapping[str, str | int] | None = None,
) -> Statement:
    """Load the query file ``name`` and bind names into it."""
    return load(name).bind(columns=columns, column=column, table=table, lists=lists, fields=fields)


def inner_query(name: str, **given: Any) -> Expression:
    """The text of a query file that stands inside another query: lists and fields by their names; those that it
    does not declare are left out, so that files may be given the same ones."""
    kinds = load(name).binds
    lists, fields = ({one: held for one, held in given.items() if kinds.get(one) == kind} for kind in ("list", "field"))
    return Expression(statement(name, lists=lists, fields=fields).sql)


@dataclass(frozen=True)
class AskedList:
    """A list that a query file repeats: its name, the fields of its items, and whether something stands for none."""

    name: str
    fields: frozenset[str]
    may_be_empty: bool


def asked_lists(template: Template) -> list[AskedList]:
    """The lists of a query file, each once; one that stands in another is a field of its items."""
    found: dict[str, AskedList] = {}
    for one in _lists(template.parts):
        if template.binds.get(one.name) in ("list", "columns"):
            before = found.get(one.name, AskedList(one.name, frozenset(), True))
            fields = before.fields | fields_of(one) - template.binds.keys() - {PLACE}
            left_out = one.empty is not None and not (one.macro == "joins" and fields)  # others need what is joined
            found[one.name] = AskedList(one.name, fields, before.may_be_empty and left_out)
    return list(found.values())


def _lists(parts: Sequence[Part]) -> Iterator[Repeat]:
    for part in parts:
        if isinstance(part, Repeat):
            yield part
            yield from _lists((*part.body, *(part.empty or ())))


def line(name: str, text: str, /, *parameters: str, **fields: Any) -> Statement:
    """A statement of one line, which stands in no file of its own: its fields are names in double quotes, numbers,
    expressions and lists, as in a list of a query file.

    >>> line("builder_database.use", 'USE "{name}"', name='a "b" c').sql
    'USE "a ""b"" c"'
    """
    return Statement(name, expanded(parsed(text, {}), fields), frozenset(parameters))


def translated(query: Statement, dialect: str) -> str:
    """The text of a statement in the dialect of another engine, as sqlglot calls it."""
    if dialect == DIALECT:
        return query.sql
    import sqlglot

    return sqlglot.parse_one(query.sql, read=DIALECT).sql(dialect, pretty=True)


def together(statements: Sequence[Statement]) -> Statement:
    """All rows of several queries of the same columns and parameters, each row after the place of its query."""
    (name,) = {one.name for one in statements}
    numbered = enumerate(statements)
    parts = [" ".join(["SELECT", str(place), "AS place, * FROM (", one.sql, ")"]) for place, one in numbered]
    return Statement(name, "\nUNION ALL\n".join(parts), statements[0].parameters)


def table_of(table: str | tuple[str, ...], query: Statement) -> Statement:
    """Makes a table anew of the rows of a query.

    >>> table_of(("taxonomy", "age"), Statement("few", "FROM t")).sql
    'CREATE OR REPLACE TABLE "taxonomy"."age" AS\\nFROM t'
    """
    return _made_of("CREATE OR REPLACE TABLE {table} AS\n{query}", table, query)


def temporary_table_of(table: str, query: Statement) -> Statement:
    """Makes a temporary table anew of the rows of a query."""
    return _made_of("CREATE OR REPLACE TEMPORARY TABLE {table} AS\n{query}", table, query)


def _made_of(text: str, table: str | tuple[str, ...], query: Statement) -> Statement:
    return line(query.name, text, *query.parameters, table=named(table), query=Expression(query.sql))


def chained(queries: Mapping[str, Statement], last: Statement) -> Statement:
    """A query that reads the rows of others by their names, each of which may read those before it."""
    listed = [{"name": name, "query": Expression(one.sql)} for name, one in queries.items()]
    text = 'WITH each(named, "{name}" AS (\n{query}\n))\n{last}'
    return line(last.name, text, *last.parameters, named=listed, last=Expression(last.sql))


def rows_of_each(queries: Sequence[Statement]) -> Statement:
    """How many rows each of several queries finds: its place among them, and the rows."""
    found = [{"query": Expression(one.sql)} for one in queries]
    text = "united(found, SELECT {n} AS place, count(*) AS rows FROM ({query}))"
    return line("template.rows_of_each", text, found=found)


def _declared(name: str, header: str) -> dict[str, str]:
    lines = re.findall(r"^-- Binds:(.*(?:\n--   .*)*)", header, flags=re.MULTILINE)
    if len(lines) > 1:
        raise BindingError(f"sql/{name} has {len(lines)} lines '-- Binds: ...'; write one, or none to bind nothing")
    binds: dict[str, str] = {}
    for part in [part for line in lines for part in line.replace("\n--", " ").split(",")]:
        match = re.fullmatch(r"\s*\$?(\w+) \((\w+)\)\s*", part)
        if match is None or match[2] not in KINDS or match[1] in binds:
            raise BindingError(f"sql/{name} declares {part.strip()!r}; write 'name (kind)' once, kind one of {KINDS}")
        binds[match[1]] = match[2]
    return binds
