-- One row: how many assigned classes a release shows.
-- Reads: assigned_nodes
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) AS classes
FROM assigned_nodes
