-- The rows of a release in an engine that are of the classes in the view anonduck_kept, which has each once.
-- One row: as in the query of all rows.
-- Reads: the query of all rows; anonduck_kept
-- Binds: released (list), columns (list), attributes (list)
-- Result: the columns of the release.
-- NULL: is a value of its own.
SELECT each(columns, r."{name}")
FROM each(released, {query}) AS r
JOIN "anonduck_kept" AS k ON all_of(attributes, {alike}; TRUE)
