-- HA, the risk by homogeneity: the share of records in classes all of which have the same sensitive value.
-- One row: all classes.
-- Reads: cells
-- Binds: cells (table)
-- Result: ha; where persons are known, they are counted in place of records.
-- NULL: a sensitive NULL is a value of its own: a class of NULLs alone is homogeneous.
WITH classes AS (
    SELECT round(sum(weight)) AS members, max(holders) AS most
    FROM cells
    GROUP BY class
)
SELECT coalesce(sum(members) FILTER (WHERE most = members), 0) / sum(members) AS ha
FROM classes
