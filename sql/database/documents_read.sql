-- The documents of a kind.
-- One row: a document, in the order of the keys.
-- Reads: documents
-- Binds: $kind (value)
-- Result: key; document, JSON text.
SELECT key, document
FROM documents
WHERE kind = $kind
ORDER BY key
