-- The way of each value that the export holds up its taxonomy, as codes.
-- One row: a distinct value, at its leaf code, code_0; these start at 1.
-- Reads: the column's lookup
-- Binds: codes (columns), lookup (table)
-- NULL: has no row. A value that the taxonomy does not know has NULL at the levels above it.
SELECT codes, records
FROM lookup
