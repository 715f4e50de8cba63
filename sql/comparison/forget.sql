-- Effect: forgets a row of a comparison.
-- One row: such a row.
-- Reads: comparison_rows
-- Binds: $fingerprint (value)
-- NULL: does not occur.
DELETE FROM comparison_rows
WHERE fingerprint = $fingerprint
