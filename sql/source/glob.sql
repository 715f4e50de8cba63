-- The files that a pattern matches.
-- One row: a file.
-- Reads: the file system
-- Binds: $pattern (value)
SELECT file
FROM glob($pattern)
ORDER BY file
