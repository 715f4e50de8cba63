-- The distinct values of each of some columns, by one scan.
-- One row: a value of one column, which has NULL in all others.
-- Reads: source
-- Binds: target (table), columns (list)
-- Result: table target: each column as "<name>@value", and "#records".
-- NULL: is a value of its own.
CREATE OR REPLACE TABLE target AS
SELECT
    each(columns, "{name}" AS "{name}@value"),
    count(*) AS "#records"
FROM source
GROUP BY GROUPING SETS (each(columns, ("{name}")))
