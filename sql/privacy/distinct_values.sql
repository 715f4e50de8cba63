-- How many distinct values one column of the audited release holds.
-- One row: the column.
-- Reads: the temp view release, in one scan.
-- Binds: kept (column)
-- Result: distinct_values, the number of distinct values.
-- NULL: does not count as a value.
SELECT count(DISTINCT release.kept) AS distinct_values
FROM release
