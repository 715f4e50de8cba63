-- How many records the measured cells stand for.
-- One row: all cells.
-- Reads: cells (a coded frequency set)
-- Binds: cells (table)
-- NULL: is code 0 and counts.
SELECT coalesce(sum("#records"), 0)::BIGINT AS records
FROM cells
