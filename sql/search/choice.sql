-- What `run` released last.
-- One row: the last choice; none before the first.
-- Reads: last_choice
-- Binds: nothing
-- Result: levels, what was expected of them, and the method, each JSON text.
-- NULL: expected and method, where an older version kept the choice.
SELECT levels, expected, method
FROM last_choice
