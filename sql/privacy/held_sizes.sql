-- How many records hold the values of a column of a release.
-- One row: a number of records that hold a value.
-- Reads: the temp view release
-- Binds: kept (column)
-- Result: holders, so many records; held, how many values they hold each; records, in all.
-- NULL: is a value of its own.
SELECT
    holders,
    count(*) AS held,
    sum(holders)::BIGINT AS records
FROM (
    SELECT count(*) AS holders
    FROM release
    GROUP BY release.kept
)
GROUP BY holders
