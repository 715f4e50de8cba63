-- Effect: forgets the recoding that `run` kept.
-- One row: the recoding.
-- Reads: last_recoding
-- Binds: nothing
-- NULL: does not occur.
DELETE FROM last_recoding
