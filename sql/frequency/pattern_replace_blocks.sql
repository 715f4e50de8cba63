-- Puts the merged histogram of all blocks so far in the place of the single ones.
-- One row: does not occur.
-- Reads: merged_blocks
ALTER TABLE merged_blocks RENAME TO pattern_blocks
