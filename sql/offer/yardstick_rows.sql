-- The records of a source by all values that queries and subgroups read, numbered in the order of these.
-- One row: a distinct combination of leaf codes, class and values.
-- Reads: coded_frequency_set
-- Binds: ordered (columns), coded (table), rows (table)
-- Result: a temporary table: #at from 0; the codes, the values and the number of records.
-- NULL: is a value of its own, in order after all others.
CREATE OR REPLACE TEMP TABLE rows AS
SELECT row_number() OVER (ORDER BY ordered) - 1 AS "#at", *
FROM coded
