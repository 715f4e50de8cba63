-- The cuts with their ranks counted over the levels that are kept.
-- One row: a cut of a kept level.
-- Reads: ended_cuts
-- Binds: $kept (value)
-- Result: temporary table starts: position (from 0; the first row is open below), lower, text, rank: the start is one
--   of the levels 1 to rank, of which $kept lists the old numbers.
-- NULL: lower and text of the first start.
CREATE OR REPLACE TEMP TABLE starts AS
WITH ranked AS (
    SELECT lower, text, len(list_filter($kept::INTEGER[], lambda level: level <= rank))::INTEGER AS kept_rank
    FROM ended_cuts
)
SELECT 0::BIGINT AS position, NULL AS lower, NULL AS text, len($kept::INTEGER[])::INTEGER + 1 AS rank
UNION ALL
SELECT row_number() OVER (ORDER BY lower) AS position, lower, text, kept_rank
FROM ranked
WHERE kept_rank > 0
ORDER BY position
