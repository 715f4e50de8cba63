-- The frequency set of the records that the search sees, where the last blocks of a column's order are held out.
-- One row: a distinct combination of quasi-identifier leaves and class, with its records in each block that is kept.
-- Reads: held_out_split
-- Binds: leaves (columns), codes (columns), $kept (value)
-- NULL: is code 0.
CREATE OR REPLACE TABLE coded_frequency_set AS
SELECT
    (row_number() OVER (ORDER BY leaves, "#class")) - 1 AS "#cell",
    codes,
    "#class",
    "#records" - held AS "#records",
    CASE WHEN $kept > 0 THEN "#fold_0" ELSE 0 END AS "#fold_0",
    CASE WHEN $kept > 1 THEN "#fold_1" ELSE 0 END AS "#fold_1",
    CASE WHEN $kept > 2 THEN "#fold_2" ELSE 0 END AS "#fold_2",
    CASE WHEN $kept > 3 THEN "#fold_3" ELSE 0 END AS "#fold_3",
    CASE WHEN $kept > 4 THEN "#fold_4" ELSE 0 END AS "#fold_4",
    CASE WHEN $kept > 5 THEN "#fold_5" ELSE 0 END AS "#fold_5",
    CASE WHEN $kept > 6 THEN "#fold_6" ELSE 0 END AS "#fold_6",
    CASE WHEN $kept > 7 THEN "#fold_7" ELSE 0 END AS "#fold_7",
    CASE WHEN $kept > 8 THEN "#fold_8" ELSE 0 END AS "#fold_8",
    CASE WHEN $kept > 9 THEN "#fold_9" ELSE 0 END AS "#fold_9"
FROM held_out_split
WHERE "#records" > held
