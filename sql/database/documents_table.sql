-- Effect: makes the table of the JSON documents that jobs keep, if it is missing.
-- One row: a document, by its kind and its key among those of the kind.
CREATE TABLE IF NOT EXISTS documents (kind VARCHAR NOT NULL, key VARCHAR NOT NULL, document VARCHAR NOT NULL)
