-- How many records repeat another one in the columns of a release, in whatever order they stand.
-- One row.
-- Reads: release_set
-- Binds: held (columns)
-- Result: records; without records none.
-- NULL: is a value of its own, equal to NULL.
SELECT coalesce(sum(records) - count(*), 0)::BIGINT AS records
FROM (
    SELECT held, sum("#records") AS records
    FROM release_set
    GROUP BY held
)
