-- Dates written as text or digits, read by a format.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table), given (list)
-- Result: value, stamp (TIMESTAMP, with zone if the format reads one; NULL where the text is not of the format; text without a digit is never a date,
--   though DuckDB reads the words epoch and infinity in any format).
-- NULL: stays NULL.
SELECT
    value,
    each(given,
        CASE
            WHEN regexp_matches(CAST(value AS VARCHAR), '[0-9]') THEN try_strptime(CAST(value AS VARCHAR), {format})
        END AS stamp
    )
FROM held
