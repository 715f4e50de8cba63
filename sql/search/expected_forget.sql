-- Forgets what rules are expected to reach.
-- One row: nothing is returned.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
DROP TABLE IF EXISTS expected
