-- How many of the first records of a release differ in some columns, to choose how combinations are counted.
-- One row: these records.
-- Reads: the temp view release
-- Binds: combined (columns), $most (value)
-- Result: combinations, among at most $most records.
-- NULL: is a value of its own.
SELECT count(*) AS combinations
FROM (
    SELECT combined
    FROM (
        SELECT combined
        FROM release
        LIMIT $most
    )
    GROUP BY combined
)
