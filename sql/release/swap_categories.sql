-- The codes of a column of categories, in the order of their values.
-- One row: a row of the set that is coded.
-- Reads: the set
-- Binds: swapped_value (column), coded_set (table), made (table)
-- Result: "#row", "#records"; code, from 1; number, which is none; bin, the code itself.
-- NULL: is code 0, a value of its own.
CREATE OR REPLACE TEMP TABLE made AS
SELECT
    "#row",
    "#records",
    if(swapped_value IS NULL, 0, dense_rank() OVER (ORDER BY swapped_value NULLS LAST))::INTEGER AS code,
    NULL::DOUBLE AS number,
    code AS bin
FROM coded_set
