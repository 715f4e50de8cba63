-- The leaves of a column, in order, counted.
-- One row: a distinct value of the column.
-- Reads: frequency_set
-- Binds: frequency (table), leaf (column)
-- Result: temporary table leaves: value, records, position (from 1, in the order of the values; NaN is the largest).
-- NULL: left out; NULL is a value of its own that belongs to no taxonomy.
CREATE OR REPLACE TEMP TABLE leaves AS
SELECT
    value,
    records,
    (row_number() OVER (ORDER BY value))::INTEGER AS position
FROM (
    SELECT leaf AS value, sum("#records")::BIGINT AS records
    FROM frequency
    WHERE leaf IS NOT NULL
    GROUP BY leaf
) AS counted
