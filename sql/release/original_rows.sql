-- The records of the source, which a release by distributions is held against.
-- One row: a record.
-- Reads: source
-- Binds: names (list)
-- Result: each column as text.
-- NULL: stays NULL.
SELECT each(names, "{name}"::VARCHAR AS "{name}")
FROM source
