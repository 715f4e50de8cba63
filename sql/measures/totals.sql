-- The entropy of the class over all records, before any rule.
-- One row: the whole frequency set.
-- Reads: coded (the coded frequency set, or a part of it)
-- Binds: coded (table)
-- Result: entropy in bits.
-- NULL: is a class value of its own.
WITH cells AS (
    SELECT "#class", sum("#records") AS n
    FROM coded
    GROUP BY "#class"
)
SELECT
    sum(n)::BIGINT AS records,
    count(*) AS class_values,
    max(n)::BIGINT AS majority,
    (log2(sum(n)) - sum(n * log2(n)) / sum(n))::DOUBLE AS entropy
FROM cells
