-- Class, records, and records in each block of each row of the set that is split, in the order of its rows.
-- One row: a row of held_out_rows.
-- Reads: held_out_rows
-- Binds: nothing
-- NULL: a NULL class is code 0.
SELECT
    "#class" AS class_code,
    "#records" AS records,
    "#fold_0" AS fold_0,
    "#fold_1" AS fold_1,
    "#fold_2" AS fold_2,
    "#fold_3" AS fold_3,
    "#fold_4" AS fold_4,
    "#fold_5" AS fold_5,
    "#fold_6" AS fold_6,
    "#fold_7" AS fold_7,
    "#fold_8" AS fold_8,
    "#fold_9" AS fold_9
FROM held_out_rows
ORDER BY "#row"
