-- The way of each value of a taxonomy to the root.
-- One row: a value and a level under the root.
-- Reads: the listed paths
-- Binds: listed (table), paths (table)
-- Result: value; level, 0 for the value itself; node and parent, numbers.
-- NULL: a value of its own, with its own nodes up to the root.
CREATE OR REPLACE TEMP TABLE paths AS
SELECT value::VARCHAR AS value, level, node, parent
FROM listed
