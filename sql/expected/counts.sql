-- Class and number of records of each row of the set that is split, in the order of its rows.
-- One row: a row of numbered_set.
-- Reads: numbered_set
-- Binds: nothing
-- NULL: a NULL class is code 0.
SELECT "#class" AS class_code, "#records" AS records
FROM numbered_set
ORDER BY "#row"
