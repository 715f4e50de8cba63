-- How many values a shipped taxonomy knows.
-- One row: the count.
-- Reads: labelled
-- NULL: has no path.
SELECT count(*)
FROM labelled
