-- Effect: forgets the release that was made to a file.
-- One row: a release.
-- Reads: made_releases
-- Binds: $file (value)
-- NULL: does not occur.
DELETE FROM made_releases
WHERE file = $file
