-- The recoding that `run` kept.
-- One row: the recoding; none before the first.
-- Reads: last_recoding
-- Binds: nothing
-- Result: document, JSON text.
-- NULL: does not occur.
SELECT document
FROM last_recoding
