-- Where each value that the export holds stands in a taxonomy of intervals: also values that it never saw.
-- One row: a distinct value of the column.
-- Reads: the frequency set, the lower bounds of the column's intervals with their paths
-- Binds: raw_value (column), paths (columns), frequency_set (table), bounds (table), lookup (table)
-- Result: code_0 numbers the values in their order; every value has a path.
-- NULL: has no row. A NULL bound is open and lies under all values. NaN is above all numbers.
CREATE OR REPLACE TABLE lookup AS
WITH held AS (
    SELECT raw_value AS value, sum("#records")::BIGINT AS records
    FROM frequency_set
    WHERE raw_value IS NOT NULL
    GROUP BY raw_value
), numbered AS (
    SELECT bounds.lower, row_number() OVER (ORDER BY bounds.lower NULLS FIRST) AS place, bounds.paths
    FROM bounds
), placed AS (
    SELECT held.value, held.records, coalesce(closed.place, 1) AS place
    FROM held
    ASOF LEFT JOIN (SELECT lower, place FROM numbered WHERE lower IS NOT NULL) AS closed
        ON held.value >= closed.lower
)
SELECT
    placed.value,
    placed.records,
    (row_number() OVER (ORDER BY placed.value))::INTEGER AS code_0,
    numbered.paths
FROM placed
LEFT JOIN numbered ON numbered.place = placed.place
