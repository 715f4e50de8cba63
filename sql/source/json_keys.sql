-- The keys of the objects in JSON files, as they are written there.
-- One row: a key that some object has.
-- Reads: the files
-- Binds: $files (value)
SELECT DISTINCT unnest(json_keys(json)) AS key
FROM read_json_objects($files)
ORDER BY key
