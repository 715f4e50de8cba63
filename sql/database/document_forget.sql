-- Effect: forgets the document of a kind with a key, or all of the kind where the key is NULL.
-- One row: a document.
-- Reads: documents
-- Binds: $kind (value), $key (value)
-- NULL: of the key, every one.
DELETE FROM documents
WHERE kind = $kind AND ($key::VARCHAR IS NULL OR key = $key::VARCHAR)
