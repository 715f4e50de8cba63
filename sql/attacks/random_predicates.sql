-- Combinations of labels, each label drawn on its own.
-- One row: a combination.
-- Binds: labels (list), $limit (value), $seed (value)
-- Result: temporary table predicates of $limit rows: class, a number from 0; per attribute l_1, the number of a label.
CREATE OR REPLACE TEMPORARY TABLE predicates AS
SELECT
    drawn.class,
    each(labels, (1 + hash(drawn.class, {number}, $seed::BIGINT) % {count})::INTEGER AS l_{number})
FROM range($limit::BIGINT) AS drawn (class)
