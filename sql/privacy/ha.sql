-- HA, the risk by homogeneity: the share of records in classes whose records all have the same sensitive value.
-- One row: all classes.
-- Reads: cells
-- Binds: cells (table)
-- Result: ha.
-- NULL: a sensitive NULL is a value of its own: a class of NULLs alone is homogeneous.
WITH diversity AS (
    SELECT count(*) AS distinct_values, sum(records) AS records
    FROM cells
    GROUP BY class
)
SELECT coalesce(sum(records) FILTER (WHERE distinct_values = 1), 0) / sum(records) AS ha
FROM diversity
