-- What the stored discovery was asked and found, but for its rules and RFDs.
-- One row: the latest discovery; none before the first.
-- Reads: discovery
-- Binds: nothing
-- Result: document (JSON text).
-- NULL: does not occur.
SELECT CAST(document AS VARCHAR) AS document
FROM discovery
