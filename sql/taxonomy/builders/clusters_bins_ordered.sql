-- The bins of an ordered column that describes others: up to ten quantiles.
-- One row: a distinct value of the column.
-- Reads: frequency_set
-- Binds: frequency (table), described_by (column), bins (table)
-- Result: temporary table: value, bin (1 to 10, by the share of records below the value), position (from 1, in the
--   order of values).
-- NULL: has no row; its bin is 0.
CREATE OR REPLACE TEMP TABLE bins AS
WITH counted AS (
    SELECT described_by AS value, sum("#records") AS records
    FROM frequency
    WHERE described_by IS NOT NULL
    GROUP BY described_by
),
below AS (
    SELECT
        value,
        coalesce(
            sum(records) OVER (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0
        ) AS below,
        sum(records) OVER () AS total,
        (row_number() OVER (ORDER BY value))::INTEGER AS position
    FROM counted
)
SELECT value, (1 + below * 10 // total)::UTINYINT AS bin, position
FROM below
