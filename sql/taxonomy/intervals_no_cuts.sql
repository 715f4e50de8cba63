-- The bounds of an interval taxonomy whose only node is the root: none.
-- One row: none.
-- Reads: gaps
-- Binds: nothing
-- Result: temporary table cuts: code_1, text, lower; empty.
-- NULL: does not matter.
CREATE OR REPLACE TEMP TABLE cuts AS
SELECT code_1, ''::VARCHAR AS text, above AS lower
FROM gaps
WHERE FALSE
