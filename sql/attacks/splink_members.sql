-- The class of each released row by the known columns.
-- One row: a released row.
-- Reads: released_rows
-- Binds: known (list)
-- Result: temporary table splink_members: class, the number of the row; member, that of its class.
CREATE OR REPLACE TEMPORARY TABLE splink_members AS
SELECT c.class, dense_rank() OVER (ORDER BY each(known, c.l_{number})) AS member
FROM released_rows AS c
