-- Whether a column is a key of the records of the view release.
-- One row: the whole table.
-- Reads: the temp view release
-- Binds: key (column)
-- Result: records; without, those without a value; distinct_values.
-- NULL: is counted in without, and is no value.
SELECT
    count(*) AS records,
    count(*) FILTER (WHERE release.key IS NULL) AS without,
    count(DISTINCT release.key) AS distinct_values
FROM release
