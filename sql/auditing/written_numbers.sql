-- How the texts of a column of a CSV file may be read.
-- One row.
-- Reads: the temp view release.
-- Binds: written (column)
-- Result: whole, whether all are whole numbers; number, whether all are numbers.
-- NULL: is passed over; a column of nothing else is both.
SELECT
    coalesce(bool_and(regexp_full_match(written::VARCHAR, '-?\d{1,37}')), true) AS whole,
    coalesce(bool_and(TRY_CAST(written::VARCHAR AS DOUBLE) IS NOT NULL), true) AS number
FROM release
WHERE written IS NOT NULL
