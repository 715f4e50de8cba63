-- The combinations of some columns of a grouped release, numbered by their order.
-- One row: a combination.
-- Reads: grouped
-- Binds: packed (table), grouped (table), columns (list)
-- Result: temporary table packed: value_0 and so on, code from 0.
-- NULL: is a value, the last.
CREATE OR REPLACE TEMPORARY TABLE packed AS
SELECT
    each(columns, v.value_{n}),
    row_number() OVER (ORDER BY each(columns, v.value_{n} NULLS LAST)) - 1 AS code
FROM (
    SELECT DISTINCT each(columns, "{name}@value" AS value_{n})
    FROM grouped
) AS v
