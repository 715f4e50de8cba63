-- The cuts of an interval taxonomy whose only node is the root: none.
-- One row: none.
-- Reads: leaves
-- Binds: nothing
-- Result: temporary table ranked_cuts: lower, text, rank; empty.
-- NULL: does not matter.
CREATE OR REPLACE TEMP TABLE ranked_cuts AS
SELECT value AS lower, ''::VARCHAR AS text, 0 AS rank
FROM leaves
WHERE FALSE
