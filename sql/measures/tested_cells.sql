-- The cells of the frequency set that models are tested on, in the order of the contingency table of the data as it came.
-- One row: a distinct combination of quasi-identifier leaves and class with records in some fold.
-- Reads: coded (a coded frequency set)
-- Binds: leaves (columns), coded (table)
-- NULL: is code 0, a value of its own.
SELECT
    "#cell" AS cell,
    "#fold_0" + "#fold_1" + "#fold_2" + "#fold_3" + "#fold_4" + "#fold_5" + "#fold_6" + "#fold_7" + "#fold_8" + "#fold_9" AS tested
FROM coded
WHERE tested > 0
ORDER BY leaves, "#class"
