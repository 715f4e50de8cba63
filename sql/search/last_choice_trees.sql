-- Adds the column for what identifies the taxonomies of the last choice of `run`, where it is not there yet.
-- One row: nothing is returned.
-- Reads: last_choice
-- Binds: nothing
-- NULL: not known, as an older version kept the choice.
ALTER TABLE last_choice ADD COLUMN IF NOT EXISTS trees VARCHAR
