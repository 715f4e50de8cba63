-- What rules are expected to reach on records that were not there when they were found.
-- One row: the latest estimate, as one JSON document.
-- Reads: nothing
-- Binds: $document (value)
-- NULL: does not occur.
CREATE OR REPLACE TABLE expected AS
SELECT $document::JSON AS document
