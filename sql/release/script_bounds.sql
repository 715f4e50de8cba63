-- The lower bounds of one level's intervals with their labels, for a script.
-- One row: neighbouring intervals with one label at that level, as text; the first has no bound.
-- Reads: the column's bounds
-- Binds: label (column), bounds (table)
-- NULL: the lower bound of the first interval.
SELECT lower::VARCHAR AS lower_bound, node_label
FROM (
    SELECT
        lower,
        label AS node_label,
        label IS DISTINCT FROM lag(label) OVER (ORDER BY lower NULLS FIRST) AS opens
    FROM bounds
) AS labelled
WHERE opens
ORDER BY labelled.lower NULLS FIRST
