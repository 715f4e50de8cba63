-- The bins of a nominal column that describes others: its 20 most frequent values are told apart.
-- One row: a distinct value of the column.
-- Reads: frequency_set
-- Binds: frequency (table), described_by (column), bins (table)
-- Result: temporary table: value, bin (1 to 20 by frequency, 21 for the rest), position (from 1, in the order of values).
-- NULL: has no row; its bin is 0.
CREATE OR REPLACE TEMP TABLE bins AS
WITH counted AS (
    SELECT described_by AS value, sum("#records") AS records
    FROM frequency
    WHERE described_by IS NOT NULL
    GROUP BY described_by
)
SELECT
    value,
    least(row_number() OVER (ORDER BY records DESC, value), 21)::UTINYINT AS bin,
    (row_number() OVER (ORDER BY value))::INTEGER AS position
FROM counted
