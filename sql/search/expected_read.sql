-- The kept estimates of what rules are expected to reach, and what they depend on.
-- One row: the latest estimate.
-- Reads: expected
-- Binds: nothing
-- Result: document (JSON text).
-- NULL: does not occur.
SELECT CAST(document AS VARCHAR) AS document
FROM expected
