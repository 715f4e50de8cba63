"""The tables that a statement reads, by its text: their columns, made without rows and with a few."""

import re
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from anonduck.statements.expansion import qualified, quoted

WORDS = {
    "BIGINT": """
    assigned attribute attributes b0 bin bits by_value cell class code codes combination common_rows control
    counts covered digits distribution earlier earlier_records entity equivalence first_code
    first_place first_rows held holders id largest_code last_code later later_cell later_records leaf leaf_code
    least_code least_level leaves leaves_under level line member missed months multiple node node_level
    node_records nodes number original original_cell own own_rows pairs parent parent_code pattern person persons
    place place_below point power rank record records records_under room sampled scale second_rows shown_level size
    stands stretch target times total unique_id unique_id_l unique_id_r until
    """,
    "BOOLEAN": "bounded common concerning declared exact is_value missing moment negative root rounded",
    "DOUBLE": "agrees cumulated differs high low m match_weight position rate share u weight width cumulated after",
    "TIMESTAMP": "stamp",
    "VARCHAR[]": "fields path",
    "BIGINT[]": "labels",
    "UBIGINT": "four last",
    "UHUGEINT": "six",
}
TYPES = {name: kind for kind, names in WORDS.items() for name in names.split()}
PATTERNS = {
    "#(class_differs|stays)": "BOOLEAN",
    "#.*": "BIGINT",
    r"(code|l|key|bin|leaf|start|network)_\d+|w\d+": "BIGINT",
    "code_odd.*": "BIGINT",
    r"wide_\d+": "UHUGEINT",
    r".*@(\d+|level|distance|typical)": "BIGINT",
    r"(n|lower|upper)_\d+": "DOUBLE",
    ".*_share": "DOUBLE",
    ".*_closed": "BOOLEAN",
}
"""The types of columns by their names, first by whole ones; others are VARCHAR. What is bound has its marker's name."""
FEW = {
    "BIGINT": ("1", "2"),
    "BOOLEAN": ("TRUE", "FALSE"),
    "DOUBLE": ("1.0", "2.5"),
    "TIMESTAMP": ("'2020-01-01'", "'2021-02-03 04:05:06'"),
    "VARCHAR": ("'1'", "'it''s \"odd\"'"),
    "digits": ("'1'", "'25'"),
    "id": ("'R1'", "'R2'"),
    "INTEGER": ("1", "2"),
    "UBIGINT": ("1", "2"),
    "UHUGEINT": ("1", "2"),
    "HUGEINT": ("1", "2"),
}
"""Two values of each type: a table holds the first, the second twice, and NULL."""
NAMES = {"digits": "VARCHAR", "id": "VARCHAR"}
"""The types of those that are no types of their own."""


@dataclass(frozen=True)
class Odd:
    """What a file has that others have not: types of columns, columns beside those that it names, values of parameters,
    and the table that has a key."""

    types: dict[str, str] = field(default_factory=dict)
    beside: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)
    keyed: str | None = None


def base(name):
    """A name without what makes it odd."""
    return re.sub(r' "?№"?\d*$', "", name)


def type_of(name, types):
    """The type of a column."""
    name = base(name)
    named = types.get(name) or TYPES.get(name)
    return named or next((kind for pattern, kind in PATTERNS.items() if re.fullmatch(pattern, name)), "VARCHAR")


def make(connection, tables, types, *, filled, keyed=None):
    """Make tables, empty or with a few rows; the one that is keyed has its first column as key, and stays empty."""
    for (schema, table), columns in tables.items():
        if schema:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
        named = qualified(*filter(None, (schema, table)))
        kinds = {name: type_of(name, types) for name in columns or ["value"]}
        shape = ", ".join(f"{quoted(name)} {NAMES.get(kind, kind)}" for name, kind in kinds.items())
        shape += f", PRIMARY KEY ({quoted(columns[0])})" if table == keyed else ""
        connection.execute(f"CREATE OR REPLACE TABLE {named} ({shape})")
        if filled and table != keyed:
            rows = [", ".join(row) for row in zip(*map(few, kinds.values()), strict=True)]
            connection.execute(f"INSERT INTO {named} VALUES {', '.join(f'({row})' for row in rows)}")


def few(kind):
    """The values of a column in a tiny table."""
    one, other = FEW[kind.removesuffix("[]")]
    if kind.endswith("[]"):
        one, other = f"[{one}]", f"[{one}, {other}, NULL]"
    return [one, other, other, "NULL"]


def tables_of(tree):
    """The tables that a statement needs, each by its schema and name, with the columns that are named of it."""
    reading = Reading()
    query = query_of(tree)
    made = tree.find(exp.Table) if isinstance(tree, exp.Create | exp.Drop) else None
    named = {one.alias for one in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if isinstance(table.parent, exp.AlterRename):
            continue
        if is_stored(table) and table is not made and (table.db or table.name not in named):
            reading.columns(table)
    if isinstance(query, exp.Query):
        for scope in traverse_scope(query):
            reading.add(scope)
    if isinstance(tree, exp.Insert):
        into = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        listed = tree.this.expressions if isinstance(tree.this, exp.Schema) else first_of(query).selects
        reading.found[into.db, into.name] = [one.alias_or_name or f"column {n}" for n, one in enumerate(listed)]
    return reading.found


def first_of(query):
    """The first query of a union."""
    while isinstance(query, exp.SetOperation):
        query = query.this
    return query


def query_of(tree):
    """The query in a statement; for a change of rows, one that reads what it does."""
    if isinstance(tree, exp.Update | exp.Delete):
        query = exp.select(*(tree.expressions or ["1"])).from_(tree.this)
        if beside := tree.args.get("from_"):
            query = query.join(beside.this, join_type="cross")
        return query.where(tree.args["where"].this) if tree.args.get("where") else query
    if isinstance(tree, exp.Copy):
        return tree.this.unnest()
    return tree.expression if isinstance(tree, exp.Create | exp.Insert) else tree


def is_stored(source):
    """Whether it is a table by its name, and no function."""
    return isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)


def sources_of(scope):
    """What a query reads, by its names there."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return {}
    start = select.args.get("from_")
    nodes = [*([start.this] if start else []), *(join.this for join in select.args.get("joins") or [])]
    nodes += select.args.get("laterals") or []
    return {one.alias_or_name: scope.sources[one.alias_or_name] for one in nodes if one.alias_or_name in scope.sources}


class Reading:
    """Gathers the columns that queries name of each table."""

    def __init__(self):
        self.found = {}

    def columns(self, table):
        """The columns of a table so far."""
        return self.found.setdefault((table.db, table.name), [])

    def add(self, scope):
        """The columns that one query names."""
        for column in scope.find_all(exp.Column):
            if isinstance(column.this, exp.Star):
                self.left_out(column.this, sources_of(scope)[column.table], scope)
            elif column.table:
                self.of(column.name, self.source(column.table, scope))
            elif not self.is_alias(column, scope):
                self.anywhere(column.name, scope)
        for star in scope.find_all(exp.Star):
            if not isinstance(star.parent, exp.Column):
                self.left_out(star, None, scope)
        for join in scope.find_all(exp.Join):
            for name in join.args.get("using") or []:
                for source in sources_of(scope).values():
                    self.of(name.name, source)

    def left_out(self, star, source, scope):
        """The columns that a star leaves out."""
        for name in star.args.get("except_") or []:
            _ = self.of(name.name, source) if source else self.anywhere(name.name, scope)

    def source(self, name, scope):
        """What a name stands for in a query, or in one around it."""
        while scope and name not in sources_of(scope):
            scope = scope.parent
        return sources_of(scope)[name] if scope else None

    def is_alias(self, column, scope):
        """Whether a name stands for an item of the select list: in a clause after it, or in a later item."""
        at = column
        while at.parent is not scope.expression:
            at = at.parent
        items = scope.expression.selects
        place = next((n for n, one in enumerate(items) if one is at), len(items))
        before = (
            items[:place]
            if isinstance(at, exp.Order | exp.Group | exp.Having | exp.Qualify) or place < len(items)
            else []
        )
        return column.name in {one.alias for one in before if isinstance(one, exp.Alias)}

    def anywhere(self, name, scope):
        """A column of what a query reads, or of one around it."""
        while scope and not self.within(name, scope):
            scope = scope.parent

    def within(self, name, scope):
        """Whether a query reads something that has the column; if nothing else has, the first stored table gets it."""
        sources = sources_of(scope)
        others = [one for one in sources.values() if not is_stored(one)]
        if name in sources or any(self.shows(name, one) for one in others):
            return True
        stored = [one for one in sources.values() if is_stored(one)]
        return any(self.of(name, one) for one in [*stored[:1], *others])

    def shows(self, name, source):
        """Whether something that is not stored shows a column, by its name or by a star over another such."""
        if not isinstance(source, Scope):
            return name in source.alias_column_names
        if name in source.expression.named_selects:
            return True
        stars = any(one.is_star for one in source.expression.selects)
        return stars and any(self.shows(name, one) for one in sources_of(source).values() if not is_stored(one))

    def of(self, name, source):
        """Whether something has a column; a stored table gets it."""
        if is_stored(source):
            if name not in self.columns(source):
                self.columns(source).append(name)
            return True
        if not isinstance(source, Scope) or self.shows(name, source):
            return isinstance(source, Scope)
        stars = any(one.is_star for one in source.expression.selects)
        return stars and self.within(name, source)
