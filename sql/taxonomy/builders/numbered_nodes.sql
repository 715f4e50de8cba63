-- Values with the labels over them and the number of each label's node: equal labels of a level are one node.
-- One row: a value.
-- Reads: labelled: value, level_1 and so on, and columns to keep
-- Binds: labelled (table), kept (columns), levels (list)
-- Result: value, the kept columns, code_0 (from 1, in the order of values), and level_1, code_1 and so on: nodes are
--   numbered from 1 by the smallest value under them.
-- NULL: a label that is NULL has no code; a value is not NULL.
WITH labels AS MATERIALIZED (
    SELECT
        value,
        kept,
        each(levels, level_{level})
    FROM labelled
),
each(levels,
    nodes_{level} AS (
        SELECT
            level_{level} AS label,
            row_number() OVER (ORDER BY min(value))::INTEGER AS code
        FROM labels
        WHERE level_{level} IS NOT NULL
        GROUP BY level_{level}
    )
)
SELECT
    labels.value,
    labels.kept,
    row_number() OVER (ORDER BY labels.value)::INTEGER AS code_0,
    each(levels, nodes_{level}.label AS level_{level}, nodes_{level}.code AS code_{level})
FROM labels
joins(levels, LEFT JOIN nodes_{level} ON nodes_{level}.label = labels.level_{level})
ORDER BY labels.value
