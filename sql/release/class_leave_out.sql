-- Effect: removes the nodes of assigned classes none of whose records stays.
-- One row: a class that is left out.
-- Reads: assigned_nodes, the frequency set of the records that stay
-- Binds: staying (table)
DELETE FROM assigned_nodes
WHERE "#assigned" NOT IN (SELECT "#assigned" FROM staying)
