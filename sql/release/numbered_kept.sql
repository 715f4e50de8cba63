-- The values of a column that a release keeps, numbered by their order.
-- One row: a value.
-- Reads: packed_kept
-- Binds: packed (table), held (column), apart (column)
-- Result: temporary table packed: value_0, code from 0; apart is 0 in the rows of packed_kept that are the column's.
-- NULL: is a value, the last.
CREATE OR REPLACE TEMPORARY TABLE packed AS
SELECT
    v.value_0,
    row_number() OVER (ORDER BY v.value_0 NULLS LAST) - 1 AS code
FROM (
    SELECT held AS value_0
    FROM packed_kept
    WHERE apart = 0
) AS v
