-- What was expected of the last choice of `run`, beside it; also where an older version made the table.
-- One row: nothing is returned.
-- Reads: last_choice
-- Binds: nothing
-- NULL: a choice of which nothing is known.
ALTER TABLE last_choice ADD COLUMN IF NOT EXISTS expected VARCHAR
