-- The document of a kind with a key, if it is kept.
-- One row: that document.
-- Reads: documents
-- Binds: $kind (value), $key (value)
-- Result: document, JSON text.
SELECT document
FROM documents
WHERE kind = $kind AND key = $key
