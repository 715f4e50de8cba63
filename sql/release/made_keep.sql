-- Effect: keeps a release in mind.
-- One row: the release.
-- Reads: made_releases
-- Binds: $file (value), $document (value)
-- NULL: does not occur.
INSERT INTO made_releases (file, document) VALUES ($file, $document)
