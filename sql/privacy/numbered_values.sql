-- The values of a column of a release, numbered in no order.
-- One row: a value.
-- Reads: the temp view release
-- Binds: kept (column), packed (table)
-- Result: value_0; code, its number from 0.
-- NULL: is a value of its own.
CREATE OR REPLACE TEMP TABLE packed AS
SELECT
    value AS value_0,
    row_number() OVER () - 1 AS code
FROM (
    SELECT DISTINCT release.kept AS value
    FROM release
)
