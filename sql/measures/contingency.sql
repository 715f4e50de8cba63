-- The contingency table of a rule: what models are trained on.
-- One row: a combination of node codes and class, with its records in each of the ten folds.
-- Reads: coded (the coded frequency set, or a part of it)
-- Binds: attributes (columns), coded (table)
-- NULL: is code 0.
SELECT
    attributes,
    "#class",
    sum("#fold_0")::BIGINT AS fold_0,
    sum("#fold_1")::BIGINT AS fold_1,
    sum("#fold_2")::BIGINT AS fold_2,
    sum("#fold_3")::BIGINT AS fold_3,
    sum("#fold_4")::BIGINT AS fold_4,
    sum("#fold_5")::BIGINT AS fold_5,
    sum("#fold_6")::BIGINT AS fold_6,
    sum("#fold_7")::BIGINT AS fold_7,
    sum("#fold_8")::BIGINT AS fold_8,
    sum("#fold_9")::BIGINT AS fold_9
FROM coded
GROUP BY attributes, "#class"
ORDER BY attributes, "#class"
