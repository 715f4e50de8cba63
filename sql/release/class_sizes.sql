-- The records and the equivalence classes of the grouped release.
-- One row: the release.
-- Reads: release_rows
-- Binds: names (list)
-- Result: its records, its equivalence classes, and the records of the smallest. Columns are those that classes differ in.
-- NULL: a value of its own.
SELECT coalesce(sum(n)::BIGINT, 0), count(*), coalesce(min(n)::BIGINT, 0)
FROM (
    SELECT sum("#records") AS n
    FROM release_rows
    GROUP BY each(names, "{name}@value";)
) AS sizes
