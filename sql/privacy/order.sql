-- Whether the values of a sensitive attribute have an order: all are numbers, or all are dates and times.
-- One row: all values of the attribute.
-- Reads: cells
-- Binds: cells (table)
-- Result: numbers; moments.
-- NULL: stands last in the order, and decides nothing.
WITH held AS (
    SELECT DISTINCT value
    FROM cells
)
SELECT
    coalesce(bool_and(try_cast(value::VARCHAR AS DOUBLE) IS NOT NULL) FILTER (WHERE value IS NOT NULL), FALSE) AS numbers,
    coalesce(bool_and(try_cast(value::VARCHAR AS TIMESTAMP) IS NOT NULL) FILTER (WHERE value IS NOT NULL), FALSE) AS moments
FROM held
