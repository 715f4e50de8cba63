-- The finished row of a comparison, if it is kept.
-- One row: that row.
-- Reads: comparison_rows
-- Binds: $fingerprint (value)
-- Result: document, JSON text.
-- NULL: does not occur.
SELECT document
FROM comparison_rows
WHERE fingerprint = $fingerprint
