-- Where the last comparison is kept, for the report.
-- One row: the comparison, as JSON.
-- Reads: nothing
-- Binds: nothing
-- NULL: does not occur.
CREATE TABLE IF NOT EXISTS last_comparison (document VARCHAR NOT NULL)
