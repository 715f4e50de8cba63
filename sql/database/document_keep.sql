-- Effect: keeps a document.
-- One row: a document.
-- Reads: documents
-- Binds: $kind (value), $key (value), $document (value)
INSERT INTO documents (kind, key, document) VALUES ($kind, $key, $document)
