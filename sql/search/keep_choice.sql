-- Keeps the rule that `run` released, with what is expected of it, its method and its taxonomies, all as JSON.
-- One row: the choice.
-- Reads: last_choice
-- Binds: $levels (value), $expected (value), $method (value), $trees (value)
-- NULL: does not occur.
INSERT INTO last_choice (levels, expected, method, trees) VALUES ($levels, $expected, $method, $trees)
