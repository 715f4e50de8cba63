-- The register of taxonomies.
-- One row: a column with a taxonomy.
-- Result: the table, if it was not there. root is the highest level; nodes counts the nodes of the levels 0 to root;
--   options is the JSON of what built the taxonomy; digest is that of its table when it was built, so that an edit
--   shows.
-- NULL: no value is NULL; NULL belongs to no taxonomy and is not counted.
CREATE TABLE IF NOT EXISTS taxonomies (
    column_name VARCHAR PRIMARY KEY,
    kind VARCHAR NOT NULL,
    ordered BOOLEAN NOT NULL,
    root INTEGER NOT NULL,
    leaves BIGINT NOT NULL,
    nodes INTEGER[] NOT NULL,
    origin VARCHAR NOT NULL,
    options VARCHAR NOT NULL,
    digest VARCHAR NOT NULL
)
