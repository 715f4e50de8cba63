-- One row: the kept estimates, and what they depend on.
-- Reads: expected
-- Binds: nothing
-- Result: document (JSON text).
-- NULL: does not occur.
SELECT CAST(document AS VARCHAR) AS document
FROM expected
