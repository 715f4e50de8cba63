-- Where the last choice of `run` is kept.
-- One row: the rule that was released, as JSON of its levels.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE TABLE IF NOT EXISTS last_choice (levels VARCHAR NOT NULL)
