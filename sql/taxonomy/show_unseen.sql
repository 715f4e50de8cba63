-- How many values are shown that are no leaves.
-- One row: the whole column.
-- Reads: shown
-- Binds: nothing
-- Result: unseen.
-- NULL: is in no taxonomy.
SELECT count(*) AS unseen
FROM shown
WHERE leaf = 0
