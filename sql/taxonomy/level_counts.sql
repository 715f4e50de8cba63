-- A first look at the labels and codes of a taxonomy, level by level.
-- One row: the taxonomy.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), leaf (list), levels (list)
-- Result: rows; counts, of the leaves and then of each level above: rows without a label or a code, distinct codes, distinct
--   labels, distinct pairs of label and code, and distinct pairs of code and the code above it. leaf is level 0. Those of
--   levels above it are counted over distinct paths.
-- NULL: counted as missing, and as no distinct code or label.
WITH paths AS (
    SELECT DISTINCT each(levels, level_{level}, code_{level})
    FROM taxonomy
)
SELECT leaves.rows, list_concat(leaves.counts, nodes.counts) AS counts
FROM (
    SELECT
        count(*) AS rows,
        [
            each(leaf,
                count_if(value IS NULL OR code_0 IS NULL OR code_0 = 0), {codes}, {labels}, {pairs}, {parents}
            )
        ] AS counts
    FROM taxonomy
) AS leaves
CROSS JOIN (
    SELECT
        [
            each(levels,
                count_if(level_{level} IS NULL OR code_{level} IS NULL OR code_{level} = 0), {codes}, {labels}, {pairs}, {parents}
            )
        ] AS counts
    FROM paths
) AS nodes
