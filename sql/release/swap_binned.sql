-- The codes of a column whose values have numbers behind them, in the order of its values, and five bins of equal width.
-- One row: a row of the set that is coded.
-- Reads: its values with their numbers
-- Binds: prepared (table), made (table)
-- Result: "#row", "#records"; code, from 1; number, of infinities and NaN the nearest finite one; bin, from 1 to 5.
-- NULL: is code 0 and bin 0, and has no number.
CREATE OR REPLACE TEMP TABLE made AS
WITH ends AS (
    SELECT coalesce(min(number), 0) AS least, coalesce(max(number), 0) AS largest
    FROM prepared
    WHERE isfinite(number)
), finite AS (
    SELECT
        "#row",
        "#records",
        if(value IS NULL, 0, dense_rank() OVER (ORDER BY value NULLS LAST))::INTEGER AS code,
        if(isfinite(number), number, if(number < 0, least, largest)) AS finite_number,
        least,
        largest - least AS width
    FROM prepared, ends
)
SELECT
    "#row",
    "#records",
    code,
    if(code = 0, NULL, finite_number) AS number,
    if(code = 0, 0, if(width = 0, 1, least(floor((finite_number - "least") * 5 / width), 4) + 1))::INTEGER AS bin
FROM finite
