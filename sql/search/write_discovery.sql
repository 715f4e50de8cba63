-- What a discovery was asked and found, beside its rules.
-- One row: the latest discovery, as one JSON document.
-- Binds: $document (value)
CREATE OR REPLACE TABLE discovery AS
SELECT $document::JSON AS document
