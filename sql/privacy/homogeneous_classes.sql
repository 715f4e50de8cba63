-- Homogeneous classes: the share of classes whose records all have the same sensitive value.
-- One row: all classes.
-- Reads: cells
-- Binds: cells (table)
-- Result: homogeneous_classes.
-- NULL: a sensitive NULL is a value of its own: a class of NULLs alone is homogeneous.
WITH diversity AS (
    SELECT count(*) AS distinct_values
    FROM cells
    GROUP BY class
)
SELECT count(*) FILTER (WHERE distinct_values = 1) / count(*) AS homogeneous_classes
FROM diversity
