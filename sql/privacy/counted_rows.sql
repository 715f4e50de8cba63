-- The distinct rows of a release with their records: what is measured of it is read from these where they are few.
-- One row: a distinct row.
-- Reads: the temp view release
-- Binds: shown (columns), counted (table)
-- Result: a table with the columns of the release, and "#records".
-- NULL: is a value of its own.
CREATE OR REPLACE TEMPORARY TABLE counted AS
SELECT shown, count(*) AS "#records"
FROM release
GROUP BY shown
