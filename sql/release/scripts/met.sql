-- The rows of a release whose classes meet a condition; no dialect needs QUALIFY for it.
-- One row: a row of the release.
-- Reads: the rows with what is known of their classes, as sized.
-- Binds: query (field), names (list), condition (field)
-- Result: the columns.
-- NULL: is a value as any other.
SELECT each(names, sized."{name}")
FROM {query} AS sized
WHERE {condition}
