-- A grouped table with a number for each of its rows.
-- One row: a row of the grouped table.
-- Reads: a grouped table
-- Binds: grouped (table), numbered (table)
-- Result: temporary table numbered: cell, the number; the columns of the grouped table.
-- NULL: stays.
CREATE OR REPLACE TEMP TABLE numbered AS
SELECT row_number() OVER () AS cell, grouped.*
FROM grouped
