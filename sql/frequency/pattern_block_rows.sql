-- How many rows were merged into or appended to the histograms of the blocks.
-- One row: all of them together.
-- Reads: pattern_blocks
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) AS patterns
FROM pattern_blocks
