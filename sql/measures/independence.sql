-- Whether equivalence classes and class values go together: Pearson's chi-square, and what its moments depend on.
-- One row: the rule whose node codes are the attributes.
-- Reads: coded (the coded frequency set, or the part of it that stays)
-- Binds: attributes (columns), coded (table)
-- Result: chi_square is sum over cells of n_gc^2 / (n_g n_c) - 1, times the records; reciprocal_classes and
--   reciprocal_labels are the sums of 1 / n_g over equivalence classes and of 1 / n_c over class values.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH cells AS (
    SELECT attributes, "#class", sum("#records") AS n
    FROM coded
    GROUP BY attributes, "#class"
), labels AS (
    SELECT "#class", sum(n)::DOUBLE AS n
    FROM cells
    GROUP BY "#class"
), classes AS (
    SELECT attributes, sum(cells.n)::DOUBLE AS n, sum(cells.n::DOUBLE * cells.n / labels.n) AS squares
    FROM cells
    JOIN labels USING ("#class")
    GROUP BY attributes
), all_labels AS (
    SELECT count(*) AS labels, sum(1 / n) AS reciprocal_labels
    FROM labels
)
SELECT
    sum(n)::BIGINT AS records,
    count(*) AS classes,
    any_value(labels) AS labels,
    sum(n) * (sum(squares / n) - 1) AS chi_square,
    sum(1 / n) AS reciprocal_classes,
    any_value(reciprocal_labels) AS reciprocal_labels
FROM classes
CROSS JOIN all_labels
