-- The packed rows, to draw pairs from.
-- One row: a joined row.
-- Reads: packed_records
SELECT * EXCLUDE (id)
FROM packed_records
ORDER BY id
