-- Effect: forgets the last comparison.
-- One row: the comparison.
-- Reads: last_comparison
-- Binds: nothing
-- NULL: does not occur.
DELETE FROM last_comparison
