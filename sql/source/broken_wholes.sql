-- How many texts of columns that are to be whole numbers are numbers with decimals, which the reader would round.
-- One row: all files.
-- Reads: texts (columns of the file, as text), in one scan
-- Binds: texts (table), $broken (value), $decimal (value), $thousands (value)
-- Result: a number for each column. The first column is a stand-in, which holds NULL, as a list of columns may not be
--   empty.
-- NULL: is no text, and counts nowhere.
SELECT
    count_if(
        regexp_full_match(COLUMNS('^whole_'), $broken)
        OR TRY_CAST(replace(replace(COLUMNS('^whole_'), $thousands, ''), $decimal, '.') AS DOUBLE)
        <> trunc(TRY_CAST(replace(replace(COLUMNS('^whole_'), $thousands, ''), $decimal, '.') AS DOUBLE))
    )
FROM texts
