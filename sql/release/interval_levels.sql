-- The intervals that a release by classes shows in a column, kept until the release is made.
-- One row: an interval.
-- Reads: given_intervals
-- Binds: intervals (table)
-- Result: the temporary table: first_code, last_code (finest intervals), node_level, label.
CREATE OR REPLACE TEMP TABLE intervals AS
SELECT first_code, last_code, node_level, label
FROM given_intervals
