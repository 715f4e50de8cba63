-- The equivalence classes of the numbered set, each once.
-- One row: an equivalence class.
-- Reads: numbered_set
-- Binds: attributes (columns), numbered_set (table)
-- Result: the quasi-identifiers.
-- NULL: is a value of its own.
SELECT DISTINCT attributes
FROM numbered_set
