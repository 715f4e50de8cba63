-- How much of the class the equivalence classes of a rule tell by their most frequent class values.
-- One row: the rule whose node codes are the attributes.
-- Reads: coded_frequency_set, coded (the part of it that stays, or all)
-- Binds: attributes (columns), coded (table)
-- Result: majority_share is the share of all records that have the most frequent class value of their equivalence class;
--   balanced_majority_share is the same with each class value weighing as much as any other: the sum over equivalence classes
--   of the largest share of a class value's records that lies there, by the number of class values. A record that does not stay
--   counts as the most frequent class value of all records, the first one of equals.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH every AS (
    SELECT "#class", sum("#records") AS n, row_number() OVER (ORDER BY sum("#records") DESC, "#class") AS place
    FROM coded_frequency_set
    GROUP BY "#class"
), cells AS (
    SELECT attributes, "#class", sum("#records") AS n
    FROM coded
    GROUP BY attributes, "#class"
), classes AS (
    SELECT attributes, max(cells.n) AS most, max(cells.n / every.n) AS largest_share
    FROM cells
    JOIN every ON cells."#class" = every."#class"
    GROUP BY attributes
), guessed AS (
    SELECT every.n - coalesce((SELECT sum(cells.n) FROM cells WHERE cells."#class" = every."#class"), 0) AS n, every.n AS whole
    FROM every
    WHERE place = 1
)
SELECT
    (sum(most) + any_value(guessed.n))::DOUBLE / (SELECT sum(n) FROM every)::DOUBLE AS majority_share,
    (sum(largest_share) + any_value(guessed.n / guessed.whole))::DOUBLE / (SELECT count(*) FROM every) AS balanced_majority_share
FROM classes, guessed
