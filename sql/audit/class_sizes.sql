-- One row: the sizes of the equivalence classes of the audited release.
-- Reads: the temp view release, in one scan.
-- Binds: quasi_identifiers (columns), $required (value)
-- Result: rows; classes; k, the records in the smallest class; the average and the largest class; alone, the records
--   that are a class of their own; under_required, the records in classes of fewer than $required records.
-- NULL: GROUP BY puts NULLs together, so NULL is a value of its own. Without quasi-identifiers all records are one class.
WITH sizes AS (
    SELECT count(*) AS records
    FROM release
    GROUP BY release.quasi_identifiers
)
SELECT
    sum(records)::BIGINT AS rows,
    count(*) AS classes,
    min(records) AS k,
    avg(records) AS average,
    max(records) AS largest,
    count(*) FILTER (WHERE records = 1) AS alone,
    coalesce(sum(records) FILTER (WHERE records < $required), 0)::BIGINT AS under_required
FROM sizes
