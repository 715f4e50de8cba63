-- Adds the column for the method of the last choice of `run`, as its receipt names it, where it is not there yet.
-- One row: nothing is returned.
-- Reads: last_choice
-- Binds: nothing
-- NULL: a rule, which was all that older versions chose.
ALTER TABLE last_choice ADD COLUMN IF NOT EXISTS method VARCHAR
