-- The equivalence classes of a released file whose records all have one value of a column, so that it is known of each.
-- One row: all such classes.
-- Reads: the temp view release
-- Binds: attributes (columns), told (column)
-- Result: classes, records; 0 of both where there are none.
-- NULL: is a value of its own, in attributes and in told.
SELECT count(*) AS classes, coalesce(sum(n), 0)::BIGINT AS records
FROM (
    SELECT count(*) AS n
    FROM release
    GROUP BY attributes
    HAVING count(told) IN (0, count(*)) AND min(told) IS NOT DISTINCT FROM max(told)
)
