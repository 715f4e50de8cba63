-- The rows of a table of a taxonomy as texts, which casts to the types of its columns read back.
-- One row: as in the table.
-- Reads: stored
-- Binds: stored (table), names (list), noted (list)
-- Result: each column of names as text; of taxonomy_nodes the rows of the column that is noted.
-- NULL: stays NULL.
SELECT each(names, "{name}"::VARCHAR AS "{name}")
FROM stored
WHERE all_of(noted, column_name = {column}; TRUE)
