-- What one attribute loses by non-uniform entropy (Gionis and Tassa 2009; de Waal and Willenborg 1999).
-- One row: the attribute.
-- Reads: cells (a coded frequency set)
-- Binds: leaf (column), nodes (columns), cells (table)
-- Result: cost in bits: the sum over records of -log2(records of the value / records of its node), as the sum over nodes
--   of n log2 n less the sum over values of n log2 n. Without nodes, all records share the root.
-- NULL: is code 0, a value and a node of its own under the root.
WITH held AS (
    SELECT nodes, leaf, sum("#records") AS n
    FROM cells
    GROUP BY nodes, leaf
), labels AS (
    SELECT sum(n) AS n, sum(n * log2(n)) AS told
    FROM held
    GROUP BY nodes
)
SELECT coalesce(sum(n * log2(n) - told), 0)::DOUBLE AS cost
FROM labels
