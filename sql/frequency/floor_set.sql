-- The frequency set of what was counted at a floor: in the place of a code stands the least value of its node.
-- One row: a distinct combination of codes.
-- Reads: fetched (what frequency/floor_counts.sql found), the lookup of each column
-- Binds: target (table), fetched (table), columns (list)
-- Result: table target: each column as "<name>@value", and "#records"; code is where a column's code stands, -1 where it has
--   none, as it is at its root.
-- NULL: stands for code 0, and in all rows of a column at its root.
CREATE OR REPLACE TABLE target AS
SELECT
    each(columns, n{place}.shown AS "{name}@value"),
    f.records::BIGINT AS "#records"
FROM fetched AS f
joins(columns,
    LEFT JOIN (
        SELECT code_{level} AS code, min(value) AS shown
        FROM anonduck_floor_{place}
        GROUP BY code_{level}
    ) AS n{place} ON n{place}.code = {code}
)
