-- Effect: removes a working table of a release by classes, which may not be there.
-- One row: none.
-- Reads: nothing
-- Binds: made (table)
-- NULL: does not occur.
DROP TABLE IF EXISTS temp.made
