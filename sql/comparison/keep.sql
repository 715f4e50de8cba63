-- Effect: keeps a finished row of a comparison.
-- One row: such a row.
-- Reads: comparison_rows
-- Binds: $fingerprint (value), $document (value)
-- NULL: does not occur.
INSERT INTO comparison_rows (fingerprint, document) VALUES ($fingerprint, $document)
