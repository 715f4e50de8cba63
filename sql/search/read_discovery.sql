-- One row: the stored discovery, but for its rules and RFDs.
-- Reads: discovery
-- Binds: nothing
-- Result: document (JSON text).
-- NULL: does not occur.
SELECT CAST(document AS VARCHAR) AS document
FROM discovery
