-- How unevenly records lie over combinations of attributes and class, for the KL divergence.
-- One row: the combinations of the attributes (leaves, or a rule's node codes) and class.
-- Reads: cells (a coded frequency set)
-- Binds: attributes (columns), cells (table)
-- Result: the sum over combinations of n log2 n.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH counted AS (
    SELECT attributes, "#class", sum("#records") AS n
    FROM cells
    GROUP BY attributes, "#class"
)
SELECT coalesce(sum(n * log2(n)), 0)::DOUBLE AS n_log_n
FROM counted
