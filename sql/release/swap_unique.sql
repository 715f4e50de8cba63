-- How many values of a released column one record alone has.
-- One row: the column.
-- Reads: release_rows
-- Binds: swapped_value (column)
-- Result: a count.
-- NULL: is a value.
SELECT count(*) AS alone
FROM (
    SELECT sum("#records") AS records
    FROM release_rows
    GROUP BY swapped_value
)
WHERE records = 1
