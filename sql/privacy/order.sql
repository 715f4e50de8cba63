-- Whether the values of a sensitive attribute have an order: all are numbers, or all are dates and times, or declared.
-- One row: all values of the attribute.
-- Reads: cells
-- Binds: cells (table), $declared (value)
-- Result: numbers; moments; undeclared, how many values the declared order lacks, 0 where none is declared.
-- NULL: stands last in the order, and decides nothing.
WITH held AS (
    SELECT DISTINCT value
    FROM cells
)
SELECT
    coalesce(bool_and(try_cast(value::VARCHAR AS DOUBLE) IS NOT NULL) FILTER (WHERE value IS NOT NULL), FALSE) AS numbers,
    coalesce(bool_and(try_cast(value::VARCHAR AS TIMESTAMP) IS NOT NULL) FILTER (WHERE value IS NOT NULL), FALSE) AS moments,
    count(*) FILTER (
        WHERE len($declared::VARCHAR[]) > 0 AND value IS NOT NULL AND NOT list_contains($declared::VARCHAR[], value::VARCHAR)
    ) AS undeclared
FROM held
