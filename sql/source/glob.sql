-- The files that a pattern matches.
-- One row: a file.
-- Reads: the file system
-- Binds: $pattern (value)
-- NULL: does not occur.
SELECT file
FROM glob($pattern)
ORDER BY file
