-- Makes a table of a taxonomy of texts that taxonomy/kept_texts.sql has read.
-- One row: as in the texts.
-- Reads: given_taxonomy
-- Binds: stored (table), typed (list)
-- Result: table stored, with each column in its type.
-- NULL: stays NULL.
CREATE OR REPLACE TABLE stored AS
SELECT each(typed, {value} AS "{name}")
FROM given_taxonomy
