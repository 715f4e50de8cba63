-- Effect: keeps a comparison as the last one.
-- One row: the comparison.
-- Reads: last_comparison
-- Binds: $document (value)
-- NULL: does not occur.
INSERT INTO last_comparison (document) VALUES ($document)
