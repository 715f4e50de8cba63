"""An engine for tests of what asks one: a table of a DuckDB of its own, each question a statement there."""

import duckdb

from anonduck.engines.equality import TEXTS, check_texts
from anonduck.engines.protocol import RECORDS, SOURCE, Profile, Tally, no_progress


def name_of(text):
    """A name in quotes."""
    return '"' + text.replace('"', '""') + '"'


class DuckEngine:
    """Answers as an engine does, of the tables of a connection. ``apart`` tells records apart that DuckDB does not."""

    kind, dialect, title, writes = "duck", "duckdb", "a duck", True

    def __init__(self, connection=None, apart="1"):
        self.connection = connection or duckdb.connect()
        self.tally, self.progress, self.apart, self.closed = Tally(), no_progress, apart, False

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

    def sample(self, relation, records, seed, columns=None):
        wanted = "*" if columns is None else ", ".join(map(name_of, columns))
        sampled = (
            f"SELECT {wanted} FROM {self.rows(relation)} USING SAMPLE reservoir({records} ROWS) REPEATABLE ({seed})"
        )
        return self.fetched(sampled)

    def profile(self, relation, columns):
        filled = [f"count({name_of(name)})" for name in columns]
        distinct = [f"count(DISTINCT {name_of(name)})" for name in columns]
        found = self.fetched(f"SELECT {', '.join(['count(*)', *filled, *distinct])} FROM {self.rows(relation)}")
        records, *numbers = (column[0].as_py() for column in found.columns)
        return Profile(records, tuple(numbers[: len(columns)]), tuple(numbers[len(columns) :]), exact=False)

    def count_by(self, relation, columns, most=None):
        names = [name_of(name) for name in columns]
        groups = f"GROUP BY {', '.join([*names, self.apart])}" if names else ""
        aliased = [f"{name} AS c{place}" for place, name in enumerate(names)]
        counted = ", ".join([*aliased, "count(*) AS records"])
        query = f"SELECT {counted} FROM {self.rows(relation)} {groups}"
        if most is not None:
            query = f"SELECT * FROM ({query}) WHERE (SELECT count(*) FROM ({query})) <= {most}"
        found = self.fetched(query).rename_columns([*columns, RECORDS])
        return None if most is not None and not found.num_rows else found

    def histograms(self, relation, columns):
        names, parts = [name_of(name) for name in columns], []
        for which, name in enumerate(names):
            values = [name if place == which else "NULL" for place in range(len(names))]
            called = [f"{value} AS c{place}" for place, value in enumerate(values)]
            counted = f"SELECT {', '.join(called)}, {which} AS which, count(*) AS records FROM {self.rows(relation)}"
            parts.append(f"{counted} GROUP BY {name}, {self.apart}")
        return self.fetched(" UNION ALL ".join(parts))

    def fetch(self, relation, rows, lookups):
        for name, table in lookups.items():
            self.connection.register(name, table)
        self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {SOURCE} AS FROM {self.rows(relation)}")
        return self.fetched(rows)

    def largest(self, relation, column):
        sizes = f"SELECT count(*) AS records FROM {self.rows(relation)} GROUP BY {name_of(column)}"
        return self.fetched(f"SELECT max(records) FROM ({sizes})").column(0)[0].as_py() or 0

    def snapshot(self, relation):
        return None

    def equality(self):
        check_texts([(text, 1) for text in TEXTS] + [(None, 2)], self.title)

    def close(self):
        self.closed = True
