-- The releases by methods that were made with this decision database.
-- One row: a release, in the order of their files.
-- Reads: made_releases
-- Binds: nothing
-- Result: document, JSON text.
-- NULL: does not occur.
SELECT document
FROM made_releases
ORDER BY file
