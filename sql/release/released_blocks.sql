-- The block of each value of the column that models are tested in the order of: ten, of about as many records.
-- One row: a distinct value.
-- Reads: release_set
-- Binds: split_value (column)
-- Result: value; block, 0 to 9: that in which the middle one of its records falls, as in frequency/block_counts.sql.
-- NULL: comes before all values.
CREATE OR REPLACE TEMP TABLE released_blocks AS
WITH held AS (
    SELECT split_value AS value, sum("#records")::HUGEINT AS n
    FROM release_set
    GROUP BY split_value
), placed AS (
    SELECT value, n, sum(n) OVER (ORDER BY value NULLS FIRST) - n AS before, sum(n) OVER () AS total
    FROM held
)
SELECT value, (10 * (2 * before + n - 1) // (2 * total))::INTEGER AS block
FROM placed
