-- One value of a column of the view release, to see whether the column holds distributions.
-- One row: a value; none where all are NULL.
-- Reads: the temp view release, until the first value.
-- Binds: kept (column)
-- Result: as_json, the value as JSON text.
-- NULL: is passed over.
SELECT CAST(to_json(release.kept) AS VARCHAR) AS as_json
FROM release
WHERE release.kept IS NOT NULL
LIMIT 1
