-- Over how many leaves the root of one attribute spreads its records, for the KL divergence.
-- One row: the attribute.
-- Reads: cells (a coded frequency set), taxonomy_nodes
-- Binds: leaf (column), cells (table), $column_name (value)
-- Result: cost in bits: the sum over records of log2(leaves covered).
-- NULL: is one more value under the root where the column holds NULL.
WITH whole AS (
    SELECT max(leaves) AS leaves
    FROM taxonomy_nodes
    WHERE column_name = $column_name
), held AS (
    SELECT coalesce(sum("#records"), 0) AS n, coalesce(bool_or(leaf = 0), FALSE) AS has_null
    FROM cells
)
SELECT (held.n * log2(greatest(coalesce(whole.leaves, 0) + held.has_null::INTEGER, 1)))::DOUBLE AS cost
FROM held
CROSS JOIN whole
