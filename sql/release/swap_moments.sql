-- The values of a column of dates or times with the seconds behind each, for its codes.
-- One row: a row of the set that is coded.
-- Reads: the set
-- Binds: swapped_value (column), coded_set (table), made (table)
-- Result: "#row", "#records"; value; number, infinite where a date is. Seconds and milliseconds are cast first: DuckDB 2.0.1
--   takes their parts by way of nanoseconds, which begin in 1677.
-- NULL: stays.
CREATE OR REPLACE TEMP TABLE made AS
SELECT
    "#row",
    "#records",
    swapped_value AS value,
    coalesce(
        CASE
            WHEN typeof(swapped_value) IN ('TIMESTAMP_S', 'TIMESTAMP_MS')
                THEN epoch(try_cast(swapped_value AS TIMESTAMP))
            ELSE epoch(swapped_value)
        END,
        if(swapped_value::VARCHAR = '-infinity', '-infinity'::DOUBLE, 'infinity'::DOUBLE)
    )::DOUBLE AS number
FROM coded_set
