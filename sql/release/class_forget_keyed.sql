-- Effect: removes the records with their keys that a release by classes scanned.
-- One row: none.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
DROP TABLE IF EXISTS keyed_set
