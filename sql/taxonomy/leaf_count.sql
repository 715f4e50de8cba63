-- How many leaves a taxonomy has.
-- One row: the whole table.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table)
-- Result: leaves.
-- NULL: no leaf is NULL.
SELECT count(*) AS leaves
FROM taxonomy
