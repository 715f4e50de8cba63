-- Adds the column for what was expected of the last choice of `run` to its table, where it is not there yet.
-- One row: nothing is returned.
-- Reads: last_choice
-- Binds: nothing
-- NULL: a choice of which nothing is known.
ALTER TABLE last_choice ADD COLUMN IF NOT EXISTS expected VARCHAR
