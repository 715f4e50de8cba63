-- How many rows the frequency set has.
-- One row: the whole frequency set.
-- Reads: coded_frequency_set
-- Binds: nothing
-- NULL: is a value of its own.
SELECT count(*) AS rows
FROM coded_frequency_set
