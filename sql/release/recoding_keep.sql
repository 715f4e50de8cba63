-- Effect: keeps the recoding that a method found.
-- One row: the recoding.
-- Reads: last_recoding
-- Binds: $document (value)
-- NULL: does not occur.
INSERT INTO last_recoding (document) VALUES ($document)
