-- The codes of a column of dates or times, in the order of their values, the numbers behind them, and five bins of equal width.
-- One row: a row of the set that is swapped.
-- Reads: swap_set
-- Binds: swapped_value (column), made (table)
-- Result: "#row", "#records"; code, from 1; number, of infinities and NaN the nearest finite one; bin, from 1 to 5.
-- NULL: is code 0 and bin 0, and has no number.
CREATE OR REPLACE TEMP TABLE made AS
WITH numbers AS (
    SELECT
        "#row",
        "#records",
        if(swapped_value IS NULL, 0, dense_rank() OVER (ORDER BY swapped_value NULLS LAST))::INTEGER AS code,
        coalesce(
            epoch(swapped_value),
            if(swapped_value::VARCHAR = '-infinity', '-infinity'::DOUBLE, 'infinity'::DOUBLE)
        )::DOUBLE AS number
    FROM swap_set
), ends AS (
    SELECT coalesce(min(number), 0) AS least, coalesce(max(number), 0) AS largest
    FROM numbers
    WHERE isfinite(number)
), finite AS (
    SELECT
        "#row",
        "#records",
        code,
        if(isfinite(number), number, if(number < 0, least, largest)) AS number,
        least,
        largest - least AS width
    FROM numbers, ends
)
SELECT
    "#row",
    "#records",
    code,
    if(code = 0, NULL, number) AS number,
    if(code = 0, 0, if(width = 0, 1, least(floor((number - "least") * 5 / width), 4) + 1))::INTEGER AS bin
FROM finite
