-- The values of some columns that occur together, with a number.
-- One row: as in the frequency set.
-- Reads: the frequency set
-- Binds: frequency (table), names (list)
-- Result: temporary table numbered_frequency: "#row", each column, "#records".
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE numbered_frequency AS
SELECT row_number() OVER () AS "#row", each(names, "{name}@value"), "#records"
FROM frequency
