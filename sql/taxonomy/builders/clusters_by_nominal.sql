-- How the values of a nominal column go with another one, of which the 20 most frequent values are told apart.
-- One row: a leaf and a bin that some of its records fall into.
-- Reads: frequency_set, leaves
-- Binds: frequency (table), leaf (column), described_by (column)
-- Result: leaf (its position from 1), bin (1 to 20 by frequency, 21 for the rest, 0 for NULL), records.
-- NULL: a bin of its own in the describing column; not a leaf of the described one.
WITH pairs AS (
    SELECT leaf, described_by, sum("#records") AS records
    FROM frequency
    GROUP BY leaf, described_by
),
counted AS (
    SELECT described_by AS value, sum(records) AS records
    FROM pairs
    GROUP BY described_by
),
bins AS (
    SELECT value, least(row_number() OVER (ORDER BY records DESC, value), 21)::INTEGER AS bin
    FROM counted
    WHERE value IS NOT NULL
    UNION ALL
    SELECT value, 0
    FROM counted
    WHERE value IS NULL
)
SELECT leaves.position AS leaf, bins.bin AS bin, sum(pairs.records)::DOUBLE AS records
FROM pairs
JOIN leaves ON leaves.value = pairs.leaf
JOIN bins ON bins.value IS NOT DISTINCT FROM pairs.described_by
GROUP BY leaves.position, bins.bin
ORDER BY leaves.position, bins.bin
