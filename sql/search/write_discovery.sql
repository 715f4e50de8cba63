-- What a discovery was asked and found, beside its rules.
-- One row: the latest discovery, as one JSON document.
-- Reads: nothing
-- Binds: $document (value)
-- NULL: does not occur.
CREATE OR REPLACE TABLE discovery AS
SELECT $document::JSON AS document
