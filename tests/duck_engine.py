"""An engine for tests of what asks one: a table of a DuckDB of its own, each question a statement there."""

import duckdb

from anonduck.engines.equality import TEXTS, check_texts
from anonduck.engines.protocol import RECORDS, Profile, Tally, unseen


def name_of(text):
    """A name in quotes."""
    return '"' + text.replace('"', '""') + '"'


class DuckEngine:
    """Answers as an engine does, of the tables of a connection. ``apart`` tells records apart that DuckDB does not."""

    kind, dialect, title = "duck", "duckdb", "a duck"

    def __init__(self, connection=None, apart="1"):
        self.connection = connection or duckdb.connect()
        self.tally, self.progress, self.apart, self.closed = Tally(), unseen, apart, False

    def version(self):
        return "a duck"

    def rows(self, relation):
        table = ".".join(map(name_of, relation.place.parts)) or f"read_parquet('{relation.place.path}')"
        casts = ", ".join(f"CAST({name_of(name)} AS {kind}) AS {name_of(name)}" for name, kind in relation.casts)
        star = f"* REPLACE ({casts})" if casts else "*"
        return f"(SELECT {star} FROM {table} {'WHERE ' + relation.where if relation.where else ''})"

    def fetched(self, query):
        table = self.connection.sql(query).to_arrow_table()
        self.tally.add(table.num_rows)
        return table

    def describe(self, relation):
        return self.connection.sql(f"SELECT * FROM {self.rows(relation)} LIMIT 0").to_arrow_table().schema

    def sample(self, relation, records, seed):
        sampled = f"SELECT * FROM {self.rows(relation)} USING SAMPLE reservoir({records} ROWS) REPEATABLE ({seed})"
        return self.fetched(sampled)

    def profile(self, relation, columns):
        filled = [f"count({name_of(name)})" for name in columns]
        distinct = [f"count(DISTINCT {name_of(name)})" for name in columns]
        found = self.fetched(f"SELECT {', '.join(['count(*)', *filled, *distinct])} FROM {self.rows(relation)}")
        records, *numbers = (column[0].as_py() for column in found.columns)
        return Profile(records, tuple(numbers[: len(columns)]), tuple(numbers[len(columns) :]), exact=False)

    def count_by(self, relation, columns):
        names = [name_of(name) for name in columns]
        groups = f"GROUP BY {', '.join([*names, self.apart])}" if names else ""
        aliased = [f"{name} AS c{place}" for place, name in enumerate(names)]
        counted = ", ".join([*aliased, "count(*) AS records"])
        return self.fetched(f"SELECT {counted} FROM {self.rows(relation)} {groups}").rename_columns([*columns, RECORDS])

    def largest(self, relation, column):
        sizes = f"SELECT count(*) AS records FROM {self.rows(relation)} GROUP BY {name_of(column)}"
        return self.fetched(f"SELECT max(records) FROM ({sizes})").column(0)[0].as_py() or 0

    def snapshot(self, relation):
        return None

    def equality(self):
        check_texts([(text, 1) for text in TEXTS] + [(None, 2)], self.title)

    def close(self):
        self.closed = True
