-- What `run` released last.
-- One row: the last choice; none before the first.
-- Reads: last_choice
-- Binds: nothing
-- Result: levels, what was expected of them, the method, and what identifies the taxonomies, each JSON text.
-- NULL: all but the levels, where an older version kept the choice.
SELECT levels, expected, method, trees
FROM last_choice
