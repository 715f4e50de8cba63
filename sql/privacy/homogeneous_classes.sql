-- Homogeneous classes: the share of classes all of whose records, or persons, have the same sensitive value.
-- One row: all classes.
-- Reads: cells
-- Binds: cells (table)
-- Result: homogeneous_classes.
-- NULL: a sensitive NULL is a value of its own: a class of NULLs alone is homogeneous.
WITH classes AS (
    SELECT round(sum(weight)) AS members, max(holders) AS most
    FROM cells
    GROUP BY class
)
SELECT count(*) FILTER (WHERE most = members) / count(*) AS homogeneous_classes
FROM classes
