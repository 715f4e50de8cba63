-- How many values of a sensitive attribute its taxonomy lacks, to refuse a distance by that taxonomy.
-- One row: the attribute.
-- Reads: cells, paths
-- Binds: cells (table), paths (table)
-- Result: lacking, the number of values.
-- NULL: has a place of its own in paths.
SELECT count(DISTINCT cells.value) AS lacking
FROM cells
LEFT JOIN paths ON cells.value::VARCHAR = paths.value
WHERE cells.value IS NOT NULL AND paths.value IS NULL
