-- The bins of a column that describes others: up to ten quantiles if it is ordered, else its 20 most frequent values.
-- One row: a distinct value of the column.
-- Reads: frequency_set
-- Binds: frequency (table), described_by (column), bins (table), $ordered (value)
-- Result: temporary table: value, bin (with $ordered 1 to 10, by the share of records below the value; else 1 to 20 by
--   frequency, 21 for the rest), position (from 1, in the order of values).
-- NULL: has no row; its bin is 0.
CREATE OR REPLACE TEMP TABLE bins AS
WITH counted AS (
    SELECT described_by AS value, sum("#records") AS records
    FROM frequency
    WHERE described_by IS NOT NULL
    GROUP BY described_by
),
placed AS (
    SELECT
        value,
        coalesce(
            sum(records) OVER (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0
        ) AS below,
        sum(records) OVER () AS total,
        row_number() OVER (ORDER BY records DESC, value) AS rank,
        (row_number() OVER (ORDER BY value))::INTEGER AS position
    FROM counted
)
SELECT
    value,
    CASE WHEN $ordered::BOOLEAN THEN 1 + below * 10 // total ELSE least(rank, 21) END::UTINYINT AS bin,
    position
FROM placed
