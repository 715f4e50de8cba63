-- The last comparison that was made with this decision database.
-- One row: the comparison, if there is one.
-- Reads: last_comparison
-- Binds: nothing
-- Result: document, JSON text.
-- NULL: does not occur.
SELECT document
FROM last_comparison
