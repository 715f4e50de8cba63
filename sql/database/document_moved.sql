-- Effect: copies the one document of a table of an earlier version, which has no key.
-- One row: a document.
-- Reads: the table
-- Binds: older (table), $kind (value)
-- NULL: does not occur.
INSERT INTO documents (kind, key, document)
SELECT $kind, '', document
FROM older
