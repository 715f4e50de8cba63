-- How many assigned classes a release shows.
-- One row: all of them.
-- Reads: assigned_nodes
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) AS classes
FROM assigned_nodes
