-- The values of a column of dates or times with the seconds behind each, for its codes.
-- One row: a row of the set that is coded.
-- Reads: the set
-- Binds: swapped_value (column), coded_set (table), made (table)
-- Result: "#row", "#records"; value; number, infinite where a date is.
-- NULL: stays.
CREATE OR REPLACE TEMP TABLE made AS
SELECT
    "#row",
    "#records",
    swapped_value AS value,
    coalesce(
        epoch(swapped_value),
        if(swapped_value::VARCHAR = '-infinity', '-infinity'::DOUBLE, 'infinity'::DOUBLE)
    )::DOUBLE AS number
FROM coded_set
