-- The records that a rule leaves out, by class and fold.
-- One row: a class value of the source, also where none of its records is left out.
-- Reads: coded_frequency_set, coded (the part of it that stays)
-- Binds: coded (table)
-- NULL: a NULL class is code 0, a class value of its own.
WITH kept AS (
    SELECT
        "#class",
        sum("#fold_0") AS fold_0,
        sum("#fold_1") AS fold_1,
        sum("#fold_2") AS fold_2,
        sum("#fold_3") AS fold_3,
        sum("#fold_4") AS fold_4,
        sum("#fold_5") AS fold_5,
        sum("#fold_6") AS fold_6,
        sum("#fold_7") AS fold_7,
        sum("#fold_8") AS fold_8,
        sum("#fold_9") AS fold_9
    FROM coded
    GROUP BY "#class"
)
SELECT
    every."#class",
    (sum("#fold_0") - coalesce(any_value(kept.fold_0), 0))::BIGINT AS fold_0,
    (sum("#fold_1") - coalesce(any_value(kept.fold_1), 0))::BIGINT AS fold_1,
    (sum("#fold_2") - coalesce(any_value(kept.fold_2), 0))::BIGINT AS fold_2,
    (sum("#fold_3") - coalesce(any_value(kept.fold_3), 0))::BIGINT AS fold_3,
    (sum("#fold_4") - coalesce(any_value(kept.fold_4), 0))::BIGINT AS fold_4,
    (sum("#fold_5") - coalesce(any_value(kept.fold_5), 0))::BIGINT AS fold_5,
    (sum("#fold_6") - coalesce(any_value(kept.fold_6), 0))::BIGINT AS fold_6,
    (sum("#fold_7") - coalesce(any_value(kept.fold_7), 0))::BIGINT AS fold_7,
    (sum("#fold_8") - coalesce(any_value(kept.fold_8), 0))::BIGINT AS fold_8,
    (sum("#fold_9") - coalesce(any_value(kept.fold_9), 0))::BIGINT AS fold_9
FROM coded_frequency_set AS every
LEFT JOIN kept ON every."#class" = kept."#class"
GROUP BY every."#class"
ORDER BY every."#class"
