-- How many values a shipped taxonomy knows.
-- One row: the count.
-- Reads: labelled
-- Binds: nothing
-- NULL: has no path.
SELECT count(*)
FROM labelled
