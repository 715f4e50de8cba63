-- The records of a release by another tool, as counted rows.
-- One row: a distinct combination of its columns.
-- Reads: frequency_set
-- Binds: nothing
-- NULL: stays.
SELECT *
FROM frequency_set
