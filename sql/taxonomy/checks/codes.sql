-- The labels of a level that share a code with another label of the level.
-- One row: such a label.
-- Reads: the frequency set, the taxonomy of one column.
-- Binds: frequency (table), taxonomy (table), source_value (column), label (column), code (column)
-- Result: offender (the label), records; no rows when each code stands for one label.
-- NULL: NULL labels and codes are another check's.
WITH pairs AS (
    SELECT DISTINCT
        label,
        code
    FROM taxonomy
    WHERE label IS NOT NULL
        AND code IS NOT NULL
),
wrong AS (
    SELECT label
    FROM pairs
    QUALIFY count(*) OVER (PARTITION BY code) > 1
),
held AS (
    SELECT
        source_value AS value,
        sum("#records") AS records
    FROM frequency
    GROUP BY source_value
)
SELECT
    CAST(t.label AS VARCHAR) AS offender,
    CAST(coalesce(sum(held.records), 0) AS BIGINT) AS records
FROM (SELECT DISTINCT value, label, code FROM taxonomy) AS t
LEFT JOIN held ON held.value = t.value
WHERE t.label IN (SELECT label FROM wrong)
GROUP BY t.label
ORDER BY t.label
