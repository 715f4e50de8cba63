-- Keeps the rule that `run` released, with what is expected of it and its method, all as JSON.
-- One row: the choice.
-- Reads: last_choice
-- Binds: $levels (value), $expected (value), $method (value)
-- NULL: does not occur.
INSERT INTO last_choice (levels, expected, method) VALUES ($levels, $expected, $method)
