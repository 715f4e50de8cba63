-- Effect: copies those documents of a table of an earlier version whose keys are not kept yet.
-- One row: a document.
-- Reads: the table, documents
-- Binds: older (table), old_key (column), $kind (value)
-- NULL: does not occur.
INSERT INTO documents (kind, key, document)
SELECT $kind, old_key, document
FROM older
WHERE old_key NOT IN (SELECT documents.key FROM documents WHERE documents.kind = $kind)
