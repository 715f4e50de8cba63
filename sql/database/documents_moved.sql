-- Effect: copies the documents of a table of an earlier version.
-- One row: a document.
-- Reads: the table
-- Binds: older (table), old_key (column), $kind (value)
-- NULL: does not occur.
INSERT INTO documents (kind, key, document)
SELECT $kind, old_key, document
FROM older
