-- What the stored discovery was asked and found, but for its rules and RFDs.
-- One row: the latest discovery.
-- Reads: discovery
-- Result: document (JSON text).
SELECT CAST(document AS VARCHAR) AS document
FROM discovery
