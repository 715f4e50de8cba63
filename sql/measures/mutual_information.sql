-- The mutual information of two attributes, each at some level.
-- One row: the two attributes.
-- Reads: cells (a coded frequency set)
-- Binds: one_attribute (column), other_attribute (column), cells (table)
-- Result: bits; H(one) + H(other) - H(one, other).
-- NULL: is code 0, a value of its own.
WITH pairs AS (
    SELECT one_attribute AS a, other_attribute AS b, sum("#records") AS n
    FROM cells
    GROUP BY a, b
), one AS (
    SELECT sum(n) AS n
    FROM pairs
    GROUP BY a
), other AS (
    SELECT sum(n) AS n
    FROM pairs
    GROUP BY b
)
SELECT coalesce(
    log2((SELECT sum(n) FROM pairs)) + (
        (SELECT sum(n * log2(n)) FROM pairs)
        - (SELECT sum(n * log2(n)) FROM one)
        - (SELECT sum(n * log2(n)) FROM other)
    ) / (SELECT sum(n) FROM pairs),
    0
)::DOUBLE AS bits
