-- How the values of a nominal column go with an ordered column, which is cut into up to ten quantile bins.
-- One row: a leaf and a bin that some of its records fall into.
-- Reads: frequency_set, leaves
-- Binds: frequency (table), leaf (column), described_by (column)
-- Result: leaf (its position from 1), bin (1 to 10, a value's bin by the share of records below it; 0 for NULL),
--   records.
-- NULL: a bin of its own in the describing column; not a leaf of the described one.
WITH counted AS (
    SELECT described_by AS value, sum("#records") AS records
    FROM frequency
    GROUP BY described_by
),
below AS (
    SELECT
        value,
        coalesce(
            sum(records) OVER (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0
        ) AS below,
        sum(records) OVER () AS total
    FROM counted
    WHERE value IS NOT NULL
),
bins AS (
    SELECT value, (1 + below * 10 // total)::INTEGER AS bin
    FROM below
    UNION ALL
    SELECT value, 0
    FROM counted
    WHERE value IS NULL
)
SELECT leaves.position AS leaf, bins.bin AS bin, sum(frequency."#records")::DOUBLE AS records
FROM frequency
JOIN leaves ON leaves.value = frequency.leaf
JOIN bins ON bins.value IS NOT DISTINCT FROM frequency.described_by
GROUP BY leaves.position, bins.bin
ORDER BY leaves.position, bins.bin
