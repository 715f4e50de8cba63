"""Random tables with roles and a requirement, held as Parquet, CSV, a table of DuckDB or a DataFrame."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from . import values

FORMS = ("parquet", "parquet", "duckdb", "duckdb", "csv", "pandas")
COLLATIONS = ("NOCASE", "NOACCENT", "NOCASE.NOACCENT", "de")
TRICKY = ("VARCHAR", "VARCHAR", "ENUM", "FLOAT", "DOUBLE")
SIMPLE = ("VARCHAR", "INTEGER", "DECIMAL(9, 2)", "BOOLEAN")
PLAIN_NAMES = ("age", "zip", "job", "town", "rate", "day", "mood", "note")


@dataclass(frozen=True)
class Column:
    """A column: its type, role and values as texts, one a record; ``tokens`` are those that bytes tell."""

    name: str
    kind: str
    role: str
    texts: list[str | None]
    tokens: frozenset[str] = frozenset()
    unheld: str | None = None
    collation: str | None = None


@dataclass
class Table:
    """A source with its config, and what the fuzzer alone knows of it: the tag and the person of each record."""

    folder: Path
    form: str
    columns: list[Column]
    keys: dict[str, Any]
    where: str = "true"
    source: str = ""
    frame: Any = None
    tag: str | None = None
    truth: dict[str, dict[str, list[str | None]]] = field(default_factory=dict)
    used: list[int] = field(default_factory=list)
    whole: Table | None = None

    def named(self, *roles: str) -> list[str]:
        """Names of the columns that have one of some roles."""
        return [column.name for column in self.columns if column.role in roles]

    def column(self, name: str) -> Column:
        """The column of a name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def key(self) -> str | None:
        """The identifier, whose values are distinct."""
        return next(iter(self.named("identifier")), None)

    @property
    def entity(self) -> str | None:
        """The column that tells persons apart."""
        return next(iter(self.named("entity")), None)


def drawn_column(random: Random, number: int, name: str, role: str, rows: int, csv: bool) -> Column:
    """A column of random type and values."""
    kinds = random.choice((SIMPLE, TRICKY, tuple(values.MAKERS), tuple(values.MAKERS)))
    kind = random.choice(SIMPLE if csv else kinds)
    size = random.choice((1, 2, 2, 3, 3, 4, 6, 12) if role != "class" else (2, 2, 3))
    held, tokens = values.domain(kind, number, random, size)
    weights = [random.choice((1, 3, 9, 27)) for _ in held]
    empty = random.choice((0, 0, 0.05, 0.3) if role != "class" else (0, 0, 0.05))
    texts = [None if random.random() < empty else text for text in random.choices(held, weights, k=rows)]
    for text in held if random.random() < 0.3 else ():  # values of single records
        texts[random.randrange(rows)] = text
    unheld = f"Tk{number}xunheld{random.getrandbits(32):08x}" if kind == "ENUM" else None
    plain = kind == "VARCHAR" and not csv
    collation = random.choice(COLLATIONS) if plain and random.random() < 0.5 else None
    return Column(name, kind, role, texts, frozenset(tokens), unheld, collation)


def roles_drawn(random: Random, bare: bool) -> list[str]:
    """The roles of a table's columns; a bare one has nothing that some methods refuse."""
    roles = ["class", *["quasi"] * random.choice((1, 2, 2, 3, 3, 4))]
    if bare:
        return roles
    roles += ["sensitive"] * random.choice((0, 0, 1, 1, 2)) + ["insensitive"] * random.choice((0, 0, 0, 1))
    roles += ["drop"] * random.choice((0, 0, 1))
    return roles


def drawn_table(random: Random, folder: Path) -> Table:
    """A random table in a new folder, with its source written."""
    form, rows = random.choice(FORMS), random.choice((12, 25, 40, 60, 90, 140))
    bare = random.random() < 0.25
    roles = roles_drawn(random, bare)
    names = random.sample(values.NAMES if random.random() < 0.4 else PLAIN_NAMES * 1, k=min(len(roles), 8))
    names += [f"column {number}" for number in range(len(roles) - len(names))]
    columns = [
        drawn_column(random, number, name, role, rows, form == "csv")
        for number, (name, role) in enumerate(zip(names, roles, strict=True))
    ]
    table = Table(folder, form, columns, {})
    if form == "pandas" and any(column.kind in ("UHUGEINT", "DATE") for column in columns):
        table.form = "parquet"  # pandas has no such type, and no infinite dates
    add_keys(random, table, rows, bare)
    table.keys = drawn_keys(random, table)
    if bare:
        table.keys |= {"requirement": {"k": random.choice((3, 3, 4))}}
    write_source(table)
    return table


def add_keys(random: Random, table: Table, rows: int, bare: bool) -> None:
    """The columns that only the fuzzer reads into: an identifier, persons, and a tag that a release keeps."""
    if random.random() < 0.7:
        texts: list[str | None] = [f"Id{number:04}x{random.getrandbits(32):08x}" for number in range(rows)]
        random.shuffle(texts)
        table.columns.append(Column("customer", "VARCHAR", "identifier", texts, frozenset(filter(None, texts))))
    if bare:
        return
    if random.random() < 0.3:
        persons = [f"Person{number:04}x{random.getrandbits(32):08x}" for number in range(max(2, rows * 2 // 3))]
        held = (
            random.choices(persons, k=rows) if random.random() < 0.7 else random.choices(persons[: rows // 4], k=rows)
        )
        if random.random() < 0.5:
            alike(table, held)
        table.columns.append(Column("person", "VARCHAR", "entity", list(held), frozenset(persons)))
    if random.random() < 0.6:
        tags = [str(number) for number in random.sample(range(10**6, 10**7), k=rows)]
        table.columns.append(Column("tag", "INTEGER", "insensitive", list(tags)))
        table.tag = "tag"


def alike(table: Table, persons: list[str]) -> None:
    """Give all records of a person the quasi-identifiers of the first one."""
    first: dict[str, int] = {}
    for row, person in enumerate(persons):
        for column in table.columns:
            if column.role == "quasi":
                column.texts[row] = column.texts[first.setdefault(person, row)]


def drawn_requirement(random: Random, table: Table) -> dict[str, Any]:
    """What a release must meet."""
    needed: dict[str, Any] = {
        "k": random.choice((1, 2, 2, 3, 3, 5, 8)),
        "suppression": random.choice((0, 0.1, 0.4, 0.8)),
    }
    if table.named("sensitive"):
        more = {
            "l": 2,
            "entropy_l": 1.5,
            "frequency_l": 1.5,
            "alpha": 0.8,
            "t": random.choice((0.2, 0.5)),
            "beta": 3,
            "recursive_l": {"l": 2, "c": 3},
            "ha": 0.3,
            "pd": 0.8,
            "homogeneous_classes": 0.5,
        }
        for name in random.sample(list(more), k=random.choice((0, 0, 1, 2))):
            needed[name] = more[name]
    if random.random() < 0.15:
        needed["prosecutor_risk"] = 0.25
    if random.random() < 0.1:
        needed["kept_rare"] = random.choice((0, 5, 20))
    if table.entity and random.random() < 0.4:
        needed["linked_k"] = random.choice((1, 2))
    return needed


def taxonomy_for(random: Random, column: Column) -> dict[str, Any] | None:
    """A builder for a quasi-identifier, or None for the default."""
    distinct = sorted({text for text in column.texts if text is not None})
    if column.kind in ("VARCHAR", "ENUM"):
        return random.choice(
            (None, {"clusters": True}, {"mask": "right"}, {"mask": "left", "step": 2}, {"prefix": [3, 1]})
            + (({"order": distinct},) if len(distinct) > 1 else ())
        )
    if column.kind in ("DATE", "TIMESTAMP", "TIMESTAMPTZ"):
        return random.choice((None, {"dates": ["month", "year"]}, {"intervals": 3}))
    if column.kind in ("TINYINT", "UTINYINT", "SMALLINT", "DECIMAL(4, 1)"):
        return random.choice((None, {"width": 10}, {"breaks": [0, 10]}, {"log": 10}, {"top": 20, "intervals": 2}))
    if column.kind in ("INTEGER", "DOUBLE", "DECIMAL(9, 2)", "BIGINT"):
        return random.choice((None, {"intervals": 2}, {"quantiles": [4, 2]}, {"breaks": [0, 10]}))
    return None


def drawn_keys(random: Random, table: Table) -> dict[str, Any]:
    """The config of a table, but for its source."""
    quasi = table.named("quasi")
    keys: dict[str, Any] = {
        "class": table.named("class")[0],
        "sensitive": table.named("sensitive"),
        "insensitive": table.named("insensitive"),
        "identifiers": table.named("identifier"),
        "drop": table.named("drop"),
        "quasi_identifiers": quasi,
        "requirement": drawn_requirement(random, table),
        "models": [],
        "holdout": 0,
        "select": random.choice(("loss", "k", "information_gain", "discernibility")),
        "search": random.choice(("auto", "auto", "auto", "rfd")),
        "seed": random.choice((0, 7)),
        "threads": 1,
        "budget": 200,
    }
    built = {name: taxonomy_for(random, table.column(name)) for name in quasi if random.random() < 0.5}
    keys["taxonomies"] = {name: how for name, how in built.items() if how}
    if table.entity:
        keys["entity"] = {"column": table.entity} | (
            {"at_most": random.choice((1, 2, 3))} if random.random() < 0.5 else {}
        )
    if random.random() < 0.15 and table.form != "pandas":  # where NaN is NULL
        keys["where"] = table.where = f"{quoted(quasi[0])} IS NOT NULL"
    if table.form == "csv":
        keys["types"] = {column.name: column.kind for column in table.columns}
    return keys


def quoted(name: str) -> str:
    """A name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str | None) -> str:
    """A text as SQL writes it."""
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def fill(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Make the table ``people``, with its types and collations."""
    kinds = []
    for number, column in enumerate(table.columns):
        kind = column.kind
        if kind == "ENUM":
            held = sorted({text for text in column.texts if text is not None} | {column.unheld or ""})
            connection.execute(f"CREATE TYPE enum_{number} AS ENUM ({', '.join(literal(text) for text in held)})")
            kind = f"enum_{number}"
        collated = f" COLLATE {column.collation}" if column.collation else ""
        kinds.append(f"{quoted(column.name)} {kind}{collated}")
    connection.execute(f"CREATE TABLE people ({', '.join(kinds)})")
    rows = zip(*(column.texts for column in table.columns), strict=True)
    told = ", ".join(f"({', '.join(literal(text) for text in row)})" for row in rows)
    connection.execute(f"INSERT INTO people VALUES {told}")


def write_source(table: Table) -> None:
    """Write the source in its form, and read what it holds: as DuckDB's texts, and as Arrow holds it in Parquet."""
    from .reading import parquet_columns

    file = table.folder / "source.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        fill(connection, table)
        target = table.folder / "source.parquet"
        connection.execute(f"COPY people TO '{target}' (FORMAT parquet)")
        told = connection.execute(
            f"SELECT {', '.join(f'CAST({quoted(c.name)} AS VARCHAR)' for c in table.columns)} FROM people"
        )
        texts = list(zip(*told.fetchall(), strict=True))
        table.truth = {
            "text": {column.name: list(held) for column, held in zip(table.columns, texts, strict=True)},
            "arrow": parquet_columns(target),
        }
        counted = connection.execute(f"SELECT {table.where} FROM people").fetchall()
        table.used = [number for number, row in enumerate(counted) if row[0]]
        if table.form == "csv":
            connection.execute(f"COPY people TO '{table.folder / 'source.csv'}' (HEADER, FORCE_QUOTE *)")
        if table.form == "pandas":
            table.frame = connection.execute("SELECT * FROM people").df()
    table.source = {"duckdb": f"{file}::people", "csv": str(table.folder / "source.csv")}.get(table.form, str(target))
    keys = {"source": table.source, "database": "decisions.duckdb", **table.keys}
    (table.folder / "anonduck.yml").write_text(json.dumps(keys, ensure_ascii=False, indent=1), encoding="utf-8")
