-- Where finished rows of comparisons are kept.
-- One row: a row of a comparison, with a fingerprint of all that it depends on and what came out, as JSON.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE TABLE IF NOT EXISTS comparison_rows (fingerprint VARCHAR NOT NULL, document VARCHAR NOT NULL)
