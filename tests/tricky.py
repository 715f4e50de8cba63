"""A table of values that engines of SQL read differently, and rules over it."""

import duckdb

from anonduck import Project

TEXTS = (
    *("nurse", "Nurse", "NURSE", "nurse ", " nurse", "", " ", "it's", "a\\b", "a\nb", "a\tb", "100%", "été", "ete"),
    *("ß", "ss", "NULL", "null", "\U0001f986", '"q"', "_", "--", "x;y", "0", "00501", "501", "1e3"),
)
"""Texts that some collation calls the same, and some that are SQL or numbers to look at."""

QUERY = f"""
SELECT
    [{", ".join("'" + text.replace("'", "''") + "'" for text in TEXTS)}, NULL][1 + i % {len(TEXTS) + 1}] AS job,
    lpad((i % 40)::VARCHAR, 5, '0') AS zip,
    CASE WHEN i % 17 > 0 THEN (i * 37) % 90 - 5 END AS age,
    CASE WHEN i % 19 > 0 THEN 9223372036854775807 - (i % 50) * 7 ELSE -9223372036854775807 + i END AS big,
    CASE WHEN i % 23 > 0 THEN (i % 60)::HUGEINT * 1000000000000000000000 - 5 END AS huge,
    CASE WHEN i % 13 > 0 THEN ((i * 31) % 500)::DECIMAL(9, 2) / 8 END::DECIMAL(9, 2) AS price,
    ('0.' || lpad(((i * 7919) % 90)::VARCHAR, 10, '0'))::DECIMAL(38, 10) + 12345678901234567890 AS precise,
    CASE i % 11 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE WHEN 2 THEN '-inf'::DOUBLE WHEN 3 THEN -0.0::DOUBLE
        WHEN 4 THEN 0.0::DOUBLE WHEN 5 THEN NULL WHEN 6 THEN 0.1::DOUBLE + 0.2::DOUBLE ELSE i / 7.0::DOUBLE END AS size,
    (CASE i % 9 WHEN 0 THEN NULL ELSE 1e300 / (i + 1) - 1e-300 END)::DOUBLE AS wide,
    (CASE WHEN i % 10 > 0 THEN (i % 30) / 10.0 END)::FLOAT AS ratio,
    CASE WHEN i % 7 > 0 THEN i % 3 = 0 END AS member,
    CASE WHEN i % 29 > 0 THEN DATE '1901-02-27' + (i * 97 % 40000)::INT END AS born,
    DATE '0044-03-15' + (i * 997 % 400000)::INT AS ancient,
    CASE WHEN i % 31 > 0 THEN TIMESTAMP '2024-03-09 23:59:59.5' + to_microseconds(i * 3600000001) END AS seen,
    TIMESTAMP '2024-02-27 00:00:00' + to_milliseconds((i % 8) * 250) AS tick,
    CASE WHEN i % 37 > 0 THEN TIMESTAMPTZ '2024-03-09 22:30:00.25+00' + to_minutes(i * 20) END AS at,
    TIME '00:00:00.5' + to_seconds((i * 677) % 86000) AS clock,
    'n' || (i % 500) || CASE WHEN i % 2 = 0 THEN '' ELSE ' ' END AS many,
    (i * 7919) % 450 AS number,
    i % 2 AS class,
    CASE WHEN i % 5 > 0 THEN 'Note ' || (i % 4) END AS note
FROM range(600) AS r(i)
"""

NOMINAL = ("job", "zip", "many")
LISTED = ("price", "size", "born", "tick", "number", "ratio")
RULES = (
    *(
        {"job": 0},
        {"job": 1},
        {"job": 1, "zip": 0},
        {"age": 0},
        {"age": 1},
        {"age": 2, "job": 1},
        {"big": 0},
        {"big": 1},
    ),
    *({"huge": 0}, {"huge": 1}, {"price": 1}, {"precise": 0}, {"precise": 1}, {"size": 0}, {"size": 1}, {"size": 2}),
    *({"wide": 1}, {"ratio": 1}, {"member": 0}, {"born": 0}, {"born": 1}, {"ancient": 1}, {"seen": 0}, {"seen": 1}),
    *({"at": 0}, {"at": 1}, {"clock": 1}, {"many": 0}, {"many": 1}),
    {"job": 1, "age": 1, "size": 1, "member": 0, "seen": 2, "born": 1},
)
"""Rules over taxonomies of intervals, and of groups for texts."""

LISTED_RULES = (
    *({"price": 1}, {"size": 0}, {"size": 1}, {"born": 1}, {"tick": 1}, {"tick": 0}, {"number": 0}, {"number": 1}),
    *({"ratio": 1}, {"price": 1, "size": 1, "number": 1}),
)
"""Rules over taxonomies whose leaves are values of numbers, dates and time stamps."""


def projects(folder, **changes):
    """Two projects on the table, in a DuckDB file: one with intervals, one that lists the values of some columns."""
    with duckdb.connect(folder / "tricky.duckdb") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE OR REPLACE TABLE tricky AS {QUERY}")
        files = {name: hierarchy(connection, name, folder) for name in (*NOMINAL, *LISTED)}
    source, told = f"{folder}/tricky.duckdb::tricky", {"sep": "|", "header": False}
    rest = {"class_": "class", "insensitive": ["note"], "models": [], "requirement": {"k": 1}} | changes
    texts = {name: {"file": files[name]} | told for name in NOMINAL}
    values = {name: {"file": files[name]} | told for name in LISTED}
    return Project(source=source, taxonomies=texts, **rest), Project(source=source, taxonomies=texts | values, **rest)


def hierarchy(connection, name, folder):
    """A file of the values of a column, in groups."""
    target = folder / f"{name}.csv"
    connection.execute(
        f"""
        COPY (
            SELECT v::VARCHAR, 'group ' || (row_number() OVER (ORDER BY v) % 7), '*'
            FROM (SELECT DISTINCT "{name}" AS v FROM tricky WHERE "{name}" IS NOT NULL)
        ) TO '{target}' (HEADER false, DELIMITER '|', FORCE_QUOTE *)
        """
    )
    return str(target)
