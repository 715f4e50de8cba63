-- How much of the class the equivalence classes of a rule tell by their most frequent class values.
-- One row: the rule whose node codes are the attributes.
-- Reads: coded (the coded frequency set, or a part of it)
-- Binds: attributes (columns), coded (table)
-- Result: majority_share is the share of the records that have the most frequent class value of their equivalence class;
--   balanced_majority_share is the same with each class value weighing as much as any other: the sum over equivalence classes
--   of the largest share of a class value's records that lies there, by the number of class values.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH cells AS (
    SELECT attributes, "#class", sum("#records") AS n
    FROM coded
    GROUP BY attributes, "#class"
), shares AS (
    SELECT *, n / sum(n) OVER (PARTITION BY "#class") AS share
    FROM cells
), classes AS (
    SELECT attributes, sum(n) AS n, max(n) AS most, max(share) AS largest_share
    FROM shares
    GROUP BY attributes
)
SELECT
    sum(most)::DOUBLE / sum(n)::DOUBLE AS majority_share,
    sum(largest_share)::DOUBLE / (SELECT count(DISTINCT "#class") FROM cells) AS balanced_majority_share
FROM classes
