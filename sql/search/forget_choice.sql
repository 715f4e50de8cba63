-- Forgets what `run` released last, to keep another choice.
-- One row: does not occur.
-- Reads: last_choice
-- Binds: nothing
-- NULL: does not occur.
DELETE FROM last_choice
