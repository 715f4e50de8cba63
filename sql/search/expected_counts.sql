-- Class and number of records of each row of the set that is split, in the order of its rows.
-- One row: a row of held_out_rows.
-- Reads: held_out_rows
-- Binds: nothing
-- NULL: a NULL class is code 0.
SELECT "#class" AS class_code, "#records" AS records
FROM held_out_rows
ORDER BY "#row"
