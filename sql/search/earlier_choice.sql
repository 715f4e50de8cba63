-- What `run` released last, as an earlier version kept it.
-- One row: the last choice, if there is one.
-- Reads: last_choice
-- Binds: nothing
-- Result: document, JSON text with the columns that the version had: levels, expected, method, trees, each JSON text.
-- NULL: of a column, it was not kept.
SELECT to_json(last_choice)::VARCHAR AS document
FROM last_choice
