-- Keep the rule that `run` released, with what is expected of it, both as JSON.
-- One row: the choice.
-- Reads: last_choice
-- Binds: $levels (value), $expected (value)
-- NULL: does not occur.
INSERT INTO last_choice VALUES ($levels, $expected)
