-- The document of a kind with a key, if it is kept.
-- One row: that document; none where it is not kept.
-- Reads: documents
-- Binds: $kind (value), $key (value)
-- Result: document, JSON text.
-- NULL: does not occur.
SELECT document
FROM documents
WHERE kind = $kind AND key = $key
