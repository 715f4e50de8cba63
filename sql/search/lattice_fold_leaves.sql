-- The frequency set as leaf codes and class, with the records of each fold.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_frequency_set
-- Binds: leaves (columns)
-- Result: records in folds may be fewer than all records, where models learn from a sample.
-- NULL: is code 0, a value of its own, in leaves and class.
SELECT
    leaves,
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
FROM coded_frequency_set
ORDER BY leaves, "#class"
