-- What a rule costs and protects, from the frequency set alone.
-- One row: the rule whose node codes are the attributes.
-- Reads: coded (the coded frequency set, or a part of it)
-- Binds: attributes (columns), coded (table)
-- Result: k is the number of records in the smallest equivalence class; k_with_class is that of the smallest part of one
--   whose records have one class value; conditional_entropy is that of the class given the equivalence class, in bits;
--   violating_pairs are pairs of one equivalence class with different classes, by
--   sum over classes of C(n,2) - sum over class values of C(n_c,2), linear in the frequency set.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH cells AS (
    SELECT attributes, "#class", sum("#records") AS n
    FROM coded
    GROUP BY attributes, "#class"
), classes AS (
    SELECT
        attributes,
        sum(n) AS n,
        min(n) AS smallest_cell,
        count(*) AS cells,
        sum(n * log2(n)) AS n_log_n,
        sum(n * (n - 1) // 2) AS agreeing_pairs
    FROM cells
    GROUP BY attributes
)
SELECT
    min(n)::BIGINT AS k,
    min(smallest_cell)::BIGINT AS k_with_class,
    count(*) AS classes,
    sum(cells)::BIGINT AS cells,
    sum(n * log2(n) - n_log_n)::DOUBLE / sum(n)::DOUBLE AS conditional_entropy,
    sum(n * (n - 1) // 2 - agreeing_pairs)::HUGEINT AS violating_pairs
FROM classes
