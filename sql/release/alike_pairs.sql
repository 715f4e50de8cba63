-- How many pairs of released records are equal in some columns.
-- One row: the whole release.
-- Reads: the grouped release
-- Binds: shown (columns), grouped (table)
-- Result: records, and the pairs of two of them that are equal.
-- NULL: is a value of its own.
SELECT
    coalesce(sum(groups.records), 0)::BIGINT AS records,
    coalesce(sum(groups.records::HUGEINT * (groups.records - 1) // 2), 0)::HUGEINT AS pairs
FROM (
    SELECT sum("#records")::BIGINT AS records
    FROM grouped
    GROUP BY shown
) AS groups
