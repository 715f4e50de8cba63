-- A taxonomy as text, the value first and its labels after it.
-- One row: a value.
-- Reads: taxonomy
-- Binds: taxonomy (table)
-- Result: the columns of the taxonomy.
-- NULL: is kept.
SELECT columns(*)::VARCHAR
FROM taxonomy
