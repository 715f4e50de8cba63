-- How many texts of a column there are, and how many numbers they write: fewer where two texts are one number.
-- One row: all files.
-- Reads: texts (the column, as text), in one scan; distinct texts may spill to disk
-- Binds: texts (table), value (column), $decimal (value), $thousands (value)
-- Result: texts, numbers
-- NULL: is no text, and counts nowhere.
SELECT
    count(DISTINCT value) AS texts,
    count(DISTINCT TRY_CAST(replace(replace(value, $thousands, ''), $decimal, '.') AS DOUBLE)) AS numbers
FROM texts
