-- Writes the taxonomy of a column from the leaves of one of the files that are imported.
-- One row: a leaf.
-- Reads: hierarchy_leaves
-- Binds: taxonomy (table), levels (list), numbering (column), $place (value)
-- Result: table taxonomy: value, level_1 and so on, code_0, code_1 and so on. The leaves are numbered by the column numbering
--   (by_value or by_line), nodes from 1 by their first leaf in that order.
-- NULL: not a leaf.
CREATE OR REPLACE TABLE taxonomy AS
WITH leaves AS (
    SELECT *
    FROM hierarchy_leaves
    WHERE place = $place
),
each(levels,
    nodes_{level} AS (
        SELECT
            path[{level}] AS label,
            row_number() OVER (ORDER BY min(numbering)) AS code
        FROM leaves
        GROUP BY path[{level}]
    )
)
SELECT
    leaves.value,
    each(levels, leaves.path[{level}] AS level_{level}),
    leaves.numbering::INTEGER AS code_0,
    each(levels, nodes_{level}.code::INTEGER AS code_{level})
FROM leaves
joins(levels, JOIN nodes_{level} ON nodes_{level}.label = leaves.path[{level}])
ORDER BY leaves.numbering
